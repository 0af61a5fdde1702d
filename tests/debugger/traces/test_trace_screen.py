"""What the keys of the trace screens do."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from exported_runs import recorded, told
from otlp_made import START_NS, made, numbered_traces
from textual.app import App
from traces_at_screen import TraceReader, reading
from traces_made import many, written

from debugger.otlp.json_out import document
from debugger.otlp.sink import Batch, Refused
from debugger.otlp.span_writer import SpanWriter
from debugger.otlp.spans import Resource
from debugger.traces.actions import ACTIONS, View
from debugger.traces.loaded import GrowingSource
from debugger.traces.rows import columns
from debugger.traces.screen import TraceDesk
from debugger.traces.source import otlp_source, recording_source
from kernel.facts import Entered, Event, Left, Opened

A, B, C = numbered_traces(3)
MS = 1_000_000


def shop(path: Path) -> Path:
    """Three traces; the first is a turn with two calls at once, a call after both, and an error deep inside."""
    cache = Resource((("service.name", "cache"),))
    return written(
        path,
        made(1, trace=A, name="turn", took=100 * MS, attributes=(("user", "ada"), ("prompt", "p" * 500))),
        made(2, 1, trace=A, name="fetch", at=10 * MS, took=30 * MS),
        made(3, 1, trace=A, name="lookup", at=15 * MS, took=35 * MS),
        made(4, 3, trace=A, name="get", at=20 * MS, took=5 * MS, is_error=True, resource=cache),
        made(5, 1, trace=A, name="render", at=60 * MS, took=40 * MS),
        made(1, trace=B, name="ping", at=1_000 * MS, took=1 * MS),
        made(1, trace=C, name="login", at=2_000 * MS, took=500 * MS, is_error=True),
    )


def names(reader: TraceReader) -> list[str]:
    """The names in the list."""
    return [line.split(": ")[1].split()[0] for line in reader.drawn("#list")]


async def test_the_list_is_filtered_and_ordered(tmp_path: Path) -> None:
    """By its keys; the chosen trace stays chosen."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        assert names(reader) == ["turn", "ping", "login"]
        assert "login" in reader.chosen("#list"), "the newest is followed"
        await reader.press("g")
        await reader.press("s", "s")
        await reader.until(lambda: names(reader) == ["login", "turn", "ping"])
        assert "turn" in reader.chosen("#list")
        assert "took ▼" in reader.drawn("#columns")[0]
        await reader.press("S")
        await reader.until(lambda: names(reader) == ["ping", "turn", "login"])
        await reader.press("e")
        await reader.until(lambda: names(reader) == ["turn", "login"])
        assert "2 of 3 traces" in reader.drawn("#standing")[0]
        await reader.press("slash")
        await reader.type("LOG")
        await reader.until(lambda: names(reader) == ["login"])
        await reader.press("slash")
        await reader.type("nowhere")
        await reader.until(lambda: "no trace fits" in reader.drawn("#list")[0])


def rows(reader: TraceReader) -> list[str]:
    """Names in the tree as they are indented."""
    return [line[:40].rstrip() for line in reader.drawn("#tree")]


WHOLE = [
    "▾ · shop: turn",
    "    · fetch",
    "  ▾ · lookup",
    "      ✗ cache: get",
    "    · render",
]


async def test_a_trace_opens_as_a_tree_with_bars(tmp_path: Path) -> None:
    """Everything aligned; concurrent siblings in lanes, a barrier at who waited for them."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("g")
        await reader.open()
        assert rows(reader) == WHOLE
        assert reader.drawn("#story")[0].startswith(" 100 ms, 5 spans, 1 with errors  40 % of the wait is")
        tree = reader.drawn("#tree")
        gutter = [line[columns(119).name] for line in tree]
        assert gutter == [" ", "╭", "╰", " ", "┴"]
        assert "┊" in tree[4]
        minimap = reader.drawn("#minimap")
        assert "✗" in minimap[0]
        assert minimap[1].startswith(" shown: all of it")
        assert "▏0" in minimap[2]
        await reader.press("escape")
        assert reader.desk.view is View.TRACES


async def test_folds(tmp_path: Path) -> None:
    """Row by row, to a level, all of it; left and right walk the tree."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("g")
        await reader.open()
        await reader.press("j", "j", "enter")
        assert rows(reader) == [*WHOLE[:2], "  ▸ · lookup", WHOLE[4]]
        await reader.press("space")
        assert rows(reader) == WHOLE
        await reader.press("1")
        assert rows(reader) == ["▸ · shop: turn"]
        await reader.press("2")
        assert rows(reader) == [*WHOLE[:2], "  ▸ · lookup", WHOLE[4]]
        await reader.press("asterisk")
        assert rows(reader) == WHOLE
        await reader.press("right", "right")
        assert "fetch" in reader.chosen("#tree")
        await reader.press("left")
        assert "turn" in reader.chosen("#tree")
        await reader.press("left")
        assert rows(reader) == ["▸ · shop: turn"]
        await reader.press("right")
        assert rows(reader) == WHOLE


