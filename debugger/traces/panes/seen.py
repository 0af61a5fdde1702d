"""What rows that are drawn say about hook chains: asked for a screenful at a time, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from debugger.traces.hooks import Hook
from debugger.traces.outline import Outline
from debugger.traces.seam import SpanSource
from kernel.errors import BadInput

AROUND: Final = 60
"""Rows after one that are asked for with it, and half as many before."""


class SeenHooks(Mapping[int, Hook]):
    """By place, looked up when a row is drawn. A place that cannot be read says nothing."""

    def __init__(self, source: SpanSource, outline: Outline) -> None:
        self._source = source
        self._outline = outline
        self._known: dict[int, Hook | None] = {}

    def find(self, place: int) -> Hook | None:
        if place not in self._known:
            self._ask(place)
        return self._known[place]

    def __getitem__(self, place: int) -> Hook:
        found = self.find(place)
        if found is None:
            raise KeyError(place)
        return found

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and self.find(place) is not None

    def get(self, place: int, default: Hook | None = None) -> Hook | None:  # type: ignore[override]
        return self.find(place) or default

    def __iter__(self) -> Iterator[int]:
        return (place for place, hook in self._known.items() if hook is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _ask(self, place: int) -> None:
        row = self._outline.row_of(place)
        rows = self._outline.rows[max(0, row - AROUND // 2) : row + AROUND]
        places = [each for each in rows if each >= 0 and each not in self._known]
        if place not in places:
            places.append(place)
        try:
            found = self._source.hooks(self._outline.skeleton, places)
        except BadInput:
            found = {}
        self._known |= {each: found.get(each) for each in places}
