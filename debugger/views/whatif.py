"""What-ifs as lines: reasons for a verdict, a dispatch beside its alternative, and the order lab. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from debugger.comparing import Comparison
from debugger.diff import Diff
from debugger.trace import DispatchTrace
from debugger.views import diff_lines
from debugger.views.compared import WIDE, comparison
from debugger.views.inspect import line, said
from debugger.views.states import verdict_of
from debugger.views.text import Emphasis, Line, Segment
from debugger.whatif.alternatives import Alternative
from debugger.whatif.order import Pair
from debugger.whatif.reasons import reasons
from kernel.dialect import Dialect

MOST_CHANGES = 20
"""Lines of a difference that the order lab shows for one pair."""


def why_not(trace: DispatchTrace, dialect: Dialect) -> Iterator[Line]:
    """The single changes that would have made another verdict, for the Why lens."""
    if trace.result is None:
        return
    found = reasons(trace, dialect)
    yield line()
    if not found:
        yield line(Segment("No single change would have made another verdict.", Emphasis.DIM))
        return
    yield line(Segment("It would have come to something else", Emphasis.STRONG))
    for each in found:
        yield line(said(f"  {each.words}: "), *_outcome(each))


def _outcome(each: Alternative) -> tuple[Segment, ...]:
    if each.result is None:
        return (said(f"would have to ask {each.open_at}", Emphasis.DIM),)
    word = each.result.decision or str(each.result.ending)
    return (said(word, Emphasis.STRONG), Segment(f"  {each.result.rule}", Emphasis.ACCENT))


def beside(words: str, found: Comparison, open_at: str = "", *, width: int = WIDE) -> tuple[Line, ...]:
    """A dispatch and its alternative step by step, the first difference marked, in a width in cells."""
    return tuple(_beside(words, found, open_at, width))


def _beside(words: str, found: Comparison, open_at: str, width: int) -> Iterator[Line]:
    first = verdict_of(found.first, is_held=False)
    second = verdict_of(found.second, is_held=False)
    yield line(
        said(f"#{found.first.number} {found.first.point}  ", Emphasis.STRONG),
        Segment(f"{first.glyph} {first.word}", first.emphasis),
    )
    yield line(
        said(f"{words}  ", Emphasis.STRONG),
        Segment("? open", Emphasis.HELD) if open_at else Segment(f"{second.glyph} {second.word}", second.emphasis),
    )
    if open_at:
        yield line(said(f"The record does not tell: one would have to ask {open_at}.", Emphasis.HELD))
    elif found.differs_in is None:
        yield line(Segment("Nobody could tell them apart.", Emphasis.OK))
    yield line()
    yield from comparison(found, width)


def order(pairs: Sequence[Pair]) -> tuple[Line, ...]:
    """Every pair of neighbours, and whether anybody could tell that they were swapped."""
    if not pairs:
        return (line(Segment("There are no two neighbours here that were both asked.", Emphasis.DIM)),)
    return tuple(each for pair in pairs for each in _pair(pair))


def _pair(pair: Pair) -> Iterator[Line]:
    name = f"{pair.second} before {pair.first}"
    match pair.commutes:
        case True:
            yield line(Segment("= ", Emphasis.OK), said(f"{name}: nobody could tell"))
        case None:
            yield line(Segment("? ", Emphasis.HELD), said(f"{name}: not known, one of them would be asked anew"))
        case _:
            yield line(Segment("≠ ", Emphasis.ERROR), said(f"{name}: they do not commute", Emphasis.STRONG))
            if not pair.is_same_verdict and pair.result is not None:
                word = pair.result.decision or str(pair.result.ending)
                yield line("    the verdict is another one: ", said(word, Emphasis.STRONG))
            if pair.difference is not None:
                yield from _difference(pair.difference)


def _difference(difference: Diff) -> Iterator[Line]:
    lines = diff_lines.tree(difference)
    for each in lines[:MOST_CHANGES]:
        yield line(Segment(f"    {each.mark} "), *each.segments)
    if len(lines) > MOST_CHANGES:
        yield line(Segment(f"    … {len(lines) - MOST_CHANGES} more", Emphasis.DIM))
