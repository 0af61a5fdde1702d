"""A configuration looked at and not run: every problem with its line, then who would be asked where."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
from rich.cells import cell_len

from debugger.printing import say
from debugger.views.text import visible
from kernel.dialects import check_setup
from kernel.errors import BadInput
from kernel.problems import Note, Problem, Report, Severity
from kernel.values import JSON, Chain, Subscription

BEFORE: Final = 60
"""Characters of a long line that are shown before what is meant."""
SHOWN: Final = 160
"""Characters of a long line that are shown at all."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    paths: tuple[Path, ...]
    is_json: bool = False
    options: Mapping[str, JSON] = field(default_factory=dict)
    """How configurations are read, in their dialect's words."""


def run(request: Request) -> int:
    """Check every path; gives the exit code: 0, 1 if there is an error, 2 if one of them could not be looked at."""
    code = 0
    for number, path in enumerate(request.paths):
        try:
            report = check_setup(path, request.options)
        except BadInput as error:
            print(f"hookscope: {visible(str(error))}", file=sys.stderr)
            code = 2
            continue
        if request.is_json:
            say("".join(msgspec.json.encode(each).decode() + "\n" for each in to_json(path, report)))
        else:
            say("\n" * (number > 0) + "".join(f"{line}\n" for line in told(path, report)))
        code = max(code, 0 if report.is_fine else 1)
    return code


# -- as text -----------------------------------------------------------------------------------------------------


def told(path: Path, report: Report) -> Iterator[str]:
    """A report as lines for people; text from outside is shown literally."""
    for problem in report.problems:
        yield from _problem(problem, report.lines)
        yield ""
    if report.chains:
        yield "chains" if report.is_fine else "chains, of what is not wrong"
        yield from _chains(report.chains)
        yield ""
    for note in report.notes:
        yield from _note(note)
        yield ""
    yield f"{visible(str(path))}: {_summary(report)}"


def _problem(problem: Problem, lines: Mapping[tuple[str, int], str]) -> Iterator[str]:
    where = "" if problem.place is None else f"{visible(str(problem.place))}: "
    yield f"{where}{problem.severity} {problem.code}: {visible(problem.message)}"
    if problem.place is not None:
        text = lines.get((problem.place.file, problem.place.line), "")
        gutter = f"{problem.place.line:>6}"
        shown, under = _underlined(text, problem.place.column - 1, problem.length)
        yield f"{gutter} | {shown}".rstrip()
        yield f"{' ' * len(gutter)} | {under}"
    if problem.fix:
        yield f"   fix: {visible(problem.fix)}"


def _underlined(text: str, start: int, length: int) -> tuple[str, str]:
    """A line, or what is worth seeing of it, and a line that points into it."""
    skipped = max(0, start - BEFORE) if len(text) > SHOWN else 0
    before, meant, after = (
        visible(part.replace("\t", "    "))
        for part in (text[skipped:start], text[start : start + length], text[start + length :][:SHOWN])
    )
    head, tail = "…" if skipped else "", "…" if len(text) - start - length > SHOWN else ""
    blanks = " " * cell_len(head + before)
    return head + before + meant + after + tail, blanks + "^" * max(cell_len(meant), 1)


def _chains(chains: Mapping[str, Chain]) -> Iterator[str]:
    """Who is asked at each point, and where that is written."""
    widths = [
        max(
            (
                cell_len(cell)
                for chain in chains.values()
                for seat in chain.subscriptions
                for cell in [row(seat)[index]]
            ),
            default=0,
        )
        for index in range(3)
    ]
    for point, chain in chains.items():
        if chain.subscriptions:
            yield f"  {point}"
        for number, seat in enumerate(chain.subscriptions, 1):
            *cells, place = row(seat)
            padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True))
            yield f"{number:>6}  {'  '.join(padded)}  {place}".rstrip()
    if empty := [point for point, chain in chains.items() if not chain.subscriptions]:
        yield f"  nobody is asked at {', '.join(empty)}"


def _note(note: Note) -> Iterator[str]:
    """A table without its header, for which the title stands."""
    rows = [tuple(map(visible, row)) for row in note.rows]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    yield visible(note.title)
    for row in rows:
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(padded)}".rstrip()


def row(seat: Subscription) -> tuple[str, str, str, str]:
    """A subscription as the cells of a table: name, mode, deadline, place."""
    name = f"{seat.name} [{seat.id}]" if seat.id else seat.name
    deadline = "no deadline" if seat.timeout_ms is None else f"{seat.timeout_ms} ms"
    return visible(name), seat.mode, deadline, visible(str(seat.place or ""))


def _summary(report: Report) -> str:
    counts = [
        (sum(problem.severity is severity for problem in report.problems), severity)
        for severity in (Severity.ERROR, Severity.WARNING)
    ]
    return ", ".join(f"{count} {severity}{'s' * (count > 1)}" for count, severity in counts if count) or "all is well"


# -- as JSON -----------------------------------------------------------------------------------------------------


def to_json(path: Path, report: Report) -> Iterator[dict[str, JSON]]:
    """A report as objects: one for each problem, one for each point. The shapes are those of docs/configuration.md."""
    for problem in report.problems:
        place = problem.place
        yield {
            "kind": "problem",
            "path": str(path),
            "severity": problem.severity,
            "code": problem.code,
            "file": None if place is None else place.file,
            "line": None if place is None else place.line,
            "column": None if place is None else place.column,
            "length": problem.length,
            "message": problem.message,
            "fix": problem.fix,
        }
    for point, chain in report.chains.items():
        seats: list[JSON] = [_seat(seat) for seat in chain.subscriptions]
        yield {"kind": "chain", "path": str(path), "point": point, "chain": seats}
    for note in report.notes:
        rows: list[JSON] = [dict(zip(note.columns, each, strict=True)) for each in note.rows]
        yield {"kind": "note", "path": str(path), "title": note.title, "rows": rows}


def _seat(seat: Subscription) -> dict[str, JSON]:
    return {
        "subscriber": seat.name,
        "mode": seat.mode,
        "timeout_ms": seat.timeout_ms,
        "declared": None if seat.place is None else str(seat.place),
        "subscription_id": seat.id,
    }
