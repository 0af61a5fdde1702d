"""Claims about named rules: each has a text, a source and a dispatch that applies it, and nothing else is cited."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from dispatch_runs import Scripted, Told, chain, on_virtual_time, stub
from pluggable_payloads import payload

from kernel import Caller, Probes, VirtualClock, dispatch
from kernel.control import Directive, Proceed, Skip
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.rules import RULES
from kernel.faults import Die, Refuse
from kernel.subscriber import Subscriber
from kernel.transports.stub import Stub


@dataclass(frozen=True)
class Row:
    """A dispatch in which a rule is applied. `does` names what each subscriber in turn does."""

    rule: str
    point: str
    seats: str
    does: tuple[str, ...] = ()
    steer: Directive | None = None
    gives_up: bool = False


EDITED = from_view("session-end", {"session_id": "edited"})
ROWS = [
    Row("PL-CHAIN-END", "session-end", "A:o", ("ack",)),
    Row("PL-CHAIN-EMPTY", "session-end", ""),
    Row("PL-NO-POINT", "", "A:o", ("ack",)),
    Row("PL-CANCELLED", "session-end", "A:o", ("ack",), gives_up=True),
    Row("PL-SKIPPED", "session-end", "A:o", ("ack",), steer=Skip()),
    Row("PL-EDITED", "session-end", "A:o", ("ack",), steer=Proceed(EDITED)),
    Row("PL-AFTER-DENY", "plan-ready", "A:v B:o", ("deny", "ack")),
    Row("PL-AFTER-ABORT", "plan-ready", "A:t B:o", ("none", "ack")),
    Row("PL-OBSERVE-ACK", "session-end", "A:o", ("ack",)),
    Row("PL-OBSERVE-INVALID", "session-end", "A:o", ("deny",)),
    Row("PL-OBSERVE-TIMEOUT", "session-end", "A:o", ("hang",)),
    Row("PL-OBSERVE-CRASHED", "session-end", "A:o", ("die",)),
    Row("PL-OBSERVE-FAILED", "session-end", "A:o", ("refuse",)),
    Row("PL-TRANSFORM-SAME", "session-end", "A:t", ("same",)),
    Row("PL-TRANSFORM-CHANGED", "pre-model-call", "A:t", ("+x",)),
    Row("PL-TRANSFORM-INVALID", "session-end", "A:t", ("ack",)),
    Row("PL-TRANSFORM-NO-PAYLOAD", "session-end", "A:t", ("no payload",)),
    Row("PL-TRANSFORM-OTHER-POINT", "session-end", "A:t", ("plan_ready payload",)),
    Row("PL-TRANSFORM-MODEL", "pre-model-call", "A:t", ("change model",)),
    Row("PL-TRANSFORM-IMMUTABLE", "post-apply", "A:t", ("drop item",)),
    Row("PL-TRANSFORM-UNKNOWN-FIELD", "pre-model-call", "A:t", ("unknown beside messages",)),
    Row("PL-TRANSFORM-TIMEOUT", "session-end", "A:t", ("hang",)),
    Row("PL-TRANSFORM-CRASHED", "session-end", "A:t", ("die",)),
    Row("PL-TRANSFORM-FAILED", "session-end", "A:t", ("refuse",)),
    Row("PL-VETO-ALLOW", "plan-ready", "A:v", ("allow",)),
    Row("PL-VETO-DENY", "plan-ready", "A:v", ("deny",)),
    Row("PL-VETO-UNKNOWN-DECISION", "plan-ready", "A:v", ("decision 7",)),
    Row("PL-VETO-INVALID", "plan-ready", "A:v", ("ack",)),
    Row("PL-VETO-UNSPECIFIED", "plan-ready", "A:v", ("unspecified",)),
    Row("PL-VETO-TIMEOUT", "plan-ready", "A:v", ("hang",)),
    Row("PL-VETO-CRASHED", "plan-ready", "A:v", ("die",)),
    Row("PL-VETO-FAILED", "plan-ready", "A:v", ("refuse",)),
]


def subscriber(does: str) -> Subscriber:
    if does == "die":
        return Stub(lambda request: b"", trouble=Die())
    if does == "refuse":
        return Stub(lambda request: b"", trouble=Refuse("INTERNAL", "no"))
    return stub(does)


def cited(row: Row) -> set[str]:
    """Every rule id in the facts and the result of a row's dispatch."""

    async def body(clock: VirtualClock) -> Told:
        told, caller = Told(), Caller()
        if row.gives_up:
            caller.cancel("enough")
        told.result = await dispatch(
            PLUGGABLE,
            chain(row.point, row.seats),
            payload(row.point) if row.point else HookPayload(b""),
            {name: subscriber(does) for name, does in zip("AB", row.does, strict=False)},
            probes=Probes(told),
            control=None if row.steer is None else Scripted(before_A=row.steer),
            clock=clock,
            caller=caller,
        )
        return told

    told = on_virtual_time(body)
    assert told.result is not None
    return {rule for rule in (getattr(fact, "rule", "") for fact in told.facts) if rule} | {told.result.rule}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.rule)
def test_a_rule_is_cited_where_it_is_applied(row: Row) -> None:
    """Some fact or the result names it, and whatever else is named is a rule of the catalogue."""
    found = cited(row)
    assert row.rule in found
    assert found <= RULES.keys()


def test_every_rule_has_a_row() -> None:
    """A rule that nothing applies would be a promise that nothing keeps."""
    assert [row.rule for row in ROWS] == list(RULES)


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_has_an_id_one_sentence_and_a_source(rule) -> None:  # type: ignore[no-untyped-def]
    """Fit for `explain` and for the table in the docs."""
    assert RULES[rule.id] is rule
    assert re.fullmatch(r"PL(-[A-Z]+)+", rule.id)
    assert re.fullmatch(r"[A-Z][^.]*\.", rule.text.replace("hook.", "hook"))
    assert re.fullmatch(r"((B\.\d+( I\d+(-I\d+)?)?|H\d+|design \d+)(, )?)+", rule.source)


def test_the_catalogue_cannot_be_changed() -> None:
    """Rules are the dialect's, not the reader's."""
    with pytest.raises(TypeError):
        RULES["PL-NEW"] = RULES["PL-EDITED"]  # type: ignore[index]
