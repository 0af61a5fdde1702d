"""Between the screen's loop and the kernel's: has things done over there, and says over here that there is news."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias, TypeVar

from debugger.kernel_thread import KernelThread
from debugger.opening import Opening
from debugger.session import Session
from debugger.spans import SpanBook
from kernel.dialects import load_setup

T = TypeVar("T")

OpenSession: TypeAlias = Callable[[Opening, Callable[[], None]], Awaitable[tuple[Session, SpanBook]]]
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


async def open_session(opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
    """Read the configuration, on the kernel's loop; nothing of it is started yet. Raises BadInput."""
    setup = load_setup(opening.path, opening.options)
    dialect = setup.dialect
    for name in opening.switches:
        dialect = dialect.switched(name, True)
    book = SpanBook({dialect.name: dialect})
    return Session(replace(setup, dialect=dialect), has_news, book), book
