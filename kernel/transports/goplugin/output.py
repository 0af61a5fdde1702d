"""Who is told what a plugin prints: every call in progress, or, between calls, whoever started the plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from kernel.transports.goplugin.lines import LineCutter

Printed: TypeAlias = Callable[[str, str], None]
"""To be told (stream, line)."""


MOST_LINES: Final = 1000
"""Lines of one call that are told. A plugin that floods is still read, or it would hang, but not kept."""


class _Told:
    """One call in progress, or the time between two: is told so many lines, and how many there were beyond."""

    def __init__(self, printed: Printed) -> None:
        self._printed = printed
        self._lines: dict[str, int] = {}

    def tell(self, stream: str, line: str) -> None:
        self._lines[stream] = self._lines.get(stream, 0) + 1
        if self._lines[stream] <= MOST_LINES:
            self._printed(stream, line)

    def close(self) -> None:
        """Tell how many lines were left out, and begin anew."""
        for stream, lines in self._lines.items():
            if lines > MOST_LINES:
                self._printed(stream, f"… {lines - MOST_LINES} more lines during this call were not kept")
        self._lines = {}


class Output:
    """Everything one plugin prints, line by line."""

    def __init__(self, between_calls: Printed) -> None:
        self._between_calls = _Told(between_calls)
        self._calls: list[_Told] = []
        self._cutters: list[tuple[str, LineCutter]] = []
        self._is_flushed = True

    def tell_others(self, between_calls: Printed) -> None:
        """From now on, somebody else is told what is printed between calls."""
        self._between_calls.close()
        self._between_calls = _Told(between_calls)

    def source(self, stream: str) -> Callable[[bytes], None]:
        """A place to put bytes of this stream; each source has lines of its own."""
        cutter = LineCutter()
        self._cutters.append((stream, cutter))

        def take(data: bytes) -> None:
            self._is_flushed = False
            for line in cutter.feed(data):
                self._tell(stream, line)

        return take

    def flush(self) -> None:
        """Tell unfinished lines as they are."""
        if self._is_flushed:  # nearly always: this is done twice a call
            return
        self._is_flushed = True
        for stream, cutter in self._cutters:
            for line in cutter.flush():
                self._tell(stream, line)

    @contextmanager
    def during(self, printed: Printed) -> Iterator[None]:
        """Tell this call, too, until the block ends."""
        self.flush()
        self._between_calls.close()
        told = _Told(printed)
        self._calls.append(told)
        try:
            yield
        finally:
            self.flush()
            self._calls.remove(told)
            told.close()

    def _tell(self, stream: str, line: str) -> None:
        if not self._calls:
            self._between_calls.tell(stream, line)
        for told in tuple(self._calls):
            told.tell(stream, line)
