"""What a redaction found, for people. Pure; shows no secret."""

from __future__ import annotations

from collections.abc import Iterable

from debugger.redaction.ledger import Count
from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment, fit

PLACES = 6
"""Places that are told for each rule and kind."""


def preview(counts: Iterable[Count], secrets: int) -> tuple[Line, ...]:
    """Counts by rule and by where; the places that come up most often first."""
    groups: dict[tuple[str, str], list[Count]] = {}
    for each in counts:
        groups.setdefault((each.rule, each.kind), []).append(each)
    if not groups:
        return (line(Segment("Nothing looks like a secret.", Emphasis.DIM)),)
    out = [line(Segment(summary(groups.values(), secrets), Emphasis.STRONG)), line()]
    for (rule, kind), found in sorted(groups.items()):
        times = sum(each.times for each in found)
        values = max(each.values for each in found) if len(found) == 1 else None
        different = "" if values is None else f", {values} different" if values > 1 else ""
        out.append(
            line(said(fit(rule, 16), Emphasis.ACCENT), said(fit(kind, 14)), Segment(f"{times:>5} times{different}"))
        )
        places = sorted((each for each in found if each.place), key=lambda each: (-each.times, each.place))
        out += [line(Segment(f"{'':16}{each.times:>5} x "), said(each.place, Emphasis.KEY)) for each in places[:PLACES]]
        if len(places) > PLACES:
            out.append(line(Segment(f"{'':22}… {len(places) - PLACES} more places", Emphasis.DIM)))
    return tuple(out)


def summary(groups: Iterable[Iterable[Count]], secrets: int) -> str:
    """`3 secrets at 5 places`."""
    times = sum(each.times for found in groups for each in found)
    return f"{secrets} {'secret' if secrets == 1 else 'secrets'} replaced, {times} {'time' if times == 1 else 'times'}"
