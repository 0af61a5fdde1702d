"""One dispatch without the application: what the screen shows, printed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from debugger import payloads
from debugger.answering import resolver
from debugger.covering import Covering, CoveringResolver, covered_events_of
from debugger.exported import exported
from debugger.fact_json import to_json
from debugger.own_terminal import clean_output
from debugger.printing import OutputLost, print_lines, say
from debugger.recorded import recorded
from debugger.session import SessionView
from debugger.session.alone import only
from debugger.starting import started
from debugger.trace import DispatchTrace, Trace
from debugger.views import diffs, inspect
from debugger.views.diffs import DiffStyle
from debugger.views.json_lines import plural
from debugger.views.states import LOOKS, duration, duty_of, state_of, verdict_of
from debugger.views.text import Line, visible
from kernel.asking import Answer, Question, Resolver
from kernel.clock import Caller
from kernel.dialect import Dialect
from kernel.dialects import load_setup
from kernel.dispatch import dispatch
from kernel.facts import Event
from kernel.host import Host
from kernel.probe import Probe, Probes
from kernel.setup import Setup
from kernel.values import JSON, Chain, Ending, Payload, Status


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    config: Path
    point: str
    payload: str | None
    """A file, `-` for standard input, None for the prepared payload."""
    is_json: bool
    switches: tuple[str, ...]
    options: Mapping[str, JSON] = field(default_factory=dict)
    """How the configuration is read, in the dialect's words."""
    answer: str | None = None
    """What is answered to what the result leaves open; None to ask at the terminal, if there is one."""
    output: Path | None = None
    """Where the run is recorded; None for nowhere."""
    is_redacted: bool = False
    """Whether the recording keeps no secret that is recognised."""
    otlp: str | None = None
    """The URL of a collector that is sent the spans; None for none."""
    limits: tuple[str, ...] = ()
    """How much the recording keeps, as `--keep` has it; empty for everything."""
    only: tuple[str, ...] = ()
    """Who alone is started and asked; empty for the whole chain."""


def fire(request: Request) -> int:
    """Run the request; gives the exit code. Raises BadInput."""
    setup = load_setup(request.config, request.options)
    for name in request.switches:
        setup = replace(setup, dialect=setup.dialect.switched(name, True))
    if request.point not in setup.dialect.points:
        raise setup.dialect.staging.no_point(request.point)
    if request.only:
        chain = only(setup.chains.get(request.point) or Chain(request.point), request.only, setup.dialect.own)
        setup = replace(setup, chains={**setup.chains, request.point: chain})
    deciding = _Deciding(resolver(request.answer, is_input_taken=request.payload == "-"))
    payload = _payload(setup, request)
    with (
        exported(setup, request.otlp) as exporters,
        recorded(setup, request.output, is_redacted=request.is_redacted, limits=request.limits) as recorders,
    ):
        probes = (*recorders, *exporters)
        with clean_output(setup.chains.values()):
            trace = asyncio.run(_dispatched(setup, request.point, payload, request.is_json, deciding, probes))
    if not request.is_json:
        print_lines(report(trace, setup.dialect))
    assert trace.result is not None
    is_passed = trace.result.ending is Ending.FINISHED and trace.result.status in (Status.OK, Status.CHANGED)
    return 0 if is_passed and deciding.is_allowed else 1


def _payload(setup: Setup, request: Request) -> Payload:
    if request.payload is None:
        return payloads.default(setup, request.point)
    if request.payload == "-":
        return payloads.parse(setup.dialect, request.point, sys.stdin.buffer.read(), "standard input")
    return payloads.read(setup.dialect, request.point, Path(request.payload))


class _Printer:
    """Prints facts as they happen."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.lost: OutputLost | None = None

    def see(self, event: Event) -> None:
        if self.lost is None:
            try:
                say(msgspec.json.encode(to_json(event, self._dialect)).decode() + "\n")
            except OutputLost as error:  # a probe must not fail; the command does, in the end
                self.lost = error


class _Deciding:
    """Has decided what the result leaves open, and keeps what was said."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.is_allowed = True

    async def resolve(self, question: Question) -> Answer:
        self.is_allowed = False  # unless somebody says so; whoever gives up meanwhile does not
        answer = await self._resolver.resolve(question)
        self.is_allowed = answer.allows
        return answer


