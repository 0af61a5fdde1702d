"""The dispatch loop over subscribers in our own process, beside the same coroutines awaited by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bench.measure import Absolute, Row, Times, computed, interleaved, row
from bench.payloads import POINT, answers, tool_call
from bench.recorder import PRODUCER, Recorder, watchers
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dispatch import dispatch
from kernel.transports.in_process import InProcessSubscriber
from kernel.values import Chain, Subscription

Callee: TypeAlias = Callable[[bytes], Awaitable[bytes]]

OBSERVERS: Final = ("observe",) * 10
MIXED: Final = ("observe",) * 4 + ("transform",) * 3 + ("veto",) * 3
ROUNDS: Final = 60
DISPATCHES: Final = 20
"""In a row, for one figure."""


@dataclass(frozen=True, slots=True)
class Case:
    """A chain, and what its subscribers are like."""

    name: str
    modes: Sequence[str]
    gives_way: bool
    """Whether a subscriber lets the loop have a turn before it answers, as everything does that does any I/O."""


CASES: Final = (
    Case("10 observers", OBSERVERS, True),
    Case("4 observe, 3 transform, 3 veto", MIXED, True),
    Case("10 observers that never wait", OBSERVERS, False),
    Case("4, 3, 3 that never wait", MIXED, False),
)


def rows() -> list[Row]:
    """Unwatched over bare coroutines, and what watching adds for each subscriber."""
    with asyncio.Runner() as runner:
        unwatched, watched = zip(*(_measured(runner, case) for case in CASES), strict=True)
    return [*unwatched, *watched]


def _measured(runner: asyncio.Runner, case: Case) -> tuple[Row, Row]:
    payload = tool_call()
    answer_of = answers(payload)
    answering = _giving_way if case.gives_way else _at_once
    callees = [answering(answer_of[mode]) for mode in case.modes]
    seats = [Subscription(f"s{place}", POINT, mode, 1000, PRODUCER) for place, mode in enumerate(case.modes)]
    chain = Chain(POINT, tuple(seats))
    subscribers = {seat.name: InProcessSubscriber(callee) for seat, callee in zip(seats, callees, strict=True)}
    recorder = Recorder()
    probes = watchers(recorder)
    span = _span_maker()

    async def bare() -> None:
        for callee in callees:
            async with asyncio.timeout(1):
                await callee(payload.body)

    async def alone() -> None:
        await dispatch(PLUGGABLE, chain, payload, subscribers)

    async def watched() -> None:
        await dispatch(PLUGGABLE, chain, payload, subscribers, probes=probes)
        recorder.events.clear()

    floors, figures, with_probes, spans = interleaved(
        ROUNDS,
        lambda: runner.run(computed(bare, DISPATCHES)),
        lambda: runner.run(computed(alone, DISPATCHES)),
        lambda: runner.run(computed(watched, DISPATCHES)),
        lambda: runner.run(computed(span, DISPATCHES)),
    )
    added = [(more - less) / len(seats) for more, less in zip(with_probes, figures, strict=True)]
    return (
        row(f"dispatch, {case.name}", "us", figures, floors, Times(2.5)),
        row(f"watching adds, {case.name}", "us", added, spans, Absolute(100)),
    )


def _at_once(answer: bytes) -> Callee:
    async def callee(request: bytes) -> bytes:
        return answer

    return callee


def _giving_way(answer: bytes) -> Callee:
    async def callee(request: bytes) -> bytes:
        await asyncio.sleep(0)
        return answer

    return callee


def _span_maker() -> Callable[[], Awaitable[None]]:
    """The floor of watching: one span of the SDK with five attributes, kept in memory."""
    exporter = InMemorySpanExporter()
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = tracers.get_tracer("bench")
    attributes = {f"attribute.{number}": str(number) for number in range(5)}

    async def span() -> None:
        tracer.start_span("span", attributes=attributes).end()
        exporter.clear()

    return span
