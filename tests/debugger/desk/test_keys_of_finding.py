"""The keys that look for dispatches, watch places of the payload, and compare what was with what might have been."""

from __future__ import annotations

import json
import os
from pathlib import Path

from app_at_desk import StubReader, stub_reader
from dispatch_runs import stub
from pluggable_answers import ALLOW, DENY
from textual.widgets import Input

from debugger.filters.keeping import load_filters
from debugger.lenses.breakpoint_form import BreakpointForm
from debugger.lenses.editor import Editor
from debugger.lenses.filter_input import FilterInput
from debugger.lenses.help import AskingPage
from debugger.lenses.lines import TextView
from debugger.lenses.lister import Lister
from debugger.lenses.picker import Picker
from debugger.lenses.prompt import Prompt
from kernel.values import Answered, Outcome

PLAN = "plan-ready"


class Turning:
    """Allows and denies in turn."""

    def __init__(self) -> None:
        self._calls = 0

    async def answer(self, call: object) -> Outcome:
        self._calls += 1
        return Answered(ALLOW if self._calls % 2 else DENY)


async def fired(reader: StubReader, count: int) -> None:
    for number in range(1, count + 1):
        await reader.press("r")
        await reader.over(number)


async def test_the_list_is_filtered_suspended_highlighted_and_walked(tmp_path: Path) -> None:
    """Also while new dispatches come; the history is one key up, a name keeps the filter."""
    async with stub_reader("A:v", {"A": Turning()}, tmp_path, point=PLAN) as reader:
        await fired(reader, 5)
        rows = reader.drawn("#dispatches")
        assert all(f"#{number}" in rows for number in range(1, 6))
        await reader.press("slash")
        await reader.on(Prompt)
        await reader.type("status:denied")
        await reader.until(lambda: reader.label("#counted") == "would have hit 2 of the last 5")
        await reader.press("enter")
        await reader.at_desk()
        rows = reader.drawn("#dispatches")
        assert [number for number in range(1, 6) if f"#{number}" in rows] == [2, 4]
        assert str(reader.desk.query_one("#dispatches").border_subtitle) == "/status:denied  2 of 5"
        await reader.press("less_than_sign")
        assert reader.desk.chosen is not None
        assert reader.desk.chosen.number == 4
        await reader.press("less_than_sign")
        assert reader.desk.chosen.number == 2
        await reader.press("less_than_sign")
        assert "No further dispatch fits." in reader.notified()
        await reader.press("backslash")
        assert "#1" in reader.drawn("#dispatches")
        assert "suspended" in str(reader.desk.query_one("#dispatches").border_subtitle)
        await reader.press("backslash", "asterisk")
        rows = reader.drawn("#dispatches")
        assert ["◆" in row for row in rows.splitlines()[:5]] == [False, True, False, True, False]
        await reader.press("greater_than_sign")
        assert reader.desk.chosen.number == 4
        await reader.press("at")
        await reader.on(Prompt)
        await reader.type("no good")
        await reader.press("enter")
        assert isinstance(reader.app.screen, Prompt)
        await reader.type("denials")
        await reader.press("enter")
        await reader.until(lambda: "@denials is kept" in reader.notified())
        await reader.press("slash")
        await reader.on(Prompt)
        await reader.type("")
        await reader.press("up")
        assert reader.app.screen.query_one("#line", Input).value == "status:denied"
        await reader.type("!@denials")
        await reader.press("enter")
        await reader.at_desk()
        await reader.press("asterisk")
        rows = reader.drawn("#dispatches")
        assert [number for number in range(1, 6) if f"#{number}" in rows] == [1, 3, 5]
        await reader.press("r")
        await reader.over(6)
        assert "#6" not in reader.drawn("#dispatches")
        await reader.press("slash")
        await reader.on(Prompt)
        await reader.type("sub:nobody")
        await reader.press("enter")
        await reader.at_desk()
        assert "No dispatch fits the filter." in reader.drawn("#dispatches")
    assert load_filters(tmp_path / ".hookscope.yaml") == {"denials": "status:denied"}


