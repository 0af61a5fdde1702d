"""The keys that move a dispatch about: back, once more, elsewhere, without and instead of a subscriber."""

from __future__ import annotations

import re
from pathlib import Path

from app_at_desk import stub_reader
from dispatch_runs import stub

from debugger.lenses.editor import Editor
from debugger.lenses.picker import Picker
from debugger.lenses.prompt import Prompt

PLAN = "plan-ready"


async def test_the_way_back_is_one_key(tmp_path: Path) -> None:
    """Backspace goes back as often as it is pressed, 0 to the start, E asks again; none asks anybody else."""
    stubs = {"A": stub("ack"), "B": stub("ack")}
    async with stub_reader("A:o B:o", stubs, tmp_path) as reader:
        await reader.press("R")
        await reader.held("before A")
        await reader.press("n")
        await reader.held("before B")
        await reader.press("s")
        await reader.held("after B")
        await reader.press("backspace")
        await reader.held("before B")
        await reader.press("backspace")
        await reader.held("before A")
        assert [name for name, _ in reader.host.calls] == ["A", "B"]
        assert reader.desk.choosing.step == 0, "what is held is what is looked at"
        await reader.press("backspace")
        await reader.until(lambda: "nothing before it" in reader.notified())
        await reader.press("n")
        await reader.held("before B")
        await reader.press("0")
        await reader.held("before A")
        await reader.press("s")
        await reader.held("after A")
        await reader.press("E")
        await reader.until(lambda: len(reader.host.calls) == 5)
        await reader.held("after A")
        assert [name for name, _ in reader.host.calls] == ["A", "B", "A", "A", "A"]
        await reader.press("f")
        trace = await reader.over(1)
        assert trace.rewinds == 3


async def test_a_run_goes_to_the_chosen_subscriber_or_to_a_filter(tmp_path: Path) -> None:
    """T to who is chosen, ctrl+t to where something is known to be true."""
    stubs = {"A": stub("ack"), "B": stub("+x"), "C": stub("ack")}
    async with stub_reader("A:o B:t C:o", stubs, tmp_path) as reader:
        await reader.press("R")
        await reader.held("before A")
        await reader.press("T")
        await reader.until(lambda: "held right there" in reader.notified())
        await reader.press("right_square_bracket", "right_square_bracket", "T")
        await reader.held("before C")
        await reader.press("0")
        await reader.held("before A")
        await reader.press("ctrl+t")
        await reader.on(Prompt)
        await reader.type("chaned:yes")
        assert "did you mean changed?" in reader.label("#problem")
        assert "^^^^^^" in reader.label("#problem")
        await reader.press("enter")
        assert isinstance(reader.app.screen, Prompt), "what is wrong is not taken"
        await reader.type("changed:yes")
        await reader.press("enter")
        await reader.held("after B")
        await reader.press("f")
        await reader.over(1)


async def test_a_person_answers_with_a_usual_answer_or_with_json(tmp_path: Path) -> None:
    """The list says what each would meet; JSON is checked, and told what rule it would break."""
    async with stub_reader("A:v B:v", {"A": stub("allow"), "B": stub("allow")}, tmp_path, point=PLAN) as reader:
        await reader.press("R")
        await reader.held("before A")
        await reader.press("i")
        await reader.on(Picker)
        for words in ("allow", "deny", "no answer in time", "PL-VETO-TIMEOUT", "its process dies", "JSON ..."):
            assert words in reader.options()
        await reader.pick("allow")
        await reader.held("before B")
        await reader.press("i")
        await reader.pick("JSON ...")
        await reader.on(Editor)
        area = reader.app.screen.query_one("JsonArea")
        area.load_text('{"observe": {}}')
        await reader.until(lambda: "raises" in reader.label("#problem"))
        assert "✓ can be sent, and meets PL-" in reader.label("#problem")
        area.load_text('{"nothing": {}}')
        await reader.until(lambda: "nothing" in reader.label("#problem"))
        area.load_text('{"veto": {"decision": "HOOK_DECISION_DENY"}}')
        await reader.press("ctrl+s")
        trace = await reader.over(1)
        assert trace.result is not None
        assert (trace.result.decision, reader.host.calls) == ("deny", [])


