"""One trace in columns, in the order of its tree: what a hundred thousand rows need, and nothing that one row needs.

Times are nanoseconds from the beginning of the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from debugger.otlp.forest import NOBODY, Forest, Odd, planted
from debugger.otlp.spans import Code
from debugger.traces.hooks import Hook


@dataclass(frozen=True, slots=True)
class Columns:
    """Spans in order of arrival, before anything is known about their order in the tree. All columns are alike long."""

    keys: Sequence[int]
    """By which their source finds them again."""
    ids: Sequence[bytes]
    parent_ids: Sequence[bytes]
    names: Sequence[str]
    services: Sequence[str]
    starts_ns: Sequence[int]
    """Since the epoch; 0 where none was sent."""
    ends_ns: Sequence[int]
    statuses: Sequence[int | None]
    copies: Mapping[int, int] = field(default_factory=dict)
    """How often a span was sent, by its place in the columns, where that is more than once."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A trace. Each column has one entry for each place of the tree."""

    handle: int
    touched: int
    keys: Sequence[int]
    """NOBODY for a parent that is missing."""
    ids: Sequence[bytes]
    """Of spans, those of missing parents included: they stay what they are when more of the trace comes."""
    parents: Sequence[int]
    depths: Sequence[int]
    sizes: Sequence[int]
    """Places that it takes with everything below it."""
    children: Sequence[int]
    odd: Sequence[int]
    names: Sequence[str]
    services: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]
    """Never before its start; the end of the trace for what is still running."""
    errors: bytearray
    running: bytearray
    base_ns: int
    """When the trace began, since the epoch."""
    total_ns: int
    """How long it took, or takes so far."""
    copies: Mapping[int, int] = field(default_factory=dict)
    hooks: Mapping[int, Hook] = field(default_factory=dict)
    """By place, where the source knows all of them at once."""
    all_spans: int = 0
    """How many the whole trace has, if only its first ones are here; else 0."""

    def __len__(self) -> int:
        return len(self.keys)

    def took(self, place: int) -> int:
        return self.ends[place] - self.starts[place]

    def oddities(self, place: int) -> Odd:
        return Odd(self.odd[place])

    def below(self, place: int) -> Iterator[int]:
        """Places right below one, in order; those on top for NOBODY."""
        at = place + 1
        end = place + self.sizes[place] if place >= 0 else len(self)
        while at < end:
            yield at
            at += self.sizes[at]

    def ancestors(self, place: int) -> list[int]:
        """From its parent up to the top."""
        found: list[int] = []
        while (place := self.parents[place]) >= 0:
            found.append(place)
        return found


def skeleton(
    columns: Columns,
    *,
    handle: int = 0,
    touched: int = 0,
    hooks: Sequence[Hook | None] = (),
    all_spans: int = 0,
) -> Skeleton:
    """The tree of these spans. `hooks` goes with the columns, if it is there at all."""
    starts_ns, ends_ns = columns.starts_ns, columns.ends_ns
    forest = planted(columns.ids, columns.parent_ids, starts_ns, ends_ns)
    base = min(filter(None, starts_ns), default=0)
    last = max(max(ends_ns, default=0), max(starts_ns, default=0))
    total = max(0, last - base)
    spans = forest.spans
    starts = [starts_ns[span] - base if span >= 0 and starts_ns[span] else 0 for span in spans]
    ends = list(_ends(starts_ns, ends_ns, spans, base, total))
    statuses = columns.statuses
    made = Skeleton(
        handle,
        touched,
        _by_place(columns.keys, spans, NOBODY),
        [columns.ids[span] if span >= 0 else forest.missing[place] for place, span in enumerate(spans)],
        forest.parents,
        forest.depths,
        forest.sizes,
        forest.children,
        forest.odd,
        _by_place(columns.names, spans, ""),
        _by_place(columns.services, spans, ""),
        starts,
        ends,
        bytearray([span >= 0 and statuses[span] == Code.ERROR for span in spans]),
        bytearray([span >= 0 and not ends_ns[span] for span in spans]),
        base,
        total,
        {place: columns.copies[span] for place, span in enumerate(spans) if span in columns.copies}
        if columns.copies
        else {},
        _hooks(hooks, spans),
        all_spans,
    )
    return _spread(made, forest) if forest.missing else made


def _by_place(column: Sequence, spans: Sequence[int], nothing: object) -> list:  # type: ignore[type-arg]
    """A column in the order of the tree."""
    return [column[span] if span >= 0 else nothing for span in spans]


def _ends(
    starts_ns: Sequence[int], ends_ns: Sequence[int], spans: Sequence[int], base: int, total: int
) -> Iterator[int]:
    """Where each span ends: not before it begins, and where the trace does if it has not ended."""
    for span in spans:
        if span < 0 or not starts_ns[span]:
            yield 0
        elif ends_ns[span] >= starts_ns[span]:
            yield ends_ns[span] - base
        else:
            yield starts_ns[span] - base if ends_ns[span] else total


def _hooks(hooks: Sequence[Hook | None], spans: Sequence[int]) -> dict[int, Hook]:
    if not hooks:
        return {}
    return {place: hook for place, span in enumerate(spans) if span >= 0 and (hook := hooks[span]) is not None}


def _spread(made: Skeleton, forest: Forest) -> Skeleton:
    """With each missing parent as long as those who name it."""
    starts, ends = list(made.starts), list(made.ends)
    for place in forest.missing:
        below = range(place + 1, place + made.sizes[place])
        starts[place] = min((starts[each] for each in below), default=0)
        ends[place] = max((ends[each] for each in below), default=0)
    return replace(made, starts=starts, ends=ends)
