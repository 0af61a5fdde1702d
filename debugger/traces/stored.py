"""Traces in the tables of spans of a recording, while it is being written or afterwards."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from debugger.otlp import rows
from debugger.otlp.chains import ChainOfSpans, chains, is_chain
from debugger.otlp.span_reader import PAGE, SpanReader
from debugger.otlp.spans import Span, service_of
from debugger.traces import hooks as hook_views
from debugger.traces.hooks import Hook
from debugger.traces.seam import SortKey, Standing, TraceRow, Wish
from debugger.traces.skeleton import Columns, Skeleton, skeleton
from kernel.dialects.published import PUBLISHED

MOST_BODY: Final = 16_384
"""Bytes of a span beyond which a row of a list does not look into it: the detail pane does."""
MOST_SIBLINGS: Final = 200
"""Steps of one dispatch that are looked at to tell how each went."""
_ORDERS: Final[Mapping[SortKey, str]] = {
    SortKey.ARRIVAL: "number",
    SortKey.START: "start_ns",
    SortKey.TOOK: "end_ns - start_ns",
    SortKey.SPANS: "spans",
    SortKey.ERRORS: "errors",
    SortKey.NAME: "root",
}
_TRACE: Final = "number, id, root, service, start_ns, end_ns, spans, errors, touched, is_rootless"
_TRACE_KINDS: Final = (int, bytes, str, str, int, int, int, int, int, int)
_COLUMNS: Final = "id, span, parent, CAST(name AS BLOB), start_ns, end_ns, status, origin"
_COLUMN_KINDS: Final = (int, bytes, bytes, bytes, int, int, int | None, int)
_BODY_KINDS: Final = (int, bytes, bytes, bytes, str, int, int, int, int | None, int, bytes)
_EVERYDAY: Final = 8
"""Letters up to which the key of an attribute is a word of every day: such spans are found by their names."""
_WORDS: Final = tuple(
    dict.fromkeys(
        word.encode()
        for word in (
            *(published.known_by for published in PUBLISHED),
            *(published.point for published in PUBLISHED if len(published.point) > _EVERYDAY),
            *(end for end, _ in hook_views.DEADLINES),
        )
    )
)
_NAMES: Final = tuple(name for published in PUBLISHED if len(published.point) <= _EVERYDAY for name in published.names)
_SPEAKS_OF_HOOKS: Final = " OR ".join(["instr(body, ?) > 0"] * len(_WORDS) + ["name = ?"] * len(_NAMES))


class StoredSpans:
    """Two readers of one file: what is drawn never waits for what takes its time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._near, self._far = SpanReader(path), SpanReader(path)
        self._near_lock, self._far_lock = threading.Lock(), threading.Lock()
        self._known: dict[int, Hook | None] = {}
        self._known_of: tuple[int, int] = (0, 0)
        self._services: dict[int, str] = {}

    @property
    def has_spans(self) -> bool:
        return len(self._near) > 0

    def close(self) -> None:
        """Whoever is still asking gets BadInput."""
        self._far.interrupt()
        for lock, reader in ((self._near_lock, self._near), (self._far_lock, self._far)):
            with lock:
                reader.close()

    def changes(self) -> int:
        """The number of the last batch that arrived."""
        with self._near_lock:
            if not self._near.has_tables:
                return 0
            [(touched, dropped)] = self._near.select(
                "SELECT coalesce(max(touched), 0), "
                "coalesce((SELECT value FROM counts WHERE name = 'dropped_traces'), 0) FROM traces",
                (int, int),
            )
        return int(touched) + int(dropped)

    def standing(self) -> Standing:
        with self._far_lock:
            if not self._far.has_tables:
                return Standing()
            [(traces, spans)] = self._far.select("SELECT count(*), coalesce(sum(spans), 0) FROM traces", (int, int))
            [(refused,)] = self._far.select("SELECT count(*) FROM refusals", (int,))
            dropped = self._far.dropped.get("dropped_traces", 0)
        return Standing(traces, spans, refused=refused, dropped=dropped)

    def order(self, wish: Wish) -> Sequence[int]:
        """Numbers of traces."""
        with self._far_lock:
            if not self._far.has_tables:
                return ()
            if wish.key is SortKey.ARRIVAL and not wish.text and not wish.with_errors:
                [(first, last, count)] = self._far.select(
                    "SELECT coalesce(min(number), 1), coalesce(max(number), 0), count(*) FROM traces", (int, int, int)
                )
                if last - first + 1 == count:  # nothing was dropped in between: a million of them are just a range
                    found = range(first, last + 1)
                    return found[::-1] if wish.is_descending else found
            where, values = _where(wish)
            way = "DESC" if wish.is_descending else "ASC"
            query = f"SELECT number FROM traces {where} ORDER BY {_ORDERS[wish.key]} {way}, number {way}"  # our own
            return [number for (number,) in self._far.select(query, (int,), *values)]

    def rows(self, handles: Sequence[int]) -> tuple[TraceRow | None, ...]:
        found: dict[int, TraceRow] = {}
        with self._near_lock:
            for at in range(0, len(handles), PAGE):
                some = handles[at : at + PAGE]
                query = f"SELECT {_TRACE} FROM traces WHERE number IN ({', '.join('?' * len(some))})"
                found |= {row[0]: _row(row) for row in self._near.select(query, _TRACE_KINDS, *some)}
        return tuple(found.get(handle) for handle in handles)

    def skeleton(self, handle: int, most: int | None = None) -> Skeleton:
        with self._far_lock:
            [(trace, spans, touched)] = self._far.select(
                "SELECT id, spans, touched FROM traces WHERE number = ?", (bytes, int, int), handle
            ) or [(b"", 0, 0)]
            query = f"SELECT {_COLUMNS} FROM spans WHERE trace = ? ORDER BY id LIMIT ?"
            limit = 2**62 if most is None else most
            found = self._far.select(query, _COLUMN_KINDS, trace, limit)
            columns = self._columns(found)
            copies = self._far.alike(columns.keys, columns.ids)
        if copies:
            columns = _folded(columns, copies)
        is_partial = most is not None and len(found) < spans
        return skeleton(columns, handle=handle, touched=touched, all_spans=spans if is_partial else 0)

    def _columns(self, found: Sequence[tuple[Any, ...]]) -> Columns:
        if not found:
            return Columns((), (), (), (), (), (), (), ())
        keys, ids, parents, names, starts, ends, statuses, origins = zip(*found, strict=True)
        words = {name: name.decode(errors="replace") for name in set(names)}  # one text, however many spans have it
        services = {origin: self._service(origin) for origin in set(origins)}
        if min(starts) < 0 or min(ends) < 0:
            starts, ends = tuple(map(rows.unsigned, starts)), tuple(map(rows.unsigned, ends))
        called = list(map(words.__getitem__, names))
        return Columns(keys, ids, parents, called, list(map(services.__getitem__, origins)), starts, ends, statuses)

    def _service(self, origin: int) -> str:
        if origin not in self._services:
            self._services[origin] = service_of(self._far.origin(origin)[0])
        return self._services[origin]

    def span(self, made: Skeleton, place: int) -> Span | None:
        if made.keys[place] < 0:
            return None
        with self._near_lock:
            return self._near.span(made.keys[place])

    def refusals(self) -> tuple[str, ...]:
        with self._near_lock:
            return tuple(f"{each.source}: {each.why}" for _, each in self._near.refusals(most=1_000))

    # -- what spans say about chains -----------------------------------------------------------------------------

    def hooks(self, made: Skeleton, places: Sequence[int]) -> Mapping[int, Hook]:
        with self._near_lock:
            if self._known_of != (made.handle, made.touched) or len(self._known) > 50_000:
                self._known_of, self._known = (made.handle, made.touched), {}
            new = [place for place in places if place not in self._known and made.keys[place] >= 0]
            if new:
                self._learn(made, new)
        return {place: hook for place in places if (hook := self._known.get(place)) is not None}

    def all_hooks(self, made: Skeleton) -> Mapping[int, Hook]:
        """Looks only at spans that have the words of a hook host in them: the database finds those."""
        if len(made) == 0:
            return {}
        with self._far_lock:
            first = next(key for key in made.keys if key >= 0)
            query = "SELECT id FROM spans WHERE trace = (SELECT trace FROM spans WHERE id = ?) AND "
            query += f"length(body) <= {MOST_BODY} AND ({_SPEAKS_OF_HOOKS})"
            wanted = [key for (key,) in self._far.select(query, (int,), first, *_WORDS, *_NAMES)]
            if not wanted:
                return {}
            places = {key: place for place, key in enumerate(made.keys)}
            spans = self._bodies(self._far, made, [places[key] for key in wanted if key in places])
        by_id: dict[bytes, int] = {}
        for place in sorted(spans):
            by_id.setdefault(spans[place].span_id, place)
        found = {place: hook for place, span in spans.items() if (hook := hook_views.plain(span)) is not None}
        for chain in chains(spans.values()):
            steps = {by_id[step.span_id]: spans[by_id[step.span_id]] for step in chain.steps}
            found |= _of_chain(chain, by_id[chain.span_id], steps)
        return found

    def _learn(self, made: Skeleton, places: Sequence[int]) -> None:
        parents = {made.parents[place] for place in places if made.parents[place] >= 0}
        spans = self._bodies(self._near, made, sorted(parents | set(places)))
        tops = sorted(place for place, span in spans.items() if is_chain(span))
        for place in places:
            self._known[place] = hook_views.plain(spans[place]) if place in spans else None
        for top in tops:
            children = list(islice(made.below(top), MOST_SIBLINGS))
            below = spans | self._bodies(self._near, made, [child for child in children if child not in spans])
            steps = {child: below[child] for child in children if child in below}
            for chain in chains((below[top], *steps.values())):
                if chain.span_id == below[top].span_id:
                    self._known |= _of_chain(chain, top, steps)

    def _bodies(self, reader: SpanReader, made: Skeleton, places: Sequence[int]) -> dict[int, Span]:
        """The spans at these places, without those that are large."""
        by_key = {made.keys[place]: place for place in places if made.keys[place] >= 0}
        keys = list(by_key)
        found: dict[int, Span] = {}
        for at in range(0, len(keys), PAGE):
            some = keys[at : at + PAGE]
            marks = ", ".join("?" * len(some))
            query = f"SELECT id, {rows.COLUMNS} FROM spans WHERE id IN ({marks}) AND length(body) <= {MOST_BODY}"
            for key, *stored in reader.select(query, _BODY_KINDS, *some):
                row: rows.Row = tuple(stored)
                found[by_key[key]] = rows.span(row, *reader.origin(row[8]))
        return found


