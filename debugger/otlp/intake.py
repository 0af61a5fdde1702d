"""What becomes of a request that brings spans: the one decision behind both receivers, which only word the answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from debugger.otlp.sink import Batch, Refused, Sink
from debugger.otlp.spans import Span, fault_of
from debugger.otlp.wishes import MOST_BYTES
from kernel.errors import BadInput

HEAD: Final = 256
"""Bytes that are kept of a request that cannot be used."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may come to."""

    body: int = MOST_BYTES
    """Bytes, after inflating."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What was received so far."""

    requests: int = 0
    spans: int = 0
    bytes: int = 0
    rejected: int = 0
    """Spans without proper ids, in requests that were taken otherwise."""
    refused: int = 0
    """Requests that could not be used at all."""
    busy: int = 0
    """Requests whose sender was told to come again."""


@dataclass(frozen=True, slots=True)
class Taken:
    """All of it is with the sink, but for so many spans."""

    rejected: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """None of it can be used, now or later."""

    why: str


@dataclass(frozen=True, slots=True)
class Busy:
    """The sink has no room: come again."""


Answer: TypeAlias = Taken | Unusable | Busy
Decode: TypeAlias = Callable[[bytes], tuple[Span, ...]]


class Intake:
    """Hands requests to a sink and counts them."""

    def __init__(self, sink: Sink, limits: Limits, wall_ns: Callable[[], int] = time.time_ns) -> None:
        self._sink = sink
        self._wall_ns = wall_ns
        self._counting = threading.Lock()
        self.limits = limits
        self.tally = Tally()
        """Replaced as a whole: may be read from any thread."""

    def receive(self, body: bytes, decode: Decode, source: str) -> Answer:
        """Decide about one request; `body` is inflated already."""
        if len(body) > self.limits.body:
            return self.too_large(source, len(body), body[:HEAD])
        try:
            sent = decode(body)
        except BadInput as error:
            return self.unusable(source, error.message, len(body), body[:HEAD])
        spans = tuple([span for span in sent if not fault_of(span)])
        if spans and not self._sink.take(Batch(spans, source, len(body), self._wall_ns())):
            self._count(busy=1)
            return Busy()
        rejected = len(sent) - len(spans)
        self._count(requests=1, spans=len(spans), bytes=len(body), rejected=rejected)
        if not rejected:
            return Taken()
        first = next(span for span in sent if fault_of(span))
        why = f"{rejected} of {len(sent)} spans cannot be placed in a trace; of {first.name!r} {fault_of(first)}"
        self._sink.refuse(Refused(source, self._wall_ns(), len(body), why, body[:HEAD]))
        return Taken(rejected, why)

    def too_large(self, source: str, size: int, head: bytes = b"") -> Unusable:
        """A request that was given up once so many bytes of it had been read or inflated."""
        why = f"the request is larger than {self.limits.body} bytes, which is the limit"
        return self.unusable(source, why, size, head)

    def unusable(self, source: str, why: str, size: int, head: bytes = b"") -> Unusable:
        """Keep a request that cannot be used."""
        self._sink.refuse(Refused(source, self._wall_ns(), size, why, head))
        self._count(refused=1)
        return Unusable(why)

    def _count(self, **more: int) -> None:
        with self._counting:
            self.tally = replace(self.tally, **{name: getattr(self.tally, name) + by for name, by in more.items()})
