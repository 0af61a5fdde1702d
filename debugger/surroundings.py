"""The stretches around a dispatch, for filters that ask within what it happened. Pure."""

from __future__ import annotations

from debugger.trace import Trace


def around(trace: Trace, parent: str) -> tuple[str, ...]:
    """Kinds and names of all stretches around, from the parent of a dispatch or stretch outwards."""
    names: list[str] = []
    here = parent
    while here:
        if (stretch := trace.find_stretch(here)) is not None:
            names += (stretch.entered.kind, stretch.entered.name)
            here = stretch.entered.parent
        elif (known := trace.find(here)) is not None:
            here = known.opened.parent
        else:
            break
    return tuple(names)
