"""The dispatch loop over subscribers in our own process, beside the same coroutines awaited by hand."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeAlias

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bench.measure import Absolute, Row, Times, interleaved, row, timed
from bench.payloads import POINT, answers, tool_call
from bench.recorder import Recorder, watchers
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dispatch import dispatch
from kernel.transports.in_process import InProcessSubscriber
from kernel.values import Chain, Producer, Subscription

Callee: TypeAlias = Callable[[bytes], Awaitable[bytes]]

CHAINS: Final[Mapping[str, Sequence[str]]] = {
    "10 observers": ("observe",) * 10,
    "4 observers, 3 transforms, 3 vetoes": ("observe",) * 4 + ("transform",) * 3 + ("veto",) * 3,
}
SUBSCRIBERS: Final = 10
ROUNDS: Final = 60
DISPATCHES: Final = 20
"""In a row, for one figure."""
PRODUCER: Final = Producer("bench", "1.0.0", "bench/bench", "provider", 1)


def rows() -> list[Row]:
    """Unwatched over bare coroutines, and what watching adds."""
    with asyncio.Runner() as runner:
        unwatched, watched = zip(*(_measured(runner, name, modes) for name, modes in CHAINS.items()), strict=True)
    return [*unwatched, *watched]


def _measured(runner: asyncio.Runner, name: str, modes: Sequence[str]) -> tuple[Row, Row]:
    payload = tool_call()
    answer_of = answers(payload)
    callees = [_answering(answer_of[mode]) for mode in modes]
    seats = [Subscription(f"s{place}", POINT, mode, 1000, PRODUCER) for place, mode in enumerate(modes)]
    chain = Chain(POINT, tuple(seats))
    subscribers = {seat.name: InProcessSubscriber(callee) for seat, callee in zip(seats, callees, strict=True)}
    recorder = Recorder()
    probes = watchers(recorder)

    async def bare() -> None:
        for callee in callees:
            async with asyncio.timeout(1):
                await callee(payload.body)

    async def alone() -> None:
        await dispatch(PLUGGABLE, chain, payload, subscribers)

    async def watched() -> None:
        await dispatch(PLUGGABLE, chain, payload, subscribers, probes=probes)

    def drained() -> float:
        recorder.events.clear()
        return runner.run(timed(watched, DISPATCHES))

    floors, figures, with_probes, spans = interleaved(
        ROUNDS,
        lambda: runner.run(timed(bare, DISPATCHES)),
        lambda: runner.run(timed(alone, DISPATCHES)),
        drained,
        lambda: runner.run(timed(_span_maker(), DISPATCHES)),
    )
    added = [(more - less) / SUBSCRIBERS for more, less in zip(with_probes, figures, strict=True)]
    return (
        row(f"dispatch, {name}", "us", figures, floors, Times(2.5)),
        row(f"watching adds, {name}", "us", added, spans, Absolute(100)),
    )


def _answering(answer: bytes) -> Callee:
    async def callee(request: bytes) -> bytes:
        return answer

    return callee


def _span_maker() -> Callable[[], Awaitable[None]]:
    """The floor of watching: one span of the SDK with five attributes, kept in memory."""
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
    tracer = tracers.get_tracer("bench")
    attributes = {f"attribute.{number}": str(number) for number in range(5)}
    numbers = itertools.count()

    async def span() -> None:
        tracer.start_span(f"span {next(numbers)}", attributes=attributes).end()

    return span