async def test_jumps_go_to_the_next_denial_change_and_error(tmp_path: Path) -> None:
    """To the step itself, through all dispatches, in both directions."""
    async with stub_reader("A:t B:t", {"A": stub("+x"), "B": stub("none")}, tmp_path) as reader:
        await fired(reader, 2)
        await reader.press("left_curly_bracket")
        await reader.on(AskingPage)
        await reader.press("c")
        await reader.at_desk()
        assert reader.desk.chosen is not None
        assert (reader.desk.chosen.number, reader.desk.choosing.step) == (1, 0)
        await reader.press("right_curly_bracket", "e")
        await reader.until(lambda: reader.desk.choosing.step == 1)
        assert reader.desk.chosen.number == 1
        await reader.press("right_curly_bracket", "e")
        await reader.until(lambda: reader.desk.chosen is not None and reader.desk.chosen.number == 2)
        await reader.press("right_curly_bracket", "v")
        await reader.until(lambda: "There is no further denial." in reader.notified())


async def test_a_what_if_is_shown_beside_what_was_and_can_be_asked_live(tmp_path: Path) -> None:
    """What would have changed the verdict comes first; where the record does not tell, one key asks."""
    stubs = {"A": stub("deny"), "B": stub("allow")}
    async with stub_reader("A:v B:v", stubs, tmp_path, point=PLAN) as reader:
        await fired(reader, 1)
        await reader.press("5")
        assert "It would have come to something else" in reader.inspected()
        assert "without A: would have to ask B" in reader.inspected()
        await reader.press("w")
        await reader.on(Picker)
        assert reader.options().splitlines()[0].split("  ")[-1].strip() == "would have to ask B"
        await reader.pick("without A")
        await reader.on(AskingPage)
        assert "The record does not tell: one would have to ask B." in reader.page()
        assert [name for name, _ in reader.host.calls] == ["A"]
        await reader.press("f")
        await reader.until(lambda: isinstance(reader.app.screen, AskingPage) and "beside #2" in reader.label("#title"))
        assert "A sits in only one of the chains" in reader.page()
        await reader.press("escape")
        await reader.at_desk()
        assert [name for name, _ in reader.host.calls] == ["A", "B"]
        fork = reader.desk.trace.dispatches[1]
        assert fork.result is not None
        assert fork.result.decision == "allow"
        assert "⑂" in reader.drawn("#dispatches").splitlines()[1]
        await reader.press("w")
        await reader.pick("B: deny")
        await reader.on(AskingPage)
        assert "≠ B" in reader.page()
        await reader.press("F")
        await reader.held("before B")
        assert reader.desk.chosen is not None
        assert reader.desk.chosen.number == 3
        await reader.press("f")
        await reader.over(3)


async def test_a_what_if_has_another_deadline_and_another_payload(tmp_path: Path) -> None:
    """Both ask anew; a payload that cannot be there is refused while it is written."""
    async with stub_reader("A:t", {"A": stub("same")}, tmp_path) as reader:
        await fired(reader, 1)
        await reader.press("right_square_bracket", "w")
        await reader.pick("another deadline")
        await reader.on(Prompt)
        await reader.type("20")
        await reader.press("enter")
        await reader.on(AskingPage)
        assert "A given 20 ms (open)" in reader.label("#title")
        await reader.press("escape")
        await reader.at_desk()
        await reader.press("w")
        await reader.pick("another payload")
        await reader.on(Editor)
        await reader.press("escape")
        await reader.at_desk()
        assert len(reader.desk.trace.dispatches) == 1


