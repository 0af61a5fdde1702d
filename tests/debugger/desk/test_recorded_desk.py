"""A recording in the application: everything can be looked at, one can stand in any dispatch, and nobody is started."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from plugin_runs import until
from recorded_runs import ABOUT, CHANGED, DENIED, FAILED, FINE, Kind, told, written
from textual.pilot import Pilot
from textual.widgets import Input

from debugger.actions import ACTIONS, Where, actions_at, key_bindings
from debugger.app import Hookscope
from debugger.desk.recorded import RecordedDesk
from debugger.lenses.help import AskingPage, Page
from debugger.lenses.lines import LineView, TextView
from debugger.lenses.picker import Picker
from debugger.lenses.prompt import Prompt
from debugger.opening import RecordingOpening, SpansOpening
from debugger.store.caps import Caps
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from debugger.traces.screen import TraceDesk
from kernel.facts import Entered, Event, Left

MIXED: tuple[Kind, ...] = (FINE, FINE, FINE, FINE, CHANGED, DENIED, FINE, FAILED)


class Reader:
    """Somebody at the keys of a recording."""

    def __init__(self, app: Hookscope, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot
        self.said: list[str] = []

    @property
    def desk(self) -> RecordedDesk:
        assert isinstance(self.app.desk, RecordedDesk)
        return self.app.desk

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def on(self, screen: type) -> None:
        await until(lambda: isinstance(self.app.screen, screen) and self.app.screen.is_current, 20)
        await self.pilot.pause()

    @property
    def number(self) -> int:
        """Of the chosen dispatch."""
        chosen = self.desk.chosen
        return 0 if chosen is None else chosen.number

    def drawn(self, selector: str) -> str:
        pane = self.desk.query_one(selector, LineView)
        return "\n".join(pane.render_line(y).text.rstrip() for y in range(pane.size.height)).rstrip()

    def inspected(self) -> str:
        return self.desk.query_one("#text", TextView).text


@asynccontextmanager
async def reading(path: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Reader]:
    app = Hookscope(RecordingOpening(path))
    async with app.run_test(size=size) as pilot:
        await until(lambda: app._desk is not None and app.desk.chosen is not None, 20)
        await pilot.pause()
        reader = Reader(app, pilot)
        app.desk.say = lambda text, **_: reader.said.append(text)  # type: ignore[method-assign]
        yield reader


async def test_it_opens_in_the_same_desk_and_says_that_nobody_runs(tmp_path: Path) -> None:
    """List, strip, spans and every lens, of the dispatch that is chosen."""
    async with reading(written(tmp_path / "r.hookscope", MIXED)) as reader:
        assert "RECORDED" in reader.drawn("#header")
        assert reader.drawn("#dispatches").splitlines()[5].split()[:4] == ["#6", "plan-ready", "⊘", "DENY"]
        await reader.press("j", "j", "j", "j")
        assert reader.number == 5
        assert "±" in reader.drawn("#chain")
        for key, says in (
            ("1", "+"),
            ("2", "B"),
            ("3", "messages"),
            ("5", "PL-"),
            ("7", ""),
            ("8", "stands alone"),
            ("9", "W"),
        ):
            await reader.press(key)
            assert says in reader.inspected()
        await reader.press("right_square_bracket", "4")
        assert "0a00" in reader.inspected().replace(" ", "")
        await reader.press("6")
        assert "hook" in reader.inspected()
        assert not reader.desk.session


async def test_the_story_is_told_from_the_record(tmp_path: Path) -> None:
    """The stretches around a dispatch, without the description that was played."""
    with Writer(tmp_path / "r", about=ABOUT) as writer:
        writer.see(Event("s", 0, 0, Entered("pluggable", "session", "one", "", 1)))
        for event in (*told("d1", FINE, parent="s"), *told("d2", DENIED, parent="s", at=1)):
            writer.see(event)
        writer.see(Event("s", 1, 9, Left("", {"turns": 1})))
    async with reading(tmp_path / "r") as reader:
        await reader.press("8")
        assert reader.inspected().splitlines()[0].split()[0] == "session"
        assert "⊘ plan-ready" in reader.inspected()


async def test_one_goes_through_a_dispatch_fact_by_fact(tmp_path: Path) -> None:
    """The seam moves, and strip and lenses show the chain as of that fact."""
    async with reading(written(tmp_path / "r", [CHANGED])) as reader:
        await reader.press("s")
        assert "fact 1/" in reader.drawn("#header")
        assert "○ waiting" in reader.drawn("#chain")
        await reader.press("n")
        assert "▶ running" in reader.drawn("#chain")
        assert reader.desk.choosing.step == 0
        await reader.press("n")
        assert "✓ ok" in reader.drawn("#chain")
        assert reader.desk.choosing.step == 1
        await reader.press("backspace", "backspace", "backspace")
        assert reader.desk.choosing.step == 0
        await reader.press("0")
        assert reader.desk.scrub is not None
        assert reader.desk.scrub.is_at_start
        await reader.press("f")
        assert reader.desk.chosen is not None
        assert reader.desk.chosen.result is not None
        assert "fact" not in reader.drawn("#header")


async def test_it_plays_on_from_dispatch_to_dispatch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until somebody pauses, moves, or nothing is left."""
    monkeypatch.setattr("debugger.scrubbing.LEAST_S", 0.0005)
    monkeypatch.setattr("debugger.scrubbing.MOST_S", 0.0005)
    async with reading(written(tmp_path / "r", [FINE, FINE, DENIED])) as reader:
        await reader.press("minus", "plus", "plus")
        assert reader.desk.scrub is not None
        assert reader.desk.scrub.speed == 2.0
        await reader.press("space")
        await until(lambda: "That was the last dispatch." in reader.said, 20)
        assert reader.number == 3
        assert not reader.desk.scrub.is_playing
        monkeypatch.setattr("debugger.scrubbing.LEAST_S", 50.0)
        monkeypatch.setattr("debugger.scrubbing.MOST_S", 50.0)
        await reader.press("space")
        assert reader.desk.scrub.is_playing
        assert "▶" in reader.drawn("#header")
        await reader.press("space")
        assert not reader.desk.scrub.is_playing
        await reader.press("space", "k")
        assert reader.number == 2
        assert reader.desk._scrub is not None
        assert not reader.desk._scrub.is_playing


