"""What a scenario came to, as reports show it: judged as it was, told with the secrets of its configuration covered."""

from __future__ import annotations

from dataclasses import replace

from debugger.covering import CoveredEvents
from debugger.scenario.fired import Fired, Session
from debugger.scenario.session import MOST
from debugger.trace import Trace


def covered_fired(fired: Fired, covered: CoveredEvents) -> Fired:
    """One dispatch."""
    events = tuple(covered.event(event) for event in fired.events)
    trace = Trace()
    for event in events:
        trace.take(event)
    point = fired.trace.point
    return replace(
        fired,
        payload=covered.payload(fired.payload, point),
        events=events,
        trace=trace.dispatches[0],
        result=covered.value(fired.result, point),
        questions=covered.value(fired.questions),
    )


def covered_session(session: Session, covered: CoveredEvents) -> Session:
    """A session with everything in it."""
    events = tuple(covered.event(event) for event in session.events)
    trace = Trace(MOST)
    for event in events:
        trace.take(event)
    return replace(
        session,
        events=events,
        trace=trace,
        dispatches=tuple(covered_fired(each, covered) for each in session.dispatches),
        questions=covered.value(session.questions),
        played=covered.value(session.played),
    )
