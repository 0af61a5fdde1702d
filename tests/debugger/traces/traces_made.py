"""Traces that tests make: skeletons by a few words, files of spans, and sources over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from hypothesis import strategies as st
from otlp_made import START_NS, identity, made

from debugger.otlp.sink import Batch
from debugger.otlp.span_writer import SpanWriter
from debugger.otlp.spans import Code, Span
from debugger.traces.outline import Outline
from debugger.traces.skeleton import Columns, Skeleton, skeleton
from debugger.traces.stored import StoredSpans
from debugger.views.text import Segment

Fields = tuple[int, int, int, int]
"""Number, parent (0 for none), beginning and end of a span, in nanoseconds from the beginning of the trace."""


def columns(spans: Sequence[Fields], errors: Iterable[int] = (), names: Sequence[str] = ()) -> Columns:
    """In this order of arrival. An end of -1 is none: still under way."""
    failed = set(errors)
    return Columns(
        [number for number, *_ in spans],
        [identity(number) for number, *_ in spans],
        [identity(parent) if parent else b"" for _, parent, *_ in spans],
        names or [f"span {number}" for number, *_ in spans],
        ["shop"] * len(spans),
        [START_NS + start for _, _, start, _ in spans],
        [0 if end < 0 else START_NS + end for *_, end in spans],
        [Code.ERROR if number in failed else Code.UNSET for number, *_ in spans],
    )


def trace(*spans: Fields, errors: Iterable[int] = (), names: Sequence[str] = ()) -> Skeleton:
    """A skeleton of these spans."""
    return skeleton(columns(spans, errors, names))


def named(made_of: Skeleton, places: Iterable[int]) -> list[int]:
    """The numbers of the spans at some places."""
    return [made_of.keys[place] for place in places]


def shown(outline: Outline) -> list[str]:
    """Each row: the number of its span, or what a marker says."""
    found: list[str] = []
    for row, place in enumerate(outline.rows):
        marker = outline.marker(row)
        found.append(str(outline.skeleton.keys[place]) if marker is None else f"{marker.spans} hidden")
    return found


def text(segments: Sequence[Segment]) -> str:
    """What a line says."""
    return "".join(segment.text for segment in segments)


def written(path: Path, *spans: Span) -> Path:
    """A recording of spans that were sent."""
    with SpanWriter(path) as writer:
        assert writer.take(Batch(spans, "test", 1, START_NS))
    return path


def stored(path: Path, *spans: Span) -> StoredSpans:
    """The same, open."""
    return StoredSpans(written(path, *spans))


def many(count: int, *, below: int = 1) -> list[Span]:
    """A trace of so many spans, all of them right below the first one."""
    return [
        made(1, name="root", took=count * 10),
        *(made(number, below, at=number * 10, took=9) for number in range(2, count + 1)),
    ]


SPANS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 200), st.integers(0, 100)), min_size=1, max_size=14).map(
    lambda drawn: [
        (number + 1, parent if parent <= len(drawn) else 0, start, start + took)
        for number, (parent, start, took) in enumerate(drawn)
    ]
)
"""Spans of a trace: parents that may be missing, later, themselves, or in a circle; children may be outside of them."""
TRACES = SPANS.map(lambda spans: trace(*spans))
