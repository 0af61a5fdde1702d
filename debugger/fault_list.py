"""`hookscope faults`: the fault catalogue of each dialect, with what an entry comes to in each mode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from debugger.printing import print_lines, say
from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment, fit
from kernel.dialect import Dialect
from kernel.dialects import REGISTRY, load_setup, named
from kernel.faults import FaultKind
from kernel.values import JSON


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
        if kind.defaults:
            settings = "  ".join(f"{key}={value}" for key, value in kind.defaults.items())
            yield line(said(f"{'':28}{settings}", Emphasis.DIM))


def _or(words: Iterable[str]) -> str:
    return " or ".join(sorted(words))


def _as_json(dialect: Dialect, kind: FaultKind) -> dict[str, JSON]:
    return {
        "dialect": dialect.name,
        "fault": kind.kind,
        "summary": kind.summary,
        "settings": dict(kind.defaults),
        "modes": None if kind.modes is None else [*sorted(kind.modes)],
    }
