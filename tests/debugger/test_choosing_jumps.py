"""Jumps from what is chosen to the next error, denial, change or match, over dispatches and steps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from view_runs import run

from debugger.choosing import Jump, here, jumped, matched

CHANGED = run("A:t B:t", {"A": "+x", "B": "none"})  # A changes, B fails
DENIED = run("A:v B:v", {"A": "allow", "B": "deny"}, point="plan-ready")
LATE = run("A:v", {"A": "hang"}, point="plan-ready")
ALL = [replace(each, id=f"d{number}", number=number) for number, each in enumerate((CHANGED, DENIED, LATE, CHANGED), 1)]


@pytest.mark.parametrize(
    ("jump", "forth"),
    [(Jump.ERROR, "1/1 3/0 4/1"), (Jump.DENIAL, "2/1"), (Jump.CHANGE, "1/0 4/0")],
)
def test_jumps_visit_every_such_step_in_order(jump: Jump, forth: str) -> None:
    """A deadline that passed is an error, whatever the dialect makes of it; backwards it is the same way."""
    for by, expected in ((1, forth.split()), (-1, forth.split()[::-1])):
        place, visited = (0, -1) if by > 0 else (9, -1), []
        while (found := jumped(ALL, place, jump, by)) is not None:
            assert not found.is_following
            number = next(each.number for each in ALL if each.id == found.dispatch)
            assert found.step is not None
            place = number, found.step
            visited.append(f"{number}/{found.step}")
        assert visited == expected


def test_where_one_stands_may_be_hidden() -> None:
    """A dispatch that the filter hides is between its neighbours all the same."""
    listed = [each for each in ALL if each.number != 2]
    found = jumped(listed, here(ALL[1], 0), Jump.ERROR, 1)
    assert found is not None
    assert found.dispatch == "d3"
    back = matched(listed, here(ALL[1], None), frozenset({"d1", "d4"}), -1)
    assert back is not None
    assert (back.dispatch, back.step) == ("d1", None)
    assert matched(listed, here(None, None), frozenset(), 1) is None
    assert here(None, None) == (0, -1)