async def test_keys_lead_to_errors_denials_and_changes(tmp_path: Path) -> None:
    """Without looking through everything in between."""
    async with reading(written(tmp_path / "r", MIXED)) as reader:
        await reader.press("exclamation_mark")
        await until(lambda: reader.number == 8)
        assert reader.desk.choosing.step == 1
        await reader.press("exclamation_mark")
        await until(lambda: "There is no further error." in reader.said)
        for key, number in (("v", 6), ("c", 5)):
            await reader.press("left_curly_bracket")
            await reader.on(AskingPage)
            await reader.press(key)
            await until(lambda number=number: reader.number == number)  # type: ignore[misc]


async def test_a_filter_looks_through_the_file_beside_the_screen(tmp_path: Path) -> None:
    """What fits is listed as it is found; > and < go from one to the next."""
    async with reading(written(tmp_path / "r", MIXED * 5)) as reader:
        await reader.press("slash")
        await reader.on(Prompt)
        reader.app.screen.query_one(Input).value = "point:plan-ready"
        await reader.press("enter")
        await until(lambda: len(reader.desk.listing.sifted.listed) == 5, 20)
        await reader.pilot.pause()
        assert all("plan-ready" in row for row in reader.drawn("#dispatches").splitlines())
        await reader.press("greater_than_sign")
        assert reader.number == 6
        await reader.press("greater_than_sign")
        assert reader.number == 14
        await reader.press("less_than_sign")
        assert reader.number == 6
        await reader.press("asterisk")
        assert "◆" in reader.drawn("#dispatches")
        assert len(reader.desk.listing.sifted.listed) == 40
        await reader.press("slash")
        await reader.on(Prompt)
        reader.app.screen.query_one(Input).value = ""
        await reader.press("enter")
        assert "◆" not in reader.drawn("#dispatches")


async def test_what_needs_somebody_who_runs_says_what_to_do_instead(tmp_path: Path) -> None:
    """And is not offered at the bottom or in the palette."""
    async with reading(written(tmp_path / "r.hookscope", MIXED)) as reader:
        for key in ("r", "x", "b", "e", "i", "P"):
            reader.said.clear()
            await reader.press(key)
            assert "hookscope replay r.hookscope --live NAME" in reader.said[0]
            assert "hookscope open agent.hcl" in reader.said[0]
        offered = {command.title for command in reader.desk.commands()}
        assert "fault" not in offered
        assert "play" in offered
        shown = {active.binding.description for active in reader.desk.active_bindings.values() if active.binding.show}
        assert {"fact", "play"} <= shown
        assert not {"run", "fault", "break", "point"} & shown
        await reader.press("question_mark")
        await reader.on(Page)
        page = reader.app.screen.query_one(TextView).text
        assert "Go through a recording" in page
        assert "Run and step" not in page


