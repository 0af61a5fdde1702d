"""What the panes need from the screen around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias, TypeVar

from debugger.traces.seam import SpanSource, Standing

T = TypeVar("T")
Deed: TypeAlias = "Callable[[str], None]"
"""What an action does, given its argument; empty where it has none."""
Deeds: TypeAlias = "Mapping[str, Deed]"


class Place(Protocol):
    """The screen, as far as panes know it."""

    @property
    def source(self) -> SpanSource: ...

    @property
    def standing(self) -> Standing:
        """As of the last look at the source."""
        ...

    def in_background(self, group: str, act: Callable[[], T], then: Callable[[T], None]) -> None:
        """Do something on a thread of its own and go on here with what it gave, unless the same group has begun anew
        meanwhile. BadInput is told."""
        ...

    def call_later(self, callback: Callable[..., object], *arguments: object) -> bool:
        """Do something here, soon. May be called from any thread."""
        ...

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None: ...

    def ask(self, title: str, text: str, take: Callable[[str], None]) -> None:
        """Have a line written; nothing happens if it is given up."""
        ...

    def copy(self, text: str, what: str) -> None: ...

    def open_trace(self, handle: int) -> None: ...

    def open_statistics(self) -> None: ...

    def open_merged(self, only: str | None) -> None:
        """Everything that is listed as one tree; `only` spans of a point or name, if so wished."""
        ...

    def show_standing(self) -> None:
        """Say anew, on top, how things stand."""
        ...
