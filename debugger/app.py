"""The application's shell: paints a frame at once, then brings in everything else. Imports little on purpose.

The desk (`debugger/desk`) is the screen that people work at; the kernel runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.app import App, ComposeResult, SystemCommand
from textual.containers import Horizontal, Vertical
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Static

from debugger import own_terminal
from debugger.kernel_thread import KernelThread
from debugger.lenses.small import LEAST_HEIGHT, LEAST_WIDTH, TooSmall
from debugger.opening import AnyOpening, Opening, RecordingOpening, SpansOpening

if TYPE_CHECKING:
    from debugger.bridge import Opener, OpenSession
    from debugger.desk import Desk


class Hookscope(App[int]):
    """The shell. Its exit value is the exit code."""

    TITLE = "hookscope"
    CSS_PATH = "frame.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "slim"), (LEAST_WIDTH, "narrow"), (110, "wide")]  # noqa: RUF012  # typed so by Textual
    VERTICAL_BREAKPOINTS = [(0, "low"), (LEAST_HEIGHT, "high")]  # noqa: RUF012

    def __init__(self, opening: AnyOpening, open_session: OpenSession | None = None) -> None:
        super().__init__()
        self.opening = opening
        self.kernel = KernelThread()
        self._open_session = open_session
        self._desk: Desk | None = None
        self._opener: Opener | None = None
        self._problem = ""
        self._is_closing = False
        self._screen_loop: asyncio.AbstractEventLoop | None = None

    @property
    def desk(self) -> Desk:
        """The screen that people work at, once it stands."""
        assert self._desk is not None, "the desk stands after the first frame"
        return self._desk

    def compose(self) -> ComposeResult:
        """The empty frame of the desk."""
        yield Static(f" {self.opening.title}", id="header", markup=False)
        yield Static(id="chain")
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield Static(id="dispatches")
                yield Static(id="spans")
            yield Static(id="inspector")
        yield TooSmall()

    def on_mount(self) -> None:
        self._screen_loop = asyncio.get_running_loop()
        for pane in ("dispatches", "spans", "inspector"):
            self.query_one(f"#{pane}").border_title = pane.capitalize()
        if not self.is_headless:  # a terminal is left as it was found, also when we are told to end
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
        self.call_after_refresh(self._set_up_desk)

    async def _set_up_desk(self) -> None:
        gc.disable()  # what is imported stays: looking through it for garbage would take a tenth of the time
        match self.opening:
            case Opening() as opening:
                from debugger.bridge import Opener
                from debugger.desk.live import LiveDesk

                self._opener = Opener(self._tell_of_recording)
                desk: Desk = LiveDesk(opening, self.kernel, self._open_session or self._opener)
            case RecordingOpening() as opening:
                from debugger.desk.recorded import RecordedDesk

                desk = RecordedDesk(opening)
            case SpansOpening() as opening:
                gc.enable()
                await self._show_traces(opening)
                return
        gc.enable()
        self._desk = desk
        desk.typed_ahead.on_ready = lambda: self.call_later(self._let_keys_go)
        await self.push_screen(desk)

    async def _show_traces(self, opening: SpansOpening) -> None:
        """Spans have a screen of their own."""
        from debugger.traces.screen import TraceDesk
        from debugger.traces.source import otlp_source, recording_source
        from kernel.errors import BadInput

        try:
            open_source = recording_source if opening.is_recording else otlp_source
            source = await asyncio.to_thread(open_source, opening.path)
        except BadInput as error:
            self._problem = str(error)
            self.exit(2)
            return
        await self.push_screen(TraceDesk(source))

    def _tell_of_recording(self, sentence: str) -> None:
        """What is to be said of what a live session records or sends: on the screen, and again once that is gone."""
        self._problem = f"{self._problem}\nhookscope: {sentence}" if self._problem else sentence
        if self._is_closing or self._screen_loop is None:
            return
        self._screen_loop.call_soon_threadsafe(lambda: self.notify(sentence, severity="error", timeout=8))

    async def on_event(self, event: events.Event) -> None:
        """Everything goes its way, except keys that have to wait for the dialog that one before them opens."""
        match event:
            case events.Key(is_forwarded=False) if self._desk is not None and self._desk.typed_ahead.keeps(event):
                return
            case _:
                await super().on_event(event)

    async def _let_keys_go(self) -> None:
        """As if they came now: those that come meanwhile wait for the end of this."""
        while (key := self.desk.typed_ahead.next_key()) is not None:
            await super().on_event(key)

    @property
    def problem(self) -> str:
        """Why there is nothing to show, or what became of a recording: to be printed once the screen is gone."""
        return self._problem if self._desk is None or not self._desk.problem else self._desk.problem

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

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        """The terminal for somebody else meanwhile: an editor."""
        lent = contextlib.nullcontext() if self._desk is None else self._desk.lent()
        with super().suspend(), own_terminal.given_back(), lent:
            yield

    async def on_unmount(self) -> None:
        """Stop every subscriber and the kernel's thread."""
        if self._desk is not None:
            await self._desk.close()
        self._is_closing = True
        if self._opener is not None:
            await asyncio.to_thread(self._opener.close)
        await asyncio.to_thread(self.kernel.close)


def run(opening: AnyOpening) -> tuple[int, str]:
    """Open the application; gives the exit code and what to say once the screen is gone."""
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)  # nothing may write over the screen
    with own_terminal.kept():
        app = Hookscope(opening)
        code = app.run()
    return (code if code is not None else 3), app.problem
