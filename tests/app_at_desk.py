"""The application with somebody at the keys: over stubs, without any process, or over a sample with real ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from plugin_runs import is_running, until
from session_runs import StubHost, setup_of
from textual.pilot import Pilot
from textual.widgets import Input, Label, OptionList

from debugger.app import Hookscope
from debugger.desk import Desk
from debugger.lenses.lines import LineView, TextView
from debugger.lenses.picker import Picker
from debugger.opening import Opening
from debugger.session import Session
from debugger.spans import SpanBook
from debugger.trace import DispatchTrace
from kernel.subscriber import Subscriber


class Reader:
    """Somebody at the keys, who looks at the screen."""

    def __init__(self, app: Hookscope, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def desk(self) -> Desk:
        return self.app.desk

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Put a text into the line that has the focus, as if it were typed there."""
        await self.pilot.pause()
        line = self.app.screen.focused
        assert isinstance(line, Input)
        line.value = text
        line.cursor_position = len(text)
        await self.pilot.pause()

    async def until(self, condition: Callable[[], bool]) -> None:
        await until(condition, 20)
        await self.pilot.pause()

    async def held(self, *places: str) -> None:
        """Wait until the chosen dispatch is held exactly there."""
        await self.until(lambda: self.places() == list(places))

    def places(self) -> list[str]:
        holds = [hold for hold in self.desk.seen.holds if hold.dispatch == self.desk.choosing.dispatch]
        return [f"{hold.side} {hold.subscriber}" for hold in holds]

    async def over(self, count: int) -> DispatchTrace:
        """Wait until this many dispatches are over, and give the newest."""
        await until(lambda: sum(each.result is not None for each in self.desk.trace.dispatches) == count, 20)
        await self.until(lambda: not self.desk.seen.states)
        return self.desk.trace.dispatches[-1]

    async def on(self, screen: type) -> None:
        """Wait until a screen of this kind is in front, and ready for keys."""
        await self.until(lambda: isinstance(self.app.screen, screen) and self.app.screen.is_current)

    async def at_desk(self) -> None:
        """Wait until no dialog is in front any more."""
        await self.until(lambda: self.app.screen is self.desk)

    async def pick(self, words: str) -> None:
        """Pick the first option of the list in front that says this."""
        await self.on(Picker)
        options = self.app.screen.query_one(OptionList)
        texts = [str(options.get_option_at_index(place).prompt) for place in range(options.option_count)]
        place = next(place for place, text in enumerate(texts) if words in text)
        options.highlighted = place
        await self.press("enter")

    async def choose(self, option: str) -> None:
        """Pick an option of the list in front by its id, with the keys."""
        await self.on(Picker)
        for _ in range(self.offered().index(option)):
            await self.pilot.press("j")
        await self.press("enter")

    def offered(self) -> list[str]:
        """The ids of what can be picked."""
        options = self.app.screen.query_one(OptionList)
        return [options.get_option_at_index(place).id or "" for place in range(options.option_count)]

    def options(self) -> str:
        """Everything that the list in front offers."""
        options = self.app.screen.query_one(OptionList)
        return "\n".join(str(options.get_option_at_index(place).prompt) for place in range(options.option_count))

    def label(self, selector: str) -> str:
        return str(self.app.screen.query_one(selector, Label).content)

    def drawn(self, selector: str) -> str:
        """What a pane really draws."""
        pane = self.desk.query_one(selector, LineView)
        return "\n".join(pane.render_line(y).text.rstrip() for y in range(pane.size.height))

    def inspected(self) -> str:
        """Everything that the inspector has to say, drawn or not."""
        return self.desk.query_one("#text", TextView).text

    def page(self) -> str:
        """Everything on the page in front."""
        return self.app.screen.query_one("#page", TextView).text

    def notified(self) -> str:
        """Everything that was said in passing and has not gone yet."""
        return "\n".join(each.message for each in self.app._notifications)


class StubReader(Reader):
    """Somebody at the keys of an application over stubs."""

    def __init__(self, app: Hookscope, pilot: Pilot[int], host: StubHost) -> None:
        super().__init__(app, pilot)
        self.host = host


@asynccontextmanager
async def reading(config: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Reader]:
    """The application with its subscribers running; afterwards every process of theirs has to be gone."""
    app = Hookscope(Opening(config))
    async with app.run_test(size=size) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started, 30)
        await pilot.pause()
        pids = _pids(app)
        assert pids
        assert all(is_running(pid) for pid in pids)
        yield Reader(app, pilot)
        pids += _pids(app)
    await until(lambda: not any(is_running(pid) for pid in pids))


def _pids(app: Hookscope) -> list[int]:
    return [int(each.detail.removeprefix("pid ").partition(",")[0]) for each in app.desk.seen.health if each.is_alive]


@asynccontextmanager
async def stub_reader(
    seats: str,
    stubs: Mapping[str, Subscriber],
    folder: Path,
    *,
    point: str = "pre-model-call",
    size: tuple[int, int] = (120, 40),
    timeout_ms: int = 1000,
) -> AsyncIterator[StubReader]:
    """The application over stubs at one point; `folder` is where its project file is."""
    host = StubHost(stubs)

    async def opened(opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
        setup = replace(setup_of(seats, point, timeout_ms=timeout_ms), path=opening.path)
        book = SpanBook({setup.dialect.name: setup.dialect})
        return Session(setup, has_news, book, host=host), book

    app = Hookscope(Opening(folder / "agent.hcl"), opened)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started, 20)
        await pilot.pause()
        yield StubReader(app, pilot, host)
    assert host.is_stopped
