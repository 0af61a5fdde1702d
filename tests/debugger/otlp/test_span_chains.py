"""Spans of hook hosts, read back as chains."""

from __future__ import annotations

from itertools import islice

import pytest
from exported_runs import conformance
from otlp_made import START_NS, made

from debugger.otlp.chains import ChainOfSpans, SpanVerdict, chains, is_chain
from debugger.otlp.outward import spans_of
from debugger.otlp.spans import Code, Span, Status
from kernel.facts import Asked, Ended, Opened

OK = Status(Code.OK)
PREFIX = "pluggableharness."


def dispatch(number: int = 1, *, point: str = "plan-ready", error: str = "", **fields: object) -> Span:
    status = Status(Code.ERROR, error) if error else OK
    attributes = ((f"{PREFIX}hook.point", point),)
    return made(number, name="hook.dispatch", status=status, attributes=attributes, **({"took": 100} | fields))  # type: ignore[arg-type]


def step(number: int, name: str, mode: str, *, at: int, took: int = 5, error: str = "", parent: int = 1) -> Span:
    producer = (
        (f"{PREFIX}producer.category", "CATEGORY_TOOL"),
        (f"{PREFIX}producer.name", name),
        (f"{PREFIX}producer.version", "2"),
    )
    attributes = ((f"{PREFIX}subscriber.mode", mode), *(producer if name else ()))
    status = Status(Code.ERROR, error) if error else OK
    return made(number, parent, name="hook.subscriber", at=at, took=took, attributes=attributes, status=status)


def one(*spans: Span) -> ChainOfSpans:
    [chain] = chains(spans)
    return chain


def test_a_chain_in_order_with_badges() -> None:
    """By the beginning of each call, whatever the order in which spans end and arrive."""
    chain = one(
        step(3, "redactor", "transform", at=20),
        step(2, "audit", "observe", at=10),
        step(4, "", "veto", at=30),
        dispatch(),
    )
    assert (chain.dialect, chain.point, chain.start_ns, chain.took_ns) == ("pluggable", "plan-ready", START_NS, 100)
    assert [(each.subscriber, each.mode, each.badge, each.together, each.started_ns) for each in chain.steps] == [
        ("audit", "observe", "O", 1, 10),
        ("redactor", "transform", "T", 2, 20),
        ("", "veto", "V", 3, 30),
    ]
    assert chain.steps[0].producer == "tool 2"


@pytest.mark.parametrize(
    ("error", "steps", "verdicts", "decision"),
    [
        ("", [], [], "ok"),
        ("", [step(2, "a", "observe", at=1)], ["ok"], "ok"),
        ("", [step(2, "a", "observe", at=1, error="crashed")], ["failed"], "ok"),
        ("", [step(2, "a", "veto", at=1), step(3, "b", "transform", at=9)], ["ok", "ok"], "ok"),
        ("", [step(2, "a", "veto", at=1)], ["unknown"], "not told"),
        ("", [step(2, "a", "veto", at=1, error="timeout")], ["denied"], "denied"),
        ("transform a failed", [step(2, "a", "transform", at=1, error="failed")], ["aborted"], "error"),
        (
            "cancelled",
            [step(2, "a", "observe", at=1, error="cancelled")],
            ["failed"],
            "error",
        ),
        ("cancelled", [step(2, "a", "veto", at=1, error="cancelled")], ["aborted"], "error"),
    ],
)
def test_what_spans_say_and_what_they_do_not(error: str, steps: list[Span], verdicts: list[str], decision: str) -> None:
    """A gate that was asked last is OK whether it said yes or no: that is not made up."""
    chain = one(dispatch(error=error), *steps)
    assert [each.verdict for each in chain.steps] == verdicts
    assert (chain.decision, chain.why) == (decision, error)


def test_those_that_were_asked_at_once_are_together() -> None:
    """They overlap, and the next one begins when all of them have ended."""
    chain = one(
        dispatch(),
        step(2, "a", "observe", at=1, took=9),
        step(3, "b", "observe", at=2, took=2),
        step(4, "c", "observe", at=9, took=3),
        step(5, "d", "transform", at=12),
    )
    assert [each.together for each in chain.steps] == [1, 1, 1, 2]


def test_a_running_dispatch() -> None:
    """Its spans have no end yet, where a host sends them early."""
    chain = one(
        dispatch(end_ns=0),
        made(2, 1, name="hook.subscriber", attributes=((f"{PREFIX}subscriber.mode", "veto"),), end_ns=0),
    )
    assert (chain.took_ns, chain.decision) == (None, "not told")
    assert chain.steps[0].verdict is SpanVerdict.RUNNING


def test_a_plain_trace_has_no_chains() -> None:
    """Whatever its spans are called."""
    spans = (made(1, name="hook.dispatch"), made(2, 1, name="hook.subscriber"), made(3, attributes=(("hook", 7),)))
    assert chains(spans) == ()
    assert not any(is_chain(span) for span in spans)


def test_chains_of_a_turn_in_order() -> None:
    """Several in one trace, each with its own steps; other children of a dispatch's span are none."""
    spans = (
        dispatch(5, point="post-apply", at=50),
        dispatch(1),
        step(2, "a", "observe", at=1),
        step(6, "b", "observe", at=51, parent=5),
        made(9, 1, name="something else"),
    )
    assert [(chain.point, [each.subscriber for each in chain.steps]) for chain in chains(spans)] == [
        ("plan-ready", ["a"]),
        ("post-apply", ["b"]),
    ]


@pytest.mark.parametrize("dialect", ["pluggable", "hookbus", "rig"])
def test_our_own_spans_come_back_as_the_chains_that_were(dialect: str) -> None:
    """Every conformance run: the same points, the same number of calls, and never a verdict that facts contradict."""
    seen = 0
    for where, events, _ in islice(conformance(dialect), 150):
        opened = [event for event in events if isinstance(event.fact, Opened)]
        spans = list(spans_of(events, seed=where))
        found = chains(spans)
        if len(opened) != 1 or not found:
            continue
        [chain] = found
        [ended] = [event.fact for event in events if isinstance(event.fact, Ended)]
        fact = opened[0].fact
        assert isinstance(fact, Opened)
        assert (chain.dialect, chain.point) == (dialect, fact.chain.point), where
        asked = [event.fact for event in events if isinstance(event.fact, Asked)]
        assert len(chain.steps) == len(asked), where
        if chain.decision == "denied":
            assert ended.result.decision == "deny", where
        if dialect == "pluggable" and chain.decision == "ok":
            assert ended.result.decision in ("allow", ""), (where, ended.result.decision)
        seen += 1
    assert seen > 10
