"""The keys about breakpoints and armed faults: written, listed, turned off, kept in the project file."""

from __future__ import annotations

from pathlib import Path

from app_at_desk import stub_reader
from dispatch_runs import stub
from textual.widgets import Input

from debugger.breakpoints import Breakpoint, Side
from debugger.breakpoints.counts import parsed
from debugger.breakpoints.keeping import load_breakpoints, load_watches
from debugger.lenses.breakpoint_form import BreakpointForm
from debugger.lenses.fault_form import FaultForm
from debugger.lenses.lister import Lister
from debugger.session import Only, When

PLAN = "plan-ready"


async def test_a_breakpoint_is_written_with_what_it_would_have_hit(tmp_path: Path) -> None:
    """The filter is completed, judged with a caret, and tried on what was seen; the side follows from it."""
    async with stub_reader("A:v B:v", {"A": stub("allow"), "B": stub("deny")}, tmp_path, point=PLAN) as reader:
        for number in (1, 2, 3):
            await reader.press("r")
            await reader.over(number)
        await reader.press("V")
        await reader.on(BreakpointForm)
        await reader.type("status:denyed")
        assert "^^^^^^" in reader.label("#problem")
        await reader.type("status:den")
        assert "▸ denied" in reader.label("#offered")
        await reader.press("tab")
        assert reader.app.screen.query_one("#where", Input).value == "status:denied"
        await reader.until(lambda: reader.label("#counted") == "would have hit 3 of the last 3")
        assert str(reader.app.screen.query_one("#after").label) == "Hold after ⏎"  # type: ignore[attr-defined]
        await reader.press("enter")
        await reader.at_desk()
        await reader.press("r")
        await reader.held("after B")
        [known] = reader.desk.seen.breakpoints
        assert (known.breakpoint, known.hits) == (Breakpoint("status:denied", Side.AFTER), 1)
        await reader.press("c")
        await reader.over(4)


async def test_a_log_point_tells_in_the_notes(tmp_path: Path) -> None:
    """A message with fields makes one of a breakpoint, and nothing is held."""
    async with stub_reader("A:o", {"A": stub("ack")}, tmp_path) as reader:
        await reader.press("r")
        await reader.over(1)
        await reader.press("right_square_bracket", "V")
        await reader.on(BreakpointForm)
        assert reader.app.screen.query_one("#where", Input).value == "point:=pre-model-call sub:=A"
        reader.app.screen.query_one("#log", Input).focus()
        await reader.type("{nofield}")
        await reader.press("enter")
        assert "is no field" in reader.label("#problem")
        await reader.type("{sub} of #{n}")
        assert "Tell before ⏎" in str(reader.app.screen.query_one("#before").label)  # type: ignore[attr-defined]
        await reader.press("enter")
        await reader.at_desk()
        await reader.press("r")
        await reader.over(2)
        assert [note.text for note in reader.desk.told] == ["A of #2"]


async def test_breakpoints_are_listed_changed_muted_and_kept(tmp_path: Path) -> None:
    """Space turns one off, e changes it, d takes it away, M turns all off, s writes the project file."""
    file = tmp_path / ".hookscope.yaml"
    mine = "# mine\nfilters:\n  bad: 'status:denied'\n"
    file.write_text(f"{mine}breakpoints:\n  - before: 'nofield:x'\n  - before: 'sub:a'\n")
    async with stub_reader("A:v B:v", {"A": stub("allow"), "B": stub("allow")}, tmp_path, point=PLAN) as reader:
        assert "no field" in reader.desk.told[0].text
        assert reader.desk.told[0].is_trouble
        assert [each.breakpoint for each in reader.desk.seen.breakpoints] == [Breakpoint("sub:a")]
        await reader.press("v")
        await reader.on(Lister)
        assert "● before sub:a" in reader.options()
        assert "hit 0×" in reader.options()
        await reader.press("space")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "○ before" in reader.options())
        await reader.press("n")
        await reader.on(BreakpointForm)
        await reader.type("@bad sub:b")
        reader.app.screen.query_one("#count", Input).focus()
        await reader.type("%2")
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "hits %2" in reader.options())
        await reader.press("r")
        await reader.pick("no answer within the deadline")
        await reader.on(BreakpointForm)
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "status:timeout" in reader.options())
        await reader.press("s")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "status:timeout" in file.read_text())
        await reader.press("d")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "sub:a" not in reader.options())
        await reader.press("escape")
        await reader.at_desk()
        await reader.press("M")
        await reader.until(lambda: not reader.desk.seen.are_breakpoints_on)
        assert "2 breakpoints are off" in reader.drawn("#banner")
    assert load_breakpoints(file) == (
        Breakpoint("sub:a", is_on=False),
        Breakpoint("@bad sub:b", Side.AFTER, parsed("%2")),
        Breakpoint("status:timeout", Side.AFTER),
        Breakpoint("nofield:x"),
    ), "what was broken in the file is still there"
    assert file.read_text().startswith(mine)
    assert load_watches(file) == ()


async def test_a_fault_is_armed_by_filter_order_and_chance(tmp_path: Path) -> None:
    """The form says for whom and when; the banner says it as long as it is armed, ctrl+f takes it away."""
    async with stub_reader("A:v B:v", {"A": stub("allow"), "B": stub("allow")}, tmp_path, point=PLAN) as reader:
        await reader.press("r")
        await reader.over(1)
        await reader.press("right_square_bracket", "x")
        await reader.pick("hang")
        await reader.on(FaultForm)
        form = reader.app.screen
        where, calls, chance = (form.query_one(f"#{name}", Input) for name in ("where", "when", "chance"))
        assert where.value == "sub:=A mode:=veto"
        where.focus()
        await reader.type("mod:veto")
        await reader.press("enter")
        assert "did you mean mode?" in reader.label("#problem")
        where.value, calls.value = "mode:veto step:1", "sometimes"
        await reader.press("enter")
        assert "next, every, first 3 or call 3" in reader.label("#problem")
        calls.value, chance.value = "first 2", "0"
        await reader.press("enter")
        assert "a chance of 0 %" in reader.label("#problem")
        chance.value = "100"
        await reader.press("enter")
        await reader.at_desk()
        await reader.until(lambda: bool(reader.desk.seen.armed))
        [armed] = reader.desk.seen.armed
        assert (armed.where, armed.when) == ("mode:veto step:1", When(Only.FIRST, 2))
        assert "↯ armed: hang at mode:veto step:1, first 2 calls · ctrl+x clears" in reader.drawn("#banner")
        assert "↯ B" in reader.drawn("#chain")
        await reader.press("r")
        trace = await reader.over(2)
        assert trace.result is not None
        assert (trace.result.decision, trace.result.decided_by) == ("deny", "B")
        assert "↯" in reader.drawn("#dispatches").splitlines()[1]
        assert "struck 1×" in reader.drawn("#banner")
        await reader.press("ctrl+f")
        await reader.on(Lister)
        assert "struck 1× of 1 calls" in reader.options()
        await reader.press("d")
        await reader.until(lambda: not reader.desk.seen.armed)
        await reader.on(Lister)
        assert reader.options() == ""
        await reader.press("escape")
        await reader.at_desk()