async def test_the_order_lab_asks_live_what_the_record_does_not_tell(tmp_path: Path) -> None:
    """Two transforms that append do not commute, and it says where."""
    async with stub_reader("A:t B:t", {"A": stub("+x"), "B": stub("+y")}, tmp_path) as reader:
        await fired(reader, 1)
        await reader.press("O")
        await reader.on(AskingPage)
        assert "? B before A: not known" in reader.page()
        await reader.press("f")
        await reader.until(lambda: isinstance(reader.app.screen, AskingPage) and "≠ B before A" in reader.page())
        assert "messages" in reader.page()
        await reader.press("escape")
        await reader.at_desk()


async def test_any_two_dispatches_are_compared(tmp_path: Path) -> None:
    """The marked one with the chosen one, or the last one before at the same point."""
    async with stub_reader("A:v", {"A": Turning()}, tmp_path, point=PLAN) as reader:
        await fired(reader, 3)
        await reader.press("equals_sign")
        await reader.on(AskingPage)
        assert reader.label("#title") == "#2 beside #3"
        assert "≠ A" in reader.page()
        await reader.press("escape")
        await reader.at_desk()
        await reader.press("k", "k", "m")
        assert "=" in reader.drawn("#dispatches").splitlines()[0]
        await reader.press("j", "j", "equals_sign")
        await reader.on(AskingPage)
        assert reader.label("#title") == "#1 beside #3"
        assert "Nobody could tell them apart." in reader.page()
        await reader.press("escape")
        await reader.at_desk()


async def test_expressions_are_watched_along_the_chain_and_a_field_has_a_history(tmp_path: Path) -> None:
    """With marks where they change; pinned ones are kept in the project file."""
    async with stub_reader("A:t B:o", {"A": stub("+x"), "B": stub("ack")}, tmp_path) as reader:
        await fired(reader, 1)
        await reader.press("9")
        assert "Nothing is watched." in reader.inspected()
        await reader.press("W")
        await reader.on(Lister)
        await reader.press("n")
        await reader.on(Prompt)
        await reader.type("length(")
        await reader.press("enter")
        assert "not JMESPath" in reader.label("#problem")
        await reader.type("length(messages)")
        assert "here: " in reader.label("#problem")
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "length(messages)" in reader.options())
        await reader.press("s")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and (tmp_path / ".hookscope.yaml").exists())
        await reader.press("escape")
        await reader.at_desk()
        await reader.until(lambda: "length(messages)" in reader.inspected())
        assert "as fired" in reader.inspected()
        assert "▸ A" in reader.inspected()
        await reader.press("Y")
        await reader.on(Prompt)
        await reader.type("$.messages[*]")
        await reader.press("enter")
        await reader.pick("$.messages[0]")
        await reader.on(AskingPage)
        assert "Written in" in reader.page(), "it names several places, of which one is picked"
        await reader.press("escape")
        await reader.at_desk()
        await reader.press("Y")
        await reader.on(Prompt)
        await reader.type("$.nowhere[*]")
        await reader.press("enter")
        await reader.until(lambda: "Nothing stands at $.nowhere[*]" in reader.notified())
        await reader.press("Y")
        await reader.on(Prompt)
        await reader.type("$.messages")
        await reader.press("enter")
        await reader.on(AskingPage)
        assert "as fired" in reader.page()
        assert "Written in 1 dispatch" in reader.page()
        assert "A" in reader.page()
        await reader.press("enter")
        await reader.pick("#1 pre-model-call  A")
        await reader.at_desk()
        assert (reader.desk.choosing.dispatch, reader.desk.choosing.step) == (reader.desk.trace.dispatches[0].id, 0)
        await reader.press("3")
        text = reader.desk.query_one("#text", TextView)
        assert text.here == ()
        place = next(at for at, row in enumerate(text._rows) if row.path and row.path[-1] == "role")
        await reader.pilot.click(text, offset=(4, place))
        await reader.press("Y")
        await reader.on(Prompt)
        assert reader.app.screen.query_one(FilterInput).value == f"$.messages[{text.here[1]}].role"
        await reader.press("enter")
        await reader.on(AskingPage)
        assert "Written in" in reader.page()
        await reader.press("escape")
        await reader.at_desk()
        await reader.press("2")
        assert "Last written by  A" in reader.inspected()


