"""`hookscope faults`: the fault catalogue of each dialect, with what an entry comes to in each mode."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from debugger.printing import print_lines, say
from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment, fit
from kernel.dialect import Dialect
from kernel.dialects import REGISTRY, load_setup, named
from kernel.faults import FaultKind
from kernel.values import JSON

WIDTH: Final = 90
"""Characters of a line of rules."""


def catalogue(config: Path | None, *, is_json: bool) -> None:
    """Print it, of one configuration's dialect or of all; raises BadInput."""
    dialects = [named(each.name) for each in REGISTRY] if config is None else [load_setup(config).dialect]
    for dialect in dialects:
        if is_json:
            for kind in dialect.faults:
                say(msgspec.json.encode(_as_json(dialect, kind)).decode() + "\n")
        else:
            print_lines(_lines(dialect))


def _lines(dialect: Dialect) -> Iterator[Line]:
    yield line()
    yield line(Segment(dialect.name, Emphasis.STRONG))
    for kind in dialect.faults:
        only = f"  (only {_or(kind.modes)})" if kind.modes else ""
        yield line("  ", said(fit(kind.kind, 24), Emphasis.ACCENT), said(f"  {kind.summary}"), said(only, Emphasis.DIM))
        yield line(said(f"{'':28}{example(kind)}", Emphasis.DIM))
        if rules := exercised(dialect, kind):
            for some in wrapped(rules):
                yield line(said(f"{'':28}{some}", Emphasis.ACCENT))


def example(kind: FaultKind) -> str:
    """An entry of `faults` in a scenario, to be pasted, with every setting at its default."""
    settings = "".join(f", {key}: {json.dumps(value)}" for key, value in kind.defaults.items())
    return f"{{at: NAME, kind: {kind.kind}{settings}}}"


def exercised(dialect: Dialect, kind: FaultKind) -> tuple[str, ...]:
    """Rules of which one resolves a step that this fault befalls, in whatever seat, in the order of the dialect.

    Empty for a fault that nobody may notice: then it is the rule by which the step would have gone anyway.
    """
    seats = [seat for seat in dialect.sorts_of_seats() if kind.modes is None or seat.mode in kind.modes]
    found = {rule for seat in seats for rule in dialect.exercises(kind.kind, seat)}
    return tuple(rule for rule in dialect.rules if rule in found)


def wrapped(words: Iterable[str], width: int = WIDTH) -> list[str]:
    """Words on lines of at most so many characters."""
    return textwrap.wrap("  ".join(words), width, break_long_words=False, break_on_hyphens=False)


def _or(words: Iterable[str]) -> str:
    return " or ".join(sorted(words))


def _as_json(dialect: Dialect, kind: FaultKind) -> dict[str, JSON]:
    return {
        "dialect": dialect.name,
        "fault": kind.kind,
        "summary": kind.summary,
        "settings": dict(kind.defaults),
        "modes": None if kind.modes is None else [*sorted(kind.modes)],
        "example": example(kind),
        "rules": [*exercised(dialect, kind)],
    }
