"""A table in a file that two processes map: who runs in which thread, and when the screen last gave a sign of life."""

from __future__ import annotations

import mmap
import os
import struct
import threading
from dataclasses import dataclass
from typing import Final, Protocol

SLOTS: Final = 128
"""Callables that are told of at once; who begins while there is no room is not."""
_SLOT: Final = struct.Struct("=QQH238s")
_HEAD: Final = struct.Struct("=Q?")
_START: Final = 64
SIZE: Final = _START + SLOTS * _SLOT.size


class Begun(Protocol):
    """What is known of a callable that begins."""

    @property
    def subscriber(self) -> str: ...
    @property
    def phase(self) -> str: ...
    @property
    def since_ns(self) -> int: ...
    @property
    def thread(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Running:
    """A callable that has not come back."""

    subscriber: str
    phase: str
    since_ns: int
    """On the monotonic clock, which all processes of a machine share."""
    thread: int
    """Its identity."""


class Ledger:
    """One side of the table. Only the application writes, from any thread."""

    def __init__(self, descriptor: int) -> None:
        """Of an open file, which is made as long as the table."""
        os.ftruncate(descriptor, SIZE)
        self._table = mmap.mmap(descriptor, SIZE)
        self._lock = threading.Lock()
        self._free = list(range(SLOTS))
        self._taken: dict[int, int] = {}

    # -- in the application ----------------------------------------------------------------------------------------

    def beat(self, now_ns: int, *, is_armed: bool) -> None:
        """A sign of life; without `is_armed` the next one may take any time."""
        _HEAD.pack_into(self._table, 0, now_ns, is_armed)

    def began(self, begun: Begun) -> None:
        with self._lock:
            if not self._free:
                return
            slot = self._taken[id(begun)] = self._free.pop()
        words = f"{begun.subscriber}\0{begun.phase}".encode(errors="replace")[:238]
        _SLOT.pack_into(self._table, _place(slot), begun.since_ns, begun.thread, len(words), words)

    def ended(self, begun: Begun) -> None:
        with self._lock:
            slot = self._taken.pop(id(begun), None)
            if slot is not None:
                _SLOT.pack_into(self._table, _place(slot), 0, 0, 0, b"")
                self._free.append(slot)

    # -- on the other side -----------------------------------------------------------------------------------------

    @property
    def last_beat(self) -> tuple[int, bool]:
        """When that was, and whether the next one is awaited."""
        at_ns, is_armed = _HEAD.unpack_from(self._table, 0)
        return at_ns, is_armed

    @property
    def running(self) -> tuple[Running, ...]:
        """Who has not come back, the longest first."""
        slots = (_SLOT.unpack_from(self._table, _place(slot)) for slot in range(SLOTS))
        found = [
            Running(*_words(words[:length]), since_ns, thread) for since_ns, thread, length, words in slots if since_ns
        ]
        return tuple(sorted(found, key=lambda each: each.since_ns))


def _place(slot: int) -> int:
    return _START + slot * _SLOT.size


def _words(found: bytes) -> tuple[str, str]:
    subscriber, _, phase = found.decode(errors="replace").partition("\0")
    return subscriber, phase
