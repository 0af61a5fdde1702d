"""The span tree and its waterfall, compared as lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dispatch_runs import stub
from rich.cells import cell_len
from view_runs import LITERAL, as_text, held, run

from debugger.breakpoints import Side
from debugger.session import SessionView
from debugger.trace import DispatchTrace
from debugger.views.spans import SpanRow, bar, render, rows, scale_of
from debugger.views.text import Emphasis
from kernel.clock import NS_PER_MS

FREE = SessionView()


def tree(trace: DispatchTrace, session: SessionView = FREE, now_ms: float | None = None, width: int = 46) -> list[str]:
    """The rows as text."""
    found = rows(trace, session, None if now_ms is None else round(now_ms * NS_PER_MS))
    return as_text(render(row, scale_of(found), width) for row in found)


def test_bars_follow_one_another_as_the_subscribers_did() -> None:
    """Each begins where the one before ended; together they are the dispatch."""
    trace = run("A:o B:t C:t", {"A": stub("ack", 4), "B": stub("+x", 2), "C": stub("same", 2)})
    assert tree(trace) == [
        "✓ pre-model-call ████████████████     8.0 ms",
        "  ✓ A            ████████             4.0 ms",
        "  ± B                    ████         2.0 ms",
        "  ✓ C                        ████     2.0 ms",
    ]


def test_siblings_overlap() -> None:
    """Observers that were asked together have bars that begin together."""
    trace = run("A:o B:o", {"A": stub("ack", 8), "B": stub("ack", 4)}, parallel=True)
    assert tree(trace)[1:] == [
        "  ✓ A            ████████████████     8.0 ms",
        "  ✓ B            ████████             4.0 ms",
    ]


def test_a_running_bar_grows_towards_its_deadline() -> None:
    """The scale has room for the deadline, which is a tick; who waits has no bar."""
    trace = run("A:o B:o", {"A": stub("ack", 0), "B": stub("ack", 900)}, until="asked B")
    assert tree(trace, now_ms=250) == [
        "▶ pre-model-call ████                 250 ms",
        "  ✓ A            ▏              ┃     0.0 ms",
        "  ▶ B            ████           ┃     250 ms",
    ]
    assert tree(trace, now_ms=750)[2] == "  ▶ B            ████████████   ┃     750 ms"


def test_a_timeout_ends_at_its_deadline_and_the_rest_was_not_reached() -> None:
    """State words stand where there is no time to tell."""
    assert tree(run("G:v A:o", {"G": "hang", "A": "ack"}, point="plan-ready")) == [
        "⊘ plan-ready     ████████████████    1000 ms",
        "  ◷ G            ████████████████    1000 ms",
        "  ┄ A                            not reached",
    ]


@pytest.mark.parametrize(("side", "until"), [(Side.BEFORE, "A is ok"), (Side.AFTER, "B answered")])
def test_a_held_step_stands_still(side: Side, until: str) -> None:
    """Before its call it has no bar; after it the bar is as long as the call was, however long it is held."""
    trace = run("A:o B:o", {"A": stub("ack", 4), "B": stub("ack", 4)}, until=until)
    now_ms = 4 if side is Side.BEFORE else 8
    lines = tree(trace, held(trace, 1, side), now_ms=now_ms)
    assert lines[0].startswith("‖ pre-model-call")
    assert (
        lines[2]
        == {
            Side.BEFORE: "  ‖ B                                   held",
            Side.AFTER: "  ‖ B                    ████████     4.0 ms",
        }[side]
    )


@pytest.mark.parametrize(
    ("start", "stop", "drawn"),
    [
        (0, 80, "████████"),
        (0, 40, "████    "),
        (40, 80, "    ████"),
        (0, 5, "▌       "),
        (0, 15, "█▌      "),
        (0, 0, "▏       "),
        (80, 80, "       ▏"),
        (None, None, "        "),
        (0, 160, "████████"),
    ],
)
def test_a_bar_is_drawn_to_an_eighth_of_a_cell(start: int | None, stop: int | None, drawn: str) -> None:
    """Never empty for something that happened, never longer than there is room."""
    row = SpanRow(0, "A", "✓", Emphasis.OK, start, stop, None, "")
    assert bar(row, 80, 8) == drawn


def test_a_bar_without_any_time_is_blank() -> None:
    """Nothing is divided by nothing."""
    assert bar(SpanRow(0, "A", "✓", Emphasis.OK, 0, 0, None, ""), 0, 8) == " " * 8


@pytest.mark.parametrize("width", [30, 33, 46, 80])
@pytest.mark.parametrize("name", LITERAL)
def test_odd_names_are_literal_and_rows_have_one_width(name: str, width: int) -> None:
    """Bars stay aligned under one another, whatever the names."""
    trace = run("A:o B:o", {"A": stub("ack", 4), "B": stub("ack", 4)})
    seat = replace(trace.steps[0], subscription=replace(trace.steps[0].subscription, name=name))
    found = rows(replace(trace, steps=(seat, trace.steps[1])), FREE, None)
    lines = ["".join(part.text for part in render(row, scale_of(found), width)) for row in found]
    assert not set("\x1b\u202e\t") & set("".join(lines))
    assert {cell_len(line) for line in lines} == {cell_len(lines[0])}
    assert cell_len(lines[0]) <= width
