"""Two dispatches beside each other, in lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from debugger.comparing import Comparison, Pairing, Part
from debugger.diff import diff
from debugger.trace import StepTrace
from debugger.views import diff_lines
from debugger.views.inspect import line, said
from debugger.views.states import LOOKS, state_of, verdict_of
from debugger.views.text import Emphasis, Line, Segment, fit

WIDE: Final = 96
"""Cells from which there is room for both rules of a step."""
_STATE: Final = 14
_ARROW: Final = "→ "
CAUSES = {
    Part.SEAT: "sits in only one of the chains",
    Part.ASKED: "was asked in only one of them",
    Part.PAYLOAD: "was asked about another payload",
    Part.REQUEST: "was asked in another way: other bytes, or another deadline",
    Part.OUTCOME: "gave something else",
    Part.VERDICT: "gave the same, and another rule applied",
    Part.RESULT: "every step is alike, and the result is not",
}


def headline(found: Comparison) -> Line:
    """The two dispatches and whether they are alike, in a line."""
    first, second = verdict_of(found.first, is_held=False), verdict_of(found.second, is_held=False)
    is_same = found.differs_in is None
    return line(
        Segment("= " if is_same else "≠ ", Emphasis.OK if is_same else Emphasis.ERROR),
        said(f"#{found.first.number:<5}{fit(found.first.point, 20)} ", Emphasis.STRONG),
        Segment(f"{first.glyph} {first.word}", first.emphasis),
        Segment("  →  ", Emphasis.DIM),
        Segment(f"{second.glyph} {second.word}", second.emphasis),
    )


def comparison(found: Comparison, width: int = WIDE) -> Iterator[Line]:
    """Every step of both beside each other, one a line of `width` cells, and the cause where they part."""
    for pairing in found.pairings:
        differs = pairing.differs_in is not None
        mark = Segment("  ≠ " if differs else "  = ", Emphasis.ERROR if differs else Emphasis.DIM)
        yield line(mark, *(_roomy(pairing) if width >= WIDE else _narrow(pairing, width - len(mark.text))))
        if pairing is found.at and pairing.differs_in is not None:
            yield line(said(f"      {pairing.name} {CAUSES[pairing.differs_in]}", Emphasis.ERROR))
            yield from _detail(found, pairing.first, pairing.second, pairing.differs_in)
    if found.at is None and found.differs_in is Part.PAYLOAD:
        yield line(said("      another payload was fired", Emphasis.ERROR))
        views = found.first.opened.payload.view, found.second.opened.payload.view
        yield from indented(diff_lines.tree(diff(*views)))
    elif found.at is None and found.differs_in is not None:
        yield line(said(f"      {CAUSES[found.differs_in]}", Emphasis.ERROR))


def _roomy(pairing: Pairing) -> tuple[Segment, ...]:
    """Name, and state and rule of either."""
    first, second = (
        (_state(step), said(fit(_rule(step), 21), Emphasis.ACCENT)) for step in (pairing.first, pairing.second)
    )
    return (said(fit(pairing.name, 24)), *first, Segment("  "), *second)


def _narrow(pairing: Pairing, width: int) -> tuple[Segment, ...]:
    """Name and either state, then as much of the rules as there is room for."""
    name = max(8, min(20, width - 2 * _STATE - len(_ARROW) - 22))
    rules = dict.fromkeys(filter(None, (_rule(pairing.first), _rule(pairing.second))))
    left = max(0, width - name - 1 - 2 * _STATE - len(_ARROW))
    arrow = Segment(_ARROW, Emphasis.DIM)
    shown = said(fit(" → ".join(rules), left).rstrip(), Emphasis.ACCENT)
    return (said(f"{fit(pairing.name, name)} "), _state(pairing.first), arrow, _state(pairing.second), shown)


def _state(step: StepTrace | None) -> Segment:
    if step is None:
        return Segment(fit("-", _STATE), Emphasis.DIM)
    state = state_of(step, None)
    return Segment(fit(f"{LOOKS[state].glyph} {state}", _STATE), LOOKS[state].emphasis)


def _rule(step: StepTrace | None) -> str:
    if step is None:
        return ""
    if step.verdict is not None:
        return step.verdict.rule
    return "" if step.not_reached is None else step.not_reached.rule


def _detail(found: Comparison, first: StepTrace | None, second: StepTrace | None, part: Part) -> Iterator[Line]:
    if first is None or second is None:
        return
    if part is Part.PAYLOAD and first.given is not None and second.given is not None:
        yield from indented(diff_lines.tree(diff(first.given.view, second.given.view)))
    for name, step in (("before", first), ("now", second)):
        if part in (Part.OUTCOME, Part.VERDICT) and step.verdict is not None:
            yield line(said(f"      {name:<7} {step.verdict.why}  "), said(step.verdict.rule, Emphasis.ACCENT))
        elif part is Part.REQUEST:
            yield line(said(f"      {name:<7} {len(step.request)} bytes, {step.timeout_ms} ms"))
    if part is Part.OUTCOME and first.made is not None and second.made is not None:
        yield from indented(diff_lines.tree(diff(first.made.view, second.made.view)))


def indented(lines: tuple[Line, ...]) -> Iterator[Line]:
    """The first lines of something, as a detail of what stands above."""
    for each in lines[:40]:
        yield line(Segment(f"      {each.mark} "), *each.segments)
    if len(lines) > 40:
        yield line(Segment(f"      ... {len(lines) - 40} more", Emphasis.DIM))


def alone(number: int, point: str, where: str) -> Line:
    """A dispatch that only one recording has."""
    return line(Segment("≠ ", Emphasis.ERROR), said(f"#{number:<5}{fit(point, 20)} is only in {where}"))
