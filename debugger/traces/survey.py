"""Every trace of a source looked at once, on a thread of whoever wants to know."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from debugger.traces.hooks import Hook
from debugger.traces.seam import SpanSource
from debugger.traces.skeleton import Skeleton
from kernel.errors import BadInput

TOLD_EVERY: Final = 200
"""Traces after which the progress is told."""


class Taker(Protocol):
    """Takes traces one by one: statistics, or a merged tree."""

    def take(self, skeleton: Skeleton, hooks: Mapping[int, Hook]) -> None: ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a survey has come."""

    traces: int
    of: int
    unreadable: int = 0
    is_over: bool = False


def survey(
    source: SpanSource,
    handles: Sequence[int],
    taker: Taker,
    *,
    stop: threading.Event,
    tell: Callable[[Progress], None],
) -> Progress:
    """Hand all of these traces over; until `stop`. Those that cannot be read are counted and left out."""
    unreadable = 0
    done = 0
    for handle in handles:
        if stop.is_set():
            break
        try:
            skeleton = source.skeleton(handle)
            taker.take(skeleton, source.all_hooks(skeleton))
        except BadInput:
            unreadable += 1
        done += 1
        if done % TOLD_EVERY == 0:
            tell(Progress(done, len(handles), unreadable))
    over = Progress(done, len(handles), unreadable, is_over=True)
    tell(over)
    return over
