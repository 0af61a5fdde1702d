"""Claims about the dialog of a question: all of it can be read before it is answered, on a small screen too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Label, OptionList, Static

from debugger.lenses.asking import Asking
from debugger.lenses.picker import Choice

CHOICES = [Choice(word, word, f"what {word} means") for word in ("once", "session", "always", "deny", "later", "never")]


class Asked(App[str]):
    """One question, and what was answered."""

    def __init__(self, details: Sequence[str]) -> None:
        super().__init__()
        self._details = details
        self.answer: str | None = "open"

    def compose(self) -> ComposeResult:
        yield Label("behind")

    def on_mount(self) -> None:
        def answered(answer: str | None) -> None:
            self.answer = answer

        self.push_screen(Asking("May shell.run run?  asked by gate", self._details, CHOICES, "leaves it"), answered)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_end_of_a_long_question_is_scrolled_to_and_the_answers_stay(size: tuple[int, int]) -> None:
    """A command of many lines and one very long one; every answer is on the screen meanwhile."""
    details = [f"line {number}" for number in range(60)] + ["x" * 900 + " rm -rf ./everything"]
    app = Asked(details)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        box = app.screen.query_one("#details", VerticalScroll)
        assert box.max_scroll_y > 0
        while box.scroll_y < box.max_scroll_y:
            before = box.scroll_y
            await pilot.press("pagedown")
            await pilot.pause()
            assert 0 < box.scroll_y - before <= box.size.height  # nothing is skipped
        text = box.query_one(Static)
        assert str(text.content) == "\n".join(details)
        assert box.scroll_y + box.size.height == text.size.height  # its end is on the screen
        options = app.screen.query_one(OptionList)
        assert options.size.height == len(CHOICES)
        assert app.screen.query_one("#hint", Label).region.bottom < size[1]
        await pilot.press("pageup", "j", "enter")
        await pilot.pause()
    assert app.answer == "session"


async def test_a_short_question_takes_no_more_room_than_it_needs() -> None:
    """And there is nothing to scroll."""
    app = Asked(["input: ls"])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        box = app.screen.query_one("#details", VerticalScroll)
        assert (box.size.height, box.max_scroll_y) == (1, 0)
        await pilot.press("pagedown", "escape")
        await pilot.pause()
    assert app.answer is None
