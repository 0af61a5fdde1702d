"""What a sweep came to, as a table: a row for each seat, a column for each fault. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from debugger.chaos.sweep import Cell, Unreached
from debugger.views.inspect import line, said
from debugger.views.states import LOOKS, state_of, verdict_of
from debugger.views.text import Emphasis, Line, Segment, fit
from kernel.values import JSON

NAME, MODE, FAULT, RULE = 20, 10, 22, 28


def heading(point: str) -> Iterator[Line]:
    """Above the rows of a point."""
    yield line()
    yield line(Segment(point, Emphasis.STRONG))
    yield line(
        Segment(
            f"    {fit('subscriber', NAME)}  {fit('mode', MODE)}  {fit('fault', FAULT)}  {fit('rule', RULE)}  result",
            Emphasis.DIM,
        )
    )


def row(cell: Cell) -> Iterator[Line]:
    """One fault at one seat; more lines where it is not as the rules say."""
    state, verdict = state_of(cell.struck, None), verdict_of(cell.trace, is_held=False)
    yield line(
        Segment("  ✓ " if cell.is_as_told else "  ✗ ", Emphasis.OK if cell.is_as_told else Emphasis.ERROR),
        said(f"{fit(cell.seat.name, NAME)}  {fit(cell.seat.mode, MODE)}  {fit(cell.kind, FAULT)}  "),
        said(f"{fit(cell.rule, RULE)}  ", Emphasis.ACCENT),
        Segment(f"{LOOKS[state].glyph} ", LOOKS[state].emphasis),
        said(verdict.word, verdict.emphasis),
    )
    if not cell.is_struck:
        yield line(said(f"      the fault {cell.kind} never reached {cell.seat.name}", Emphasis.ERROR))
    elif cell.rule not in cell.expected:
        wanted = " or ".join(sorted(cell.expected))
        yield line(said(f"      {wanted} should have applied, not {cell.rule or 'no rule at all'}", Emphasis.ERROR))
        if cell.struck.verdict is not None:
            yield line(said(f"      because {cell.struck.verdict.why}", Emphasis.DIM))


def unreached(seat: Unreached) -> Line:
    """A seat at which nothing can be tried."""
    because = f", because of {seat.because_of}" if seat.because_of else ""
    return line(Segment(f"  ┄ {fit(seat.seat.name, NAME)}  never asked with this payload", Emphasis.DIM), said(because))


def summary(found: Sequence[Cell | Unreached]) -> str:
    """The whole in a sentence."""
    cells = [each for each in found if isinstance(each, Cell)]
    wrong = sum(not cell.is_as_told for cell in cells)
    missed = len(found) - len(cells)
    left = f", {missed} seats never asked" if missed else ""
    if not cells:
        return f"nothing could be tried{left}"
    return f"{len(cells)} faults, {len(cells) - wrong} as the rules say, {wrong} not{left}"


def as_json(found: Cell | Unreached) -> dict[str, JSON]:
    """One cell as an object."""
    seat: dict[str, JSON] = {"subscriber": found.seat.name, "point": found.seat.point, "mode": found.seat.mode}
    if isinstance(found, Unreached):
        return seat | {"is_reached": False, "because_of": found.because_of}
    result = found.trace.result
    wanted: list[JSON] = [*sorted(found.expected)]
    return seat | {
        "is_reached": True,
        "step": found.step,
        "fault": found.kind,
        "is_as_told": found.is_as_told,
        "rule": found.rule,
        "expected": wanted,
        "why": "" if found.struck.verdict is None else found.struck.verdict.why,
        "ending": None if result is None else result.ending,
        "decision": None if result is None else result.decision,
    }
