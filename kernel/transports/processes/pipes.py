"""The ends of pipes that we hold, read and written without blocking the event loop."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from io import FileIO
from typing import Final

BITE: Final = 4096
"""Bytes read at a time. The loop gets its turn between two bites, so a flood of short lines costs it little."""
PIPE_CAPACITY: Final = 65536  # what a pipe holds where nobody made it larger


class Pipe:
    """The read end of a pipe, taken in bites while the loop runs. Closes itself at the end of the stream."""

    def __init__(
        self,
        file: FileIO,
        take: Callable[[bytes], None],
        at_end: Callable[[], None] | None = None,
        *,
        bite: int = BITE,
    ) -> None:
        self._file = file
        self._take = take
        self._at_end = at_end
        self._size = bite
        self._loop = asyncio.get_running_loop()
        self._is_paused = False
        os.set_blocking(file.fileno(), False)
        self._loop.add_reader(file.fileno(), self._bite)

    async def drain(self) -> None:
        """Take what is in the pipe at this moment, without waiting for more."""
        for _ in range(max(1, PIPE_CAPACITY // self._size)):
            if not self._bite():
                return
            await asyncio.sleep(0)

    def pause(self) -> None:
        """Take nothing for now: whoever writes will have to wait once the pipe is full."""
        if not self._is_paused and not self._file.closed:
            self._loop.remove_reader(self._file.fileno())
        self._is_paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        if self._is_paused and not self._file.closed:
            self._loop.add_reader(self._file.fileno(), self._bite)
        self._is_paused = False

    def close(self) -> None:
        """Stop listening."""
        if not self._file.closed:
            self._loop.remove_reader(self._file.fileno())
            self._file.close()

    def _bite(self) -> bool:
        if self._file.closed or self._is_paused:
            return False
        try:
            data = os.read(self._file.fileno(), self._size)
        except BlockingIOError:
            return False
        if data:
            self._take(data)
        else:
            self.close()
            if self._at_end is not None:
                self._at_end()
        return bool(data)


class Feed:
    """The write end of a pipe. What is put in goes out whole and in order, however long the other side takes.

    Holds what the pipe does not take at once; how much that may become is for whoever puts it in to see to (`room`).
    """

    def __init__(self, file: FileIO, at_break: Callable[[OSError], None]) -> None:
        self._file = file
        self._at_break = at_break
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[memoryview] = deque()
        self._has_room = asyncio.Event()
        self._has_room.set()
        os.set_blocking(file.fileno(), False)

    @property
    def is_idle(self) -> bool:
        """Whether the pipe has taken everything that was put in."""
        return not self._waiting

    @property
    def waiting(self) -> int:
        """How many of the things put in are not yet taken whole."""
        return len(self._waiting)

    async def room(self) -> None:
        """Wait until the pipe has taken everything that was put in before, or is closed."""
        await self._has_room.wait()

    def put(self, data: bytes) -> None:
        """Write, now or as soon as the pipe takes it. Does nothing once it is closed."""
        if self._file.closed:
            return
        if self._waiting:
            self._waiting.append(memoryview(data))
            return
        written = self._write(data)
        if written is not None and written < len(data):
            self._waiting.append(memoryview(data)[written:])
            self._has_room.clear()
            self._loop.add_writer(self._file.fileno(), self._go_on)

    def close(self) -> None:
        """Let the other side see the end. What is not written by now never will be."""
        if not self._file.closed:
            self._loop.remove_writer(self._file.fileno())
            self._file.close()
        self._waiting.clear()
        self._has_room.set()

    def _write(self, data: bytes | memoryview) -> int | None:
        """Bytes that the pipe took; None once it is broken."""
        try:
            return os.write(self._file.fileno(), data)
        except BlockingIOError:
            return 0
        except OSError as error:
            self.close()
            self._at_break(error)
            return None

    def _go_on(self) -> None:
        written = self._write(self._waiting[0])
        if written is None:
            return
        if written < len(self._waiting[0]):
            self._waiting[0] = self._waiting[0][written:]
            return
        self._waiting.popleft()
        if not self._waiting:
            self._loop.remove_writer(self._file.fileno())
            self._has_room.set()
