"""An application that is nothing but the trace screens: for `hookscope listen --screen`.

Paints a frame at once, then brings in everything else. Imports little on purpose.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import App, ComposeResult
from textual.notifications import SeverityLevel
from textual.widgets import Static

if TYPE_CHECKING:
    from debugger.traces.screen import TraceDesk
    from debugger.traces.seam import SpanSource

_CSS = "Screen { layout: vertical; } #standing { height: 1; background: $panel; }"


class TraceApp(App[int]):
    """Shows what `open_source` gives, which is called on another thread. Its exit value is the exit code."""

    TITLE = "hookscope"
    CSS = _CSS
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, open_source: Callable[[], SpanSource], *, title: str = "") -> None:
        super().__init__()
        self.problem: Exception | None = None
        """Why there is nothing to show: to be raised once the screen is gone."""
        self._open_source = open_source
        self._title = title
        self._desk: TraceDesk | None = None

    @property
    def desk(self) -> TraceDesk:
        """The screens, once they stand."""
        assert self._desk is not None, "the desk stands after the first frame"
        return self._desk

    @property
    def is_set_up(self) -> bool:
        """Whether they do."""
        return self._desk is not None

    def compose(self) -> ComposeResult:
        yield Static(f" {self._title}", id="standing", markup=False)

    def on_mount(self) -> None:
        if not self.is_headless:  # a terminal is left as it was found, also when we are told to end
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.run_worker(self._set_up(), name="set up", exit_on_error=True)

    async def _set_up(self) -> None:
        try:
            source = await asyncio.to_thread(self._open_source)
        except Exception as error:  # noqa: BLE001  # raised again by whoever runs this, when it can be read
            self.problem = error
            self.exit(2)
            return
        from debugger.traces.screen import TraceDesk

        self._desk = TraceDesk(source)
        await self.push_screen(self._desk)

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


def run(open_source: Callable[[], SpanSource], *, title: str = "") -> int:
    """Show a source until the reader leaves; gives the exit code. Raises what opening it raised."""
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)  # nothing may write over the screen
    app = TraceApp(open_source, title=title)
    code = app.run()
    if app.problem is not None:
        raise app.problem
    return code if code is not None else 3
