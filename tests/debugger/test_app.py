"""The application over the real sample: keys do what they say, and nothing is left running."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from app_at_desk import Reader, reading
from asking_dialect import ASKING
from dispatch_runs import stub
from plugin_configs import ASKED, HANGS, SPEAKS, SPOKEN, write_config
from plugin_runs import processes_mentioning, until
from session_files import write_session
from session_runs import StubHost, setup_of
from textual.widgets import Static, TextArea

from debugger.app import Hookscope
from debugger.breakpoints.breakpoint import at_seat
from debugger.lenses.editor import Editor
from debugger.lenses.fault_form import FaultForm
from debugger.lenses.help import Page
from debugger.lenses.inspector import Lens
from debugger.lenses.lines import LineView, SideBySide, TextView
from debugger.lenses.picker import Picker
from debugger.lenses.small import TooSmall
from debugger.opening import Opening
from debugger.session import Session, When
from debugger.spans import SpanBook
from debugger.views.diffs import DiffStyle
from kernel.values import Ending
from sample_configs import FIRST_CHAIN


async def fire_plan(reader: Reader, name: str = "") -> None:
    """Fire plan-ready by way of the list of points."""
    await reader.press("p")
    await reader.choose(f"plan-ready\n{name}")


async def test_the_stepping_keys() -> None:
    """R holds at the first seam; s goes to the next, n to the next subscriber, c and f to the end."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("R")
        await reader.held("before audit-log")
        assert "PAUSED before audit-log" in reader.drawn("#header")
        assert "clock held 0:0" in reader.drawn("#header")
        await reader.press("s")
        await reader.held("after audit-log")
        await reader.press("n")
        await reader.held("before token-counter")
        await reader.press("n")
        await reader.held("before redactor")
        assert reader.app.desk.choosing.step == 2, "what is held is what is looked at"
        assert "‖ held" in reader.drawn("#chain")
        await reader.press("c")
        trace = await reader.over(1)
        assert trace.result is not None
        assert trace.result.decision == "allow"
        await reader.press("R")
        await reader.held("before audit-log")
        await reader.press("f")
        await reader.over(2)
        await reader.press("r")
        await reader.over(3)
        rows = [line.split() for line in reader.drawn("#dispatches").splitlines() if line.startswith("#")]
        assert [row[:2] for row in rows] == [[f"#{number}", "pre-model-call"] for number in (1, 2, 3)]
        assert "ready" in reader.drawn("#header")


async def test_breakpoints_hold_every_dispatch_until_they_are_taken_away() -> None:
    """b before and B after the chosen subscriber; the same key takes it away."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("right_square_bracket", "right_square_bracket", "right_square_bracket", "b")
        await until(lambda: len(reader.app.desk.seen.breakpoints) == 1)
        await reader.pilot.pause()
        assert "● redactor" in reader.drawn("#chain")
        await reader.press("r")
        await reader.held("before redactor")
        await reader.press("B")
        await until(lambda: len(reader.app.desk.seen.breakpoints) == 2)
        await reader.press("c")
        await reader.held("after redactor")
        await reader.press("b", "B")
        await until(lambda: not reader.app.desk.seen.breakpoints)
        await reader.press("c")
        await reader.over(1)
        await reader.press("r")
        await reader.over(2)


async def test_an_edited_message_is_what_the_next_subscriber_gets() -> None:
    """e opens what is held as JSON; what is taken shows in the diff and reaches the subscriber."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("R")
        await reader.held("before audit-log")
        await reader.press("n", "n")
        await reader.held("before redactor")
        await reader.press("e")
        await reader.on(Editor)
        area = reader.app.screen.query_one(TextArea)
        view = json.loads(area.text)
        view["messages"][0]["content"][0]["text"]["text"] = "my key is sk-ABCDEFGHIJKLMNOPQRST, I edited this"
        area.load_text(json.dumps(view))
        await reader.pilot.pause()
        assert reader.label("#problem") == "✓ can be taken"
        await reader.press("ctrl+s")
        await until(lambda: any(hold.edited is not None for hold in reader.app.desk.seen.holds))
        await reader.pilot.pause()
        assert "Your edit, not yet sent" in reader.inspected()
        await reader.press("n")
        await reader.held("before injector")
        hold = reader.app.desk.seen.holds[0]
        assert "I edited this" in json.dumps(hold.ask.payload.view)
        assert "sk-ABC" not in json.dumps(hold.ask.payload.view), "the redactor got it, and did its work on it"
        await reader.press("f")
        trace = await reader.over(1)
        assert trace.steps[2].edited is not None
        assert "I edited this" not in json.dumps(trace.opened.payload.view)


