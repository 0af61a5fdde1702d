"""Which rows of a tree are to be seen."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from traces_made import TRACES, shown, trace

from debugger.traces.outline import By, Hide, Marker, Outline
from debugger.traces.skeleton import Skeleton

TREE = trace(
    (1, 0, 0, 100),
    (2, 1, 1, 50),
    (3, 2, 2, 9),
    (4, 2, 10, 20),
    (5, 1, 60, 90),
    (6, 5, 61, 70),
    errors=[4, 6],
    names=["root", "db", "get", "set", "http", "get"],
)


def test_everything_is_seen_at_first() -> None:
    """In the order of the tree."""
    assert shown(Outline(TREE)) == ["1", "2", "3", "4", "5", "6"]


def test_what_is_below_a_folded_row_is_not_seen() -> None:
    """And is as it was once the row is unfolded."""
    outline = Outline(TREE)
    assert outline.fold(1, is_folded=True)
    assert shown(outline) == ["1", "2", "5", "6"]
    assert outline.fold(0, is_folded=True)
    assert shown(outline) == ["1"]
    assert outline.fold(0, is_folded=False)
    assert shown(outline) == ["1", "2", "5", "6"]
    assert not outline.fold(3, is_folded=True), "nothing is below it"


def test_so_many_levels_are_seen() -> None:
    """One more for each that is unfolded by hand."""
    outline = Outline(TREE)
    outline.to_depth(1)
    assert shown(outline) == ["1"]
    outline.fold(0, is_folded=False)
    assert shown(outline) == ["1", "2", "5"]
    outline.to_depth(3)
    assert shown(outline) == ["1", "2", "3", "4", "5", "6"]
    outline.to_depth(1)
    outline.unfold_all()
    assert len(outline) == 6


def test_a_place_is_revealed_whatever_it_is_folded_into() -> None:
    """Only what is above it is unfolded."""
    outline = Outline(TREE)
    outline.to_depth(1)
    assert outline.row_of(3) == 0
    assert outline.reveal(3) == 3
    assert shown(outline) == ["1", "2", "3", "4", "5"]


def test_folds_are_known_again_once_more_has_come() -> None:
    """By the ids of the spans."""
    outline = Outline(TREE)
    outline.fold(1, is_folded=True)
    more = trace((7, 1, 0, 1), (1, 0, 0, 100), (2, 1, 1, 50), (3, 2, 2, 9), (8, 2, 3, 4))
    grown = Outline(more)
    grown.fold_ids(outline.folded_ids())
    assert shown(grown) == ["1", "7", "2"]


def test_noise_is_hidden_behind_a_marker() -> None:
    """One for those that follow one another, with the number of spans and errors behind it."""
    outline = Outline(TREE, [Hide(By.NAME, "get")])
    assert shown(outline) == ["1", "2", "1 hidden", "4", "5", "1 hidden"]
    assert outline.marker(2) == Marker(2, 3, 2, 1, 0, ("get",))
    outline.hide([Hide(By.NAME, "get"), Hide(By.NAME, "set")])
    assert shown(outline) == ["1", "2", "2 hidden", "5", "1 hidden"]
    assert outline.marker(2) == Marker(2, 4, 2, 2, 1, ("get", "set"))
    outline.hide([Hide(By.NAME, "db")])
    assert shown(outline) == ["1", "3 hidden", "5", "6"]
    marker = outline.marker(1)
    assert marker is not None
    assert (marker.spans, marker.errors) == (3, 1), "what is below counts"
    outline.hide([Hide(By.SERVICE, "shop")])
    assert shown(outline) == ["6 hidden"]
    outline.hide(())
    assert len(outline) == 6


def test_a_hidden_place_is_revealed_as_its_marker() -> None:
    """It says what is behind it."""
    outline = Outline(TREE, [Hide(By.NAME, "db")])
    outline.fold(0, is_folded=True)
    assert outline.reveal(3) == 1
    assert outline.marker(1) is not None


MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("fold"), st.integers(0, 20)),
        st.tuples(st.just("depth"), st.integers(1, 4)),
        st.tuples(st.just("hide"), st.integers(1, 14)),
        st.tuples(st.just("reveal"), st.integers(0, 20)),
    ),
    max_size=8,
)


@settings(deadline=None)
@given(TRACES, MOVES)
def test_rows_are_what_folds_and_noise_make_of_the_tree(made: Skeleton, moves: list[tuple[str, int]]) -> None:
    """Whatever was pressed in whatever order: a fold in the middle leads to the same rows as laying all of them out."""
    outline = Outline(made)
    for move, number in moves:
        match move:
            case "fold":
                row = number % len(outline)
                if outline.marker(row) is None:
                    outline.fold(row, is_folded=not outline.is_folded(outline.rows[row]))
            case "depth":
                outline.to_depth(number)
            case "hide":
                outline.hide({*outline.hidden, Hide(By.NAME, f"span {number}")})
            case _:
                row = outline.reveal(number % len(made))
                marker = outline.marker(row)
                if marker is None:
                    assert outline.rows[row] == number % len(made)
                else:
                    assert marker.first <= number % len(made) < marker.end
        places = [outline.place(row) for row in range(len(outline))]
        assert places == sorted(places)
        assert all(outline.row_of(place) == row for row, place in enumerate(places))
    again = Outline(made, outline.hidden)
    again.fold_ids(outline.folded_ids())
    if len(set(made.ids)) == len(made.ids):
        assert shown(again) == shown(outline)
