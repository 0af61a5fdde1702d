"""Standard streams for threads that run somebody's callables: what they print is told of the call, what they read is
empty, and `breakpoint()` is refused. For every other thread the streams are what they were.

Only what goes through `sys` is seen here. Programs that a callable starts, and `os.write`, use the file descriptors.
"""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

Printed: TypeAlias = Callable[[str, str], None]
"""To be told (stream, line); called in the thread that prints."""

LONGEST: Final = 8_192
"""Characters of a line that are told at once; a longer one goes on as another."""
MOST: Final = 1_000
"""Lines that are told of one call. Whoever prints for ever must not fill our memory."""
NO_BREAKPOINT: Final = "breakpoint() has no effect here: the terminal belongs to hookscope, so set breakpoints there"


class _Told:
    """Where the lines of one call go."""

    def __init__(self, printed: Printed) -> None:
        self._printed = printed
        self._partial = {"stdout": "", "stderr": ""}
        self._left = MOST

    def write(self, stream: str, text: str) -> None:
        *lines, rest = (self._partial[stream] + text).split("\n")
        for line in lines:
            self._tell(stream, line)
        while len(rest) > LONGEST:
            self._tell(stream, rest[:LONGEST])
            rest = rest[LONGEST:]
        self._partial[stream] = rest

    def end(self) -> None:
        for stream, rest in self._partial.items():
            if rest:
                self._tell(stream, rest)

    def _tell(self, stream: str, line: str) -> None:
        if self._left > 0:
            self._printed(stream, line.removesuffix("\r"))
        elif self._left == 0:
            self._printed(stream, f"(more than {MOST} lines; the others are not kept)")
        self._left -= 1


class _Here(threading.local):
    """What the thread that asks prints to; None in a thread that runs nobody's callable."""

    told: _Told | None = None


_here: Final = _Here()


@contextlib.contextmanager
def told_apart(printed: Printed) -> Iterator[None]:
    """Have what this thread prints told, until the end of the block."""
    stand_in()
    told = _here.told = _Told(printed)
    try:
        yield
    finally:
        _here.told = None
        told.end()


def stand_in() -> None:
    """Put ours in the place of the streams, which others replace as well: looked at anew for each call."""
    if not isinstance(sys.stdout, _Out):
        sys.stdout = _Out(sys.stdout, "stdout")
    if not isinstance(sys.stderr, _Out):
        sys.stderr = _Out(sys.stderr, "stderr")
    if not isinstance(sys.stdin, _In):
        sys.stdin = _In(sys.stdin)
    if not isinstance(sys.breakpointhook, _NoBreakpoint):
        sys.breakpointhook = _NoBreakpoint(sys.breakpointhook)


class _Stream:
    """A stream that is somebody else's in threads that run callables: there it is the one that `_apart` gives."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._now(), name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __enter__(self) -> Any:
        return self._now().__enter__()

    def __exit__(self, *of_error: object) -> Any:
        return self._now().__exit__(*of_error)

    def _now(self) -> Any:
        told = _here.told
        return self._inner if told is None else self._apart(told)

    def _apart(self, told: _Told) -> Any:
        raise NotImplementedError


class _Out(_Stream):
    def __init__(self, inner: Any, name: str) -> None:
        super().__init__(inner)
        self._name = name

    def _apart(self, told: _Told) -> Any:
        return _Lines(told, self._name)


class _In(_Stream):
    def _apart(self, told: _Told) -> Any:
        return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # nothing to read, and no file descriptor


class _Lines(io.TextIOBase):
    """Text as it is written; has no file descriptor, so nobody takes it for a terminal."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, told: _Told, name: str) -> None:
        super().__init__()
        self._told = told
        self._name = name
        self.buffer = _Bytes(told, name)

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._told.write(self._name, text)
        return len(text)


class _Bytes(io.RawIOBase):
    """The bytes below the text."""

    def __init__(self, told: _Told, name: str) -> None:
        super().__init__()
        self._told = told
        self._name = name

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        written = bytes(data)
        self._told.write(self._name, written.decode(errors="backslashreplace"))
        return len(written)


class _NoBreakpoint:
    """`sys.breakpointhook`: a debugger would wait at a terminal that is not the callable's."""

    def __init__(self, otherwise: Callable[..., Any]) -> None:
        self._otherwise = otherwise

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _here.told is None:
            return self._otherwise(*args, **kwargs)
        _here.told.write("stderr", NO_BREAKPOINT + "\n")
        return None