async def test_a_bad_edit_keeps_the_text_and_says_what_is_wrong() -> None:
    """Neither a wrong word nor broken JSON is taken; nothing typed is lost without a second escape."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("R")
        await reader.held("before audit-log")
        await reader.press("e")
        await reader.on(Editor)
        area = reader.app.screen.query_one(TextArea)
        for text, problem in [
            ('{\n  "messages": oops\n}', "text:2:15: not JSON"),
            ('{"messages": [{"role": "ROLE_KING"}]}', "$.messages[0].role"),
            ('{"massages": []}', "did you mean 'messages'"),
        ]:
            area.load_text(text)
            await reader.press("ctrl+s")
            await reader.on(Editor)
            assert problem in reader.label("#problem")
            assert area.text == text
        await reader.press("escape")
        await reader.on(Editor)
        assert "escape again throws it away" in reader.label("#problem")
        await reader.press("escape")
        await until(lambda: not isinstance(reader.app.screen, Editor))
        assert reader.app.desk.seen.holds[0].edited is None
        await reader.press("f")
        await reader.over(1)


async def test_hanging_the_veto_says_why_the_plan_was_denied() -> None:
    """Arm hang on policy-bot, fire, and read the rule in Why."""
    async with reading(FIRST_CHAIN) as reader:
        await fire_plan(reader)
        await reader.over(1)
        await reader.press("right_square_bracket", "x")
        await reader.choose("hang")
        await reader.on(FaultForm)
        assert "policy-bot" in reader.label("#title")
        await reader.press("enter")
        await until(lambda: len(reader.app.desk.seen.armed) == 1)
        await reader.pilot.pause()
        assert "↯ 1 fault armed" in reader.drawn("#header")
        assert "↯ policy-bot" in reader.drawn("#chain")
        await reader.press("r")
        await until(lambda: "ms left" in reader.drawn("#chain"))
        trace = await reader.over(2)
        assert trace.result is not None
        assert (trace.result.decision, trace.result.decided_by) == ("deny", "policy-bot")
        assert not reader.app.desk.seen.armed, "it was for one call"
        await reader.press("right_square_bracket", "5")
        assert "PL-VETO-TIMEOUT" in reader.inspected()
        assert "PL-VETO-TIMEOUT" in reader.drawn("#text")
        assert "◷ timed out" in reader.drawn("#chain")
        assert "by policy-bot" in reader.drawn("#chain")


async def test_the_fault_menu_has_what_the_mode_can_suffer() -> None:
    """Kinds for a transform are not offered for a veto, nor the other way round; once armed it can be taken away."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("r")
        await reader.over(1)
        await reader.press(*["right_square_bracket"] * 3, "x")
        await reader.on(Picker)
        transform = set(reader.offered())
        await reader.press("escape")
        await fire_plan(reader)
        await reader.over(2)
        await reader.press("right_square_bracket", "x")
        await reader.on(Picker)
        veto = set(reader.offered())
        common = {"hang", "delay", "late_answer", "crash", "wrong_variant", "grpc_status", "no_outcome", "garbage"}
        assert common <= transform & veto
        assert {"mutate_immutable", "no_payload"} <= transform - veto
        assert {"unspecified_decision", "unknown_decision"} <= veto - transform
        assert "" not in veto
        await reader.choose("unspecified_decision")
        await reader.on(FaultForm)
        await reader.press("tab", "enter")
        await until(lambda: len(reader.app.desk.seen.armed) == 1)
        assert reader.app.desk.seen.armed[0].when == When()
        await reader.press("x")
        await reader.choose("")
        await until(lambda: not reader.app.desk.seen.armed)


