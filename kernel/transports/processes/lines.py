"""Cuts what a program prints into lines, holding a bounded part of it whatever the program does. Touches no pipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_LINE: Final = 8192
"""Bytes of one line that are kept: more than any log line a person reads, little enough to hold for every program."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line that was printed."""

    text: str
    size: int
    """Bytes of it that were kept."""


class LineCutter:
    """Cut a byte stream into lines of text; of a longer line the first MAX_LINE bytes are kept and the rest counted."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._cut = 0

    def feed(self, data: bytes) -> list[Line]:
        """Take what was read; returns the lines that are complete by now."""
        *ends, rest = data.split(b"\n")
        lines = []
        for end in ends:
            self._keep(end)
            lines.append(self._take())
        self._keep(rest)
        return lines

    def flush(self) -> list[Line]:
        """The unfinished line, if there is one, as a line of its own."""
        return [self._take()] if self._kept else []

    def _keep(self, part: bytes) -> None:
        room = MAX_LINE - len(self._kept)
        self._kept += part[:room]
        self._cut += max(0, len(part) - room)

    def _take(self) -> Line:
        size = len(self._kept)
        line = readable(bytes(self._kept).removesuffix(b"\r"))
        if self._cut:
            line += f" [{self._cut} more bytes cut]"
        self._kept.clear()
        self._cut = 0
        return Line(line, size)


def readable(data: bytes) -> str:
    """Bytes as text; what is not UTF-8 shows as escapes."""
    return data.decode("utf-8", "backslashreplace")
