"""The trace screens with somebody at the keys."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from plugin_runs import until
from textual.pilot import Pilot
from textual.widgets import Input

from debugger.lenses.lines import LineView, TextView
from debugger.traces.actions import View
from debugger.traces.app import TraceApp
from debugger.traces.panes.detail import DetailPane
from debugger.traces.screen import TraceDesk
from debugger.traces.source import SpanSource


class TraceReader:
    """Presses keys and says what is drawn then."""

    def __init__(self, app: TraceApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def desk(self) -> TraceDesk:
        return self.app.desk

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Write a line in the dialog in front, and take it."""
        await self.until(lambda: isinstance(self.app.screen.focused, Input))
        line = self.app.screen.focused
        assert isinstance(line, Input)
        line.value = text
        await self.press("enter")
        await self.until(lambda: self.app.screen is self.desk)

    async def until(self, condition: Callable[[], bool]) -> None:
        await until(condition, 20)
        await self.pilot.pause()

    async def open(self) -> None:
        """Open the chosen trace, and wait until all is known of it."""
        await self.press("enter")
        await self.until(lambda: self.desk.view is View.TRACE and self.desk.tree_pane.analysis is not None)

    def drawn(self, selector: str) -> list[str]:
        """What a pane really draws, without lines that are empty."""
        pane = self.desk.query_one(selector, LineView)
        lines = [pane.render_line(y).text.rstrip() for y in range(pane.size.height)]
        return [line for line in lines if line]

    def chosen(self, selector: str) -> str:
        """The line that is chosen."""
        pane = self.desk.query_one(selector, LineView)
        assert pane.cursor is not None
        return pane.render_line(pane.cursor - pane.scroll_offset.y).text.strip()

    async def details(self, words: str) -> str:
        """All that the details say, once these words are among it."""

        def said() -> str:
            detail = self.desk.query_one("#detail", DetailPane)
            return "\n".join("".join(each.text for each in line.segments) for line in detail._lines)

        await self.until(lambda: words in said())
        return said()

    @property
    def told(self) -> str:
        """Everything that was said in passing and has not gone yet."""
        return "\n".join(each.message for each in self.app._notifications)

    def page(self) -> str:
        """Everything on the page in front."""
        return self.app.screen.query_one("#page", TextView).text


@asynccontextmanager
async def reading(source: SpanSource, *, size: tuple[int, int] = (120, 40)) -> AsyncIterator[TraceReader]:
    """The screens over a source, once the list is there."""
    app = TraceApp(lambda: source)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        reader = TraceReader(app, pilot)
        await reader.until(lambda: app.is_set_up and app.desk._seen >= 0 and not app.desk._is_looking)
        yield reader