async def test_a_crashed_subscriber_is_said_and_started_again() -> None:
    """The header names it; the next fire finds it alive in another process."""
    async with reading(FIRST_CHAIN) as reader:
        before = {each.name: each.detail for each in reader.app.desk.seen.health}
        await fire_plan(reader)
        await reader.over(1)
        await reader.press("right_square_bracket", "x")
        await reader.choose("crash")
        await reader.on(FaultForm)
        await reader.press("tab", "enter")
        await until(lambda: len(reader.app.desk.seen.armed) == 1)
        await reader.press("r")
        trace = await reader.over(2)
        assert trace.result is not None
        assert trace.result.rule == "PL-VETO-CRASHED"
        assert "not running: policy-bot" in reader.drawn("#header")
        await reader.press("ctrl+x")
        await until(lambda: not reader.app.desk.seen.armed)
        await reader.press("r")
        trace = await reader.over(3)
        assert trace.result is not None
        assert trace.result.decision == "allow"
        after = {each.name: each.detail for each in reader.app.desk.seen.health}
        assert [name for name in after if after[name] != before[name]] == ["policy-bot"]
        await reader.press("N")
        await reader.on(Page)
        assert "started policy-bot again" in reader.app.screen.query_one(TextView).text


async def test_the_looking_keys() -> None:
    """1 to 6 choose a lens, d a style, z zooms, ? helps, and each comes back."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("r")
        await reader.over(1)
        app = reader.app
        seen = []
        for key, lens in enumerate(Lens, 1):
            await reader.press(str(key))
            assert app.desk.lens is lens
            seen.append(reader.inspected())
        assert len(set(seen)) == len(seen), "every lens shows something else"
        styles = []
        for _ in DiffStyle:
            await reader.press("d")
            styles.append(app.desk.diff_style)
            is_beside = app.desk.query_one(SideBySide).display
            assert is_beside is (
                app.desk.diff_style is DiffStyle.SIDE_BY_SIDE and app.desk.query_one("#inspector").size.width >= 64
            )
        assert set(styles) == set(DiffStyle)
        await reader.press("z")
        assert app.desk.query_one("#dispatches").size.width > 100
        assert not app.desk.query_one("#inspector").display
        await reader.press("z")
        assert app.desk.query_one("#inspector").display
        await reader.press("question_mark")
        await reader.on(Page)
        page = app.screen.query_one(TextView).text
        for words in ("Past this subscriber", "Make trouble for this subscriber", "Half a page down"):
            assert words in page
        await reader.press("question_mark")
        await until(lambda: not isinstance(app.screen, Page))


async def test_the_seats_are_walked_in_both_directions() -> None:
    """Past either end lies the chain as a whole."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("r")
        await reader.over(1)
        steps = []
        for key in ["right_square_bracket", "right_square_bracket", "left_square_bracket", "left_square_bracket"]:
            await reader.press(key)
            steps.append(reader.app.desk.choosing.step)
        assert steps == [0, 1, 0, None]


async def test_a_key_that_makes_no_sense_now_does_nothing() -> None:
    """Stepping keys are only there while something is held."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("n", "s", "f", "c", "S")
        assert not reader.app.desk.trace.dispatches
        await reader.press("R")
        await reader.held("before audit-log")
        await reader.press("X")
        trace = await reader.over(1)
        assert trace.result is not None
        assert trace.result.ending is Ending.CANCELLED


async def test_another_dispatch_can_be_fired_beside_a_held_one() -> None:
    """R while one is held holds a second one at its first seam; the header counts both, and A lets both go."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("R")
        await reader.held("before audit-log")
        await reader.press("R")
        await until(lambda: len({hold.dispatch for hold in reader.app.desk.seen.holds}) == 2)
        await until(lambda: "(+1 held)" in reader.drawn("#header"))
        await reader.press("A")
        await reader.over(2)


