"""What must not be overlooked, below the header: everything that is held, armed or left out. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from debugger.session import SessionView
from debugger.stuck import NS_PER_S, clock, in_short
from debugger.views.text import Emphasis, Segment, fit, visible


def banner(seen: SessionView, numbers: Mapping[str, int], now_ns: int) -> tuple[Segment, ...]:
    """One stretch of text for each thing there is to say, at a moment on the session's clock; `numbers` are those of
    dispatches.
    """
    lines = []
    if len(seen.holds) > 1 or (seen.holds and seen.release_after_s is not None):
        lines.append(Segment(_held(seen, numbers, now_ns), Emphasis.HELD))
    if waited := [each for each in seen.stuck if not each.is_abandoned]:
        told = [f"{_number(each.dispatch, numbers)}{visible(in_short(each))}" for each in waited]
        lines.append(Segment(f" ▶ {' · '.join(told)} · 5 shows the stack", Emphasis.ALARM))
    if seen.armed:
        lines.append(Segment(_armed(seen), Emphasis.ALARM))
    if seen.skipping:
        names = ", ".join(f"{name} at {point}" for name, point, _ in sorted(seen.skipping))
        lines.append(Segment(f" » left out: {visible(names)} · K takes the chosen one back in", Emphasis.HELD))
    if seen.breakpoints and not seen.are_breakpoints_on:
        lines.append(Segment(f" ○ {len(seen.breakpoints)} breakpoints are off · M turns them on", Emphasis.DIM))
    return tuple(lines)


def _held(seen: SessionView, numbers: Mapping[str, int], now_ns: int) -> str:
    holds = sorted(seen.holds, key=lambda hold: hold.since_ns)
    told = [
        f"#{numbers.get(hold.dispatch, 0)} {hold.side} {visible(hold.subscriber)} {clock(now_ns - hold.since_ns)}"
        for hold in holds
    ]
    text = f" ‖ held: {' · '.join(told)}"
    if seen.release_after_s is not None:
        left_ns = round(seen.release_after_s * NS_PER_S) - (now_ns - holds[0].since_ns)
        text += f" · lets go in {clock(max(0, left_ns + NS_PER_S - 1))}"
    return text if len(holds) == 1 else f"{text} · A all, H one"


def _armed(seen: SessionView) -> str:
    told = [f"{each.fault} at {each.where}, {each.when}{_hits(each.hits)}" for each in seen.armed]
    return f" ↯ armed: {visible(' · '.join(told))} · ctrl+x clears"


def _hits(hits: int) -> str:
    return f", struck {hits}×" if hits else ""


def _number(dispatch: str, numbers: Mapping[str, int]) -> str:
    return f"#{numbers[dispatch]} " if dispatch in numbers else ""


def drawn(segment: Segment, width: int) -> Segment:
    """A line of it, over the whole width."""
    return Segment(fit(segment.text, width), segment.emphasis)
