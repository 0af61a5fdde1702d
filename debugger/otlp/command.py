"""`hookscope listen`, headless: traces as they come in, one a line, and into a file if wished. Gives the exit code."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Final

import msgspec

from debugger.otlp.arrivals import Arrival, Arrivals
from debugger.otlp.intake import Intake, Limits, Tally
from debugger.otlp.receivers import Endpoint, Receivers, Wish
from debugger.otlp.sink import Batch, Refused, Sink
from debugger.otlp.span_file import SpansKept
from debugger.otlp.span_writer import SpanCaps, SpanWriter
from debugger.otlp.wishes import LOOPBACK, Request
from debugger.printing import say
from debugger.views.states import duration
from debugger.views.text import visible
from kernel.errors import BadInput

LOOK_S: Final = 0.1
"""How often is looked for what is to be told."""


class _Nowhere:
    """A sink that keeps nothing."""

    def take(self, batch: Batch) -> bool:
        return True

    def refuse(self, refused: Refused) -> None:
        pass


def listen(request: Request, *, stop: threading.Event | None = None) -> int:
    """Listen until `stop`, or until SIGINT or SIGTERM; 0, or 1 where not everything could be stored.

    Raises BadInput where there is nothing to listen on, or nothing to store in.
    """
    if request.grpc_port is None and request.http_port is None:
        raise BadInput("neither gRPC nor HTTP is left to listen on")
    with ExitStack() as stack:
        stop = stack.enter_context(_stopping()) if stop is None else stop
        writer = None
        if request.out is not None:
            caps = SpanCaps(spans=request.most_spans)
            writer = stack.enter_context(SpanWriter(request.out, caps=caps, on_trouble=_narrate))
        sink: Sink = _Nowhere() if writer is None else writer
        arrivals = Arrivals(sink, time.monotonic_ns)
        intake = Intake(arrivals, Limits(request.most_bytes))
        wish = Wish(request.host, request.grpc_port, request.http_port)
        with Receivers(intake, wish) as receivers:
            _invite(receivers.start(), request)
            while not stop.wait(LOOK_S):
                _tell(arrivals, is_json=request.is_json)
        _tell(arrivals, is_json=request.is_json, is_end=True)
        if writer is not None:
            writer.settle()
            writer.close()
        sum_up(intake.tally, None if writer is None else writer.kept)
        return 0 if writer is None or not writer.kept.trouble else 1


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """An event that the usual signals set, instead of what they did before."""
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _invite(endpoints: tuple[Endpoint, ...], request: Request) -> None:
    """Where spans can be sent to, with the line to paste."""
    wished = {"grpc": request.grpc_port, "http/protobuf": request.http_port}
    for endpoint in endpoints:
        taken = "" if endpoint.is_as_wished else f"port {wished[endpoint.protocol]} is taken; "
        _narrate(f"{taken}listening for {endpoint.protocol} on {endpoint.host}:{endpoint.port}; in the sender's shell:")
        print(f"export {endpoint.environment}", file=sys.stderr, flush=True)
    if request.host not in (LOOPBACK, "localhost", "::1"):
        _narrate(f"whoever reaches {request.host} can send spans here: there is no password in OTLP")


def _tell(arrivals: Arrivals, *, is_json: bool, is_end: bool = False) -> None:
    for refused in arrivals.refusals():
        say(_as_json(refused=_refusal(refused)) if is_json else visible(_refusal_line(refused)) + "\n")
    for arrival in arrivals.settled(all_of_them=is_end):
        say(_as_json(trace=_trace(arrival)) if is_json else visible(line(arrival)) + "\n")


def line(arrival: Arrival) -> str:
    """A trace as one line."""
    errors = f", {_many(arrival.errors, 'error')}" if arrival.errors else ""
    hooks = f", {_many(arrival.dispatches, 'dispatch', 'es')}" if arrival.dispatches else ""
    odd = "" if arrival.has_root else " (its root has not come)"
    late = " (more of it has come)" if arrival.is_late else ""
    name = f"{arrival.service}: {arrival.root}" if arrival.service else arrival.root
    took = duration(arrival.took_ns)
    return f"{arrival.trace_id.hex()}  {took:>9}  {_many(arrival.spans, 'span')}{errors}{hooks}  {name}{odd}{late}"


def _refusal_line(refused: Refused) -> str:
    return f"! {refused.source}, {refused.size} bytes: {refused.why}"


def _trace(arrival: Arrival) -> dict[str, str | int | bool]:
    return {
        "id": arrival.trace_id.hex(),
        "root": arrival.root,
        "service": arrival.service,
        "spans": arrival.spans,
        "errors": arrival.errors,
        "dispatches": arrival.dispatches,
        "start_ns": arrival.start_ns,
        "took_ns": arrival.took_ns,
        "has_root": arrival.has_root,
        "is_late": arrival.is_late,
    }


def _refusal(refused: Refused) -> dict[str, str | int]:
    return {
        "source": refused.source,
        "bytes": refused.size,
        "why": refused.why,
        "head": refused.head.hex(),
        "wall_ns": refused.wall_ns,
    }


def _as_json(**fields: object) -> str:
    return msgspec.json.encode(fields).decode() + "\n"


def sum_up(tally: Tally, kept: SpansKept | None) -> None:
    """Everything that was counted, what was lost included."""
    said = f"received {_many(tally.spans, 'span')} in {_many(tally.requests, 'request')}, {tally.bytes} bytes"
    if tally.refused or tally.rejected:
        said += f"; could not use {_many(tally.refused, 'request')} and {_many(tally.rejected, 'single span')}"
    if tally.busy:
        said += f"; told senders {_many(tally.busy, 'time')} to come again"
    _narrate(said)
    if kept is not None:
        dropped = f"; dropped {_many(kept.dropped_traces, 'trace')} ({_many(kept.dropped_spans, 'span')}) over the cap"
        lost = f"; lost {_many(kept.lost, 'span')}" if kept.lost else ""
        what = f"{_many(kept.spans, 'span')} of {_many(kept.traces, 'trace')}"
        _narrate(f"{kept.path} has {what}{dropped if kept.dropped_traces else ''}{lost}")


def _many(count: int, noun: str, ending: str = "s") -> str:
    return f"{count} {noun}{'' if count == 1 else ending}"


def _narrate(sentence: str) -> None:
    print(visible(f"hookscope: {sentence}"), file=sys.stderr, flush=True)
