"""Who is told what a program prints: every call in progress, or, between calls, whoever started the program."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, TypeAlias

from kernel.transports.processes.lines import Line, LineCutter

Printed: TypeAlias = Callable[[str, str], None]
"""To be told (stream, line)."""


MOST_LINES: Final = 1000
"""Lines of one call that are told. A program that floods is still read, or it would hang, but not kept."""


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


class Source:
    """Where bytes of one stream of one process go in; it has lines of its own."""

    def __init__(self, stream: str, tell: Printed, most_bytes: int | None) -> None:
        self._stream = stream
        self._tell = tell
        self._most_bytes = most_bytes
        self._cutter = LineCutter()
        self._told_bytes = 0
        self._counted_bytes = 0
        self.is_flushed = True

    def __call__(self, data: bytes) -> None:
        self.is_flushed = False
        for line in self._cutter.feed(data):
            self._line(line)

    def flush(self) -> None:
        """Tell an unfinished line as it is, and how much was only counted since the last time."""
        self.is_flushed = True
        for line in self._cutter.flush():
            self._line(line)
        if self._counted_bytes:
            self._tell(self._stream, f"… {self._counted_bytes} bytes beyond {self._most_bytes} were only counted")
            self._counted_bytes = 0

    def _line(self, line: Line) -> None:
        if self._most_bytes is not None and self._told_bytes >= self._most_bytes:
            self._counted_bytes += line.size
            return
        self._told_bytes += line.size
        self._tell(self._stream, line.text)


class Output:
    """Everything one program prints, line by line, and what its transport has to say beside it."""

    def __init__(self, between_calls: Printed) -> None:
        self._between_calls = _Told(between_calls)
        self._calls: list[_Told] = []
        self._sources: list[Source] = []

    def tell_others(self, between_calls: Printed) -> None:
        """From now on, somebody else is told what is printed between calls."""
        self._between_calls.close()
        self._between_calls = _Told(between_calls)

    def source(self, stream: str, most_bytes: int | None = None) -> Source:
        """A place to put bytes of this stream. Of more than `most_bytes` in all, the rest is only counted."""
        source = Source(stream, self.tell, most_bytes)
        self._sources.append(source)
        return source

    def forget(self, source: Source) -> None:
        """Nothing more will be put there."""
        source.flush()
        self._sources.remove(source)

    def flush(self) -> None:
        """Tell unfinished lines as they are. Nearly always there are none, and this is done twice a call."""
        for source in self._sources:
            if not source.is_flushed:
                source.flush()

    def during(self, printed: Printed) -> AbstractContextManager[None]:
        """Tell this call, too, until the block ends."""
        return _During(self, printed)

    def open_call(self, told: _Told) -> None:
        self.flush()
        self._between_calls.close()
        self._calls.append(told)

    def close_call(self, told: _Told) -> None:
        self.flush()
        self._calls.remove(told)
        told.close()

    def tell(self, stream: str, line: str) -> None:
        """Tell whoever is to be told now."""
        if not self._calls:
            self._between_calls.tell(stream, line)
        for told in tuple(self._calls):
            told.tell(stream, line)


class _During:
    """A call in progress, as a block. Written out, because a generator takes three times as long, twice a call."""

    __slots__ = ("_output", "_told")

    def __init__(self, output: Output, printed: Printed) -> None:
        self._output = output
        self._told = _Told(printed)

    def __enter__(self) -> None:
        self._output.open_call(self._told)

    def __exit__(self, *about: object) -> None:
        self._output.close_call(self._told)
