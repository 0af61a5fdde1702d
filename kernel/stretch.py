"""Telling of what a host does around its dispatches: a session, a turn, a call of a tool."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from kernel.clock import Clock
from kernel.facts import Decided, Entered, Event, Fact, Left
from kernel.probe import Probes
from kernel.values import JSON


def random_id() -> str:
    """An id that no other dispatch or stretch has."""
    return os.urandom(8).hex()


class Stretch:
    """A stretch under way. `id` is what dispatches and stretches inside it name as their parent."""

    def __init__(self, stretch_id: str, probes: Probes, clock: Clock) -> None:
        self.id = stretch_id
        self._probes = probes
        self._clock = clock
        self._told = 0
        self._error = ""
        self._noted: dict[str, JSON] = {}

    def decided(self, subject: str, decision: str, *, by: str, rule: str, why: str) -> None:
        """The host decided something by itself."""
        self._tell(Decided(subject, decision, by, rule, why))

    def note(self, attributes: Mapping[str, JSON]) -> None:
        """Remember what is known of it by now; told when it is left."""
        self._noted |= attributes

    def fail(self, error: str) -> None:
        """It will have ended badly, although nothing is raised."""
        self._error = error

    def _tell(self, fact: Fact) -> None:
        if self._probes:
            self._probes.see(Event(self.id, self._told, self._clock.now_ns(), fact))
            self._told += 1


class Stretches:
    """Enters stretches. One clock and one set of watchers for all of them, and for the dispatches inside."""

    def __init__(self, dialect: str, probes: Probes, clock: Clock, *, new_id: Callable[[], str] = random_id) -> None:
        self._dialect = dialect
        self._probes = probes
        self._clock = clock
        self._new_id = new_id

    @contextmanager
    def entered(
        self, kind: str, name: str, parent: Stretch | str | None, attributes: Mapping[str, JSON] | None = None
    ) -> Iterator[Stretch]:
        """Be in a stretch for the length of the block. What the block raises is the error with which it is left.

        A parent may be the id of a dispatch as well.
        """
        stretch = Stretch(self._new_id(), self._probes, self._clock)
        inside = parent.id if isinstance(parent, Stretch) else parent or ""
        stretch._tell(Entered(self._dialect, kind, name, inside, time.time_ns(), attributes or {}))
        try:
            yield stretch
        except (Exception, asyncio.CancelledError) as error:
            stretch.fail(str(error) or type(error).__name__)
            raise
        finally:
            stretch._tell(Left(stretch._error, stretch._noted))
