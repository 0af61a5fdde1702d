"""The chain strip: draws a ChainView, says which seat was chosen."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from debugger.lenses.lines import LineView
from debugger.views.chain import MAX_CELL, MIN_CELL, RESULT_CELL, ChainView, render
from debugger.views.text import Segment


class ChainStrip(LineView):
    """Every seat of the chain from left to right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h,left", "seat(-1)", "Previous subscriber", show=False),
        Binding("l,right", "seat(1)", "Next subscriber", show=False),
    ]

    class SeatChosen(Message):
        """The reader wants another seat; None is the chain as a whole."""

        def __init__(self, seat: int | None) -> None:
            super().__init__()
            self.seat = seat

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = ChainView("", (), None)

    def set_view(self, view: ChainView) -> None:
        """Draw another view, if it is another one."""
        if view != self._view:
            self._view = view
            self.border_title = view.title
            self.show(4)

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        return render(self._view, width)[index]

    def action_seat(self, by: int) -> None:
        seats = self._view.seats
        chosen = [place for place, seat in enumerate(seats) if seat.is_selected]
        if seats:  # round and round: the chain as a whole stands between the last and the first
            wanted = ((chosen[0] if chosen else -1) + by + 1) % (len(seats) + 1) - 1
            self.post_message(self.SeatChosen(None if wanted < 0 else wanted))

    def on_click(self, event: events.Click) -> None:
        seats = self._view.seats
        if not seats:
            return
        width = self.scrollable_content_region.width
        cell = max(MIN_CELL, min(MAX_CELL, (width - RESULT_CELL - 2) // len(seats)))
        seat = event.x // cell
        self.post_message(self.SeatChosen(seat if seat < len(seats) else None))