class _Keeper:
    """Keeps the trace of the one dispatch."""

    def __init__(self) -> None:
        self.trace = Trace()

    def see(self, event: Event) -> None:
        self.trace.take(event)


async def _dispatched(
    setup: Setup, point: str, payload: Payload, is_json: bool, resolver: Resolver, recorders: Iterable[Probe]
) -> DispatchTrace:
    keeper, caller = _Keeper(), Caller()
    printer = _Printer(setup.dialect)
    covered = covered_events_of(setup)
    shown = covered.in_front_of(Probes(keeper, *([printer] if is_json else [])))
    probes, tell = Probes(shown, *recorders), _Teller(covered.covering)
    chain = setup.chains.get(point) or Chain(point)
    host = Host(
        [chain],
        lambda name, stream, line: tell(f"{name} on {stream}: {line}"),
        unseats_failures=setup.dialect.staging.unseats_failures,
    )
    for problem in setup.refused:
        tell(f"hookscope: not loaded: {problem.as_error()}")
    async with started(host, caller):
        for failure, sentence in zip(host.failures, host.told_failures, strict=True):
            tell(f"hookscope: {sentence}")
            for printed in failure.printed.splitlines():
                tell(f"  {printed}")
        await dispatch(
            setup.dialect,
            host.seated(chain),
            payload,
            host.subscribers,
            probes=probes,
            caller=caller,
            resolver=CoveringResolver(covered, resolver),
        )
    if printer.lost is not None:
        raise printer.lost
    [trace] = keeper.trace.dispatches
    return trace


class _Teller:
    """Narrates; what subscribers printed is shown literally here too, but for secrets of the configuration."""

    def __init__(self, covering: Covering) -> None:
        self._covering = covering

    def __call__(self, text: str) -> None:
        print(visible(self._covering.text(text)), file=sys.stderr)


def report(trace: DispatchTrace, dialect: Dialect) -> Sequence[Line]:
    """Everything about one dispatch, as the inspector would tell it."""
    return tuple(_report(trace, dialect))


def _report(trace: DispatchTrace, dialect: Dialect) -> Iterable[Line]:
    yield inspect.line(f"{trace.point}  {plural(len(trace.steps), 'subscriber')}")
    yield inspect.line()
    for step in trace.steps:
        state = state_of(step, SessionView().hold_of(trace.id, step.step))
        seat = step.subscription
        took, duty = duration(step.took_ns), duty_of(trace, step)
        yield inspect.line(
            f"  {LOOKS[state].glyph} ", inspect.said(f"{seat.name:<20} {duty:<10} {state:<12} {took:>9}")
        )
        for printed in step.printed:
            yield inspect.line(inspect.said(f"      {printed.stream} │ {printed.text}"))
    for step in trace.steps:
        if found := diffs.comparisons(trace, step.step, dialect, None):
            yield inspect.line()
            yield from diffs.lines(found, DiffStyle.UNIFIED, "")
    verdict = verdict_of(trace, is_held=False)
    yield inspect.line()
    yield inspect.line(f"{verdict.glyph} {verdict.word}")
    for step in trace.steps:
        if step.raised or step is _decider(trace):
            yield inspect.line()
            yield from inspect.why(trace, step.step, dialect, None)
    yield inspect.line()
    yield from inspect.outcome_of(trace, dialect)


def _decider(trace: DispatchTrace) -> object:
    """The step that ended the chain, if one did. Who is asked twice decided where the result's rule was told."""
    result = trace.result
    if result is None or not result.decided_by:
        return None
    theirs = [step for step in trace.steps if step.subscription.name == result.decided_by]
    ruling = [step for step in theirs if step.verdict is not None and step.verdict.rule == result.rule]
    return next(iter([*ruling, *theirs]), None)
