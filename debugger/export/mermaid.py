"""A dispatch as a Mermaid sequence diagram: who was asked in which order, and what came of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from debugger.export import words
from debugger.export.material import Material
from debugger.trace import DispatchTrace, StepTrace
from debugger.views.outcomes import came
from debugger.views.states import LOOKS, duration, state_of
from debugger.views.text import visible
from kernel.errors import BadInput
from kernel.values import TimedOut

MOST = 50
"""Dispatches in one file; a diagram each."""
LONGEST = 80
"""Characters of a text on an arrow."""
_SAFE = re.compile(r"[A-Za-z0-9 _.,()/+'=-]|[^\x00-\x7f]")
_WORDS = re.compile(r"(?i)\b(end|participant|actor|note|loop|alt|else|opt|par|and|rect|critical|break|box)\b")


def mermaid(material: Material) -> Iterator[str]:
    """One diagram; several as blocks of Markdown, which is where several can stand in one file."""
    dispatches = material.dispatches
    if len(dispatches) > MOST:
        raise BadInput(f"{len(dispatches)} dispatches make {len(dispatches)} diagrams", fix="choose with --dispatch")
    if len(dispatches) == 1:
        yield from diagram(dispatches[0], words.remark(material.remarks.get(dispatches[0].id)))
        return
    for each in dispatches:
        yield f"### {each.number}\n\n```mermaid\n"
        yield from diagram(each, words.remark(material.remarks.get(each.id)))
        yield "```\n\n"


def diagram(trace: DispatchTrace, remark: str = "") -> Iterator[str]:
    """One dispatch, line by line, with what a reader said of it."""
    yield "sequenceDiagram\n"
    yield f"    participant host as {label(trace.opened.dialect)} host\n"
    aliases: dict[str, str] = {}
    for step in trace.steps:
        name = step.subscription.name
        if name not in aliases:
            aliases[name] = f"s{len(aliases)}"
            yield f"    participant {aliases[name]} as {label(name)}\n"
    yield f"    Note over host: {label(f'{trace.point} {trace.number}')}\n"
    if remark:
        yield f"    Note over host: {label(remark)}\n"
    asked = sorted(
        (step for step in trace.steps if step.asked_at_ns is not None), key=lambda step: step.asked_at_ns or 0
    )
    for group in _together(asked):
        yield from _group(group, aliases)
    for step in trace.steps:
        if step.not_reached is not None:
            who = aliases[step.subscription.name]
            yield f"    Note over {who}: not reached because of {label(step.not_reached.because_of)}\n"
        elif step.asked_at_ns is None and step.verdict is not None:
            yield f"    Note over {aliases[step.subscription.name]}: {_verdict(step)}\n"
    for decided in trace.decided:
        yield f"    Note over host: {label(f'{decided.subject}: {decided.decision} by {decided.by}')}\n"
    found, by = words.verdict(trace), words.by_whom(trace.result)
    yield f"    Note over host: {found.glyph} {label(f'{found.word} by {by}' if by else found.word)}\n"


def _together(asked: Sequence[StepTrace]) -> Iterator[list[StepTrace]]:
    """Steps in groups of those that were asked while the one before was not over."""
    group: list[StepTrace] = []
    until = 0
    for step in asked:
        start, stop = step.asked_at_ns or 0, step.replied_at_ns or step.asked_at_ns or 0
        if group and start >= until:
            yield group
            group = []
        group.append(step)
        until = max(until, stop) if len(group) > 1 else stop
    if group:
        yield group


def _group(group: list[StepTrace], aliases: dict[str, str]) -> Iterator[str]:
    if len(group) == 1:
        yield from _step(group[0], aliases[group[0].subscription.name], "    ")
        return
    for place, step in enumerate(group):
        yield f"    {'par' if place == 0 else 'and'} {label(step.subscription.name)}\n"
        yield from _step(step, aliases[step.subscription.name], "        ")
    yield "    end\n"


def _step(step: StepTrace, who: str, indent: str) -> Iterator[str]:
    if step.edited is not None:
        yield f"{indent}Note over host: payload edited by the {label(step.edited.by)}\n"
    deadline = "" if step.timeout_ms is None else f", {step.timeout_ms} ms"
    yield f"{indent}host->>{who}: {label(f'{words.duty(step)}{deadline}')}\n"
    for again in step.deliveries[1:]:
        yield f"{indent}{who}--xhost: {label(again.because)}\n"
        restart = f"restart {again.attempt} after {again.delay_ms:g} ms"
        yield f"{indent}Note over host,{who}: {label(restart)}\n"
        yield f"{indent}host->>{who}: {label(f'the same again, as request {again.request_id}')}\n"
    arrow = "-->>" if LOOKS[state_of(step, None)].glyph not in ("✗", "◷") else "--x"
    took = "" if step.took_ns is None or isinstance(step.outcome, TimedOut) else f" after {duration(step.took_ns)}"
    yield f"{indent}{who}{arrow}host: {label(f'{came(step.outcome)}{took}')}\n"
    yield f"{indent}Note right of {who}: {_verdict(step)}\n"
    for late in step.late:
        text = f"{came(late.outcome)} after {duration(late.took_ns)}, too late"
        yield f"{indent}{who}--xhost: {label(text)}\n"


def _verdict(step: StepTrace) -> str:
    state = state_of(step, None)
    _, rule = words.why(step)
    return f"{LOOKS[state].glyph} {label(f'{state} {rule}'.strip())}"


def label(said: str) -> str:
    """Text that stands for itself in a diagram: whatever could be syntax is written as the number of its character."""
    shown = visible(said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…").strip() or "-"
    coded = "".join(each if _SAFE.match(each) else f"#{ord(each)};" for each in shown)
    return _WORDS.sub(lambda word: f"#{ord(word[0][0])};{word[0][1:]}", coded)