async def test_a_payload_can_be_edited_and_fired_anew() -> None:
    """e without a hold edits the payload of the chosen dispatch, and fires it."""
    async with reading(FIRST_CHAIN) as reader:
        await fire_plan(reader, "harmful")
        trace = await reader.over(1)
        assert trace.result is not None
        assert trace.result.decision == "deny"
        await reader.press("e")
        await reader.on(Editor)
        reader.app.screen.query_one(TextArea).load_text('{"plan": {"turn_id": "harmless"}}')
        await reader.press("ctrl+s")
        trace = await reader.over(2)
        assert trace.result is not None
        assert trace.result.decision == "allow"
        assert trace.opened.payload.view == {"plan": {"turn_id": "harmless"}}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_subscribers_say_is_literal_on_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    """Markup and escape sequences in messages and on stderr are text, in every lens and in the editor."""
    folder = tmp_path / "payloads"
    folder.mkdir()
    message = {"role": "ROLE_USER", "content": [{"text": {"text": "hello"}}]}
    (folder / "pre-model-call.json").write_text(json.dumps({"messages": [message]}))
    config = write_config(tmp_path, "pre-model-call", {"speaker": ("transform", SPEAKS)})
    async with reading(config, size) as reader:
        await reader.press("r")
        await reader.over(1)
        await reader.press("right_square_bracket")
        app = reader.app
        for lens in (Lens.DIFF, Lens.ANSWER, Lens.OUTPUT):
            await reader.press(str(list(Lens).index(lens) + 1))
            assert SPOKEN in reader.inspected()
            if lens is not Lens.ANSWER:  # where it is further down
                assert "[bold red]loud[/]" in reader.drawn("#text")
                assert "␛[31mred␛[2J" in reader.drawn("#text")
        everything = [
            strip.text for pane in app.desk.query(LineView) for strip in map(pane.render_line, range(pane.size.height))
        ]
        assert not {"\x1b", "\x9b"} & set("".join(everything))
        await reader.press("R")
        await reader.held("before speaker")
        await reader.press("s")
        await reader.held("after speaker")
        await reader.press("e")
        await reader.on(Editor)
        text = app.screen.query_one(TextArea).text
        assert "[bold red]loud[/] \\u001b[31mred" in text
        assert not {"\x1b", "\x9b"} & set(text)
        await reader.press("escape")
        await until(lambda: not isinstance(app.screen, Editor))
        await reader.press("f")
        await reader.over(2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "does not exist"),
        ('hook "plan-ready" {', "agent.hcl:"),
        ('required_providers {}\nhook "plan-ready" {\n  provider = "nobody"\n  mode = "veto"\n}\n', "nobody"),
    ],
)
async def test_a_wrong_configuration_ends_with_code_2_and_a_sentence(
    tmp_path: Path, text: str | None, words: str
) -> None:
    """The screen goes, and what is wrong is said where it can be read and copied."""
    config = tmp_path / "agent.hcl"
    if text is not None:
        config.write_text(text)
    app = Hookscope(Opening(config))
    async with app.run_test():
        await until(lambda: app.return_code is not None)
    assert app.return_value == 2
    assert words in app.problem
    assert "\n" not in app.problem


async def test_quitting_with_a_hanging_call_and_a_held_one_leaves_nothing(tmp_path: Path) -> None:
    """q ends the application with code 0 whatever is under way; no process survives."""
    config = write_config(tmp_path, "plan-ready", {"sleeper": ("veto", HANGS)})
    async with reading(config) as reader:
        await reader.press("r")
        await until((tmp_path / ASKED).exists)
        app = reader.app
        await reader.press("space")
        await until(lambda: "pausing" in app.desk.seen.states.values())
        await reader.press("q")
        await until(lambda: app.return_value is not None)
    assert app.return_value == 0
    await until(lambda: not processes_mentioning(f"sleeper_{tmp_path.name}.py"))


async def test_a_subscriber_that_does_not_start_is_said_and_the_rest_works(tmp_path: Path) -> None:
    """The header names it, the notes say what it printed, and firing shows what that does to the chain."""
    hooks = {"speaker": ("transform", SPEAKS), "broken": ("observe", "import no_such_module_here")}
    config = write_config(tmp_path, "pre-model-call", hooks)
    async with reading(config) as reader:
        assert "not running: broken" in reader.drawn("#header")
        await until(lambda: any("no_such_module_here" in note.text for note in reader.app.desk.told))


ODD = "[b]x[/] \x1b[31mred \x9b5m"
SHOWN = "[b]x[/] ␛[31mred \\x9b5m"


