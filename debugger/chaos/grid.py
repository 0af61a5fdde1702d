"""What a sweep came to, as a table: a row for each seat, a column for each fault. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from debugger.chaos.sweep import Cell, Failing, Found, Unreached
from debugger.views.inspect import line, said
from debugger.views.json_lines import plural
from debugger.views.states import LOOKS, duration, state_of, verdict_of
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
    elif not cell.is_felt:
        took = duration(cell.struck.took_ns)
        yield line(said(f"      it should have taken {cell.least_ms:g} ms, and took {took}", Emphasis.ERROR))
    elif cell.rule not in cell.expected:
        wanted = " or ".join(sorted(cell.expected))
        yield line(said(f"      {wanted} should have applied, not {cell.rule or 'no rule at all'}", Emphasis.ERROR))
        if cell.struck.verdict is not None:
            yield line(said(f"      because {cell.struck.verdict.why}", Emphasis.DIM))


def left_out(found: Unreached | Failing) -> Line:
    """A seat at which nothing can be tried."""
    name = f"  ┄ {fit(found.seat.name, NAME)}  "
    if isinstance(found, Failing):
        why = said(f"fails by itself, by {found.rule}: {found.why}")
        return line(Segment(name, Emphasis.DIM), why)
    because = f", because of {found.because_of}" if found.because_of else ""
    return line(Segment(f"{name}never asked with any payload at hand", Emphasis.DIM), said(because))


def summary(found: Sequence[Found]) -> str:
    """The whole in a sentence."""
    cells = [each for each in found if isinstance(each, Cell)]
    wrong = sum(not cell.is_as_told for cell in cells)
    missed = sum(isinstance(each, Unreached) for each in found)
    failing = len(found) - len(cells) - missed
    left = f", {plural(missed, 'seat')} never asked" if missed else ""
    left += f", {plural(failing, 'seat')} failing without a fault" if failing else ""
    if not cells:
        return f"nothing could be tried{left}"
    return f"{len(cells)} faults, {len(cells) - wrong} as the rules say, {wrong} not{left}"


def as_json(found: Found) -> dict[str, JSON]:
    """One cell as an object."""
    seat: dict[str, JSON] = {"subscriber": found.seat.name, "point": found.seat.point, "mode": found.seat.mode}
    if isinstance(found, Unreached):
        return seat | {"is_reached": False, "because_of": found.because_of}
    if isinstance(found, Failing):
        return seat | {"is_reached": True, "fails_by_itself": True, "rule": found.rule, "why": found.why}
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
