"""Facts as spans: the same as through the SDK, and what facts know beyond that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice

import pytest
from exported_runs import conformance, told

from debugger.otlp.outward import spans_of as exported
from debugger.otlp.spans import Span
from debugger.traces.derived import FactSpan, spans_of
from kernel.dialects import named
from kernel.dialects.pluggable import Pluggable
from kernel.facts import Entered, Event, Opened
from kernel.values import Ending

DIALECTS = {name: named(name) for name in ("pluggable", "hookbus", "rig")}


def derived(events: Iterable[Event]) -> list[tuple[int, FactSpan]]:
    """The spans of all dispatches and stretches, each with the moment at which its clock was 0, since the epoch."""
    by_scope: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_scope[event.dispatch].append(event)
    found: list[tuple[int, FactSpan]] = []
    parents = {scope: _opening(told_[0]).parent for scope, told_ in by_scope.items()}
    for scope, told_ in by_scope.items():
        top = scope
        while parents.get(parents[top]) is not None:
            top = parents[top]
        first = by_scope[top][0]
        base = _opening(first).wall_ns - first.at_ns
        found += [(base, span) for span in spans_of(told_, DIALECTS)]
    return found


def content(span: Span, names: Mapping[bytes, str]) -> tuple[object, ...]:
    """Everything but ids; whether a parent is the same one is seen by its name."""
    events = [event for event in span.events if event.name == "exception"]
    times = span.start_ns, span.end_ns
    status = None if span.status is None else (int(span.status.code), span.status.message)
    about = span.name, int(span.kind), status, sorted(span.attributes), span.scope.name
    return *about, *times, events, names.get(span.parent_id, "")


def _opening(event: Event) -> Opened | Entered:
    assert isinstance(event.fact, Opened | Entered)
    return event.fact


@pytest.mark.parametrize("dialect", ["pluggable", "hookbus", "rig"])
def test_they_are_the_spans_that_telemetry_makes(dialect: str) -> None:
    """Names, kinds, times, statuses, attributes, events, scopes and parents, over the conformance suite."""
    compared = 0
    for where, events, _ in islice(conformance(dialect), 60):
        theirs = list(exported(events, seed="x"))
        names = {span.span_id: span.name for span in theirs}
        ours = [span.as_span(b"trace", base) for base, span in derived(events) if span.end_ns is not None]
        our_names = {span.span_id: span.name for span in ours}
        found = sorted(repr(content(span, our_names)) for span in ours)
        assert found == sorted(repr(content(span, names)) for span in theirs), where
        compared += len(found)
    assert compared > 100


def hooks(seats: str, says: dict[str, str]) -> dict[str, tuple[str, str, str, int | None]]:
    """Of each subscriber its badge, verdict, rule and deadline in milliseconds."""
    found = spans_of(told("d1", seats, says), {"pluggable": Pluggable()})
    return {
        span.hook.subscriber: (
            span.hook.badge,
            span.hook.word,
            span.hook.rule,
            None if span.hook.deadline_ns is None else span.hook.deadline_ns // 1_000_000,
        )
        for span in found
        if span.hook is not None
    }


def test_facts_know_verdicts_rules_and_deadlines() -> None:
    """Which no span of the host carries."""
    found = hooks("a:o b:t c:o", {"a": "ack", "b": "hang", "c": "ack"})
    assert found["a"] == ("O", "ok", "PL-OBSERVE-ACK", 1000)
    assert found["b"][:2] == ("T", "timed out")
    assert found[""][1] == str(Ending.ABORTED)


def test_what_is_under_way_has_no_end() -> None:
    """Neither the dispatch nor the step that is being asked."""
    events = told("d1", "a:o b:o", {"a": "ack", "b": "ack"})
    place = next(place for place, event in enumerate(events) if type(event.fact).__name__ == "Replied")
    dispatch, step = spans_of(events[:place], {"pluggable": Pluggable()})
    assert (dispatch.end_ns, step.end_ns) == (None, None)
    assert step.hook is not None
    assert step.hook.word == "running"
    assert step.as_span(b"t", 0).end_ns == 0


def test_nothing_is_made_of_nothing() -> None:
    """Nor of facts without their beginning."""
    events = told("d1", "a:o", {"a": "ack"})
    assert spans_of([], {}) == []
    assert spans_of(events[1:], {}) == []
