"""What of a session can be seen from outside. Written on the kernel's loop only, read from any thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from debugger.covering import CoveredEvents
from debugger.session.flight import Flight
from debugger.session.seen import Note, SessionView
from kernel.facts import Event

MOST_NOTES: Final = 5000
"""Notes that wait to be read; the oldest go first."""


class Board:
    """A view that is replaced, events and notes that are appended; `on_news` is called after each."""

    def __init__(self, on_news: Callable[[], None], covered: CoveredEvents | None = None) -> None:
        self.view = SessionView()
        self.shown = self.view
        """The same with the secrets of the configuration covered, as are events and notes."""
        self._covered = covered if covered is not None and covered.covering else None
        self.events: deque[Event] = deque()
        self.notes: deque[Note] = deque(maxlen=MOST_NOTES)
        self.flights: dict[str, Flight] = {}
        """Dispatches under way, by id; publish after a change."""
        self._on_news = on_news

    def tell(self, event: Event) -> None:
        self.events.append(event if self._covered is None else self._covered.event(event))
        self._on_news()

    def note(self, text: str, *, is_trouble: bool = False) -> None:
        said = text if self._covered is None else self._covered.covering.text(text)
        self.notes.append(Note(said, is_trouble))
        self._on_news()

    def _shown(self, covered: CoveredEvents) -> SessionView:
        holds = tuple(covered.value(hold) for hold in self.view.holds)
        askings = tuple(covered.value(asking) for asking in self.view.askings)
        return replace(self.view, holds=holds, askings=askings, health=covered.value(self.view.health))

    def publish(self, **changes: object) -> None:
        """Show some members of the view anew; states always are."""
        states = MappingProxyType({name: flight.state for name, flight in self.flights.items()})
        self.view = replace(self.view, states=states, **changes)  # type: ignore[arg-type]  # SessionView's names
        self.shown = self.view if self._covered is None else self._shown(self._covered)
        self._on_news()