async def test_filters_are_remembered_from_one_run_to_the_next(tmp_path: Path) -> None:
    """In the same project only, also those of breakpoints; the project itself stays as it is."""
    (tmp_path / "other").mkdir()
    for folder, shown in ((tmp_path, "status:denied"), (tmp_path, "sub:a"), (tmp_path / "other", "")):
        async with stub_reader("A:v", {"A": Turning()}, folder, point=PLAN) as reader:
            await reader.press("slash")
            await reader.on(Prompt)
            if shown == "status:denied":
                await reader.type(shown)
                await reader.press("enter")
                await reader.at_desk()
                await reader.press("V")
                await reader.on(BreakpointForm)
                await reader.type("sub:a")
                await reader.press("enter")
                await reader.at_desk()
                continue
            await reader.press("up")
            assert reader.app.screen.query_one(FilterInput).value == shown
            await reader.press("up")
            assert reader.app.screen.query_one(FilterInput).value == ("status:denied" if shown else "")
            await reader.press("escape")
    assert os.listdir(tmp_path) == ["other"]


async def test_a_diff_begins_and_ends_anywhere_and_leaves_out_what_one_does_not_want(tmp_path: Path) -> None:
    """From before one subscriber to behind another; a patch can be copied; ignored places are kept."""
    async with stub_reader("A:t B:t", {"A": stub("+x"), "B": stub("+y")}, tmp_path) as reader:
        await fired(reader, 1)
        await reader.press("right_square_bracket", "Q", "right_square_bracket")
        assert "From before A to behind B   +2" in reader.inspected()
        await reader.press("d", "d", "d", "d")
        assert reader.inspected().startswith("  [")
        assert len(json.loads(reader.inspected())) == 2
        await reader.press("d", "Q")
        assert "B changed the payload   +1" in reader.inspected()
        await reader.press("ctrl+g")
        await reader.on(Lister)
        await reader.press("n")
        await reader.on(Prompt)
        await reader.type("$..id")
        assert "at any depth" in reader.label("#problem")
        await reader.type("$.messages")
        await reader.press("enter")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "$.messages" in reader.options())
        await reader.press("s")
        await reader.until(lambda: isinstance(reader.app.screen, Lister) and "Kept in" in reader.notified())
        await reader.press("escape")
        await reader.at_desk()
        assert "no change" in reader.inspected()
    async with stub_reader("A:t", {"A": stub("+x")}, tmp_path) as reader:
        assert [each.text for each in reader.desk.book.ignored] == ["$.messages"]


async def test_a_text_is_found_in_what_the_inspector_shows(tmp_path: Path) -> None:
    """The next one each time, round the end; case counts where one writes capitals; what is not there is said."""
    async with stub_reader("A:t", {"A": stub("same")}, tmp_path, size=(90, 30)) as reader:
        await fired(reader, 1)
        await reader.press("3")
        text = reader.desk.query_one("#text", TextView)
        lines = [at for at, line in enumerate(text._lines) if "role" in line.text.lower()]
        found = []
        for _ in range(len(lines) + 1):
            await reader.press("ctrl+l")
            await reader.on(Prompt)
            await reader.type("role")
            await reader.press("enter")
            await reader.at_desk()
            assert text._pointed_at is not None
            found.append(text._starts.index(text._pointed_at))
        assert found == [*lines, lines[0]]
        assert "▸" in reader.drawn("#text")
        assert text.here[-1] == "role"
        await reader.press("ctrl+l")
        await reader.on(Prompt)
        assert reader.app.screen.query_one(FilterInput).value == "role"
        await reader.type("Role")
        await reader.press("enter")
        await reader.until(lambda: "says nothing of 'Role'" in reader.notified())