async def test_zoom_and_pan(tmp_path: Path) -> None:
    """Around the chosen span, to it, along, and back to everything."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("g")
        await reader.open()

        def window() -> tuple[int, int]:
            assert reader.desk.tree_pane.drawing is not None
            found = reader.desk.tree_pane.drawing.window
            return found.from_ns // MS, found.end_ns // MS

        await reader.press("plus")
        assert window() == (25, 75)
        await reader.press("l")
        assert window() == (37, 87)
        await reader.press("h", "h", "h")
        assert window() == (0, 50)
        assert "shown: 50 ms of 100 ms" in reader.drawn("#minimap")[1]
        await reader.press("G")
        assert window()[0] > 40, "the chosen span comes into the window"
        await reader.press("z")
        assert window() == (56, 100)
        await reader.press("minus")
        assert window()[0] < 40
        await reader.press("0")
        assert window() == (0, 100)


async def test_errors_and_words_are_found_whatever_they_are_folded_into(tmp_path: Path) -> None:
    """Round the ends of the trace."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("g")
        await reader.open()
        await reader.press("1", "e")
        assert "get" in reader.chosen("#tree")
        await reader.press("e")
        assert "get" in reader.chosen("#tree")
        await reader.press("g", "E")
        assert "get" in reader.chosen("#tree")
        await reader.press("1", "slash")
        await reader.type("REN")
        await reader.until(lambda: "render" in reader.chosen("#tree"))
        await reader.press("slash")
        await reader.type("cache")
        await reader.until(lambda: "get" in reader.chosen("#tree"))
        await reader.press("greater_than_sign", "less_than_sign")
        assert "get" in reader.chosen("#tree")
        await reader.press("slash")
        await reader.type("nowhere")
        await reader.until(lambda: "nothing here has nowhere in it" in reader.told)


async def test_noise_is_hidden_and_shown_again(tmp_path: Path) -> None:
    """By name and by service; a marker is opened like a fold."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("g")
        await reader.open()
        await reader.press("j", "j", "x")
        assert rows(reader)[2].strip().startswith("┄ 2 hidden  ✗ 1 with errors")
        assert "lookup hidden" in reader.drawn("#story")[0]
        await reader.press("enter")
        assert rows(reader) == WHOLE
        await reader.press("X")
        assert rows(reader)[0].startswith("┄ 5 hidden")
        await reader.press("u")
        assert rows(reader) == WHOLE


async def test_the_critical_path_and_own_times(tmp_path: Path) -> None:
    """Of the whole, or of the chosen span alone."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("g")
        await reader.open()
        await reader.press("c")
        tree = reader.drawn("#tree")
        assert [("░" in line) for line in tree] == [True, True, True, False, False]
        await reader.press("c")
        assert "░" not in "".join(reader.drawn("#tree"))
        await reader.press("j", "j", "C")
        await reader.until(lambda: "of lookup: 86 % of the wait is" in reader.drawn("#story")[0])
        await reader.press("o")
        assert reader.drawn("#tree")[0].endswith("20 ms")
        await reader.press("t")
        assert "2023-11-14T22:13:20.000000000Z" in reader.drawn("#minimap")[0]


async def test_details_are_copied_and_unfolded(tmp_path: Path) -> None:
    """The whole value, its path, or the span with times in UTC."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("g")
        await reader.open()
        assert "500 characters, v unfolds" in await reader.details("user ada string")
        await reader.press("v")
        assert "500 characters, v folds" in await reader.details("v folds")
        await reader.press("tab", "y")
        assert reader.app.clipboard == "p" * 500
        await reader.press("Y")
        assert reader.app.clipboard == 'attributes["prompt"]'
        await reader.press("shift+tab", "y")
        assert reader.app.clipboard.startswith("turn  100 ms  2023-11-14T22:13:20.000000000Z to 2023-")
        await reader.press("d", "d")
        assert not reader.desk.tree_pane.detail.display
        await reader.press("d", "j")
        await reader.details("fetch")


async def test_statistics_and_merged_trees(tmp_path: Path) -> None:
    """Of what is listed; from a row of the table to its tree, and back the way one came."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("a")
        await reader.until(lambda: "3 of 3 traces counted" in reader.drawn("#standing")[0])
        table = reader.drawn("#figures")
        assert len(table) == 7
        assert "login" in table[0]
        assert "83." in table[0]
        assert "1 durations" in reader.drawn("#plot")[0]
        await reader.press("s")
        assert "▲point, service" in reader.drawn("#figures-columns")[0]
        assert "cache" in reader.drawn("#figures")[0]
        await reader.press("y")
        assert reader.app.clipboard.startswith("point, service\tsubscriber, span")
        await reader.press("b")
        assert "┃" in "".join(reader.drawn("#figures"))
        await reader.press("enter")
        await reader.until(lambda: "of get, 3 of 3 traces merged" in reader.drawn("#standing")[0])
        assert "get ✗ 1" in reader.drawn("#merged-rows")[0]
        await reader.press("escape", "escape", "m")
        await reader.until(lambda: "3 of 3 traces merged" in reader.drawn("#standing")[0])
        assert len(reader.drawn("#merged-rows")) == 7
        assert "3 in the course of time" in reader.drawn("#over-time")[0]
        await reader.press("j", "enter")
        assert len(reader.drawn("#merged-rows")) == 3


