"""Everything about one span as lines: each knows what it says, so that it can be copied, with its path. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from debugger.otlp.spans import SPAN_ID, Attributes, Kind, Pairs, Span, Value
from debugger.traces.durations import Split
from debugger.traces.hooks import Hook
from debugger.traces.naming import iso, oddities
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import precise
from debugger.views.text import Emphasis, Segment, visible

LONG: Final = 160
"""Characters beyond which a value is folded."""
CHUNK: Final = 100
"""Characters of a line of a value that was unfolded."""
MOST_NESTED: Final = 20
"""Levels of lists within lists that are shown one below the other."""


@dataclass(frozen=True, slots=True)
class DetailLine:
    """One line, and what of the span it is about."""

    segments: tuple[Segment, ...]
    path: str = ""
    """Where it is, as a JSON path from the span; empty for headings."""
    copied: str = ""
    """What a copy of it holds: the whole value, however much of it is shown."""
    folds: bool = False
    """Whether its value is long, and can be folded and unfolded."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A span with what is known beyond it."""

    skeleton: Skeleton
    place: int
    span: Span | None
    hook: Hook | None = None
    own_ns: int | None = None
    split: Split | None = None
    lane: str = ""


def lines(subject: Subject, unfolded: Collection[str] = ()) -> tuple[DetailLine, ...]:
    """All of it; `unfolded` has the paths of the long values that are to be seen whole."""
    return tuple(_lines(subject, frozenset(unfolded)))


def _lines(subject: Subject, unfolded: frozenset[str]) -> Iterator[DetailLine]:
    span, made, place = subject.span, subject.skeleton, subject.place
    if span is None:
        yield _heading("Missing parent")
        yield _fact("id", identity(made.ids[place]), "span_id")
        yield _plain("others name it as their parent, and nobody has sent it so far")
        return
    yield _fact("name", span.name, "name", Emphasis.STRONG)
    yield from _timing(subject, span)
    yield from _hook(subject)
    for word in oddities(made, place):
        yield DetailLine((Segment("! ", Emphasis.CHANGED), Segment(word, Emphasis.CHANGED)))
    status = (
        "unset"
        if span.status is None
        else ("unset", "ok", "error")[span.status.code]
        if (0 <= span.status.code < 3)
        else str(span.status.code)
    )
    yield _fact("status", status, "status.code", Emphasis.ERROR if span.is_error else Emphasis.NONE)
    if span.status is not None and span.status.message:
        yield from _value("message", span.status.message, "status.message", unfolded, 0)
    yield _fact("kind", _kind(span.kind), "kind")
    yield _fact("ids", f"trace {identity(span.trace_id)}  span {identity(span.span_id)}", "span_id")
    if span.parent_id:
        yield _fact("parent", identity(span.parent_id), "parent_span_id")
    if span.trace_state:
        yield _fact("state", span.trace_state, "trace_state")
    yield from _attributes("Attributes", span.attributes, "attributes", unfolded, span.dropped.attributes)
    for number, event in enumerate(span.events):
        at = precise(event.time_ns - span.start_ns) if event.time_ns else "-"
        yield _heading(f"Event {number + 1} of {len(span.events)}: {event.name}  +{at}")
        path = f"events[{number}].attributes"
        yield from _pairs(event.attributes, path, unfolded, 0)
    if span.dropped.events:
        yield _plain(f"and {span.dropped.events:,} events that its maker left out")
    for number, link in enumerate(span.links):
        yield _heading(f"Link {number + 1} of {len(span.links)}")
        yield _fact("to", f"trace {identity(link.trace_id)}  span {identity(link.span_id)}", f"links[{number}]")
        yield from _pairs(link.attributes, f"links[{number}].attributes", unfolded, 0)
    if span.resource.attributes:
        resource = span.resource
        yield from _attributes("Sent by", resource.attributes, "resource", unfolded, resource.dropped_attributes)
    if span.scope.name or span.scope.attributes:
        yield _heading("Made by")
        yield _fact("scope", f"{span.scope.name} {span.scope.version}".strip(), "scope.name")
        yield from _pairs(span.scope.attributes, "scope.attributes", unfolded, 0)


def _timing(subject: Subject, span: Span) -> Iterator[DetailLine]:
    made, place = subject.skeleton, subject.place
    took = f"{precise(made.took(place))}{' so far' if made.running[place] else ''}"
    own = "" if subject.own_ns is None else f"  own {precise(subject.own_ns)}"
    below = "" if subject.own_ns is None else f"  below {precise(max(0, made.took(place) - subject.own_ns))}"
    yield _fact("took", f"{took}{own}{below}", "duration")
    began = iso(span.start_ns) if span.start_ns else "nobody says"
    yield _fact("from", f"{began}  (+{precise(made.starts[place])})", "start_time")
    yield _fact("to", iso(span.end_ns) if span.end_ns else "still under way", "end_time")
    if subject.split is not None:
        yield _fact("split", _said(subject.split), "split")
    if subject.lane:
        yield _fact("lane", subject.lane, "lane")


def _said(split: Split) -> str:
    host = f"host {precise(split.host_ns)}" if split.host_ns else "host -"
    if split.subscriber_ns is None or split.transport_ns is None:
        return f"{host}  transport and subscriber {precise(split.call_ns)}"
    return f"{host}  transport {precise(split.transport_ns)}  subscriber {precise(split.subscriber_ns)}"


