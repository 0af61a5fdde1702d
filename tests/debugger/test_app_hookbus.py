"""The application on the hookbus sample: real extensions held, edited, broken on the wire, confirmed and played."""

from __future__ import annotations

import shutil

import pytest
from app_at_desk import Reader, reading
from plugin_runs import ROOT, until
from textual.widgets import TextArea

from debugger.lenses.editor import Editor
from debugger.lenses.fault_form import FaultForm
from debugger.lenses.picker import Picker

SAMPLE = ROOT / "sample_configs" / "hookbus"
PUSH, HARMFUL = "before_tool_call\npush", "before_tool_call\nharmful"
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("bash") is None, reason="needs node and bash"
)


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
    async with reading(SAMPLE, size=size) as reader:
        await reader.press("p")
        await reader.choose(PUSH)
        await asked(reader)
        await reader.choose("once")
        assert await settled(reader) == ("run", "HB-CONFIRM-APPROVED")
        await reader.press("r")
        await asked(reader)
        await reader.choose("deny")
        await reader.over(2)
        assert await settled(reader) == ("not run", "HB-CONFIRM-DENIED")
        await reader.press("r")
        await asked(reader)
        await reader.press("escape")
        await reader.over(3)
        assert await settled(reader) == ("not run", "HB-CONFIRM-DENIED")


async def test_an_answer_is_edited_as_it_was_sent() -> None:
    """A modify turned into a block while it is held; the diff of tool_input is gone with it."""
    async with reading(SAMPLE) as reader:
        await reader.press("p")
        await reader.choose(PUSH)
        await asked(reader)
        await reader.choose("once")
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
    async with reading(SAMPLE) as reader:
        await reader.press("p")
        await reader.choose(HARMFUL)
        await reader.over(1)
        await reader.press("right_square_bracket", "right_square_bracket")
        assert reader.app.desk.choosing.step == 1
        await reader.press("x")
        await reader.choose("error_reply")
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
    async with reading(SAMPLE) as reader:
        await reader.press("p")
        await reader.choose("after_tool_call\n")
        trace = await reader.over(1)
        assert trace.result is not None
        assert trace.result.decision == "replace"
        assert "tool_output" in reader.inspected()
        await reader.press("right_square_bracket", "x")
        await reader.choose("bad_length")
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
    async with reading(SAMPLE) as reader:
        await reader.press("P")
        await asked(reader)
        await reader.choose("session")
        await asked(reader)
        assert len(reader.app.desk.trace.dispatches) > 20, "that was the question after the reload"
        await reader.choose("deny")
        await until(lambda: not reader.app.desk.seen.is_playing, 30)
        await reader.pilot.pause()
        await reader.press("8")
        story = reader.inspected()
        for expected in ("bash (tags): run by latch", "HB-RELOADED", "bash (again): not run by person", "HB-UNLOADED"):
            assert expected in story
