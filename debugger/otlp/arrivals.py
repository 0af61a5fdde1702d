"""Traces as they come in: a sink before the sink, which says of each trace in one value what has come of it.

A trace has no end that anybody sends. It is told once its root has come and nothing more for a moment, and once more
whenever later spans of it have come.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from debugger.otlp.chains import is_chain
from debugger.otlp.sink import Batch, Refused, Sink
from debugger.otlp.spans import Span, service_of

QUIET_NS: Final = 500_000_000
"""How long nothing must have come of a trace before it is told."""
ROOTLESS_NS: Final = 5_000_000_000
"""The same for a trace whose root has not come: perhaps it never will."""
MOST_OPEN: Final = 20_000
"""Traces that are kept in mind; beyond that, those are told at once of which nothing has come for longest."""
MOST_REFUSED: Final = 1_000
"""Requests that could not be used and wait to be told; the newest."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A trace as far as it has come."""

    trace_id: bytes
    root: str
    service: str
    spans: int
    errors: int
    dispatches: int
    """Spans that are dispatches of a hook host."""
    start_ns: int
    end_ns: int
    has_root: bool
    is_late: bool
    """It was told before, with fewer spans."""

    @property
    def took_ns(self) -> int:
        return max(0, self.end_ns - self.start_ns)


@dataclass(slots=True)
class _Growing:
    """What has come of one trace."""

    spans: int = 0
    errors: int = 0
    dispatches: int = 0
    start_ns: int = 2**64
    end_ns: int = 0
    rank: tuple[bool, int] = (True, 2**64)
    root: str = ""
    service: str = ""
    touched_ns: int = 0
    is_told: bool = False
    was_told: bool = False

    def take(self, span: Span) -> None:
        self.spans += 1
        self.errors += span.is_error
        self.dispatches += is_chain(span)
        self.start_ns = min(self.start_ns, span.start_ns)
        self.end_ns = max(self.end_ns, span.end_ns, span.start_ns)
        rank = (bool(span.parent_id), span.start_ns)
        if self.spans == 1 or rank < self.rank:
            self.rank, self.root, self.service = rank, span.name, service_of(span.resource)

    def as_told(self, trace: bytes) -> Arrival:
        return Arrival(
            trace,
            self.root,
            self.service,
            self.spans,
            self.errors,
            self.dispatches,
            self.start_ns,
            self.end_ns,
            not self.rank[0],
            self.was_told,
        )


class Arrivals:
    """Passes everything on to a sink and keeps in mind what is to be told."""

    def __init__(self, sink: Sink, now_ns: Callable[[], int]) -> None:
        self._sink = sink
        self._now_ns = now_ns
        self._growing: OrderedDict[bytes, _Growing] = OrderedDict()
        self._refused: deque[Refused] = deque(maxlen=MOST_REFUSED)
        self._lock = threading.Lock()

    def take(self, batch: Batch) -> bool:
        if not self._sink.take(batch):
            return False
        now_ns = self._now_ns()
        with self._lock:
            for span in batch.spans:
                growing = self._growing.get(span.trace_id)
                if growing is None:
                    growing = self._growing[span.trace_id] = _Growing()
                growing.take(span)
                growing.touched_ns, growing.is_told = now_ns, False
            for trace in {span.trace_id: None for span in batch.spans}:
                self._growing.move_to_end(trace)
        return True

    def refuse(self, refused: Refused) -> None:
        self._sink.refuse(refused)
        with self._lock:
            self._refused.append(refused)

    def refusals(self) -> tuple[Refused, ...]:
        """What could not be used since this was asked last."""
        with self._lock:
            new = tuple(self._refused)
            self._refused.clear()
        return new

    def settled(self, *, all_of_them: bool = False) -> tuple[Arrival, ...]:
        """The traces that are to be told now, those first of which nothing has come for longest."""
        now_ns = self._now_ns()
        told: list[Arrival] = []
        with self._lock:
            over = len(self._growing) - MOST_OPEN
            for place, (trace, growing) in enumerate(list(self._growing.items())):
                is_over = place < over
                quiet_ns = ROOTLESS_NS if growing.rank[0] else QUIET_NS
                if not growing.is_told and (all_of_them or is_over or now_ns - growing.touched_ns >= quiet_ns):
                    told.append(growing.as_told(trace))
                    growing.is_told = growing.was_told = True
                if is_over:
                    del self._growing[trace]
        return tuple(told)
