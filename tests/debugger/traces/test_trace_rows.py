"""A place of the tree as a line."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from traces_made import TRACES, text, trace

from debugger.traces.durations import own_times
from debugger.traces.hooks import Hook
from debugger.traces.lanes import Lanes
from debugger.traces.outline import By, Hide, Outline
from debugger.traces.rows import Drawing, columns, line
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import Window
from debugger.views.text import Emphasis


def drawing(made: Skeleton, **settings: object) -> Drawing:
    return Drawing(Outline(made), Window(made.total_ns), Lanes(made), **settings)  # type: ignore[arg-type]


def drawn(given_drawing: Drawing, width: int = 80) -> list[str]:
    return [text(line(given_drawing, row, width)).rstrip() for row in range(len(given_drawing.outline))]


def test_names_on_the_left_bars_on_the_right() -> None:
    """Aligned row by row; a service is told where it changes."""
    made = trace((1, 0, 0, 100), (2, 1, 0, 50), (3, 1, 50, 100), errors=[3], names=["turn", "plan", "apply"])
    bar = columns(80).bar
    assert drawn(drawing(made)) == [
        f"{'▾ · shop: turn':<32} {'█' * bar}    100 ns",
        f"{'    · plan':<32} {'█' * (bar // 2)}{'▌':<{bar - bar // 2}}     50 ns",
        f"{'    ✗ apply':<32} {' ' * (bar // 2)}▐{'█' * (bar // 2)}     50 ns",
    ]


def test_a_step_is_called_after_its_subscriber() -> None:
    """With badge and verdict; a deadline is a tick, and what is past it is red."""
    made = trace((1, 0, 0, 100), (2, 1, 0, 90), names=["hook.dispatch", "hook.subscriber"])
    hooks = {
        0: Hook("plan-ready", word="deny", glyph="⊘", emphasis=Emphasis.DENIED),
        1: Hook("plan-ready", "bot", "veto", "V", "timed out", "◷", Emphasis.ERROR, 50, is_timeout=True),
    }
    first, second = drawn(drawing(made, hooks=hooks))
    assert first.startswith("▾ ⊘ plan-ready deny")
    assert second.startswith("    ◷ V bot timed out")
    assert "┃" in second


def test_close_to_its_deadline_a_bar_is_amber() -> None:
    """From 80 % on."""
    made = trace((1, 0, 0, 100))
    for deadline, emphasis in ((126, Emphasis.NUMBER), (125, Emphasis.HELD), (100, Emphasis.HELD)):
        segments = line(drawing(made, hooks={0: Hook("p", "s", deadline_ns=deadline)}), 0, 80)
        assert next(segment.emphasis for segment in segments if "█" in segment.text) is emphasis


def test_what_is_odd_is_said() -> None:
    """Beside the name: clocks that differ, cycles that were cut, ids that are there twice."""
    made = trace((1, 0, 50, 100), (2, 1, 0, 60), (3, 3, 0, 5), (4, 9, 0, 5))
    assert [row[:32].strip() for row in drawn(drawing(made))] == [
        "▾ · shop: span 1",
        "· span 2 ! begins before it…",
        "· shop: span 3 ! cycle cut he…",
        "▾ ? missing parent",
        "· shop: span 4",
    ]
    wide = drawn(drawing(made), 120)[1]
    assert "span 2 ! begins before its parent" in wide


def test_text_of_others_is_shown_literally() -> None:
    """No escape sequence and no markup gets to the terminal."""
    made = trace((1, 0, 0, 1), names=["\x1b[31m[b]\u202ered"])
    [row] = drawn(drawing(made), 120)
    assert "␛[31m[b]\\u202ered" in row


def test_deep_rows_say_how_deep_they_are() -> None:
    """Their names stay where they can be read."""
    made = trace(*((number, number - 1, number, 2_000 - number) for number in range(1, 1_001)))
    row = drawn(drawing(made))[999]
    assert "999…" in row
    assert "span 1000" in row


def test_hidden_spans_are_counted_on_one_line() -> None:
    """With the worst that is behind it."""
    made = trace((1, 0, 0, 100), (2, 1, 0, 5), (3, 1, 5, 9), errors=[3], names=["turn", "ping", "ping"])
    outline = Outline(made, [Hide(By.NAME, "ping")])
    rows = drawn(replace(drawing(made), outline=outline))
    assert rows[1].startswith("  ┄ 2 hidden  ✗ 1 with errors")
    assert rows[1].endswith("ping")


def test_the_critical_path_stands_out_by_more_than_colour() -> None:
    """Everything else is drawn lightly."""
    made = trace((1, 0, 0, 100), (2, 1, 0, 100), (3, 1, 0, 40))
    rows = drawn(drawing(made, path={1: ((0, 100),)}))
    assert "░" in rows[0]
    assert "◆ span 2" in rows[1]
    assert "░" not in rows[1]
    assert "░" in rows[2]


def test_own_times_take_the_place_of_durations() -> None:
    """Where somebody wants to see them."""
    made = trace((1, 0, 0, 100), (2, 1, 0, 90))
    assert drawn(drawing(made, shows_own=True, own=own_times(made)))[0].endswith("10 ns")
    assert drawn(drawing(made, shows_own=True))[0].endswith("...")


@settings(deadline=None)
@given(TRACES, st.integers(60, 300), st.booleans(), st.booleans())
def test_a_row_takes_the_cells_that_there_are(made: Skeleton, width: int, is_absolute: bool, shows_own: bool) -> None:
    """Whatever is odd about its span."""
    outline = Outline(made, [Hide(By.NAME, "span 2")])
    looked_at = replace(
        drawing(made, is_absolute=is_absolute, shows_own=shows_own, own=own_times(made)), outline=outline
    )
    for row in range(len(outline)):
        assert cell_len(text(line(looked_at, row, width))) == width
