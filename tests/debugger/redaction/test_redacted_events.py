"""Claims about events that are redacted: payloads stay what their dialect takes, wherever that is possible."""

from __future__ import annotations

import json

import pytest
from exported_runs import conformance, scripted, told

from debugger.fact_json import to_json
from debugger.redaction import EventRedactor, Redacted, Redactor, Rules
from debugger.redaction.file import parse
from debugger.store.recording import Unreadable
from debugger.trace import Trace
from kernel.dialects import named
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.payload import HookPayload
from kernel.facts import Asked, Changed, Ended, Event, Opened, Printed, Replied, Resolved
from kernel.subscriber import Call
from kernel.values import JSON, Answered, Empty, Outcome

SECRET = "sk-ant-api03-Vn8Qp2Lr5Tz7Yb1N"


def redacted(events: list[Event], rules: Rules | None = None) -> list[Event]:
    redacting = EventRedactor(Redactor(rules or Rules()))
    for event in events:
        redacting.event(event)
    redacting.settle()
    return [redacting.event(event) for event in events]


def call(arguments: JSON) -> HookPayload:
    view: JSON = {"call": {"id": "c1", "tool_name": "shell", "arguments": arguments}}
    return PLUGGABLE.payload_from_view("pre-tool-call", view)


@pytest.mark.parametrize("dialect", ["pluggable", "hookbus", "rig"])
def test_what_has_no_secret_is_the_very_same_event(dialect: str) -> None:
    """The conformance suite knows few secrets: nearly every event comes back as it is, and the trace with it."""
    same = count = 0
    for _, events, _ in conformance(dialect):
        redacting = EventRedactor(Redactor())
        now = [redacting.event(event) for event in events]
        count += 1
        same += all(after is before for after, before in zip(now, events, strict=True))
        trace = Trace()
        for event in now:
            trace.take(event)
    assert same >= count * 0.9
    assert count > 50


def test_a_payload_stays_one_that_its_dialect_takes() -> None:
    """Its bytes are those of the redacted view; before and after are still told apart by their digests."""
    events = redacted(told("d", "A:v", {"A": "allow"}, point="pre-tool-call", fired=call({"cmd": f"use {SECRET}"})))
    opened = events[0].fact
    assert isinstance(opened, Opened)
    assert isinstance(opened.payload, HookPayload)
    assert opened.payload.view["call"]["arguments"] == {"cmd": "use [redacted:api-key#1]"}  # type: ignore[call-overload,index]
    assert PLUGGABLE.payload_from_body("pre-tool-call", opened.payload.body) == opened.payload
    assert (
        len({fact.payload.digest for fact in (each.fact for each in events) if isinstance(fact, Opened | Asked)}) == 1
    )


def test_a_request_that_would_leak_is_told_by_what_it_asked() -> None:
    """Bytes of protobuf cannot be cut; JSON says what they were about. Others stay as they were."""
    events = told("d", "A:v", {"A": "allow"}, point="pre-tool-call", fired=call({"cmd": SECRET}))
    asked = next(each.fact for each in redacted(events) if isinstance(each.fact, Asked))
    assert json.loads(asked.request) == {"$redacted": asked.payload.view}
    clean = told("d", "A:v", {"A": "allow"}, point="pre-tool-call", fired=call({"cmd": "ls"}))
    assert next(each.fact for each in redacted(clean) if isinstance(each.fact, Asked)).request[:1] == b"\x0a"


def test_an_answer_stays_one_of_its_dialect() -> None:
    """A transform that puts a secret into the payload: its answer, and the payload that came of it."""
    text = f"""
scenario: s
dialect: pluggable
subscribers:
  - {{name: a, point: pre-model-call, mode: transform, stub: {{answer: {{append: "{SECRET}"}}}}}}
fire: [{{point: pre-model-call}}]
"""
    [events] = scripted(text)
    now = redacted(events)
    changed = next(each.fact for each in now if isinstance(each.fact, Changed))
    replied = next(each.fact for each in now if isinstance(each.fact, Replied))
    assert isinstance(replied.outcome, Answered)
    proposed = PLUGGABLE.proposed(changed.before, replied.outcome)
    assert proposed == changed.after.view
    assert SECRET.encode() not in replied.outcome.body
    assert json.dumps(proposed).count("[redacted:api-key#1]") == 2


def test_json_that_travels_stays_json_of_the_same_shape() -> None:
    """Requests of the hookbus: members, order and all."""
    text = f"""
scenario: s
dialect: hookbus
subscribers:
  - {{name: a, point: before_tool_call, mode: handle, stub: {{answer: {{block: "found {SECRET}"}}}}}}
fire: [{{point: before_tool_call, payload: {{tool_name: bash, tool_input: {{command: "echo {SECRET}"}}}}}}]
"""
    [events] = scripted(text)
    now = redacted(events)
    before = next(each.fact for each in events if isinstance(each.fact, Asked))
    asked = next(each.fact for each in now if isinstance(each.fact, Asked))
    assert json.loads(asked.request) == json.loads(before.request.decode().replace(SECRET, "[redacted:api-key#1]"))
    ended = next(each.fact for each in now if isinstance(each.fact, Ended))
    assert SECRET not in repr([to_json(each, named("hookbus")) for each in now])
    assert "[redacted:api-key#1]" in json.dumps(dict(ended.result.extras)) + ended.result.error + str(
        [each.fact.why for each in now if isinstance(each.fact, Resolved)]
    )


