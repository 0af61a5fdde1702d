"""A text of JSON in which one may have offered what can be written. Says what it offers; shows the text only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from debugger.json_offers import Offer, Offers
from debugger.views.text import fit, visible

LARGE = 32 * 1024
"""Characters from which a text is looked at elsewhere, and not with every key."""
SHOWN = 6
"""Offers that are shown at once."""
NAMES = 26
"""Cells for the name of an offer."""

Offering = Callable[[str, int], Offers]
"""From the text and the place of the cursor to what may stand there."""


@dataclass(frozen=True, slots=True)
class Open:
    """The list as it is."""

    offers: Offers
    pointed_at: int = 0

    @property
    def chosen(self) -> Offer:
        return self.offers.offers[self.pointed_at]

    def moved(self, by: int) -> Open:
        return Open(self.offers, max(0, min(self.pointed_at + by, len(self.offers.offers) - 1)))


class JsonArea(TextArea):
    """`tab` and `ctrl+space` open a list of what may be written at the cursor; there up and down choose, tab and enter
    take, escape closes, and typing narrows it. Where nothing is on offer, tab is a tab.

    Obeys keys in the order in which they came: Textual's area lets text overtake whatever moves the cursor.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+space,ctrl+at,ctrl+@", "offer", show=False),
    ]

    class Offered(Message):
        """The list is another one, or is closed."""

        def __init__(self, open_: Open | None) -> None:
            super().__init__()
            self.open = open_

    def __init__(self, text: str, offering: Offering | None) -> None:
        super().__init__(text, show_line_numbers=True, tab_behavior="indent", soft_wrap=True)
        self._offering = offering
        self._open: Open | None = None

    @property
    def is_offering(self) -> bool:
        """Whether the list is open."""
        return self._open is not None

    async def _on_key(self, event: events.Key) -> None:
        if self._open is not None and await self._obeyed(self._open, event):
            return
        was_open = self._open is not None
        if event.key == "tab":
            await self.action_offer()
            if self._open is None:
                await super()._on_key(event)
            event.stop()
            event.prevent_default()
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)
            break
        else:
            await super()._on_key(event)
        if was_open:
            await self._narrow()

    async def _obeyed(self, open_: Open, event: events.Key) -> bool:
        """Whether the key was meant for the list."""
        match event.key:
            case "up" | "down":
                self._show(open_.moved(-1 if event.key == "up" else 1))
            case "tab" | "enter":
                await self._take(open_)
            case _:
                return False
        event.stop()
        event.prevent_default()
        return True

    async def action_offer(self) -> None:
        """Open the list, where anything is on offer."""
        found = await self._found()
        self._show(Open(found) if found.offers else None)

    def close(self) -> None:
        """Offer nothing any more."""
        self._show(None)

    def on_mouse_down(self) -> None:
        self.close()

    def on_paste(self) -> None:
        self.close()

    async def _found(self) -> Offers:
        text, cursor = self.text, self._index()
        if self._offering is None:
            return Offers(cursor, cursor)
        if len(text) > LARGE:
            return await asyncio.to_thread(self._offering, text, cursor)
        return self._offering(text, cursor)

    async def _narrow(self) -> None:
        """Offer what still fits; a large text is looked at only when one asks."""
        if len(self.text) > LARGE:
            self._show(None)
        else:
            await self.action_offer()

    async def _take(self, open_: Open) -> None:
        self._show(None)
        at, chosen = open_.offers, open_.chosen
        place = self._place
        self.replace(chosen.text, place(at.start), place(at.end), maintain_selection_offset=False)
        self.move_cursor(place(at.start + len(chosen.text) - chosen.back))
        if chosen.goes_on:
            await self.action_offer()

    def _index(self) -> int:
        """Place of the cursor in the text."""
        line, column = self.cursor_location
        newline = self.document.newline
        return sum(len(each) + len(newline) for each in self.text.split(newline)[:line]) + column

    def _place(self, index: int) -> tuple[int, int]:
        """Line and column of a place in the text."""
        before = self.text[:index].split(self.document.newline)
        return len(before) - 1, len(before[-1])

    def _show(self, open_: Open | None) -> None:
        if open_ != self._open:
            self._open = open_
            self.post_message(self.Offered(open_))


def shown(open_: Open | None, width: int) -> Text:
    """The part of the list around what is pointed at, a line each, in a width in cells."""
    if open_ is None:
        return Text()
    found, pointed_at = open_.offers.offers, open_.pointed_at
    first = max(0, min(pointed_at - SHOWN + 1, len(found) - SHOWN))
    names = min(NAMES, max(len(visible(each.name)) for each in found))
    text = Text()
    for place, each in enumerate(found[first : first + SHOWN], first):
        mark = "▸" if place == pointed_at else " "
        line = f"{mark} {fit(visible(each.name), names)}  {visible(each.detail)}"
        text.append(f"{fit(line, width).rstrip()}\n", "bold" if place == pointed_at else "")
    text.append(f"{pointed_at + 1} of {len(found)}", "dim")
    return text
