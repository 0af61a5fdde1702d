"""The application on the hookbus sample: real extensions held, edited, broken on the wire, confirmed and played."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from plugin_runs import ROOT, is_running, until
from textual.pilot import Pilot
from textual.widgets import OptionList, TextArea

from debugger.app import Hookscope
from debugger.lenses.editor import Editor
from debugger.lenses.fault_form import FaultForm
from debugger.lenses.lines import TextView
from debugger.lenses.picker import Picker
from debugger.opening import Opening
from debugger.trace import DispatchTrace

SAMPLE = ROOT / "sample_configs" / "hookbus"
PUSH, HARMFUL = "before_tool_call\npush", "before_tool_call\nharmful"
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("bash") is None, reason="needs node and bash"
)


class Reader:
    """Somebody at the keys, who looks at the screen."""

    def __init__(self, app: Hookscope, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def held(self, place: str) -> None:
        """Wait until the chosen dispatch is held there and nowhere else."""
        await until(lambda: self.places() == [place], 20)
        await self.pilot.pause()

    def places(self) -> list[str]:
        holds = [hold for hold in self.app.desk.seen.holds if hold.dispatch == self.app.desk.choosing.dispatch]
        return [f"{hold.side} {hold.subscriber}" for hold in holds]

    async def over(self, count: int) -> DispatchTrace:
        """Wait until this many dispatches are over, and give the newest."""
        await until(lambda: sum(each.result is not None for each in self.app.desk.trace.dispatches) == count, 20)
        await until(lambda: not self.app.desk.seen.states, 20)
        await self.pilot.pause()
        return self.app.desk.trace.dispatches[-1]

    async def on(self, screen: type) -> None:
        """Wait until a screen of this kind is in front, and ready for keys."""
        await until(lambda: isinstance(self.app.screen, screen) and self.app.screen.is_current, 20)
        await self.pilot.pause()

    def inspected(self) -> str:
        """Everything that the inspector has to say, drawn or not."""
        return self.app.desk.query_one("#text", TextView).text

    async def pick(self, name: str) -> None:
        """Pick from the list in front."""
        await self.on(Picker)
        found = self.app.screen.query_one(OptionList)
        ids = [found.get_option_at_index(place).id for place in range(found.option_count)]
        for _ in range(ids.index(name)):
            await self.pilot.press("j")
        await self.press("enter")


@asynccontextmanager
async def reading(config: Path = SAMPLE, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Reader]:
    """The application with its extensions running; afterwards every process of theirs has to be gone."""
    app = Hookscope(Opening(config))
    async with app.run_test(size=size) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started, 30)
        await pilot.pause()
        yield Reader(app, pilot)
        pids = [
            int(each.detail.removeprefix("pid ").partition(",")[0]) for each in app.desk.seen.health if each.is_alive
        ]
        assert pids
    await until(lambda: not any(is_running(pid) for pid in pids))


async def asked(reader: Reader) -> None:
    """Wait for the dialog that asks."""
    await until(lambda: len(reader.app.desk.seen.askings) == 1, 20)
    await reader.on(Picker)


async def settled(reader: Reader) -> tuple[str, str]:
    """What became of the tool of the newest dispatch, and by which rule."""
    await until(lambda: bool(reader.app.desk.trace.dispatches[-1].decided), 20)
    [decided] = reader.app.desk.trace.dispatches[-1].decided
    return decided.decision, decided.rule


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_confirm_is_asked_in_a_dialog(size: tuple[int, int]) -> None:
    """Allowed, denied, and left open, which is no; on a small screen too."""
    async with reading(size=size) as reader:
        await reader.press("p")
        await reader.pick(PUSH)
        await asked(reader)
        await reader.pick("once")
        assert await settled(reader) == ("run", "HB-CONFIRM-APPROVED")
        await reader.press("r")
        await asked(reader)
        await reader.pick("deny")
        await reader.over(2)
        assert await settled(reader) == ("not run", "HB-CONFIRM-DENIED")
        await reader.press("r")
        await asked(reader)
        await reader.press("escape")
        await reader.over(3)
        assert await settled(reader) == ("not run", "HB-CONFIRM-DENIED")


async def test_an_answer_is_edited_as_it_was_sent() -> None:
    """A modify turned into a block while it is held; the diff of tool_input is gone with it."""
    async with reading() as reader:
        await reader.press("p")
        await reader.pick(PUSH)
        await asked(reader)
        await reader.pick("once")
        await reader.over(1)
        assert "npm ci --ignore-scripts" in reader.inspected()
        await reader.press("R")
        await reader.held("before 10-input-rewriter")
        await reader.press("s")
        await reader.held("after 10-input-rewriter")
        await reader.press("e")
        await reader.on(Editor)
        area = reader.app.screen.query_one(TextArea)
        assert '"action": "modify"' in area.text
        area.text = '{"action": "block", "reason": "edited by hand"}'
        await reader.press("ctrl+s")
        await reader.held("after 10-input-rewriter")
        await reader.press("c")
        trace = await reader.over(2)
        assert trace.result is not None
        assert (trace.result.decision, trace.result.extras["reason"]) == ("block", "edited by hand")
        assert trace.step(2).not_reached is not None
        assert trace.step(0).steered


async def test_an_error_on_the_wire_is_delivered_twice_and_one_can_see_it() -> None:
    """In the output, in the answer and in the reasons, with the rule; the restart shows in how it is."""
    async with reading() as reader:
        await reader.press("p")
        await reader.pick(HARMFUL)
        await reader.over(1)
        await reader.press("right_square_bracket", "right_square_bracket")
        assert reader.app.desk.choosing.step == 1
        await reader.press("x")
        await reader.pick("error_reply")
        await reader.on(FaultForm)
        await reader.press("enter")
        await until(lambda: bool(reader.app.desk.seen.armed), 20)
        await reader.press("r")
        trace = await reader.over(2)
        assert trace.result is not None
        assert trace.result.decision == "block", "the second delivery was answered"
        await reader.press("right_square_bracket", "right_square_bracket", "7")
        assert "restart 1 of 3 after 250 ms: it answered with an error" in reader.inspected()
        await reader.press("4")
        assert "delivered 2 times" in reader.inspected()
        await reader.press("5")
        assert "HB-REDELIVERED" in reader.inspected()
        [health] = [each for each in reader.app.desk.seen.health if each.name == "20-command-guard"]
        assert (health.state, health.restart_count) == ("degraded", 1)


async def test_a_broken_frame_is_a_fault_like_any_other() -> None:
    """Bytes are damaged on the real pipe; a replaced output shows as a diff."""
    async with reading() as reader:
        await reader.press("p")
        await reader.pick("after_tool_call\n")
        trace = await reader.over(1)
        assert trace.result is not None
        assert trace.result.decision == "replace"
        assert "tool_output" in reader.inspected()
        await reader.press("right_square_bracket", "x")
        await reader.pick("bad_length")
        await reader.on(FaultForm)
        await reader.press("enter")
        await until(lambda: bool(reader.app.desk.seen.armed), 20)
        await reader.press("r")
        trace = await reader.over(2)
        assert [raised.rule for raised in trace.step(0).raised] == ["HB-REDELIVERED"]
        assert trace.result is not None
        assert trace.result.decision == "replace"


async def test_a_session_is_played_and_its_confirms_are_asked() -> None:
    """Allowed for the session, so the next push is latched; after the reload it is asked anew."""
    async with reading() as reader:
        await reader.press("P")
        await asked(reader)
        await reader.pick("session")
        await asked(reader)
        assert len(reader.app.desk.trace.dispatches) > 20, "that was the question after the reload"
        await reader.pick("deny")
        await until(lambda: not reader.app.desk.seen.is_playing, 30)
        await reader.pilot.pause()
        await reader.press("8")
        story = reader.inspected()
        for expected in ("bash (tags): run by latch", "HB-RELOADED", "bash (again): not run by person", "HB-UNLOADED"):
            assert expected in story