async def open_oddly(opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
    """A session with one stub, whose name is markup and escape sequences."""
    setup = setup_of("A:o", "pre-model-call")
    [seat] = setup.chains["pre-model-call"].subscriptions
    chain = replace(setup.chains["pre-model-call"], subscriptions=(replace(seat, name=ODD),))
    setup = replace(setup, chains={"pre-model-call": chain})
    book = SpanBook({setup.dialect.name: setup.dialect})
    return Session(setup, has_news, book, host=StubHost({ODD: stub("ack")})), book


async def test_an_odd_name_is_literal_wherever_it_shows() -> None:
    """Found by reading: titles took it for markup, and the header, messages and menus let escape sequences through."""
    app = Hookscope(Opening(Path("agent.hcl")), open_oddly)

    def screenshot() -> str:
        return html.unescape(app.export_screenshot()).replace("\xa0", " ")

    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(lambda: app._desk is not None)
        reader = Reader(app, pilot)
        await until(lambda: app.desk.seen.is_started)
        await reader.press("R")
        await reader.held(f"before {ODD}")
        assert f"PAUSED before {SHOWN}" in reader.drawn("#header")
        assert f"#1 {SHOWN}" in screenshot(), "the title of the inspector"
        await reader.press("b")
        await until(lambda: f"holds before {SHOWN}" in screenshot())
        await reader.press("x")
        await reader.on(Picker)
        assert f"What shall go wrong at {SHOWN}?" in screenshot()
        assert not {"\x1b", "\x9b"} & set(screenshot())
        await reader.press("escape", "f")
        await reader.over(1)


async def test_a_bug_of_ours_is_told_and_not_waited_for() -> None:
    """Found by reading: what failed in the background was swallowed, and the screen went on saying that it starts."""

    async def open_badly(opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
        raise ZeroDivisionError("ours")

    app = Hookscope(Opening(Path("agent.hcl")), open_badly)
    async with app.run_test() as pilot:
        await until(lambda: app._desk is not None and bool(app.desk.told))
        await pilot.press("q")
    assert app.return_value == 0
    assert app.desk.told[0].text == "something broke on our side: ZeroDivisionError('ours')"


async def test_a_pane_that_is_empty_says_which_key_fills_it() -> None:
    """Found on the pictures: the spans said nothing until there were some."""
    async with reading(FIRST_CHAIN) as reader:
        for pane in ("#dispatches", "#spans"):
            assert "r fires" in reader.drawn(pane)


CODING_SESSION = FIRST_CHAIN.parent.parent / "coding_session" / "agent.hcl"


async def test_a_session_is_played_held_and_its_question_answered_by_the_reader() -> None:
    """P plays it, a breakpoint holds it at any point of any turn, a answers what is asked, 7 tells its story."""
    async with reading(CODING_SESSION) as reader:
        desk = reader.app.desk
        guard = desk.session.setup.chains["pre-tool-call"].subscriptions[0]
        desk.wish(lambda session: session.toggle_breakpoint(at_seat(guard.name, "pre-tool-call")))
        await until(lambda: bool(desk.seen.breakpoints))
        await reader.press("P")
        await reader.held(f"before {guard.name}")
        assert desk.seen.is_playing
        desk.wish(lambda session: session.toggle_breakpoint(at_seat(guard.name, "pre-tool-call")))
        await until(lambda: not desk.seen.breakpoints)
        await reader.press("c")
        await until(lambda: bool(desk.seen.askings), 30)
        await reader.on(Picker)
        assert reader.label("#title") == "May shell.run run?  asked by policy:commands"
        await reader.press("escape")
        assert "? asks: may shell.run run" in reader.drawn("#header")
        await reader.press("a")
        await reader.choose("deny")
        await until(lambda: not desk.seen.is_playing, 30)
        await reader.press("8")
        told = reader.inspected()
        assert "turn 4" in told
        assert "shell.run" in told
        assert "policy:commands" in told
        assert any("the session ended completed" in note.text for note in desk.told)


async def test_stepping_goes_on_from_one_dispatch_of_a_session_to_the_next() -> None:
    """Whoever steps to the end of a dispatch is held at the next one of the session; X ends the session."""
    async with reading(CODING_SESSION) as reader:
        desk = reader.app.desk
        await reader.press("P")
        await until(lambda: desk.seen.is_playing)
        await reader.press("space")
        await until(lambda: bool(desk.seen.holds), 30)
        first = desk.seen.holds[0].dispatch
        await reader.press("f")
        await until(lambda: bool(desk.seen.holds) and desk.seen.holds[0].dispatch != first, 30)
        await reader.press("X")
        await until(lambda: not desk.seen.is_playing, 30)
        assert any("the session ended cancelled" in note.text for note in desk.told)


async def test_there_is_nothing_to_play_beside_a_chain_without_a_session() -> None:
    """It is said in a sentence, with the way out."""
    async with reading(FIRST_CHAIN) as reader:
        await reader.press("P", "a")
        assert not reader.app.desk.seen.is_playing


async def test_the_agents_own_session_file_is_read_beside_our_traces(tmp_path: Path) -> None:
    """D shows what the agent stored; without a file it says how to name one."""
    file = write_session(tmp_path / "session.sqlite")
    app = Hookscope(Opening(FIRST_CHAIN, state=file))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started, 30)
        await pilot.press("D")
        await until(lambda: isinstance(app.screen, Page) and app.screen.is_current)
        assert "hook_error" in app.screen.query_one(TextView).text


async def open_asking(opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
    """A session with one stub, in a dialect that asks about every result."""
    setup = replace(setup_of("A:v", "plan-ready"), dialect=ASKING)
    book = SpanBook({setup.dialect.name: setup.dialect})
    return Session(setup, has_news, book, host=StubHost({"A": stub("allow")})), book


async def test_what_a_result_leaves_open_is_asked_in_the_same_dialog() -> None:
    """The dialog comes by itself; header, row and inspector say what is asked and what was decided; to leave is no."""
    app = Hookscope(Opening(Path("agent.hcl")), open_asking)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started)
        reader = Reader(app, pilot)
        await reader.press("r")
        await reader.on(Picker)
        assert reader.label("#title") == "May shell.run run?  asked by gate"
        assert str(app.screen.query_one("#details Static", Static).content) == "message: really?\n␛[2J[b]now[/]"
        assert "? asks: may shell.run run" in reader.drawn("#header")
        assert "? asks" in reader.drawn("#dispatches")
        await reader.choose("once")
        trace = await reader.over(1)
        assert trace.decided[0].decision == "run"
        assert "→ run" in reader.drawn("#dispatches")
        assert "ready" in reader.drawn("#header")
        await reader.press("5")
        assert "→ shell.run: run by person" in reader.inspected()
        await reader.press("r")
        await reader.on(Picker)
        await reader.press("escape")
        trace = await reader.over(2)
        assert trace.decided[0].decision == "blocked"
        assert "→ blocked" in reader.drawn("#dispatches")


async def test_two_questions_are_asked_one_after_the_other() -> None:
    """The second waits until the first is decided; leaving the application denies what is left."""
    app = Hookscope(Opening(Path("agent.hcl")), open_asking)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started)
        reader = Reader(app, pilot)
        await reader.press("R")
        await reader.held("before A")
        await reader.press("R")
        await until(lambda: len(app.desk.seen.holds) == 2)
        await reader.press("A")
        await until(lambda: len(app.desk.seen.askings) == 2)
        await reader.choose("deny")
        await until(lambda: len(app.desk.seen.askings) == 1)
        await until(lambda: isinstance(app.screen, Picker))
        await reader.choose("session")
        await reader.over(2)
        assert sorted(trace.decided[0].decision for trace in app.desk.trace.dispatches) == ["blocked", "run"]
        assert not isinstance(app.screen, Picker)


@pytest.mark.parametrize("size", [(40, 10), (59, 40), (120, 15)])
async def test_a_terminal_without_room_is_told_so_until_it_has_some(size: tuple[int, int]) -> None:
    """A sentence instead of broken panes, in front of them; made larger, everything is where it was, focus included."""
    app = Hookscope(Opening(FIRST_CHAIN), open_asking)
    async with app.run_test(size=size) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started)
        await pilot.pause()
        small = app.desk.query_one(TooSmall)
        assert small.display
        assert small.region == app.desk.region, "nothing of the panes shows"
        assert f"{size[0]}x{size[1]}, too small" in str(small.content)
        assert "60x16" in str(small.content)
        reader = Reader(app, pilot)
        await pilot.resize_terminal(60, 16)
        await until(lambda: not small.display)
        assert app.focused is app.desk.query_one("#dispatches")
        await reader.press("r")
        await reader.choose("once")
        await reader.over(1)
        assert "#1" in reader.drawn("#dispatches")
        await pilot.resize_terminal(*size)
        await until(lambda: small.display)
        assert f"{size[0]}x{size[1]}" in str(small.content)
        await reader.press("q")
    assert app.return_value == 0
