"""A session file of the agent, printed: text for people, or one record a line as JSON (docs/state-files.md)."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import assert_never

import msgspec

from debugger.printing import print_lines, say
from debugger.views import state as views
from debugger.views.inspect import line
from debugger.views.text import Emphasis, Line, Segment
from kernel.dialects import open_state
from kernel.stored import Decoded, HookFailure, StateFile, StoredEvent, Undecodable
from kernel.values import JSON, Producer


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    file: Path
    kind: str | None
    """Only events of this kind."""
    limit: int | None
    """Only so many events, the newest."""
    is_json: bool


def show(request: Request) -> None:
    """Print what the file holds. Raises BadInput."""
    with open_state(request.file) as session:
        if request.is_json:
            for record in records(session, request):
                say(msgspec.json.encode(record).decode() + "\n")
        else:
            print_lines(report(session, request))


def page(file: Path, most: int = 2000) -> tuple[Line, ...]:
    """The report on a file with its newest events, to be read on screen. Raises BadInput."""
    with open_state(file) as session:
        return tuple(report(session, Request(file, None, most, is_json=False)))


def report(session: StateFile, request: Request) -> Iterable[Line]:
    """Everything about the session, part by part; parts without anything in them are left out."""
    kinds = session.kinds
    yield from views.session(session.meta, kinds)
    yield line()
    matching = sum(kinds.values()) if request.kind is None else kinds.get(request.kind, 0)
    yield _title("Events")
    if matching == 0:
        yield views.no_events(request.kind, kinds)
    yield from views.left_out(min(matching, request.limit or matching), matching, request.kind)
    yield from map(views.event, session.events(kind=request.kind, last=request.limit))
    yield from _part("Hook errors", (each for failure in session.failures() for each in views.hook_error(failure)))
    yield from _part("Plan items", map(views.plan_item, session.plan_items()))
    if totals := session.cost_totals():
        yield from _part("Cost", views.costs(totals))


def _part(title: str, lines: Iterable[Line]) -> Iterable[Line]:
    for number, each in enumerate(lines):
        if number == 0:
            yield line()
            yield _title(title)
        yield each


def _title(title: str) -> Line:
    return line(Segment(title, Emphasis.ACCENT))


def records(session: StateFile, request: Request) -> Iterable[dict[str, JSON]]:
    """The same as JSON objects: the session, events, decisions, sums of cost."""
    meta = session.meta
    yield {"record": "session", "events": dict(session.kinds), "meta": None if meta is None else asdict(meta)}
    for event in session.events(kind=request.kind, last=request.limit):
        yield _event(event)
    for item in session.plan_items():
        yield {"record": "plan item", **asdict(item)}
    for total in session.cost_totals():
        yield {"record": "cost", **asdict(total)}


def _event(event: StoredEvent) -> dict[str, JSON]:
    return {
        "record": "event",
        "sequence": event.sequence,
        "id": event.id,
        "timestamp": event.timestamp,
        "kind": event.kind,
        "producer": _producer(event.producer),
        "schema_version": event.schema_version,
        "size": event.size,
        "summary": event.payload.summary,
        **_payload(event),
    }


def _payload(event: StoredEvent) -> dict[str, JSON]:
    match event.payload:
        case Decoded(message, _, view):
            return {"message": message, "payload": view}
        case HookFailure() as failure:
            return {
                "message": failure.form,
                "payload": failure.view,
                "hook_error": {
                    "point": failure.point,
                    "mode": failure.mode,
                    "category": failure.category,
                    "message": failure.message,
                    "subscriber": _producer(failure.subscriber),
                },
            }
        case Undecodable(reason):
            return {"undecodable": reason, "wire": base64.b64encode(event.body).decode()}
        case never:
            assert_never(never)


def _producer(by: Producer) -> JSON:
    return {"category": by.category, "name": by.name, "version": by.version}