def _of_chain(chain: ChainOfSpans, top: int, steps: Mapping[int, Span]) -> dict[int, Hook]:
    told = {step.span_id: step for step in chain.steps}
    found: dict[int, Hook] = {top: hook_views.of_dispatch(chain)}
    for place, span in steps.items():
        if span.span_id in told:
            found[place] = hook_views.of_step(chain, told[span.span_id], hook_views.deadline_of(span.attributes))
    return found


def _where(wish: Wish) -> tuple[str, tuple[str, ...]]:
    conditions: list[str] = []
    values: tuple[str, ...] = ()
    if wish.text:
        conditions.append("(instr(fold(root), ?) OR instr(fold(service), ?) OR instr(lower(hex(id)), ?))")
        values = (wish.text.casefold(),) * 3
    if wish.with_errors:
        conditions.append("errors > 0")
    return ("WHERE " + " AND ".join(conditions) if conditions else ""), values


def _row(row: tuple[Any, ...]) -> TraceRow:
    number, trace, root, service, start_ns, end_ns, spans, errors, touched, is_rootless = row
    start_ns, end_ns = rows.unsigned(start_ns), rows.unsigned(end_ns)
    took_ns = max(0, end_ns - start_ns) if start_ns else 0
    return TraceRow(number, trace.hex(), root, service, start_ns, took_ns, spans, errors, touched, not is_rootless)


def _folded(columns: Columns, copies: Mapping[int, int]) -> Columns:
    """With spans that were sent more than once, exactly alike, as one; `copies` is 0 for those that go."""
    kept = [place for place in range(len(columns.keys)) if copies.get(place, 1)]

    def of(column: Sequence[Any]) -> list[Any]:
        return [column[place] for place in kept]

    return Columns(
        of(columns.keys),
        of(columns.ids),
        of(columns.parent_ids),
        of(columns.names),
        of(columns.services),
        of(columns.starts_ns),
        of(columns.ends_ns),
        of(columns.statuses),
        {now: copies[before] for now, before in enumerate(kept) if copies.get(before, 1) > 1},
    )
