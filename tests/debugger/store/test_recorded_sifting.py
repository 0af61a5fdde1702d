"""A filter asked about every dispatch of a recording: all that fit are found, also those that come later."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from recorded_runs import CHANGED, DENIED, FAILED, FINE, written

from debugger.filters import BadFilter
from debugger.store.sifting import Sifting

KINDS = [FINE, CHANGED, DENIED, FAILED, DENIED]


class News:
    """Waits until the thread has told of something."""

    def __init__(self) -> None:
        self._told = threading.Event()

    def __call__(self) -> None:
        self._told.set()

    def until_all_are_seen(self, sifting: Sifting) -> None:
        while sifting.unseen:
            assert self._told.wait(20)
            self._told.clear()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("point:plan-ready", (3, 5)), ("status:denied", (3, 5)), ("changed:yes", (2,)), ("sub:nobody", ())],
)
def test_everything_that_fits_is_found(tmp_path: Path, text: str, numbers: tuple[int, ...]) -> None:
    """In order, however it was looked for."""
    news = News()
    sifting = Sifting(written(tmp_path / "r", KINDS), range(1, 6), text, {}, news)
    news.until_all_are_seen(sifting)
    assert sifting.found.numbers == numbers
    assert sifting.found.ids == {f"d{number}" for number in numbers}
    assert sifting.found is sifting.found
    sifting.close()
    sifting.close()


def test_what_comes_later_is_looked_at_when_one_says_so(tmp_path: Path) -> None:
    """And only that."""
    path = written(tmp_path / "r", KINDS)
    news = News()
    sifting = Sifting(path, range(1, 4), "point:plan-ready", {}, news)
    news.until_all_are_seen(sifting)
    assert sifting.found.numbers == (3,)
    sifting.more()
    while len(sifting.found.numbers) < 2:
        assert news._told.wait(20)
        news._told.clear()
    assert sifting.found.numbers == (3, 5)
    sifting.close()


def test_a_filter_that_is_none_is_refused_at_once(tmp_path: Path) -> None:
    """Nothing is started for it."""
    before = threading.active_count()
    with pytest.raises(BadFilter):
        Sifting(written(tmp_path / "r", [FINE]), [1], "status:(", {}, lambda: None)
    assert threading.active_count() == before


def test_damage_is_passed_over_and_a_lost_file_is_told(tmp_path: Path) -> None:
    """One dispatch that cannot be read hides none of the others."""
    path = written(tmp_path / "r", KINDS)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE events SET body = x'00' WHERE scope = 'd3'")
    connection.close()
    news = News()
    sifting = Sifting(path, range(1, 6), "point:plan-ready", {}, news)
    news.until_all_are_seen(sifting)
    assert sifting.found.numbers == (5,)
    sifting.close()
    lost = Sifting(tmp_path / "nowhere", [1], "status:ok", {}, news)
    lost._thread.join(20)
    assert "does not exist" in lost.problem
    lost.close()
