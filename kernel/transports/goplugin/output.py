"""Who is told what a plugin prints: every call in progress, or, between calls, whoever started the plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from kernel.transports.goplugin.lines import LineCutter

Printed: TypeAlias = Callable[[str, str], None]
"""To be told (stream, line)."""


class Output:
    """Everything one plugin prints, line by line."""

    def __init__(self, between_calls: Printed) -> None:
        self.between_calls = between_calls
        self._calls: list[Printed] = []
        self._cutters: list[tuple[str, LineCutter]] = []

    def source(self, stream: str) -> Callable[[bytes], None]:
        """A place to put bytes of this stream; each source has lines of its own."""
        cutter = LineCutter()
        self._cutters.append((stream, cutter))

        def take(data: bytes) -> None:
            for line in cutter.feed(data):
                self._tell(stream, line)

        return take

    def flush(self) -> None:
        """Tell unfinished lines as they are."""
        for stream, cutter in self._cutters:
            for line in cutter.flush():
                self._tell(stream, line)

    @contextmanager
    def during(self, printed: Printed) -> Iterator[None]:
        """Tell this call, too, until the block ends."""
        self.flush()
        self._calls.append(printed)
        try:
            yield
        finally:
            self.flush()
            self._calls.remove(printed)

    def _tell(self, stream: str, line: str) -> None:
        if not self._calls:
            self.between_calls(stream, line)
        for printed in tuple(self._calls):
            printed(stream, line)
