"""The application's shell: paints a frame at once, then brings in everything else. Imports little on purpose.

The desk (`debugger/desk.py`) is the screen that people work at; the kernel runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.app import App, ComposeResult, SystemCommand
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Static

from debugger.kernel_thread import KernelThread
from debugger.opening import Opening

if TYPE_CHECKING:
    from debugger.bridge import OpenSession
    from debugger.desk import Desk


class Hookscope(App[int]):
    """The shell. Its exit value is the exit code."""

    TITLE = "hookscope"
    CSS = """
    #first-frame { height: 1; background: $panel; text-style: bold; padding: 0 1; }
    """

    def __init__(self, opening: Opening, open_session: OpenSession | None = None) -> None:
        super().__init__()
        self.opening = opening
        self.kernel = KernelThread()
        self.problem = ""
        """Why there is nothing to show: printed once the screen is gone."""
        self._open_session = open_session
        self._desk: Desk | None = None

    @property
    def desk(self) -> Desk:
        """The screen that people work at, once it stands."""
        assert self._desk is not None, "the desk stands after the first frame"
        return self._desk

    def compose(self) -> ComposeResult:
        yield Static(f"{self.opening.path.parent.name}/{self.opening.path.name}", id="first-frame", markup=False)

    def on_mount(self) -> None:
        if not self.is_headless:  # a terminal is left as it was found, also when we are told to end
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
        self.call_after_refresh(self._set_up_desk)

    async def _set_up_desk(self) -> None:
        from debugger.bridge import open_session
        from debugger.desk import Desk

        self._desk = Desk(self.opening, self.kernel, self._open_session or open_session)
        await self.push_screen(self._desk)

    def give_up(self, problem: str) -> None:
        """Leave, since what was to be opened cannot be."""
        self.problem = problem
        self.exit(2)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Tell something in passing. Always literally, whatever `markup` says: the text may come from outside."""
        from debugger.views.text import visible

        super().notify(visible(message), title=title, severity=severity, timeout=timeout, markup=False)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: Textual's own, and every action of the desk."""
        yield from super().get_system_commands(screen)
        if screen is self._desk:
            yield from self.desk.commands()

    async def on_unmount(self) -> None:
        """Stop every subscriber and the kernel's thread."""
        if self._desk is not None:
            await self._desk.close()
        await asyncio.to_thread(self.kernel.close)


def run(opening: Opening) -> tuple[int, str]:
    """Open the application; gives the exit code and what to say once the screen is gone."""
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)  # nothing may write over the screen
    app = Hookscope(opening)
    code = app.run()
    return (code if code is not None else 3), app.problem
