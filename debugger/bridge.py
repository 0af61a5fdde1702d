"""Between the screen's loop and the kernel's: has things done over there, and says over here that there is news."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from debugger.exported import exported
from debugger.kernel_thread import KernelThread
from debugger.opening import Opening
from debugger.recorded import recorded
from debugger.session import Session
from kernel.dialects import load_setup

if TYPE_CHECKING:  # OpenTelemetry's SDK takes a tenth of the time to the first screen, and only sessions need it
    from debugger.spans import SpanBook
    from debugger.store.writer import Writer

T = TypeVar("T")

OpenSession: TypeAlias = "Callable[[Opening, Callable[[], None]], Awaitable[tuple[Session, SpanBook]]]"
"""Makes the session for an opening, on the kernel's loop; is given what to call when there is news. Starts nothing."""


class Bridge:
    """Made on the screen's loop. `on_news` is called there, once for any number of news until `read` is called."""

    def __init__(self, kernel: KernelThread, on_news: Callable[[], object]) -> None:
        self._kernel = kernel
        self._on_news = on_news
        self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        self._is_told = False

    async def ask(self, doing: Awaitable[T]) -> T:
        """Have something done over there and wait for what it gives."""

        async def do() -> T:
            return await doing

        return await asyncio.wrap_future(self._kernel.call(do()))

    async def call(self, doing: Callable[[], T]) -> T:
        """Have a function called over there and wait for what it gives."""

        async def do() -> T:
            return doing()

        return await asyncio.wrap_future(self._kernel.call(do()))

    def has_news(self) -> None:
        """Called over there, as often as anything happens."""
        if not self._is_told and self._loop is not None:
            self._is_told = True
            try:
                self._loop.call_soon_threadsafe(self._on_news)
            except RuntimeError:  # the screen is gone
                self._loop = None

    def read(self) -> None:
        """From now on news are told again."""
        self._is_told = False


class Opener:
    """Opens sessions as an opening says. What is to be said of files and collectors goes to `tell`, from any thread."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._outward = ExitStack()

    async def __call__(self, opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
        """Read the configuration, on the kernel's loop; nothing of it is started yet. Raises BadInput."""
        from debugger.spans import SpanBook

        setup = load_setup(opening.path, opening.options)
        dialect = setup.dialect
        for name in opening.switches:
            dialect = dialect.switched(name, True)
        setup = replace(setup, dialect=dialect)
        sent = exported(setup, opening.otlp, tell=self._tell)
        writers: list[Writer] = []
        kept = recorded(
            setup,
            opening.output,
            is_redacted=opening.is_redacted,
            limits=opening.limits,
            tell=self._tell,
            on_begun=writers.append,
        )
        probes = (*self._outward.enter_context(sent), *self._outward.enter_context(kept))
        book = SpanBook({dialect.name: dialect})
        session = Session(setup, has_news, book, *probes)
        session.gone = lambda: sum(writer.kept.dropped + writer.kept.lost for writer in writers)
        return session, book

    def close(self) -> None:
        """Write what is left of what is recorded, and send what is left to be sent; waits for it. Idempotent."""
        self._outward.close()
