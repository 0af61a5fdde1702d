"""What takes a look at every span of a trace: own times, how busy it was when, what the wait was made of. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from debugger.traces.critical import Path, critical_path, sentence
from debugger.traces.durations import own_times
from debugger.traces.hooks import Hook
from debugger.traces.minimap import Density, density
from debugger.traces.naming import described
from debugger.traces.seam import SpanSource
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import precise

MOST_NAMED: Final = 500
"""Places of a critical path that are looked up by what they say of hook chains: those that took longest."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Made on a thread of its own, once for each skeleton."""

    own: Sequence[int]
    density: Density
    path: Path | None
    """Of what is on top and took longest; None of an empty trace."""
    sentence: str


def analysed(source: SpanSource, skeleton: Skeleton) -> Analysis:
    """Everything about one trace."""
    top = longest_top(skeleton)
    path = None if top is None else critical_path(skeleton, top)
    said = "" if path is None else told(source, skeleton, path)
    return Analysis(own_times(skeleton), density(skeleton), path, said)


def longest_top(skeleton: Skeleton) -> int | None:
    """What is on top and took longest."""
    return max(skeleton.below(-1), key=skeleton.took, default=None)


def told(source: SpanSource, skeleton: Skeleton, path: Path) -> str:
    """A critical path in a sentence, subscribers and points by their names."""
    longest = sorted(path.stretches, key=lambda each: each.start_ns - each.end_ns)
    hooks: Mapping[int, Hook] = source.hooks(skeleton, list({each.place for each in longest[:MOST_NAMED]}))
    return sentence(path, lambda place: described(skeleton, place, hooks), precise)