async def test_what_ifs_and_comparisons_need_nobody(tmp_path: Path) -> None:
    """They are made from what was recorded; to ask live is not offered."""
    async with reading(written(tmp_path / "r", MIXED)) as reader:
        await reader.press("w")
        await reader.on(Picker)
        await reader.press("enter")
        await reader.on(AskingPage)
        page = reader.app.screen
        assert isinstance(page, AskingPage)
        assert not page._keys
        await reader.press("escape")
        await reader.press("j", "equals_sign")
        await reader.on(AskingPage)
        await reader.press("escape")


async def test_marks_and_notes_are_kept_in_the_recording(tmp_path: Path) -> None:
    """Shown in the list, found with a key, and there when it is opened again."""
    path = written(tmp_path / "r", MIXED)
    async with reading(path) as reader:
        await reader.press("j", "m")
        assert "★" in reader.drawn("#dispatches").splitlines()[1]
        assert reader.desk.listing.marked == "d2"
        await reader.press("j", "semicolon")
        await reader.on(Prompt)
        reader.app.screen.query_one(Input).value = " why? "
        await reader.press("enter")
        await until(lambda: "¶" in reader.drawn("#dispatches"))
    with Recording(path) as recording:
        kept = recording.remarks()
    assert {name: (each.is_marked, each.text) for name, each in kept.items()} == {
        "d2": (True, ""),
        "d3": (False, "why?"),
    }
    async with reading(path) as reader:
        assert [sign in reader.drawn("#dispatches") for sign in "★¶="] == [True, True, True]
        await reader.press("apostrophe")
        assert reader.number == 2
        await reader.press("m")
        assert "★" not in reader.drawn("#dispatches")
        await reader.press("apostrophe")
        assert reader.number == 3
    with Recording(path) as recording:
        assert list(recording.remarks()) == ["d3"]


async def test_a_note_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    """It stays on the screen."""
    path = written(tmp_path / "r", [FINE])
    async with reading(path) as reader:
        path.rename(tmp_path / "elsewhere")
        await reader.press("m")
        await until(lambda: any("the note is not kept" in each for each in reader.said))
        assert "★" in reader.drawn("#dispatches")


async def test_runs_that_look_alike_are_folded(tmp_path: Path) -> None:
    """Z folds, enter unfolds one and folds it again."""
    async with reading(written(tmp_path / "r", MIXED)) as reader:
        await reader.press("Z")
        assert reader.drawn("#dispatches").splitlines()[0].startswith("▸ 4× pre-model-call ✓ allow, all unchanged")
        assert reader.drawn("#dispatches").splitlines()[1].split()[0] == "#5"
        await reader.press("enter")
        assert reader.drawn("#dispatches").splitlines()[3].split()[0] == "#4"
        await reader.press("j", "enter")
        assert reader.drawn("#dispatches").splitlines()[1].split()[0] == "#5"
        await reader.press("j")
        assert reader.number == 5
        await reader.press("k", "m")
        assert "★" in reader.drawn("#dispatches").splitlines()[0], "what is marked stays in sight"
        await reader.press("Z")
        assert len(reader.drawn("#dispatches").splitlines()) == 8


async def test_a_recording_that_grows_is_followed_or_frozen(tmp_path: Path) -> None:
    """F goes along with the newest, I keeps the list and counts what has come."""
    path = tmp_path / "r"
    one = told("d1")
    with Writer(path, about=ABOUT) as writer:

        async def more(count: int, reader: Reader) -> None:
            for number in range(count):
                for event in one:
                    writer.see(replace(event, dispatch=f"more{writer.kept.dispatches}.{number}"))
            wanted = writer.kept.dispatches + count
            await until(lambda: writer.kept.dispatches == wanted)

        for event in one:
            writer.see(event)
        await until(lambda: writer.kept.dispatches == 1)
        async with reading(path) as reader:
            await more(2, reader)
            await until(lambda: len(reader.desk.listing.sifted.listed) == 3)
            assert reader.number == 1, "nobody asked to follow"
            assert "being written" in reader.drawn("#header")
            await reader.press("F")
            assert reader.number == 3
            await more(1, reader)
            await until(lambda: reader.number == 4)
            await reader.press("I")
            await more(3, reader)
            await until(lambda: reader.desk.listing.unseen == 3)
            await reader.pilot.pause()
            assert len(reader.desk.listing.sifted.listed) == 4
            assert "frozen, 3 unseen" in str(reader.desk.query_one("#dispatches").border_subtitle)
            await reader.press("I")
            assert len(reader.desk.listing.sifted.listed) == 7


