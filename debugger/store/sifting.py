"""A filter asked about every dispatch of a recording, the newest first, on a thread of its own. No Textual."""

from __future__ import annotations

import threading
import time
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from debugger.filters import Predicate, Sight, compiled, parse, resolved
from debugger.store.browsing import RecordedTrace
from debugger.store.recording import Recording
from debugger.surroundings import around
from kernel.errors import BadInput

TURN_S: Final = 0.004
"""How long it looks before somebody else gets a turn."""
REST_S: Final = 0.001
TELL_S: Final = 0.1
"""At most this often it says that more is known."""


@dataclass(frozen=True, slots=True)
class Found:
    """Dispatches that fit a filter."""

    numbers: tuple[int, ...]
    """In order."""
    ids: frozenset[str]


class Sifting:
    """What is known by now of which dispatches fit one filter. Reads the file through a connection of its own."""

    def __init__(
        self, path: Path, numbers: Sequence[int], text: str, saved: Mapping[str, str], on_news: Callable[[], object]
    ) -> None:
        """Begins at once with the dispatches of these numbers; raises BadFilter. `on_news` is called on the thread."""
        sight = Sight(around=lambda parent: around(self._trace_for_sight(), parent))
        self._predicate: Predicate = compiled(resolved(parse(text), saved, text), sight)
        self._path = path
        self._on_news = on_news
        self._lock = threading.Lock()
        self._numbers: list[int] = []
        self._ids: set[str] = set()
        self._found = Found((), frozenset())
        self._pending = list(numbers)
        """Of those that were not looked at yet, the next one last."""
        self._last = numbers[-1] if numbers else 0
        self._is_over = False
        self.problem = ""
        """Why it stopped, if it did."""
        self._wake = threading.Event()
        self._trace: RecordedTrace | None = None
        self._thread = threading.Thread(target=self._run, name="sifting", daemon=True)
        self._thread.start()

    @property
    def found(self) -> Found:
        """Those that fit, as far as it is known. The same object as long as it is no more."""
        with self._lock:
            if len(self._found.numbers) != len(self._numbers):
                self._found = Found(tuple(self._numbers), frozenset(self._ids))
            return self._found

    @property
    def unseen(self) -> int:
        """How many were not looked at yet."""
        with self._lock:
            return len(self._pending)

    def more(self) -> None:
        """Say that there may be more in the file."""
        self._wake.set()

    def close(self) -> None:
        """Stop looking, and wait for it."""
        self._is_over = True
        self._wake.set()
        self._thread.join()

    # -- on the thread ---------------------------------------------------------------------------------------------

    def _trace_for_sight(self) -> RecordedTrace:
        assert self._trace is not None, "it looks only once the file is open"
        return self._trace

    def _run(self) -> None:
        try:
            with Recording(self._path) as recording:
                self._trace = trace = RecordedTrace(recording)
                while not self._is_over:
                    self._look_at_all(trace)
                    self._on_news()
                    self._wake.wait()
                    self._wake.clear()
                    trace.renew()
                    with self._lock:
                        self._pending += [number for number in trace.all_numbers if number > self._last]
                    self._last = trace.all_numbers[-1] if trace.all_numbers else self._last
        except BadInput as error:
            self.problem = str(error)
            self._on_news()

    def _look_at_all(self, trace: RecordedTrace) -> None:
        told = time.monotonic()
        turn = told
        while self._pending and not self._is_over:
            number = self._pending[-1]
            try:
                dispatch = trace.of_number(number)
                fits = self._predicate.matches(dispatch) is True
            except BadInput:  # dropped meanwhile, or damaged: the list says so where it is looked at
                fits = False
            with self._lock:
                self._pending.pop()
                if fits:
                    insort(self._numbers, number)
                    self._ids.add(dispatch.id)
            now = time.monotonic()
            if now - turn > TURN_S:
                time.sleep(REST_S)
                turn = now
            if now - told > TELL_S:
                self._on_news()
                told = now
