"""The payload of a dispatch with, beside each line, whoever last wrote it. Pure."""

from __future__ import annotations

from dataclasses import replace

from debugger.blame import FIRED, Blame, Writer
from debugger.trace import DispatchTrace
from debugger.views.inspect import line, said
from debugger.views.json_lines import json_lines
from debugger.views.text import Emphasis, Line, Segment, fit

NAME, NARROW_NAME = 14, 9
"""Cells for the name of a writer, where there is room and where there is little."""


def blame(trace: DispatchTrace, *, is_wide: bool = True) -> tuple[Line, ...]:
    """Every line of the payload as it stands; a name is written once for all lines in a row that it wrote."""
    width = NAME if is_wide else NARROW_NAME
    found = Blame(trace)
    drawn: list[Line] = [_heading(trace)]
    last: Writer | None = None
    for each in json_lines(found.value):
        writer = found.writer(each.path or ())
        name = "" if writer == last else name_of(writer)
        emphasis = Emphasis.DIM if writer == FIRED else Emphasis.CHANGED
        gutter = (Segment(fit(name, width), emphasis), Segment("│ ", Emphasis.DIM))
        drawn.append(replace(each, segments=(*gutter, *each.segments)))
        last = writer
    return tuple(drawn)


def _heading(trace: DispatchTrace) -> Line:
    names = list(dict.fromkeys(change.by for change in trace.changes))
    if not names:
        return line(Segment("Nobody changed the payload: it is as it was fired.", Emphasis.DIM))
    return line(Segment("Last written by  ", Emphasis.DIM), said(", ".join(names), Emphasis.CHANGED))


def name_of(writer: Writer) -> str:
    """A writer for people."""
    return writer.by or "as fired"