def _hook(subject: Subject) -> Iterator[DetailLine]:
    hook, made = subject.hook, subject.skeleton
    if hook is None:
        return
    if hook.point:
        who = f"{hook.subscriber or hook.mode} at {hook.point}" if hook.is_step else hook.point
        badge = f"  {hook.badge} {hook.mode}" if hook.mode else ""
        yield DetailLine(
            (
                Segment(f"{'hook':<10}", Emphasis.KEY),
                Segment(visible(f"{who}{badge}  ")),
                Segment(visible(f"{hook.glyph} {hook.word}"), hook.emphasis),
            ),
            "hook",
            f"{who}{badge} {hook.word}",
        )
    if hook.deadline_ns:
        used = made.took(subject.place) / hook.deadline_ns
        emphasis = Emphasis.ERROR if used > 1 else Emphasis.HELD if used >= 0.8 else Emphasis.NONE
        yield _fact("deadline", f"{precise(hook.deadline_ns)}, {used:.0%} used", "deadline", emphasis)
    if hook.rule:
        yield _fact("rule", hook.rule, "rule", Emphasis.ACCENT)
    if hook.why:
        yield _fact("why", hook.why, "why")


def _kind(kind: int) -> str:
    return Kind(kind).name.lower() if kind in set(Kind) else str(kind)


def identity(value: bytes) -> str:
    """An id as people write it: hex, or the word that it is where one of our own recordings made it."""
    if len(value) == SPAN_ID or not (value.isascii() and value.decode("ascii").isprintable()):
        return value.hex()
    return value.decode("ascii")


def _attributes(
    title: str, pairs: Attributes, path: str, unfolded: frozenset[str], dropped: int
) -> Iterator[DetailLine]:
    yield _heading(f"{title} ({len(pairs):,})" if pairs else f"{title}: none")
    yield from _pairs(pairs, path, unfolded, 0)
    if dropped:
        yield _plain(f"and {dropped:,} that its maker left out")


def _pairs(pairs: Attributes, path: str, unfolded: frozenset[str], depth: int) -> Iterator[DetailLine]:
    seen: dict[str, int] = {}
    for key, value in pairs:
        again = seen.get(key, 0)
        seen[key] = again + 1
        place = f"{path}[{json.dumps(key, ensure_ascii=False)}]{f'#{again + 1}' if again else ''}"
        yield from _value(key, value, place, unfolded, depth)


def _value(key: str, value: Value, path: str, unfolded: frozenset[str], depth: int) -> Iterator[DetailLine]:
    head = Segment(f"{'  ' * depth}{visible(key)} ", Emphasis.KEY)
    match value:
        case Pairs(items) if depth < MOST_NESTED:
            yield DetailLine((head, _kind_of(f"{len(items)} pairs")), path, plain_text(value))
            yield from _pairs(items, path, unfolded, depth + 1)
        case tuple() if depth < MOST_NESTED and any(isinstance(each, tuple | Pairs) for each in value):
            yield DetailLine((head, _kind_of(f"list of {len(value)}")), path, plain_text(value))
            for number, each in enumerate(value):
                yield from _value(f"[{number}]", each, f"{path}[{number}]", unfolded, depth + 1)
        case _:
            yield from _scalar(head, value, path, unfolded, depth)


def _scalar(head: Segment, value: Value, path: str, unfolded: frozenset[str], depth: int) -> Iterator[DetailLine]:
    text = plain_text(value)
    kind = _kind_of(type_of(value))
    if len(text) <= LONG:
        yield DetailLine((head, Segment(visible(text), _of(value)), Segment(" "), kind), path, text)
        return
    size = Segment(f"… {len(text):,} characters, v {'folds' if path in unfolded else 'unfolds'}  ", Emphasis.DIM)
    if path not in unfolded:
        start = Segment(visible(text[:60]), _of(value))
        yield DetailLine((head, start, size, kind), path, text, folds=True)
        return
    yield DetailLine((head, size, kind), path, text, folds=True)
    indent = "  " * (depth + 1)
    for paragraph in text.split("\n"):
        for at in range(0, max(1, len(paragraph)), CHUNK):
            piece = visible(paragraph[at : at + CHUNK])
            yield DetailLine((Segment(indent), Segment(piece, _of(value))), path, text, folds=True)


_TYPES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "bool",
    int: "int",
    float: "double",
    bytes: "bytes",
    tuple: "list",
    Pairs: "pairs",
    type(None): "empty",
}


def type_of(value: Value) -> str:
    """The type of a value as it was sent; of a list, what is in it."""
    if isinstance(value, tuple):
        inner = sorted({_TYPES[type(each)] for each in value})
        return f"list of {' and '.join(inner)}" if inner else "empty list"
    return _TYPES[type(value)]


def plain_text(value: Value) -> str:
    """A value as text to read or to copy: texts as they are, everything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(_as_json(value), ensure_ascii=False)


def _as_json(value: Value) -> object:
    match value:
        case bytes():
            return value.hex()
        case tuple():
            return [_as_json(each) for each in value]
        case Pairs(items):
            return {key: _as_json(each) for key, each in items}
        case _:
            return value


def _of(value: Value) -> Emphasis:
    match value:
        case str():
            return Emphasis.STRING
        case bool() | None:
            return Emphasis.CONSTANT
        case int() | float():
            return Emphasis.NUMBER
        case _:
            return Emphasis.NONE


def _kind_of(text: str) -> Segment:
    return Segment(text, Emphasis.DIM)


def _heading(text: str) -> DetailLine:
    return DetailLine((Segment(visible(text), Emphasis.ACCENT),))


def _plain(text: str) -> DetailLine:
    return DetailLine((Segment(visible(text), Emphasis.DIM),))


def _fact(label: str, text: str, path: str, emphasis: Emphasis = Emphasis.NONE) -> DetailLine:
    return DetailLine((Segment(f"{label:<10}", Emphasis.KEY), Segment(visible(text), emphasis)), path, text)
