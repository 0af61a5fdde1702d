"""A dispatch or a few as Markdown, short enough for an issue. Text from outside is code: it mentions nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from debugger.diff import diff
from debugger.export import words
from debugger.export.material import Material
from debugger.trace import DispatchTrace
from debugger.views import diff_lines
from debugger.views.diffs import Comparison, comparisons
from debugger.views.outcomes import came
from debugger.views.states import LOOKS, duration, state_of
from debugger.views.text import plain, visible
from kernel.dialect import Dialect

DETAILED = 3
"""Dispatches that are told in detail where nobody chose any."""
LISTED = 40
"""Rows of the list of dispatches."""
DIFF_LINES = 60
OUTPUT_LINES = 20
LONGEST = 200
"""Characters of a text inside of a sentence."""
_TICKS = re.compile("`+")


def markdown(material: Material) -> Iterator[str]:
    """The whole text, piece by piece."""
    dispatches = material.dispatches
    detailed = _in_detail(material)
    yield f"## hookscope: {_title(dispatches, detailed)}\n\n"
    if len(dispatches) > len(detailed) or len(detailed) > 1:
        yield from _list(material)
    for each in detailed:
        yield from _dispatch(each, material)
    yield "---\n"
    about = [f"hookscope {code(material.version)}" if material.version else "hookscope"]
    about.append(f"recording {code(material.source)}, {material.total} dispatches")
    about += [f"configuration {code(material.config)}"] if material.config else []
    yield f"{', '.join(about)}. {material.redaction}\n"


def _in_detail(material: Material) -> tuple[DispatchTrace, ...]:
    """Those that were chosen; otherwise what went wrong first, or the last one."""
    if material.is_chosen or len(material.dispatches) == 1:
        return material.dispatches
    return tuple(filter(words.is_trouble, material.dispatches))[:DETAILED] or material.dispatches[-1:]


def _title(dispatches: tuple[DispatchTrace, ...], detailed: tuple[DispatchTrace, ...]) -> str:
    if len(detailed) == 1:
        return f"{code(detailed[0].point)} {_verdict(detailed[0])}"
    return f"{len(dispatches)} dispatches"


def _verdict(trace: DispatchTrace) -> str:
    found, by = words.verdict(trace), words.by_whom(trace.result)
    return f"{found.glyph} **{text(found.word)}**" + (f" by {code(by)}" if by else "")


def _list(material: Material) -> Iterator[str]:
    dispatches = material.dispatches
    yield "| # | point | result | took |\n|---|---|---|---|\n"
    for each in dispatches[:LISTED]:
        said = words.remark(material.remarks.get(each.id))
        noted = f" {cell(said)}" if said else ""
        yield f"| {each.number} | {cell(each.point)} | {in_cell(_verdict(each))}{noted} | {duration(each.took_ns)} |\n"
    if len(dispatches) > LISTED:
        yield f"\n… and {len(dispatches) - LISTED} more.\n"
    yield "\n"


def _dispatch(trace: DispatchTrace, material: Material) -> Iterator[str]:
    dialect = material.dialect(trace)
    yield f"### {code(trace.point)} #{trace.number}: {_verdict(trace)}, {duration(trace.took_ns)}\n\n"
    if said := words.remark(material.remarks.get(trace.id)):
        yield f"> {code(said)}\n\n"
    if trace.result is not None and trace.result.error:
        yield f"Error: {code(trace.result.error)}\n\n"
    yield from _chain(trace)
    yield from _why(trace, dialect)
    for comparison in _comparisons(trace, dialect):
        yield from _diff(comparison)
    yield from _output(trace)


def _chain(trace: DispatchTrace) -> Iterator[str]:
    if not trace.steps:
        yield "Nobody subscribed: it passes as it is.\n\n"
        return
    yield "| | subscriber | mode | state | took | rule |\n|---|---|---|---|---|---|\n"
    for step in trace.steps:
        state = state_of(step, None)
        _, rule = words.why(step)
        name, mode = cell(step.subscription.name), cell(words.duty(step))
        noted = "" if step.not_reached is not None else words.note(step)
        yield f"| {LOOKS[state].glyph} | {name} | {mode} | {state} | {noted} | {rule} |\n"
    yield "\n"


def _why(trace: DispatchTrace, dialect: Dialect) -> Iterator[str]:
    told = list(_reasons(trace, dialect))
    if told:
        yield "**Why**\n\n"
        yield from (f"- {each}\n" for each in told)
        yield "\n"


def _reasons(trace: DispatchTrace, dialect: Dialect) -> Iterator[str]:
    rules: dict[str, None] = {}
    for step in trace.steps:
        because, rule = words.why(step)
        if because and state_of(step, None) in words.TELLING:
            yield f"{code(step.subscription.name)}: {code(because)} ({rule})"
            rules[rule] = None
        for raised in step.raised:
            yield f"{code(step.subscription.name)} raised {code(raised.category)}: {code(raised.message)}"
        for steered in step.steered:
            detail = f": {code(steered.detail)}" if steered.detail else ""
            yield f"{code(step.subscription.name)}: {steered.what} by the {code(steered.by)}{detail}"
        for late in step.late:
            took = duration(late.took_ns)
            yield f"{code(step.subscription.name)} gave {code(came(late.outcome))} after {took}, too late to count"
    for decided in trace.decided:
        by = f" by {code(decided.by)}" if decided.by else ""
        yield f"the host: {code(decided.subject)}: {code(decided.decision)}{by} ({decided.rule})"
        rules[decided.rule] = None
    if trace.result is not None and trace.result.rule:
        rules[trace.result.rule] = None
    for rule in rules:
        if rule in dialect.rules:
            yield f"**{rule}** (spec {dialect.rules[rule].source}): {text(dialect.rules[rule].text)}"
    for each in words.otherwise(trace, dialect):
        yield f"It would have been otherwise with {code(each)}"


def _comparisons(trace: DispatchTrace, dialect: Dialect) -> Iterator[Comparison]:
    for step in trace.steps:
        yield from filter(words.is_different, comparisons(trace, step.step, dialect, None))


def _diff(comparison: Comparison) -> Iterator[str]:
    before, after = comparison.before, comparison.after
    lines = diff_lines.unified(before, after, diff(before, after), context=2)
    shown = plain(lines[:DIFF_LINES])
    if len(lines) > DIFF_LINES:
        shown += f"\n… {len(lines) - DIFF_LINES} more lines"
    heading = "".join(segment.text for segment in comparison.heading)
    yield f"{code(heading)}\n\n{fenced(shown, 'diff')}\n"


def _output(trace: DispatchTrace) -> Iterator[str]:
    lines = [f"{each.subscriber} {each.stream} | {each.text}" for step in trace.steps for each in step.printed]
    if lines:
        left_out = [f"… {len(lines) - OUTPUT_LINES} lines before"] if len(lines) > OUTPUT_LINES else []
        yield "**Printed meanwhile**\n\n"
        yield fenced("\n".join(map(visible, (*left_out, *lines[-OUTPUT_LINES:]))), "text") + "\n"


# -- text from outside -------------------------------------------------------------------------------------------


def code(said: str) -> str:
    """Text as inline code, literally: no markup, no mention, no link, no line break."""
    shown = visible(said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…")
    if not shown.strip():
        return "` `"
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    space = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def cell(said: str) -> str:
    """The same inside of a table."""
    return in_cell(code(said))


def in_cell(written: str) -> str:
    """Markdown that may stand inside of a table: there a bar ends the cell, even in code."""
    return written.replace("|", "\\|")


def text(said: str) -> str:
    """Our own words, with whatever would be markup written out."""
    return re.sub(r"([\\`*_{}\[\]<>#|~@])", r"\\\1", visible(said))


def fenced(lines: str, language: str) -> str:
    """A block that nothing inside can end."""
    ticks = "`" * max(3, max(map(len, _TICKS.findall(lines)), default=0) + 1)
    return f"{ticks}{language}\n{lines}\n{ticks}\n"
