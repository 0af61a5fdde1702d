"""A recording as the trace that screens look at: rows in short, dispatches folded when they are looked at, and let go.

Whatever its size, no more of it is in memory than was looked at last.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeVar, overload

from debugger.store.recording import PAGE, Recording, Row
from debugger.trace import DispatchTrace, StretchTrace, Trace
from kernel.errors import BadInput
from kernel.facts import Decided, Entered, Event, Left, Opened

MOST_TRACES: Final = 600
MOST_BYTES: Final = 64 * 2**20
"""Of the payloads and requests of folded dispatches that are kept."""
MOST_PAGES: Final = 64
DEEPEST: Final = 10_000
"""Stretches around one another that are followed outwards: a damaged file may go round in circles."""

K = TypeVar("K")
V = TypeVar("V")


class Listed(Sequence[DispatchTrace]):
    """Some dispatches of a recording by their place, each folded when it is asked for; `rows` needs no folding."""

    def __init__(self, trace: RecordedTrace, numbers: Sequence[int]) -> None:
        self._trace = trace
        self.numbers = numbers
        """Of the dispatches, in order."""

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> DispatchTrace: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[DispatchTrace]: ...
    def __getitem__(self, place: int | slice) -> DispatchTrace | Sequence[DispatchTrace]:
        if isinstance(place, slice):
            return Listed(self._trace, self.numbers[place])
        return self._trace.of_number(self.numbers[place])

    def __iter__(self) -> Iterator[DispatchTrace]:
        """Those that can be read: whoever goes through many wants the others even so."""
        for number in self.numbers:
            with suppress(BadInput):
                yield self._trace.of_number(number)

    def row(self, place: int) -> Row:
        """What is known of a dispatch without folding it."""
        return self._trace.row_of_number(self.numbers[place])


class RecordedTrace(Trace):
    """Every dispatch of a recording, by id, by number, in order. May be used from any thread.

    Takes no events: `renew` looks what has come to the file meanwhile. Raises BadInput where the file is damaged.
    """

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self.recording = recording
        self._lock = threading.RLock()
        self._traces: OrderedDict[str, tuple[DispatchTrace, int]] = OrderedDict()
        self._bytes = 0
        self._pages: OrderedDict[int, tuple[Row, ...]] = OrderedDict()
        self._found_stretches: OrderedDict[str, StretchTrace] = OrderedDict()
        self._edition = recording.edition
        self.standing = recording.standing
        self.all_numbers = self._all_numbers()
        """Of every dispatch, in order. Replaced, never changed."""
        self._looks: dict[int, Hashable] = {}
        self._rows_by_id: OrderedDict[str, Row] = OrderedDict()

    def renew(self) -> bool:
        """Look at the file again; whether there is anything new in it."""
        with self._lock:
            edition = self.recording.edition
            if edition == self._edition:
                return False
            self._edition = edition
            before, self.standing = self.standing, self.recording.standing
            if before == self.standing:
                return False
            for page in [page for page, rows in self._pages.items() if len(rows) < PAGE]:
                del self._pages[page]  # it may have grown
            self._found_stretches.clear()
            self._rows_by_id.clear()
            self.all_numbers = self._all_numbers()
            return True

    def _all_numbers(self) -> Sequence[int]:
        there = self.standing
        if there.is_gapless:
            return range(there.first, there.last + 1 if there.dispatches else there.first)
        numbers: array[int] = self.recording.numbers()
        return numbers

    # -- what a trace gives ----------------------------------------------------------------------------------------

    @property
    def dispatches(self) -> Sequence[DispatchTrace]:
        return self.listed(self.all_numbers)

    @property
    def stretches(self) -> tuple[StretchTrace, ...]:
        return tuple(self._found_stretches.values())

    def listed(self, numbers: Sequence[int]) -> Listed:
        """Some of the dispatches."""
        return Listed(self, numbers)

    def find(self, dispatch: str) -> DispatchTrace | None:
        with self._lock:
            known = self._traces.get(dispatch)
            if known is not None:
                self._traces.move_to_end(dispatch)
                return known[0]
            row = self.row_of(dispatch)
            return None if row is None else self._fold(row)

    def find_stretch(self, stretch: str) -> StretchTrace | None:
        with self._lock:
            known = self._found_stretches.get(stretch)
            if known is None:
                known = self._stretch(stretch)
                if known is not None:
                    _keep(self._found_stretches, stretch, known, MOST_TRACES)
            return known

    def outermost(self, dispatch: str) -> StretchTrace | None:
        found, here = None, dispatch
        for _ in range(DEEPEST):
            if not here:
                break
            if (stretch := self.find_stretch(here)) is not None:
                found, here = stretch, stretch.entered.parent
            elif (known := self.find(here)) is not None:
                here = known.opened.parent
            else:
                break
        return found

    def take(self, event: Event) -> None:
        raise NotImplementedError("a recording is written by its writer, and looked at again by `renew`")

    # -- rows and folding ------------------------------------------------------------------------------------------

    def of_number(self, number: int) -> DispatchTrace:
        """A dispatch by its number; raises BadInput where it is gone meanwhile."""
        with self._lock:
            row = self.row_of_number(number)
            known = self._traces.get(row.id)
            if known is None:
                return self._fold(row)
            self._traces.move_to_end(row.id)
            return known[0]

    def row_of_number(self, number: int) -> Row:
        """A dispatch in short; raises BadInput where it is gone meanwhile."""
        with self._lock:
            page = number // PAGE
            rows = self._pages.get(page)
            if rows is None:
                found = self.recording.rows(page * PAGE - 1, PAGE)
                rows = tuple(row for row in found if row.number // PAGE == page)
                _keep(self._pages, page, rows, MOST_PAGES)
            place = number - rows[0].number if rows else -1
            if 0 <= place < len(rows) and rows[place].number == number:
                return rows[place]
            for row in rows:
                if row.number == number:
                    return row
        raise BadInput(f"{self.recording.path}: dispatch {number} is not there any more")

    def row_of(self, dispatch: str) -> Row | None:
        """A dispatch in short, by its id."""
        with self._lock:
            known = self._rows_by_id.get(dispatch)
            if known is None:
                known = self.recording.row(dispatch)
                if known is not None:
                    _keep(self._rows_by_id, dispatch, known, MOST_TRACES)
            return known

    def looks(self) -> Mapping[int, Hashable]:
        """By number, all that makes a dispatch look like another one, None where that is not known; equal looks are one
        object. Reads the whole file, once: what is new is read when it is asked for again.
        """
        with self._lock:
            alike: dict[Hashable, Hashable] = {each: each for each in set(self._looks.values())}
            for number, *look in self.recording.looks(after=max(self._looks, default=-1)):
                told = None if None in look else tuple(look)
                self._looks[number] = alike.setdefault(told, told)
            return self._looks

    def nearest(self, number: int, by: int, *, point: str = "", such: str = "") -> Row | None:
        """See `Recording.nearest`."""
        with self._lock:
            return self.recording.nearest(number, by, point=point, such=such)

    def events(self, dispatch: str) -> tuple[Event, ...]:
        """Everything that was told of a dispatch."""
        with self._lock:
            return tuple(self.recording.events(dispatch))

    def _fold(self, row: Row) -> DispatchTrace:
        try:
            told = tuple(self.recording.events(row.id))
        except BadInput as error:
            name = f"dispatch {row.number} of {self.recording.path}"
            raise BadInput(f"{name} cannot be read: {error.message}", fix=error.fix) from error
        if not told or not isinstance(told[0].fact, Opened):
            raise BadInput(f"{self.recording.path} is damaged: it does not say how dispatch {row.number} began")
        folding = Trace()
        for event in told:
            folding.take(event)
        folded = folding.find(row.id)
        assert folded is not None, "it began"
        contents = tuple(each for each, _ in self.recording.inside(row.id))
        fork = folded.opened.fork
        origin = None if fork is None else self.row_of(fork.dispatch)
        trace = replace(folded, number=row.number, contents=contents, fork_of=None if origin is None else origin.number)
        weight = _weight(trace)
        self._traces[row.id] = trace, weight
        self._bytes += weight
        while len(self._traces) > 1 and (len(self._traces) > MOST_TRACES or self._bytes > MOST_BYTES):
            _, (_, lighter) = self._traces.popitem(last=False)
            self._bytes -= lighter
        return trace

    def _stretch(self, stretch: str) -> StretchTrace | None:
        """A stretch with everything in it, in order; decisions after what was over by then."""
        entered: Event | None = None
        left: Event | None = None
        decisions: list[tuple[int, Decided]] = []
        for event in self.recording.events(stretch):
            match event.fact:
                case Entered() if entered is None:
                    entered = event
                case Left():
                    left = event
                case Opened():
                    return None  # a dispatch
                case _:
                    pass
        if entered is None or not isinstance(entered.fact, Entered):
            return None
        decisions = list(self.recording.decisions(stretch))
        contents: list[str | Decided] = []
        for each, last in self.recording.inside(stretch):
            while decisions and decisions[0][0] < last:
                contents.append(decisions.pop(0)[1])
            contents.append(each)
        contents += [decided for _, decided in decisions]
        fact = left.fact if left is not None and isinstance(left.fact, Left) else None
        at_ns = None if left is None else left.at_ns
        return StretchTrace(stretch, entered.fact, entered.at_ns, tuple(contents), fact, at_ns)

    def close(self) -> None:
        with self._lock, suppress(BadInput):
            self.recording.close()


def _keep(kept: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)


def _weight(trace: DispatchTrace) -> int:
    """Bytes that a folded dispatch holds on to, about: each payload once."""
    bodies = {trace.opened.payload.digest: len(trace.opened.payload.body)}
    requests = 0
    for step in trace.steps:
        for payload in (step.given, *(change.after for change in step.changes)):
            if payload is not None:
                bodies[payload.digest] = len(payload.body)
        requests += len(step.request) + sum(len(each.text) for each in step.printed)
        body = getattr(step.outcome, "body", b"")
        requests += len(body) if isinstance(body, bytes) else 0
    return 4096 + 3 * sum(bodies.values()) + requests  # decoded, a payload takes some times as much
