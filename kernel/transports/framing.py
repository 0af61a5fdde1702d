r"""Content-Length frames: bytes in, frames out. Touches no pipe and reads nothing into a body (spec 4.2, 4.6).

    Content-Length: 2\r\n
    \r\n
    {}

What comes out is a frame, or one last word: that the stream is broken, or that it ended where it may.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Final, TypeAlias

MAX_LINE: Final = 1024
"""Bytes of a header line, without its end."""
MAX_BODY: Final = 4 * 1024 * 1024
"""Bytes of a body. A longer one is not even read."""
MAX_COUNT: Final = 2**64 - 1
LENGTH: Final = "content-length"
TYPE: Final = "content-type"
"""A header that some write and no host reads."""
MOST_STRAYS: Final = 100
"""Stray lines in front of one frame that are kept."""
PLAIN: Final = b"Content-Length: "


@dataclass(frozen=True, slots=True)
class Frame:
    """One whole message."""

    body: bytes
    size: int
    """Bytes that it took on the wire, headers and whatever stood before them included."""
    strays: tuple[str, ...] = ()
    """Lines before it that are no header that anybody knows, such as what a program prints; the first of them."""


@dataclass(frozen=True, slots=True)
class Broken:
    """What came is no frame, and nobody can say where the next one would begin: nothing more is read."""

    reason: str
    strays: tuple[str, ...] = ()
    """As of a frame."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The stream ended between two frames."""


Event: TypeAlias = Frame | Broken | Closed


def framed(body: bytes) -> bytes:
    """A body as it is written: exactly one header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class FrameReader:
    """Cut a byte stream into frames; what it says does not depend on how the bytes were cut when they came.

    Tolerant where the host is: names in any case, spaces around them, lines that end with LF alone, headers and stray
    lines that it does not know. Of several lengths the last counts. Holds at most one frame.
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._dropped = 0  # bytes of lines of this frame that are no longer held
        self._strays: tuple[str, ...] = ()
        self._length: int | None = None
        self._needed: int | None = None  # bytes of the body, once the headers are whole
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether it has said its last word."""
        return self._is_over

    @property
    def begun(self) -> int:
        """Bytes of a frame that is not whole yet."""
        return self._dropped + len(self._held)

    def clone(self) -> FrameReader:
        """Another reader that stands where this one does."""
        other = copy.copy(self)
        other._held = bytearray(self._held)
        return other

    def feed(self, data: bytes) -> list[Event]:
        """Take what was read, b"" at the end of the stream; returns what is complete by now."""
        if self._is_over:
            return []
        if not data:
            self._is_over = True
            return [Broken(self._what_is_missing(), self._strays) if self.begun else Closed()]
        if not self._held and (frame := _plain(data)) is not None and not self._dropped:
            return [frame]
        self._held += data
        events: list[Event] = []
        try:
            while (frame := self._next()) is not None:
                events.append(frame)
        except _NoFrame as error:
            self._is_over = True
            self._held.clear()
            events.append(Broken(str(error), self._strays))
        return events

    def _next(self) -> Frame | None:
        while self._needed is None:
            line = self._line()
            if line is None:
                return None
            if line:
                self._header(line)
            else:
                self._needed = self._end_of_headers()
        if len(self._held) < self._needed:
            return None
        frame = Frame(bytes(self._held[: self._needed]), self._dropped + self._needed, self._strays)
        del self._held[: self._needed]
        self._dropped, self._strays, self._length, self._needed = 0, (), None, None
        return frame

    def _line(self) -> bytes | None:
        """The next line without its end; None while it is not whole."""
        end = self._held.find(b"\n", 0, MAX_LINE + 2)
        if end < 0:
            # A CR in the last place may yet turn out to be half of the line's end.
            if len(self._held) - self._held.endswith(b"\r", 0, MAX_LINE + 1) > MAX_LINE:
                raise _NoFrame(f"a header line longer than {MAX_LINE} bytes")
            return None
        line = bytes(self._held[:end]).removesuffix(b"\r")
        if len(line) > MAX_LINE:
            raise _NoFrame(f"a header line longer than {MAX_LINE} bytes")
        del self._held[: end + 1]
        self._dropped += end + 1
        return line

    def _header(self, line: bytes) -> None:
        try:
            name, colon, value = line.decode().partition(":")
        except UnicodeDecodeError:
            raise _NoFrame("a header line that is not UTF-8") from None
        known = name.strip().lower() if colon else ""
        if known == LENGTH:
            self._length = length(value.strip())
        elif known != TYPE and len(self._strays) < MOST_STRAYS:
            self._strays += (line.decode(),)

    def _end_of_headers(self) -> int:
        if self._length is None:
            raise _NoFrame("a header block without Content-Length")
        if self._length > MAX_BODY:
            raise _NoFrame(f"a Content-Length of {self._length}, and {MAX_BODY} is the most that is read")
        return self._length

    def _what_is_missing(self) -> str:
        if self._needed is None:
            return "the stream ended inside of a header block"
        return f"the stream ended after {len(self._held)} of the {self._needed} bytes of a body"


def _plain(data: bytes) -> Frame | None:
    """The frame that the data is, if it is just one and written as we write them: nearly always, so worth a glance."""
    if not data.startswith(PLAIN):
        return None
    end = data.find(b"\r\n\r\n", len(PLAIN), len(PLAIN) + 12)
    digits = data[len(PLAIN) : end] if end > 0 else b""
    if not digits.isdigit() or len(digits) > 7 or int(digits) != len(data) - end - 4 or int(digits) > MAX_BODY:
        return None
    return Frame(data[end + 4 :], len(data))


class _NoFrame(Exception):
    """What came is no frame; says what it is instead."""


def length(text: str) -> int:
    """An unsigned integer of 64 bits as the host reads it: ASCII digits, a plus sign allowed before them."""
    digits = text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()) or len(digits.lstrip("0")) > 20 or int(digits) > MAX_COUNT:
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise _NoFrame(f"a Content-Length that is not an unsigned integer: {shown!r}")
    return int(digits)
