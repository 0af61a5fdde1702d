"""Watched expressions along a chain, and the lines that show them."""

from __future__ import annotations

from view_runs import run

from debugger.blame import touches
from debugger.expressions import expression
from debugger.views.text import plain
from debugger.views.watches import history, watches
from debugger.watching import watched

TRACE = run("A:t B:o C:t", {"A": "+x", "B": "ack", "C": "+y"})
COUNT, ABSENT = expression("length(messages)"), expression("$.nowhere")


def test_an_expression_is_read_after_every_change() -> None:
    """With marks where it is another one than before; what is not there is a dash."""
    count, absent = watched(TRACE, (COUNT, ABSENT))
    shown = [(each.by, each.shown, each.is_changed) for each in count.readings]
    first = int(shown[0][1])
    assert shown == [("", str(first), False), ("A", str(first + 1), True), ("C", str(first + 2), True)]
    assert [each.shown for each in absent.readings] == ["-", "-", "-"]
    assert not any(each.is_changed for each in absent.readings)
    assert [count.at(step).by for step in (0, 1, 2, None)] == ["A", "A", "C", "C"]


def test_an_edit_that_is_not_sent_yet_is_the_last_reading() -> None:
    """Also where nothing was changed before it."""
    [count] = watched(run("A:o", {"A": "ack"}), (COUNT,), {"messages": [1, 2, 3, 4]})
    assert [(each.by, each.shown) for each in count.readings][-1] == ("your edit", "4")
    assert count.readings[-1].is_changed


def test_the_lens_says_where_it_changed_and_how_to_pin() -> None:
    """The reading where one stands is pointed at."""
    assert "W pins" in plain(watches(TRACE, None, (), None))
    text = plain(watches(TRACE, 0, (COUNT, ABSENT), None))
    assert "▸ A" in text
    assert "as fired" in text
    assert text.count("as fired") == 1, "what never changed has no history"


def test_the_history_of_a_place_names_every_writer_here_and_elsewhere() -> None:
    """Nothing is written to a place that nobody touched."""
    text = plain(history(TRACE, ("messages",), list(touches([TRACE], ("messages",)))))
    assert [word for word in ("as fired", "A  ", "C  ") if word in text] == ["as fired", "A  ", "C  "]
    assert "Written in 1 dispatch" in text
    untouched = plain(history(TRACE, ("model",), list(touches([TRACE], ("model",)))))
    assert "Written in no dispatch" in untouched