@pytest.fixture
def dispatches(tmp_path: Path) -> Path:
    """Two dispatches of one point; the first is aborted."""
    says = {"a": "ack", "b": "hang"}
    return recorded(tmp_path / "r.hookscope", told("d1", "a:o b:t", says), told("d2", "a:o", says))


async def test_one_point_is_merged_over_everything(dispatches: Path) -> None:
    """From a dispatch in one trace to all of them."""
    async with reading(recording_source(dispatches)) as reader:
        await reader.press("g")
        await reader.open()
        assert [row.split()[1:] for row in rows(reader)] == [
            ["✗", "pre-model-call", "aborted"],
            ["O", "a"],
            ["T", "b", "timed", "out"],
        ]
        assert "100 % of the wait is b at pre-model-call" in reader.drawn("#story")[0]
        await reader.press("G")
        assert "PL-TRANSFORM-TIMEOUT" in await reader.details("rule")
        await reader.press("g")
        await reader.press("m")
        await reader.until(lambda: "of pre-model-call, 2 of 2 traces merged" in reader.drawn("#standing")[0])
        found = [" ".join(line.replace("█", " ").split()[:4]) for line in reader.drawn("#merged-rows")]
        assert found[0].startswith("▾ pre-model-call ✗ 1")
        assert found[1].startswith("b ✗ 1")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Thirty dispatches in one stretch, which make one trace."""
    entered = Event("s", 0, 0, Entered("pluggable", "session", "s", "", 1))
    events = [entered]
    for number in range(30):
        for event in told(f"d{number}", "a:o", {"a": "ack"}):
            fact = replace(event.fact, parent="s") if isinstance(event.fact, Opened) else event.fact
            events.append(replace(event, fact=fact))
    return recorded(tmp_path / "r.hookscope", [*events, Event("s", 1, 1, Left("", {}))])


async def test_a_trace_that_is_too_large_is_read_bit_by_bit(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how much is read, and reads on when it is asked to, until all of it is there."""
    monkeypatch.setattr("debugger.traces.panes.tree.GIANT", 10)
    monkeypatch.setattr("debugger.traces.panes.tree.FIRST", 8)
    async with reading(recording_source(session)) as reader:
        await reader.open()
        await reader.until(lambda: "M reads more" in reader.drawn("#story")[0])
        first = len(reader.desk.tree_pane.outline or ())
        assert 0 < first < 31
        assert f"the first {first} of at least 31 spans" in reader.drawn("#story")[0]
        await reader.press("M")
        await reader.until(lambda: len(reader.desk.tree_pane.outline or ()) > first)
        for _ in range(3):
            await reader.press("M")
            await reader.until(lambda: not reader.desk.tree_pane.is_reading)
        assert len(reader.desk.tree_pane.outline or ()) == 61
        assert "61 spans" in reader.drawn("#story")[0]


async def test_what_comes_is_followed_until_somebody_goes_up(tmp_path: Path) -> None:
    """Or freezes it; what could not be used is told."""
    with SpanWriter(tmp_path / "r.hookscope") as writer:
        source = GrowingSource(writer, "listening", invitation="export THIS")
        async with reading(source) as reader:
            assert "export THIS" in reader.drawn("#list")[0]

            async def come(trace: bytes, *numbers: int) -> None:
                spans = tuple(made(n, n - 1, trace=trace, name=f"span {n}", took=n * MS) for n in numbers)
                writer.take(Batch(spans, "test", 1, START_NS))
                assert writer.settle()

            await come(A, 1)
            await come(B, 1)
            await reader.until(lambda: len(reader.drawn("#list")) == 2)
            assert reader.desk.traces.rows.cursor == 1
            assert "following" in reader.drawn("#standing")[0]
            await reader.press("k")
            await come(C, 1)
            await reader.until(lambda: len(reader.drawn("#list")) == 3)
            assert reader.desk.traces.rows.cursor == 0
            await reader.press("F")
            await reader.until(lambda: reader.desk.traces.rows.cursor == 2)
            await reader.press("p")
            await come(A, 2)
            await reader.until(lambda: "FROZEN, 1 not seen" in reader.drawn("#standing")[0])
            await reader.press("p", "g")
            await reader.open()
            await reader.until(lambda: len(reader.drawn("#tree")) == 2)
            await reader.press("j")
            await come(A, 3)
            await reader.until(lambda: len(reader.drawn("#tree")) == 3)
            assert "span 2" in reader.chosen("#tree"), "what was chosen stays chosen"
            writer.refuse(Refused("http", 1, 1, "this is no \x1b OTLP"))
            writer.settle()
            await come(A, 4)
            await reader.press("escape")
            await reader.until(lambda: "1 unusable (r)" in reader.drawn("#standing")[0])
            await reader.press("r")
            await reader.until(lambda: reader.app.screen is not reader.desk)
            assert "this is no ␛ OTLP" in reader.page()