async def test_the_header_says_what_is_not_there_and_what_has_changed(tmp_path: Path) -> None:
    """What a cap dropped, and files that are others by now, with the details among the notes."""
    about = {**ABOUT, "version": "0.0.1", "hashes": '{"/nowhere/agent.hcl": "00"}'}
    path = written(tmp_path / "r", [FINE] * 5, caps=Caps(dispatches=2), about=about)
    async with reading(path) as reader:
        await until(lambda: "2 changed since" in reader.drawn("#header"))
        assert "3 dropped by a cap" in reader.drawn("#header")
        assert reader.number == 4
        await reader.press("N")
        await reader.on(Page)
        page = reader.app.screen.query_one(TextView).text
        assert "recorded by hookscope 0.0.1" in page
        assert "/nowhere/agent.hcl is gone" in page


async def test_a_damaged_dispatch_is_told_and_the_others_are_there(tmp_path: Path) -> None:
    """No traceback, whatever a stranger's file holds."""
    path = written(tmp_path / "r", [FINE, FINE, FINE])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE events SET body = x'00' WHERE scope = 'd2'")
    connection.close()
    async with reading(path) as reader:
        await reader.press("j")
        await reader.pilot.pause()
        assert any("cannot be read" in note.text for note in reader.desk.told)
        await reader.press("j")
        assert reader.number == 3


async def test_all_of_it_is_there_as_spans_too(tmp_path: Path) -> None:
    """On the screen for traces, in front of the desk; leaving it leads back."""
    async with reading(written(tmp_path / "r", MIXED)) as reader:
        await reader.press("t")
        await reader.on(TraceDesk)
        await until(lambda: reader.app.screen.query_one("#standing", LineView).count > 0, 20)
        await reader.press("q")
        await reader.on(RecordedDesk)


def _shown(app: Hookscope) -> str:
    """Everything on the screen in front."""
    panes = app.screen.query(LineView).results(LineView)
    return "\n".join(pane.render_line(y).text for pane in panes for y in range(pane.size.height))


async def test_spans_of_others_have_their_own_screen(tmp_path: Path) -> None:
    """A file of OpenTelemetry, and one that nobody can read."""
    span = {"traceId": "0a" * 16, "spanId": "0b" * 8, "name": "turn", "startTimeUnixNano": "1", "endTimeUnixNano": "9"}
    path = tmp_path / "otlp.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    app = Hookscope(SpansOpening(path))
    async with app.run_test():
        await until(lambda: isinstance(app.screen, TraceDesk) and app.screen.is_current, 20)
        await until(lambda: bool(app.screen.query("#standing")) and "turn" in _shown(app), 20)
    assert not app.problem
    path.write_text("nothing")
    app = Hookscope(SpansOpening(path))
    async with app.run_test():
        await until(lambda: bool(app.problem), 20)
    assert "no spans" in app.problem


async def test_an_empty_recording_says_so(tmp_path: Path) -> None:
    """Of a session in which nothing is over yet."""
    with Writer(tmp_path / "r", about=ABOUT):
        pass
    app = Hookscope(RecordingOpening(tmp_path / "r"))
    async with app.run_test() as pilot:
        await until(lambda: app._desk is not None and "No dispatch" in str(app.desk._hint()), 20)
        await pilot.press("s", "space", "exclamation_mark", "w", "m", "equals_sign", "Z", "I", "F", "slash")
        await pilot.pause()


async def test_a_file_that_cannot_be_opened_ends_in_a_sentence(tmp_path: Path) -> None:
    """Which is printed once the screen is gone."""
    app = Hookscope(RecordingOpening(tmp_path / "nowhere"))
    async with app.run_test():
        await until(lambda: bool(app.problem), 20)
    assert "does not exist" in app.problem
    assert app.return_code == 0 or app.return_value == 2


def test_every_key_means_one_thing_on_each_desk() -> None:
    """What is bound twice is bound for other states; a key of elsewhere never hides one of here."""
    for where in Where:
        here = actions_at(where)
        bound = key_bindings(where)
        assert set(here) <= set(bound)
        assert all(action.where in (None, where) for action in here)
    recorded = [
        key
        for action in key_bindings(Where.RECORDED)
        if action.where is not Where.LIVE
        for key in action.key.split(",")
    ]
    assert len(recorded) == len(set(recorded))
    assert {action.id for action in ACTIONS if action.where is Where.RECORDED}
