"""What the inspector says about one step, or about a whole dispatch: everything but the diffs. Pure."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, assert_never

from debugger.session import Hold, legality
from debugger.trace import DispatchTrace, StepTrace
from debugger.views import forks
from debugger.views.json_lines import json_lines
from debugger.views.outcomes import came
from debugger.views.states import AGAIN, LOOKS, duration, duty_of, name_of, state_of, verdict_of
from debugger.views.text import Emphasis, Kind, Line, Segment, visible
from kernel.dialect import Dialect
from kernel.facts import Late
from kernel.values import (
    JSON,
    Answered,
    Cancelled,
    Crashed,
    Empty,
    Failed,
    Outcome,
    Payload,
    Place,
    Result,
    Skipped,
    TimedOut,
)

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

WIRE_SHOWN = 256
"""Bytes of a message that are shown in hexadecimal."""
NOTHING: Final[Mapping[str, JSON]] = MappingProxyType({})
LONGEST_NAME = 28
"""Cells up to which names stand in a column."""


def line(*parts: str | Segment) -> Line:
    """A line of text and emphasised stretches. Text from outside has to be made visible before."""
    segments = tuple(Segment(part) if isinstance(part, str) else part for part in parts)
    return Line(Kind.SAME, None, None, segments)


def said(text: str, emphasis: Emphasis = Emphasis.NONE) -> Segment:
    """Text from outside, literally."""
    return Segment(visible(text), emphasis)


def why(trace: DispatchTrace, step: int | None, dialect: Dialect, hold: Hold | None) -> tuple[Line, ...]:
    """Which rule, on what grounds, and what came of it."""
    return tuple(_why_dispatch(trace, dialect) if step is None else _why_step(trace, trace.step(step), dialect, hold))


def _kept(trace: DispatchTrace, result: Result) -> str:
    """What became of the payload, in words."""
    if result.payload is None:
        return "none: there is no usable one"
    names = dict.fromkeys(change.by for change in trace.changes)
    return f"changed by {', '.join(names)}" if names else "as it came"


def outcome_of(trace: DispatchTrace, dialect: Dialect) -> Iterable[Line]:
    """What came of a dispatch, by which rules, and what its host then did."""
    for origin in forks.origins(trace):
        yield line(said(origin, Emphasis.HELD))
    if trace.result is not None:
        yield from _result(trace, trace.result, dialect)
    for decided in trace.decided:
        yield line()
        yield line("→ ", said(decided.subject), ": ", said(decided.decision, Emphasis.STRONG), said(_by(decided.by)))
        yield line(said(_sentence(decided.why)))
        yield from _rule(decided.rule, dialect)


def _why_dispatch(trace: DispatchTrace, dialect: Dialect) -> Iterable[Line]:
    verdict = verdict_of(trace, is_held=False)
    yield line(Segment(f"{verdict.glyph} {verdict.word}", verdict.emphasis), f"  {trace.point} #{trace.number}")
    yield from outcome_of(trace, dialect)
    yield line()
    names = max((len(name_of(trace, step)) for step in trace.steps), default=0)
    for step in trace.steps:
        look = LOOKS[state_of(step, None)]
        rule = step.verdict.rule if step.verdict else step.not_reached.rule if step.not_reached else ""
        yield line(
            Segment(f"{look.glyph} ", look.emphasis),
            said(f"{name_of(trace, step):<{max(16, min(names, LONGEST_NAME))}} "),
            Segment(f"{state_of(step, None):<12} ", look.emphasis),
            Segment(rule, Emphasis.ACCENT),
        )
    for step in trace.steps:
        for each in step.deliveries[1:]:
            yield line()
            yield line(
                Segment(f"{AGAIN} ", Emphasis.ERROR),
                said(f"{name_of(trace, step)} was asked again, after restart {each.attempt}: {each.because}"),
            )
        for rule in dict.fromkeys(raised.rule for raised in step.raised if step.deliveries):
            yield from _rule(rule, dialect)


def _result(trace: DispatchTrace, result: Result, dialect: Dialect) -> Iterable[Line]:
    yield line("decision  ", Segment(result.decision, Emphasis.STRONG))
    if result.decided_by:
        yield line("by        ", said(result.decided_by))
    if result.error:
        yield line("error     ", said(result.error, Emphasis.ERROR))
    yield line("payload   ", said(_kept(trace, result)))
    yield from _rule(result.rule, dialect)


def _by(somebody: str) -> str:
    return f" by {somebody}" if somebody else ""


def _rule(rule_id: str, dialect: Dialect) -> Iterable[Line]:
    rule = dialect.rules.get(rule_id)
    if rule is not None:
        yield line()
        yield line(Segment(rule.id, Emphasis.ACCENT), Segment(f"  spec {rule.source}", Emphasis.DIM))
        yield line(rule.text)


def _why_step(trace: DispatchTrace, step: StepTrace, dialect: Dialect, hold: Hold | None) -> Iterable[Line]:
    look = LOOKS[state_of(step, hold)]
    yield line(
        Segment(f"{look.glyph} {state_of(step, hold)}", look.emphasis),
        said(f"  {step.subscription.name}, {duty_of(trace, step)} at {trace.point}"),
    )
    if step.verdict is not None:
        yield line(said(_sentence(step.verdict.why)))
        yield from _rule(step.verdict.rule, dialect)
    elif step.not_reached is not None:
        yield line(said(f"Never asked, because of {step.not_reached.because_of}."))
        yield from _rule(step.not_reached.rule, dialect)
    elif hold is not None:
        yield line(_HELD[hold.side == "before"])
        if hold.is_edited:
            what = "payload" if hold.edited is not None else "answer"
            yield line(Segment(f"✎ Your edit of the {what} counts from the next step on.", Emphasis.HELD))
            judged = None if hold.edited_answer is None else legality.of_answer(hold, hold.edited_answer)
            if judged is not None:
                yield line(said(f"It will be resolved as {judged}"))
    else:
        yield line("It is being asked right now." if step.is_running else "Its turn has not come yet.")
    for raised in step.raised:
        yield line()
        yield line("hook error  ", Segment(raised.category, Emphasis.ERROR))
        yield line(said(raised.message))
        if step.verdict is None or raised.rule != step.verdict.rule:
            yield from _rule(raised.rule, dialect)
    for steered in step.steered:
        yield line()
        detail = f": {steered.detail}" if steered.detail else ""
        yield line(Segment("steered  ", Emphasis.HELD), said(f"{steered.what} by the {steered.by}{detail}"))
    for late in step.late:
        yield line()
        yield line(
            Segment("came late  ", Emphasis.HELD),
            said(f"{came(late.outcome)} after {duration(late.took_ns)}, when nobody waited any more; Answer has it"),
        )
    missed = [each.subscription.name for each in trace.steps if _is_missed_because_of(each, step)]
    if missed:
        yield line()
        yield line(said(f"Not reached because of it: {', '.join(missed)}"))
    if step.subscription.place is not None:
        yield line()
        yield line(Segment("declared at ", Emphasis.DIM), said(_near(step.subscription.place), Emphasis.DIM))


def _near(place: Place) -> str:
    """A place, with its file as seen from here where that is shorter."""
    file = min(place.file, os.path.relpath(place.file), key=len)
    return str(replace(place, file=file))


_HELD = {
    True: "Held before it is asked: edit what it gets, break it, or step on.",
    False: "Held after it answered: look at the answer, edit it, or step on.",
}


def _is_missed_because_of(missed: StepTrace, step: StepTrace) -> bool:
    return missed.not_reached is not None and missed.not_reached.because_of == step.subscription.name


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"


def payload(given: Payload | None, beside: Mapping[str, JSON] = NOTHING) -> tuple[Line, ...]:
    """A payload as JSON, below what the question says beside it."""
    if given is None:
        return (line(Segment("There is no payload: the subscriber was not asked.", Emphasis.DIM)),)
    if not beside:
        return json_lines(given.view)
    asked_with = line(Segment("asked with", Emphasis.DIM))
    return (
        asked_with,
        *json_lines(dict(beside)),
        line(),
        line(Segment("about", Emphasis.DIM)),
        *json_lines(given.view),
    )


def answer(step: StepTrace, dialect: Dialect, hold: Hold | None) -> tuple[Line, ...]:
    """What came back: its kind, the answer as JSON, and the bytes on the wire."""
    if hold is not None and hold.edited_answer is not None:
        note = line(Segment("✎ edited: this answer will be taken instead", Emphasis.HELD))
        return (note, line(), *json_lines(dialect.answer_view(hold.edited_answer)))
    if step.outcome is None:
        waiting = "Still waiting for the answer." if step.is_running else "There is no answer: it was not asked."
        return (line(Segment(waiting, Emphasis.DIM)),)
    shown = tuple(_outcome(step.outcome, dialect))
    late = tuple(each for late in step.late for each in _late(late, dialect))
    if step.replaced is None:
        return shown + late
    heading = line(Segment("✎ this answer was put in the place of its own, which follows", Emphasis.HELD))
    return (heading, *shown, line(), *_outcome(step.replaced, dialect), *late)


def _late(late: Late, dialect: Dialect) -> Iterable[Line]:
    """What came when nobody waited any more, told apart from what counts."""
    yield line()
    yield line(Segment(f"too late, {duration(late.took_ns)} after it was asked; it counts for nothing", Emphasis.HELD))
    yield from _outcome(late.outcome, dialect)


def _outcome(outcome: Outcome, dialect: Dialect) -> Iterable[Line]:
    match outcome:
        case Answered(body):
            yield line(Segment("answered", Emphasis.OK), Segment(f"  {len(body)} bytes", Emphasis.DIM))
            yield from json_lines(dialect.answer_view(outcome))
            yield line()
            yield line(Segment("on the wire", Emphasis.DIM))
            yield from wire(body)
            yield from _delivered(outcome)
        case Empty():
            yield line(Segment("came back with nothing at all", Emphasis.ERROR))
        case Failed(code, message):
            yield line("ended with ", said(code, Emphasis.ERROR))
            yield line(said(message))
            yield from _delivered(outcome)
        case Crashed(message):
            yield line(Segment("its process is gone", Emphasis.ERROR))
            yield line(said(message))
            yield from _delivered(outcome)
        case TimedOut(after_ms):
            yield line(Segment(f"no answer after {after_ms:.0f} ms", Emphasis.ERROR))
        case Cancelled(reason):
            yield line("the caller gave up: ", said(reason))
        case Skipped(by):
            yield line("left out by the ", said(by))
        case _:
            assert_never(outcome)


def _delivered(outcome: Answered | Failed | Crashed) -> Iterable[Line]:
    """Every handing over of the request, where it happened more than once."""
    if len(outcome.deliveries) < 2:
        return
    yield line()
    yield line(Segment(f"delivered {len(outcome.deliveries)} times", Emphasis.ERROR))
    for each in outcome.deliveries:
        process = "" if each.pid is None else f" to process {each.pid}"
        yield line(f"  request {each.request_id}{process}")
        if each.because:
            yield line(said(f"    because {each.because}"))
            yield line(Segment(f"    after restart {each.attempt}, {each.delay_ms:g} ms later", Emphasis.DIM))


def wire(body: bytes) -> Iterable[Line]:
    """The first bytes of a message in hexadecimal; a row fits into the narrowest inspector."""
    for start in range(0, min(len(body), WIRE_SHOWN), 8):
        chunk = body[start : start + 8]
        text = "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in chunk)
        yield line(Segment(f"{start:02x} ", Emphasis.DIM), f"{chunk.hex(' '):<23} ", Segment(text, Emphasis.STRING))
    if len(body) > WIRE_SHOWN:
        yield line(Segment(f"… {len(body) - WIRE_SHOWN} more bytes", Emphasis.DIM))


def output(trace: DispatchTrace, step: int | None) -> tuple[Line, ...]:
    """What subscribers printed during their calls."""
    steps = trace.steps if step is None else (trace.step(step),)
    lines = [
        line(Segment(f"{printed.subscriber} {printed.stream} │ ", Emphasis.DIM), said(printed.text))
        for each in steps
        for printed in each.printed
    ]
    nothing = line(Segment("Nothing was printed during the call.", Emphasis.DIM))
    return tuple(lines) or (nothing,)


def span(found: ReadableSpan | None) -> tuple[Line, ...]:
    """The OpenTelemetry span, as it is exported."""
    if found is None:
        return (line(Segment("There is no finished span: a subscriber has one once it was asked.", Emphasis.DIM)),)
    return tuple(_span(found))


def _span(found: ReadableSpan) -> Iterable[Line]:
    is_ok = found.status.is_ok
    yield line(Segment(found.name, Emphasis.STRONG))
    yield line("status    ", Segment(found.status.status_code.name, Emphasis.OK if is_ok else Emphasis.ERROR))
    if found.status.description:
        yield line("          ", said(found.status.description))
    if found.start_time is not None and found.end_time is not None:
        start = dt.datetime.fromtimestamp(found.start_time / 1e9, tz=dt.UTC)
        yield line(f"start     {start.isoformat(timespec='microseconds')}")
        yield line(f"duration  {duration(found.end_time - found.start_time)}")
    yield line(f"trace     {found.context.trace_id:032x}")
    yield line(f"span      {found.context.span_id:016x}")
    if found.parent is not None:
        yield line(f"parent    {found.parent.span_id:016x}")
    if found.instrumentation_scope is not None:
        yield line("scope     ", said(found.instrumentation_scope.name))
    yield line()
    for key, value in sorted((found.attributes or {}).items()):
        yield line(said(key, Emphasis.KEY), "  ", said(str(value), Emphasis.STRING))
    for event in found.events:
        yield line()
        yield line(Segment("event ", Emphasis.DIM), said(event.name, Emphasis.STRONG))
        for key, value in sorted((event.attributes or {}).items()):
            yield line("  ", said(key, Emphasis.KEY), "  ", said(str(value), Emphasis.STRING))