async def test_a_large_trace_shows_its_first_spans_first(tmp_path: Path) -> None:
    """Then all of them, at the same place."""
    async with reading(recording_source(written(tmp_path / "r.hookscope", *many(25_000)))) as reader:
        await reader.press("enter")
        await reader.until(lambda: reader.desk.tree_pane.outline is not None)
        await reader.until(lambda: reader.desk.tree_pane.analysis is not None)
        assert "25,000 spans" in reader.drawn("#story")[0]
        await reader.press("G")
        assert "span 25000" in reader.chosen("#tree")


async def test_a_file_is_shown_while_it_is_read(tmp_path: Path) -> None:
    """From the first piece on."""
    path = tmp_path / "spans.json"
    path.write_text("".join(document([made(1, name="only")])))
    async with reading(otlp_source(path)) as reader:
        await reader.until(lambda: "only" in reader.drawn("#list")[0])
        await reader.open()
        assert "only" in rows(reader)[0]


async def test_help_has_every_key(tmp_path: Path) -> None:
    """Of all views, and is closed like every page."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("question_mark")
        await reader.until(lambda: reader.app.screen is not reader.desk)
        assert "Zoom to the chosen span" in reader.page()
        await reader.press("escape")
        await reader.until(lambda: reader.app.screen is reader.desk)


async def test_leaving_is_said_to_whoever_wants_to_know(tmp_path: Path) -> None:
    """Otherwise the application ends."""
    async with reading(recording_source(shop(tmp_path / "r.hookscope"))) as reader:
        await reader.press("q")
        await reader.until(lambda: reader.app.return_value == 0)


LEAVING = frozenset(
    ("back", "quit", "help", "refused", "filter", "find", "open", "statistics", "merge_all", "merge", "merge_row")
)
"""Actions that lead somewhere else."""


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (200, 60)])
async def test_every_key_can_be_pressed_in_every_view(tmp_path: Path, size: tuple[int, int]) -> None:
    """At any size, whatever is odd about the trace: nothing breaks."""
    spans = (made(1, at=50), made(2, 1, took=90), made(3, 3), made(4, 9, took=0), made(5, 1, start_ns=0, end_ns=0))
    async with reading(recording_source(written(tmp_path / "r.hookscope", *spans)), size=size) as reader:
        for view, way in ((View.TRACES, ""), (View.TRACE, "enter"), (View.STATISTICS, "a"), (View.MERGED, "m")):
            if way:
                await reader.press(way)
            await reader.until(lambda view=view: reader.desk.view is view)  # type: ignore[misc]
            if view is View.TRACE:
                await reader.until(lambda: reader.desk.tree_pane.analysis is not None)
            for action in ACTIONS:
                if view in action.where and action.id not in LEAVING:
                    await reader.press(*action.keys.split(",") * 2)
            while reader.desk.view is not View.TRACES:
                await reader.press("escape")


@pytest.mark.parametrize("pauses", range(6))
async def test_a_screen_that_is_left_at_once_breaks_nothing(tmp_path: Path, pauses: int) -> None:
    """However far it has come: nothing that was asked for looks for a part that is gone."""
    path = shop(tmp_path / "r.hookscope")

    class Host(App[int]):
        pass

    async with Host().run_test() as pilot:
        for _ in range(5):
            desk = TraceDesk(recording_source(path), on_leave=pilot.app.pop_screen)
            awaiting = pilot.app.push_screen(desk)
            if pauses:
                await awaiting
            for _ in range(pauses - 1):
                await asyncio.sleep(0)
            desk.traces.load()
            await pilot.app.pop_screen()
            for draw in (desk.show_standing, desk.traces.load, desk.traces._draw_heading):
                draw()
            await pilot.pause()
        assert not pilot.app._exception