def test_a_number_that_is_secret_becomes_zero_where_only_numbers_fit() -> None:
    """A dialect with types takes no text there."""
    payload = PLUGGABLE.sample_payload("post-model-response")
    place = next(path for path in _numbers(payload.view) if path[-1].endswith("tokens"))
    rules = parse(f"places: ['{'.'.join(place)}']".encode(), "rules", {})
    events = redacted(told("d", "A:o", {"A": "ack"}, point="post-model-response", fired=payload), rules)
    opened = events[0].fact
    assert isinstance(opened, Opened)
    assert isinstance(opened.payload, HookPayload)
    assert _at(opened.payload.view, place) in (None, 0)


def _numbers(view: JSON, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if isinstance(view, dict):
        return [found for key, value in view.items() for found in _numbers(value, (*path, key))]
    return [path] if isinstance(view, int) and not isinstance(view, bool) and path else []


def _at(view: JSON, path: tuple[str, ...]) -> JSON:
    for step in path:
        view = view.get(step) if isinstance(view, dict) else None
    return view


def test_a_payload_that_its_dialect_does_not_take_any_more_is_for_people_only() -> None:
    """An enumeration that somebody wants hidden."""
    rules = parse(b"places: ['messages[*].role']", "rules", {})
    events = redacted(told("d", "A:o", {"A": "ack"}), rules)
    opened = events[0].fact
    assert isinstance(opened, Opened)
    assert isinstance(opened.payload, Redacted)
    assert opened.payload.view["messages"][0]["role"] == "[redacted:place#1]"  # type: ignore[call-overload,index]
    assert json.loads(opened.payload.body) == opened.payload.view


class Prints:
    """A subscriber that prints a private key, and something else after it."""

    async def answer(self, call: Call) -> Outcome:
        for line in ("a", "-----BEGIN PRIVATE KEY-----", "MIIabc", "", "defg==", "-----END PRIVATE KEY-----", "b"):
            call.printed("stderr", line)
        return Empty()


def test_a_private_key_that_is_printed_line_by_line_is_hidden_line_by_line() -> None:
    """And whatever is printed after it is not."""
    events = redacted(told("d", "A:o", {"A": Prints()}))
    lines = [each.fact.text for each in events if isinstance(each.fact, Printed)]
    assert lines == [
        "a",
        "-----BEGIN PRIVATE KEY-----",
        "[redacted:private-key#1]",
        "",
        "[redacted:private-key#2]",
        "-----END PRIVATE KEY-----",
        "b",
    ]


def test_a_payload_that_nobody_can_read_is_redacted_as_bytes() -> None:
    """Damaged, of another version: it is shown in hexadecimal, and that tells no secret either."""
    [first, *_] = told("d", "A:o", {"A": "ack"})
    assert isinstance(first.fact, Opened)
    broken = Unreadable(f"\x00{SECRET}".encode(), "abc", "not a HookPayload")
    event = Event("d", 0, 0, Opened("pluggable", first.fact.chain, broken, 1))
    [now] = redacted([event])
    assert isinstance(now.fact, Opened)
    assert SECRET.encode().hex() not in json.dumps(now.fact.payload.view)


def test_words_of_the_dialect_are_never_taken_for_secrets() -> None:
    """Even if a rule names one: points, modes, rules and decisions are ours."""
    rules = Rules().knowing(["pre-model-call", "transform", "PL-TRANSFORM-CHANGED", "allow"])
    events = redacted(told("d", "A:t", {"A": "+x"}), rules)
    opened, ended = events[0].fact, events[-1].fact
    assert isinstance(opened, Opened)
    assert isinstance(ended, Ended)
    assert (opened.chain.point, opened.chain.subscriptions[0].mode) == ("pre-model-call", "transform")
    assert ended.result.decision == "allow"
    assert any(isinstance(each.fact, Resolved) and each.fact.rule == "PL-TRANSFORM-CHANGED" for each in events)


def test_a_dialect_that_is_not_known_here_is_redacted_all_the_same() -> None:
    """A recording may come from elsewhere."""
    [first, *_] = told("d", "A:o", {"A": "ack"}, point="pre-tool-call", fired=call({"c": SECRET}))
    assert isinstance(first.fact, Opened)
    event = Event("d", 0, 0, Opened("unheard-of", first.fact.chain, first.fact.payload, 1))
    [now] = redacted([event])
    assert isinstance(now.fact, Opened)
    assert SECRET not in json.dumps(now.fact.payload.view)
