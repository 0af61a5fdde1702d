"""What an exact replay came to, in lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from debugger.diff import diff
from debugger.replay.exact import Divergence
from debugger.views import diff_lines
from debugger.views.compared import indented
from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment, fit
from kernel.values import JSON


def divergence(found: Divergence) -> Iterator[Line]:
    """Where an exact replay parts from its record."""
    yield line(Segment(f"    parts at event {found.number}", Emphasis.ERROR))
    if isinstance(found.now, str):
        yield line(said(f"      now it is refused: {found.now}"))
    elif found.now is None:
        yield line(said(f"      recorded {_fact(found.recorded)}, now nothing"))
    else:
        yield from indented(diff_lines.tree(diff(found.recorded, found.now)))


def _fact(told: JSON) -> str:
    return str(told.get("fact")) if isinstance(told, dict) else "something"


def exactly(number: int, point: str, decision: str, found: Divergence | None) -> Iterator[Line]:
    """How the exact replay of one dispatch went."""
    mark = Segment("= ", Emphasis.OK) if found is None else Segment("≠ ", Emphasis.ERROR)
    yield line(mark, said(f"#{number:<5}{fit(point, 20)} {decision}", Emphasis.STRONG))
    if found is not None:
        yield from divergence(found)
