"""Statistics and merged trees as lines. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from debugger.traces.bars import Bar, drawn
from debugger.traces.merged import MergedRow
from debugger.traces.statistics import Column, Statistic
from debugger.traces.window import Window, precise
from debugger.views.text import Emphasis, Segment, fit

_WIDTHS: Final = {
    Column.COUNT: 9,
    Column.P50: 10,
    Column.P95: 10,
    Column.P99: 10,
    Column.TIMEOUTS: 8,
    Column.ERRORS: 7,
    Column.CHANGED: 8,
    Column.DENIED: 7,
    Column.SHARE: 9,
}
_SPARED: Final = (Column.P99, Column.CHANGED, Column.DENIED, Column.TIMEOUTS)
"""Left out one after the other where there is no room."""
LEAST_NAMES: Final = 30


def shown(width: int) -> tuple[Column, ...]:
    """The columns of figures for which a line of so many cells has room."""
    columns = list(_WIDTHS)
    for spared in _SPARED:
        if sum(_WIDTHS[column] for column in columns) + LEAST_NAMES <= width:
            break
        columns.remove(spared)
    return tuple(columns)


def _names(width: int) -> tuple[int, int]:
    room = max(0, width - sum(_WIDTHS[column] for column in shown(width)) - 3)
    return room * 2 // 5, room - room * 2 // 5


def heading(column: Column, width: int, *, is_descending: bool) -> tuple[Segment, ...]:
    """The names of the columns, with an arrow at the one that orders them."""

    def word(each: Column) -> str:
        return f"{'▼' if is_descending else '▲'}{each.value}" if each is column else each.value

    where, who = _names(width)
    said = f" {fit(word(Column.WHERE), where)} {fit(word(Column.WHO), who)} "
    said += "".join(f"{word(each):>{_WIDTHS[each]}}" for each in shown(width))
    return (Segment(fit(said, width), Emphasis.DIM),)


def statistic(row: Statistic, width: int) -> tuple[Segment, ...]:
    """One row, exactly `width` cells."""
    where, who = _names(width)
    return (
        Segment(f" {fit(row.where or '-', where)} ", Emphasis.DIM),
        Segment(f"{fit(who_of(row), who)} "),
        *(_figure(row, column) for column in shown(width)),
    )


def who_of(row: Statistic) -> str:
    """Who a row is about, with the mode."""
    mode = f" ({row.mode})" if row.mode and row.mode != row.who else ""
    return f"{row.who or '-'}{mode}"


def _figure(row: Statistic, column: Column) -> Segment:
    width = _WIDTHS[column]
    match column:
        case Column.COUNT:
            return Segment(f"{row.count:>{width},}")
        case Column.P50 | Column.P95 | Column.P99:
            share = {Column.P50: 0.5, Column.P95: 0.95, Column.P99: 0.99}[column]
            return Segment(f"{precise(row.percentile(share)) if row.count else '-':>{width}}")
        case Column.TIMEOUTS:
            return _counted(row.timeouts, width, Emphasis.ERROR)
        case Column.ERRORS:
            return _counted(row.errors, width, Emphasis.ERROR)
        case Column.CHANGED:
            return _counted(row.changed, width, Emphasis.CHANGED)
        case Column.DENIED:
            return _counted(row.denied, width, Emphasis.DENIED)
        case _:
            return Segment(f"{row.share:>{width}.1%}", Emphasis.STRONG if row.share >= 0.1 else Emphasis.NONE)


def _counted(count: int, width: int, emphasis: Emphasis) -> Segment:
    return Segment(f"{count if count else '·':>{width}}", emphasis if count else Emphasis.DIM)


def as_text(rows: Sequence[Statistic]) -> str:
    """All of them, tab-separated with a line of headings: for a spreadsheet. Durations in nanoseconds."""
    lines = ["\t".join(column.value for column in Column)]
    for row in rows:
        figures = (row.count, row.percentile(0.5), row.percentile(0.95), row.percentile(0.99))
        counts = (row.timeouts, row.errors, row.changed, row.denied)
        lines.append("\t".join((row.where, who_of(row), *map(str, (*figures, *counts)), f"{row.share:.4f}")))
    return "\n".join(lines) + "\n"


def merged_heading(width: int) -> tuple[Segment, ...]:
    name, bar = _shares(width)
    said = f" {'merged':<{name}}{'':<{bar}}{'count':>8}{'total':>11}{'own':>11}{'p50':>10}"
    return (Segment(fit(said, width), Emphasis.DIM),)


def _shares(width: int) -> tuple[int, int]:
    rest = max(0, width - 42)
    name = min(max(16, rest // 2), rest)
    return name, max(0, rest - name)


def merged(row: MergedRow, window: Window, width: int, *, is_folded: bool) -> tuple[Segment, ...]:
    """One row of a merged tree: a name, a bar as long as its sum, figures. Exactly `width` cells."""
    name, bar = _shares(width)
    fold = "  " if row.size == 1 else "▸ " if is_folded else "▾ "
    indent = "  " * row.depth if row.depth * 2 <= name // 2 else " " * max(0, name // 2 - 5) + f"{row.depth}… "
    errors = f" ✗ {row.errors:,}" if row.errors else ""
    emphasis = Emphasis.ERROR if row.errors else Emphasis.NUMBER
    text = fit(f"{indent}{fold}{row.name}{errors}", name)
    return (
        Segment(f" {text}", Emphasis.ERROR if row.errors else Emphasis.NONE),
        *drawn(Bar(row.offset_ns, row.offset_ns + row.total_ns, emphasis), window, bar),
        Segment(f"{row.count:>8,}{precise(row.total_ns):>11}{precise(row.own_ns):>11}{precise(row.p50_ns):>10} "),
    )


def merged_text(rows: Sequence[MergedRow]) -> str:
    """The tree as text to paste: indented names with their figures."""
    return "".join(
        f"{'  ' * row.depth}{row.name}  x{row.count}  total {precise(row.total_ns)}  own {precise(row.own_ns)}  "
        f"p50 {precise(row.p50_ns)}\n"
        for row in rows
    )
