"""Breakpoints and armed faults, one a line, for the lists that manage them. Pure."""

from __future__ import annotations

from debugger.breakpoints.counts import ALWAYS
from debugger.session import ArmedFault, SetBreakpoint


def breakpoint_row(known: SetBreakpoint) -> tuple[str, str]:
    """What leads, and the rest: on or off, side and filter; count, message, hits."""
    each = known.breakpoint
    mark = "●" if each.is_on else "○"
    if each.log:
        mark = "◆" if each.is_on else "◇"
    parts = []
    if each.count != ALWAYS:
        parts.append(f"hits {each.count}")
    if each.log:
        parts.append(f"tells {each.log!r}")
    parts.append(f"hit {known.hits}×")
    return f"{mark} {each.side} {each.where}", " · ".join(parts)


def armed_row(armed: ArmedFault) -> tuple[str, str]:
    """The fault, and where, when and how often."""
    calls = f" of {armed.calls} calls" if armed.calls else ""
    return str(armed.fault), f"at {armed.where} · {armed.when} · struck {armed.hits}×{calls}"
