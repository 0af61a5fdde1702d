"""The line on top, the heads of lists, and the table of keys."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from traces_made import text

from debugger.traces import listing
from debugger.traces.actions import ACTIONS, EVERYWHERE, View, keys_of, shown_in, table
from debugger.traces.naming import clock, iso, plural
from debugger.traces.source import SortKey, Standing, TraceRow, Wish
from debugger.traces.standing import help_lines, refusal_lines, standing_line

DOCS = Path(__file__).parents[3] / "docs"
ROW = TraceRow(1, "ab" * 16, "turn", "agent", 1_700_000_000_000_000_000, 41_200_000, 12, 1, 1)


def line(width: int = 80, **settings: object) -> str:
    standing = settings.pop("standing", Standing(3, 12))
    return text(standing_line("a.hookscope", standing, width, **settings)).rstrip()  # type: ignore[arg-type]


def test_the_line_on_top_says_how_things_stand() -> None:
    """What is there, what is shown of it, what is wrong, and whether more may come."""
    assert line() == " a.hookscope  3 traces, 12 spans"
    assert line(listed=2) == " a.hookscope  2 of 3 traces, 12 spans"
    assert "1 trace, 4+ spans" in line(standing=Standing(1, 4, is_least=True))
    assert line(is_following=True, standing=Standing(is_growing=True)).endswith("following")
    assert line(standing=Standing(is_growing=True)).endswith("growing")
    assert line(unseen=7).endswith("FROZEN, 7 not seen")
    assert "2 unusable (r)  3 dropped" in line(standing=Standing(refused=2, dropped=3))
    assert "reading" in line(standing=Standing(progress="reading: 7 spans so far"))


@given(st.integers(60, 200), st.text(max_size=90), st.none() | st.integers(0, 10**9), st.integers(0, 10**9))
def test_it_takes_the_cells_that_there_are(width: int, title: str, unseen: int | None, count: int) -> None:
    """Whatever the file is called."""
    standing = Standing(count, count, refused=3, progress="reading", is_growing=True)
    assert cell_len(text(standing_line(title, standing, width, unseen=unseen))) == width


def test_a_trace_is_one_line() -> None:
    """With a dash for what nobody says."""
    said = text(listing.line(ROW, 80))
    assert said[14:].split() == ["41.2", "ms", "12", "✗", "1", "agent:", "turn"]
    assert text(listing.line(ROW, 120)).rstrip().endswith("abababababababab")
    odd = TraceRow(1, "", "x", "", 0, 7, 3, 0, 1, has_root=False, is_least=True)
    assert text(listing.line(odd, 80)).split() == ["-", "-", "3+", "x", "(its", "root", "has", "not", "come)"]
    assert "dropped" in text(listing.line(None, 80))


@given(st.integers(60, 200), st.sampled_from(SortKey), st.booleans())
def test_lists_take_the_cells_that_there_are(width: int, key: SortKey, is_descending: bool) -> None:
    """The heading has an arrow at what orders them."""
    heading = text(listing.heading(Wish(key=key, is_descending=is_descending), width))
    assert len(heading) == width
    assert heading.count("▼") + heading.count("▲") == 1
    assert cell_len(text(listing.line(ROW, width))) == width


@pytest.mark.parametrize(
    ("ns", "said"),
    [
        (0, "1970-01-01T00:00:00.000000000Z"),
        (1_700_000_000_123_456_789, "2023-11-14T22:13:20.123456789Z"),
        (2**64 - 1, "2554-07-21T23:34:33.709551615Z"),
        (-1, "-1 ns since 1970"),
        (10**21, f"{10**21} ns since 1970"),
    ],
)
def test_moments_are_told_whatever_was_sent(ns: int, said: str) -> None:
    """Clocks may say anything."""
    assert iso(ns) == said
    assert clock(ns)


def test_plurals() -> None:
    """Of one there is one."""
    assert (plural(1, "span"), plural(1_204, "trace")) == ("1 span", "1,204 traces")


@pytest.mark.parametrize("view", list(View))
def test_no_key_does_two_things_in_one_view(view: View) -> None:
    """Nor does an action have no key."""
    keys = Counter(key for action in ACTIONS if view in action.where for key in action.keys.split(","))
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_action_has_a_name_of_its_own_and_is_explained() -> None:
    """In the help page of some view, or everywhere."""
    ids = Counter(action.id for action in ACTIONS)
    assert max(ids.values()) == 1
    told = {action.id for view in View for action in shown_in(view)}
    told |= {action.id for action in ACTIONS if action.where == EVERYWHERE}
    assert ids.keys() - told == {f"depth.{level}" for level in range(2, 10)}


def test_the_help_page_begins_with_the_view_in_front() -> None:
    """And has all the others too."""
    lines = [found.text for found in help_lines(View.STATISTICS)]
    assert lines[0] == "Statistics"
    assert {view.value for view in View} <= set(lines)


def test_the_page_in_docs_has_the_table() -> None:
    """Made from the actions: `python -m debugger.traces.actions` prints it."""
    page = (DOCS / "traces.md").read_text()
    assert table() in page
    assert all(f"`{keys_of(action)}`" in page for action in shown_in(View.TRACE))


def test_what_could_not_be_used_is_told_literally() -> None:
    """Each in a line."""
    assert [found.text for found in refusal_lines(["http: \x1b[2J"])] == ["! http: ␛[2J"]
    assert refusal_lines([])[0].text == "Everything could be used."
