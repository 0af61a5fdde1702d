"""The one seam for watching. A probe is told every fact, in order, with its time, and cannot change anything."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from kernel.facts import Event

log = logging.getLogger(__name__)


class Probe(Protocol):
    """Sees events. Called on the kernel's loop, so it must be quick and must not block."""

    def see(self, event: Event) -> None: ...


class Probes:
    """Everybody who watches. A probe that fails is dropped loudly; the dispatch does not notice."""

    def __init__(self, *probes: Probe) -> None:
        self._probes = probes  # replaced, never edited: safe to add and drop while telling

    def __bool__(self) -> bool:
        return bool(self._probes)

    def add(self, probe: Probe) -> Callable[[], None]:
        """Start watching; returns the undo."""
        self._probes += (probe,)
        return lambda: self._drop(probe)

    def see(self, event: Event) -> None:
        for probe in self._probes:
            try:
                probe.see(event)
            except Exception:  # the seam built for it: a watcher's bug must not become the dispatch's
                log.exception("probe %r failed and no longer watches", probe)
                self._drop(probe)

    def _drop(self, probe: Probe) -> None:
        self._probes = tuple(kept for kept in self._probes if kept is not probe)
