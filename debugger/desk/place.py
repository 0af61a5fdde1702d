"""The desk as its keys know it: what is seen and chosen, and how to have something done. The seam for their tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from textual.app import App

from debugger.actions import Action
from debugger.choosing import Choosing
from debugger.desk.book import Book
from debugger.desk.listing import Listing
from debugger.opening import Opening, RecordingOpening
from debugger.session import Note, Session, SessionView
from debugger.sifting import Finding
from debugger.store.notes import Remark
from debugger.trace import DispatchTrace, Trace
from kernel.dialect import Dialect
from kernel.playing import Playable
from kernel.values import Payload, Subscription

T = TypeVar("T")
Severity: TypeAlias = Literal["information", "warning", "error"]

Deed: TypeAlias = Callable[[], Awaitable[None] | None]
"""What a key does. A deed that has to wait is run beside the screen."""
Deeds: TypeAlias = Mapping[str, Deed]
"""Deeds by the ids of their actions."""

STARTING: Final = "The subscribers are still starting."
CHOOSE_FIRST: Final = "Choose a subscriber first: [ and ] walk along the chain."


class Place(Protocol):
    """Used on the screen's loop. The session itself lives on the kernel's: only `wish`, `call` and `ask` go there."""

    opening: Opening | RecordingOpening
    session: Session | None
    """None until the configuration is read, and where a recording is open."""
    seen: SessionView
    trace: Trace
    choosing: Choosing
    point: str
    """Where the next dispatch is fired; empty where there is none."""
    payloads: dict[str, Payload]
    """What was fired last, by point."""
    playable: Playable | None
    """The described session that was played last."""
    told: list[Note]
    book: Book
    """Saved filters, their history, watched expressions."""
    listing: Listing
    """What is looked for among the dispatches, what fits, and which one is marked."""

    actions: tuple[Action, ...]
    """Those that make sense on what the desk is open on."""

    @property
    def dialect(self) -> Dialect | None:
        """Of the chosen dispatch, with its switches as they stood; None until that is known."""
        ...

    @property
    def host(self) -> App[int]:
        """Where dialogs are opened."""
        ...

    @property
    def chosen(self) -> DispatchTrace | None:
        """The dispatch that the keys act on."""
        ...

    @property
    def seat(self) -> Subscription | None:
        """The subscriber that the keys act on."""
        ...

    def remark(self, remark: Remark) -> Awaitable[None] | None:
        """Keep what a reader says of a dispatch, where there is something to keep it in; what is wrong is said."""
        ...

    def follow(self) -> None:
        """Take in what has happened by now, and draw it."""
        ...

    def find(self, finding: Finding) -> None:
        """Look for something else; raises BadFilter."""
        ...

    def choose(self, choosing: Choosing) -> None:
        """Choose something else, and draw it."""
        ...

    def say(self, text: str, *, severity: Severity = "information", timeout: float | None = None) -> None:
        """Tell something in passing; `timeout` in seconds."""
        ...

    def wish(self, doing: Callable[[Session], object]) -> None:
        """Have something done to the session over there; what it refuses is said."""
        ...

    async def ask(self, doing: Awaitable[T]) -> T:
        """Have something done over there, and wait for what it gives."""
        ...

    async def call(self, doing: Callable[[], T]) -> T:
        """Have a function called over there, and wait for what it gives."""
        ...