async def test_a_subscriber_is_left_out_for_the_session(tmp_path: Path) -> None:
    """K marks it in the strip and in the banner, and takes it back in."""
    async with stub_reader("A:o B:o", {"A": stub("ack"), "B": stub("ack")}, tmp_path) as reader:
        await reader.press("r")
        await reader.over(1)
        await reader.press("right_square_bracket", "K")
        await reader.until(lambda: bool(reader.desk.seen.skipping))
        assert "» A" in reader.drawn("#chain")
        assert "left out: A at pre-model-call" in reader.drawn("#banner")
        await reader.press("r")
        await reader.over(2)
        assert [name for name, _ in reader.host.calls] == ["A", "B", "B"]
        assert "skipped" in reader.drawn("#chain")
        await reader.press("right_square_bracket", "K")
        await reader.until(lambda: not reader.desk.seen.skipping)
        assert not reader.desk.query_one("#banner").display


async def test_everything_that_is_held_is_in_the_banner_and_can_be_gone_to(tmp_path: Path) -> None:
    """With its number, its place and for how long; H goes to one, L lets go by itself."""
    async with stub_reader("A:o", {"A": stub("ack")}, tmp_path, size=(100, 30)) as reader:
        for number in (1, 2):
            await reader.press("R")
            await reader.until(lambda number=number: len(reader.desk.seen.holds) == number)  # type: ignore[misc]
        told = r"‖ held: #1 before A 0:\d\d · #2 before A 0:\d\d · A all, H one"
        assert re.search(told, reader.drawn("#banner"))
        await reader.press("H")
        await reader.pick("#1 ")
        await reader.at_desk()
        assert reader.desk.chosen is not None
        assert (reader.desk.chosen.number, reader.desk.choosing.step) == (1, 0)
        await reader.press("L")
        await reader.pick("300 s")
        await reader.until(lambda: reader.desk.seen.release_after_s == 300)
        await reader.until(lambda: "lets go in 4:5" in reader.drawn("#banner") or "5:00" in reader.drawn("#banner"))
        await reader.press("L")
        await reader.pick("another time")
        await reader.on(Prompt)
        await reader.type("0")
        await reader.press("enter")
        assert isinstance(reader.app.screen, Prompt)
        await reader.type("1")
        await reader.press("enter")
        await reader.over(2)
        assert any("let go by itself after 1 s" in note.text for note in reader.desk.told)
        await reader.press("H")
        await reader.until(lambda: "Nothing is held." in reader.notified())


async def test_an_edit_is_undone_and_its_legality_told(tmp_path: Path) -> None:
    """The editor says which rule the subscriber itself would break; u takes the edit back."""
    async with stub_reader("A:t", {"A": stub("same")}, tmp_path) as reader:
        await reader.press("R")
        await reader.held("before A")
        await reader.press("e")
        await reader.on(Editor)
        area = reader.app.screen.query_one("JsonArea")
        text = area.text
        assert reader.label("#problem") == "✓ can be taken"
        area.load_text(text.replace('"provider": "', '"provider": "other-', 1))
        await reader.until(lambda: "you may; A itself would break PL-" in reader.label("#problem"))
        await reader.press("ctrl+s")
        await reader.until(lambda: bool(reader.desk.seen.holds and reader.desk.seen.holds[0].edited))
        assert "✎ Your edit, not yet sent" in reader.inspected()
        await reader.press("u")
        await reader.until(lambda: reader.desk.seen.holds[0].edited is None)
        assert "Your edit" not in reader.inspected()
        await reader.press("u")
        await reader.until(lambda: "no edit to undo" in reader.notified())
        await reader.press("f")
        await reader.over(1)
