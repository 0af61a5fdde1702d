"""A recording as a source: each dispatch or stretch that is inside nothing else is a trace, and so is each trace of
spans that the recording was sent. Even handles are the former, odd ones the latter.
"""

from __future__ import annotations

import heapq
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugger.otlp.spans import Code, Span
from debugger.store.recording import Recording
from debugger.traces.hooks import Hook
from debugger.traces.scopes import FactTrace, Scopes
from debugger.traces.seam import Standing, TraceRow, Wish
from debugger.traces.skeleton import Columns, Skeleton, skeleton
from debugger.traces.stored import StoredSpans
from kernel.dialect import Dialect
from kernel.dialects import named
from kernel.errors import BadInput
from kernel.facts import Event

if TYPE_CHECKING:  # brings in what the first screen does not need
    from debugger.traces.derived import FactSpan

SPANS_A_SCOPE: Final = 4
"""About how many spans a dispatch comes to, where only the first spans are wished for."""
MOST_KEPT: Final = 200_000
"""Spans of traces that were opened last and are kept made."""


class _Dialects(dict[str, Dialect]):
    """Each dialect when its name first turns up."""

    def __missing__(self, name: str) -> Dialect:
        self[name] = named(name)
        return self[name]


class RecordedSource:
    """What is still being recorded grows with every dispatch that ends."""

    def __init__(self, path: Path) -> None:
        """Raises BadInput for a file that is no recording."""
        self._path = path
        self._recording = Recording(path)
        self._lock = threading.Lock()
        self._dialects = _Dialects()
        try:
            self._scopes = Scopes(path)
            self._stored = StoredSpans(path)
        except BadInput:
            self._recording.close()
            raise
        self._made: OrderedDict[int, tuple[int, list[FactSpan]]] = OrderedDict()

    @property
    def title(self) -> str:
        return self._path.name

    def changes(self) -> int:
        return self._scopes.changes() + self._stored.changes()

    def standing(self) -> Standing:
        found = self._stored.standing()
        facts = self._scopes.counted()
        is_growing = os.path.exists(f"{self._path}-wal")
        return replace(
            found,
            traces=found.traces + facts.traces,
            spans=found.spans + facts.scopes,
            is_least=facts.scopes > 0,
            is_growing=is_growing,
        )

    def order(self, wish: Wish) -> Sequence[int]:
        facts = self._scopes.order(wish)
        if not self._stored.has_spans:
            return [2 * number for number in facts]
        spans = self._stored.order(wish)
        if not facts:
            return [2 * number + 1 for number in spans]
        return self._merged(facts, spans, wish)

    def _merged(self, facts: Sequence[int], spans: Sequence[int], wish: Wish) -> list[int]:
        """Both in one order. By arrival, dispatches come before what was sent: nothing says what came when."""
        ours, theirs = [2 * number for number in facts], [2 * number + 1 for number in spans]
        if wish.key is wish.key.ARRIVAL:
            return theirs + ours if wish.is_descending else ours + theirs
        keyed = [
            [(_key(row, wish), row.handle) for row in self._in_pages(handles)] for handles in (ours, theirs) if handles
        ]
        return [handle for _, handle in heapq.merge(*keyed, key=lambda each: each[0], reverse=wish.is_descending)]

    def _in_pages(self, handles: Sequence[int]) -> Iterator[TraceRow]:
        for at in range(0, len(handles), 500):
            yield from (row for row in self.rows(handles[at : at + 500]) if row is not None)

    def rows(self, handles: Sequence[int]) -> tuple[TraceRow | None, ...]:
        found: dict[int, TraceRow | None] = {}
        theirs = [handle for handle in handles if handle % 2]
        if theirs:
            stored = self._stored.rows([handle // 2 for handle in theirs])
            for handle, row in zip(theirs, stored, strict=True):
                found[handle] = None if row is None else replace(row, handle=handle)
        for handle in handles:
            if handle % 2 == 0:
                fact_trace = self._scopes.trace(handle // 2)
                found[handle] = None if fact_trace is None else self._row(fact_trace)
        return tuple(found[handle] for handle in handles)

    def _row(self, trace: FactTrace) -> TraceRow:
        handle = 2 * trace.number
        made = self._made.get(handle)
        is_known = made is not None and made[0] == trace.scopes
        return TraceRow(
            handle,
            trace.id,
            trace.name,
            trace.dialect,
            trace.wall_ns,
            trace.took_ns,
            len(made[1]) if made is not None and is_known else trace.scopes,
            sum(span.error is not None for span in made[1]) if made is not None and is_known else trace.errors,
            trace.scopes,
            is_least=not is_known,
        )

    def skeleton(self, handle: int, most: int | None = None) -> Skeleton:
        if handle % 2:
            return replace(self._stored.skeleton(handle // 2, most), handle=handle)
        trace = self._scopes.trace(handle // 2)
        if trace is None:
            raise BadInput(f"{self._path}: the trace is not there any more")
        limit = None if most is None else max(1, most // SPANS_A_SCOPE)
        is_partial = limit is not None and limit < trace.scopes
        spans = self._spans(trace, limit if is_partial else None)
        return skeleton(
            _columns(spans, trace),
            handle=handle,
            touched=trace.scopes,
            hooks=[span.hook for span in spans],
            all_spans=trace.scopes if is_partial else 0,
        )

    def _spans(self, trace: FactTrace, limit: int | None = None) -> list[FactSpan]:
        handle = 2 * trace.number
        known = self._made.get(handle)
        if known is not None and known[0] == trace.scopes:
            return known[1]
        from debugger.traces.derived import spans_of

        spans: list[FactSpan] = []
        for scope in self._scopes.members(trace, limit):
            spans += spans_of(self._events(scope), self._dialects)
        if limit is None:
            self._made[handle] = (trace.scopes, spans)
            while len(self._made) > 1 and sum(len(kept) for _, kept in self._made.values()) > MOST_KEPT:
                self._made.popitem(last=False)
        return spans

    def _events(self, scope: str) -> list[Event]:
        with self._lock:
            return list(self._recording.events(scope))

    def hooks(self, made: Skeleton, places: Sequence[int]) -> Mapping[int, Hook]:
        if made.handle % 2:
            return self._stored.hooks(made, places)
        return {place: hook for place in places if (hook := made.hooks.get(place)) is not None}

    def all_hooks(self, made: Skeleton) -> Mapping[int, Hook]:
        return self._stored.all_hooks(made) if made.handle % 2 else made.hooks

    def span(self, made: Skeleton, place: int) -> Span | None:
        if made.handle % 2:
            return self._stored.span(made, place)
        trace = self._scopes.trace(made.handle // 2)
        if made.keys[place] < 0 or trace is None:
            return None
        spans = self._spans(trace, None if not made.all_spans else len(made))
        key = made.keys[place]
        return spans[key].as_span(trace.id.encode(), made.base_ns - _first(spans)) if key < len(spans) else None

    def refusals(self) -> tuple[str, ...]:
        return self._stored.refusals()

    def close(self) -> None:
        self._stored.close()
        self._scopes.close()
        with self._lock:
            self._recording.close()


def _first(spans: Sequence[FactSpan]) -> int:
    return min((span.start_ns for span in spans), default=0)


def _columns(spans: Sequence[FactSpan], trace: FactTrace) -> Columns:
    """Times since the epoch: everything in a trace shares the clock of its outermost."""
    shift = trace.wall_ns - _first(spans)
    return Columns(
        range(len(spans)),
        [span.id.encode() for span in spans],
        [span.parent.encode() for span in spans],
        [span.name for span in spans],
        [trace.dialect] * len(spans),
        [span.start_ns + shift for span in spans],
        [0 if span.end_ns is None else span.end_ns + shift for span in spans],
        [Code.UNSET if span.end_ns is None else Code.OK if span.error is None else Code.ERROR for span in spans],
    )


def _key(row: TraceRow, wish: Wish) -> int | str:
    match wish.key:
        case wish.key.START:
            return row.start_ns
        case wish.key.TOOK:
            return row.took_ns
        case wish.key.SPANS:
            return row.spans
        case wish.key.ERRORS:
            return row.errors
        case _:
            return row.root
