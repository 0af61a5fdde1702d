"""A recorded dispatch as a scenario: stubs that answer as was recorded, and expectations from what came of it.

Each one is run before it is written, with nobody real in it. What of it does not hold then is left out and said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from debugger.covering import Redacted
from debugger.export import stand_ins, words
from debugger.export.material import Material
from debugger.export.stand_ins import Unlike
from debugger.export.yaml_text import comment, dumped
from debugger.scenario.load import parse
from debugger.scenario.run import Verdict, run
from debugger.store.recording import Unreadable
from debugger.trace import DispatchTrace
from debugger.views.text import visible
from kernel.asking import ReplyWord
from kernel.clock import NS_PER_MS
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.facts import Fact, Raised
from kernel.values import JSON, Cancelled, Ending, Payload, Result

MOST = 200
"""Dispatches in one file: each is run before it is written."""
_NAME = Path("exported.scenario.yaml")


@dataclass(frozen=True, slots=True)
class Made:
    """A scenario, and what could not be expected in it."""

    text: str
    """One document."""
    left_out: tuple[str, ...]
    """Keys of expectations that do not hold when it is run."""


def scenarios(material: Material) -> Iterator[str]:
    """The text of a scenario file, a document for each dispatch; raises BadInput where one cannot be told so."""
    if len(material.dispatches) > MOST:
        raise BadInput(f"{len(material.dispatches)} scenarios are too many for one file", fix="choose with --dispatch")
    refused: list[BadInput] = []
    is_first = True
    for trace in material.dispatches:
        try:
            made = scenario(trace, material)
        except BadInput as error:
            refused.append(error)
            yield from comment(visible(str(error)))
            continue
        yield "" if is_first else "---\n"
        is_first = False
        yield from comment(f"Made from dispatch {trace.number} of a recording. {material.redaction}")
        if said := words.remark(material.remarks.get(trace.id)):
            yield from comment(visible(said))
        if made.left_out:
            yield from comment(f"Not expected, since stubs do not bring it about: {', '.join(made.left_out)}.")
        yield made.text
    if is_first:
        raise refused[0]


def scenario(trace: DispatchTrace, material: Material) -> Made:
    """One dispatch as a scenario that holds; raises BadInput where it cannot be one."""
    dialect = material.dialect(trace)
    try:
        whole = _described(trace, dialect)
    except Unlike as unlike:
        raise BadInput(f"dispatch {trace.number} cannot be a scenario: {unlike}") from unlike
    expected = _expected(trace, [event.fact for event in material.events if event.dispatch == trace.id])
    left_out: list[str] = []
    while True:
        text = dumped({**whole, "expect": [expected]})
        misses = _misses(_run(text, trace))
        if not misses:
            return Made(text, tuple(left_out))
        for key in misses:
            left_out.append(key)
            expected.pop(key, None)


def _run(text: str, trace: DispatchTrace) -> Verdict:
    try:
        [loaded] = parse(text.encode(), _NAME)
    except (BadInput, UnicodeEncodeError) as error:
        raise BadInput(f"dispatch {trace.number} cannot be written as a scenario: {error}") from error
    verdict = run(loaded)
    if verdict.problem is not None:
        raise BadInput(
            f"dispatch {trace.number} cannot be run as a scenario: {verdict.problem}",
            fix="where it was redacted, allow what its dialect needs (docs/redaction.md), or say --no-redact",
        )
    return verdict


def _misses(verdict: Verdict) -> list[str]:
    """Keys of the expectation that does not hold; empty where all of it does."""
    keys = dict.fromkeys(
        str(miss.path[2]) for miss in verdict.misses if miss.path[0] == "expect" and len(miss.path) > 2
    )
    if verdict.misses and not keys:
        raise BadInput("the dispatch does not end once nobody real takes part in it")
    return list(keys)


def _described(trace: DispatchTrace, dialect: Dialect) -> dict[str, JSON]:
    """Everything but what is expected."""
    found, by = words.verdict(trace), words.by_whom(trace.result)
    whole: dict[str, JSON] = {
        "scenario": f"{trace.point} {trace.number} comes to {found.word.lower()}" + (f" by {by}" if by else ""),
        "dialect": trace.opened.dialect,
    }
    switches: dict[str, JSON] = dict(dialect.switches.items())
    if switches:
        whole["switches"] = switches
    if (timeout_ms := stand_ins.default_timeout_ms(trace, dialect)) is not None:
        whole["timeout_ms"] = timeout_ms
    if seats := stand_ins.subscribers(trace, dialect):
        whole["subscribers"] = seats
    if (waited_ms := _patience(trace)) is not None:
        whole["caller"] = {"gives_up_after_ms": waited_ms}
    fire: dict[str, JSON] = {"point": trace.point, **_payload(trace.opened.payload, trace.point, dialect)}
    if steer := list(stand_ins.steering(trace, dialect)):
        fire["steer"] = steer
    if answer := _answer(trace, dialect):
        fire["answers"] = [answer]
    whole["fire"] = [fire]
    return whole


def _payload(payload: Payload, point: str, dialect: Dialect) -> Mapping[str, JSON]:
    """What was fired: as JSON where that says all of it, otherwise as bytes."""
    if isinstance(payload, Redacted | Unreadable):
        raise Unlike("its payload is none of its dialect any more")
    try:
        if dialect.payload_from_view(point, payload.view).body == payload.body:
            return {"payload": payload.view}
    except BadInput:
        pass
    return {"payload_bytes": payload.body.hex(" ")}


def _patience(trace: DispatchTrace) -> float | None:
    """After how many milliseconds the caller gave up; None where nobody did, or where it was stopped by hand."""
    if trace.result is None or trace.result.ending is not Ending.CANCELLED:
        return None
    if any(steered.what == "stopped" for step in trace.steps for steered in step.steered):
        return None
    gave_up = [step for step in trace.steps if isinstance(step.outcome, Cancelled) and step.replied_at_ns is not None]
    if not gave_up:
        return 0
    return round(max(0, (gave_up[0].replied_at_ns or 0) - trace.opened_at_ns) / NS_PER_MS, 3)


def _answer(trace: DispatchTrace, dialect: Dialect) -> str:
    """What a person answered to what the result left open, found out from what the host then did; empty for nothing."""
    result = trace.result
    if result is None or not trace.decided or dialect.question(trace.id, result) is None:
        return ""
    for word in ReplyWord:
        then = dialect.settled(result, word.as_answer())
        if then is not None and (then.decision, then.rule) == (trace.decided[-1].decision, trace.decided[-1].rule):
            return word
    return ""  # nobody was there to answer


def _expected(trace: DispatchTrace, facts: Sequence[Fact]) -> dict[str, JSON]:
    """What came of it, as far as a reader would want it to stay so."""
    result = trace.result
    assert result is not None, "only what is over is recorded"
    expected: dict[str, JSON] = {"ending": result.ending, "decision": result.decision, "error": _error(trace, result)}
    expected |= {key: value for key, value in (("decided_by", result.decided_by), ("rule", result.rule)) if value}
    expected["payload"] = _kept(trace, result.payload)
    asked = sorted(
        (each for each in trace.steps if each.asked_at_ns is not None), key=lambda each: each.asked_at_ns or 0
    )
    expected["asked"] = [
        {"subscriber": step.subscription.name, "phase": step.phase} if step.phase else step.subscription.name
        for step in asked
    ]
    steps: list[JSON] = [
        {
            "subscriber": step.subscription.name,
            **({"phase": step.phase} if step.phase else {}),
            "status": step.verdict.status,
            "effect": step.verdict.effect,
            "rule": step.verdict.rule,
        }
        for step in trace.steps
        if step.verdict is not None
    ]
    if steps:
        expected["steps"] = steps
    expected["not_reached"] = [
        {"subscriber": missed.subscription.name, "because_of": missed.because_of, "rule": missed.rule}
        for step in trace.steps
        if (missed := step.not_reached) is not None
    ]
    counted = [raised for step in trace.steps for raised in step.raised]  # not those of which somebody went back
    expected["errors"] = [
        {"subscriber": fact.subscription.name, "category": fact.category, "rule": fact.rule}
        for fact in facts
        if isinstance(fact, Raised) and any(fact is raised for raised in counted)
    ]
    if trace.decided:
        expected["decisions"] = [{"decision": each.decision, "rule": each.rule} for each in trace.decided]
    return expected


def _error(trace: DispatchTrace, result: Result) -> str:
    """The error, as far as it does not say who stopped it: in a scenario that is the scenario."""
    stopped = [steered.by for step in trace.steps for steered in step.steered if steered.what == "stopped"]
    return result.error.partition(stopped[0])[0].strip() if stopped else result.error


def _kept(trace: DispatchTrace, payload: Payload | None) -> JSON:
    if payload is None:
        return "none"
    return "unchanged" if payload.digest == trace.opened.payload.digest else {"is": payload.view}
