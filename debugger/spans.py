"""The spans of a debug session: real ones of the OpenTelemetry SDK, found again by dispatch and step."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Mapping

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from kernel.dialect import Dialect
from kernel.facts import Asked, Ended, Event, Left, Resolved
from kernel.telemetry import Telemetry


class SpanBook(SpanProcessor):
    """A probe that runs the telemetry and keeps each finished span under the step that it belongs to.

    Keeps the spans of at most `most` dispatches, the newest. Events carry their times, so the spans are made two turns
    of the loop after what they tell of: while the next subscriber is at work, and not before its request is sent.
    """

    def __init__(self, dialects: Mapping[str, Dialect], most: int = 5000) -> None:
        tracers = TracerProvider(ALWAYS_ON, shutdown_on_exit=False)  # whatever the environment says about exports
        tracers.add_span_processor(self)
        self._telemetry = Telemetry(dialects, tracers)
        self._just_ended: list[ReadableSpan] = []
        self._spans: dict[str, dict[int | None, ReadableSpan]] = {}
        self._most = most
        self._unread: deque[Event] = deque()
        self._is_reading_due = False
        self._reading = threading.Lock()

    def see(self, event: Event) -> None:
        self._unread.append(event)
        if not self._is_reading_due:
            self._is_reading_due = True
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._read)

    def _read(self) -> None:
        self._is_reading_due = False
        with self._reading:  # by the kernel's thread, or by the one that wants to know already
            while self._unread:
                self._take(self._unread.popleft())

    def _take(self, event: Event) -> None:
        self._telemetry.see(event)
        if not self._just_ended:
            return
        step = event.fact.step if isinstance(event.fact, Resolved | Asked) else None  # asked again: the one before
        assert step is not None or isinstance(event.fact, Ended | Left), "only these four facts end spans"
        self._spans.setdefault(event.dispatch, {})[step] = self._just_ended.pop()
        if len(self._spans) > self._most:
            del self._spans[next(iter(self._spans))]

    def span(self, dispatch: str, step: int | None) -> ReadableSpan | None:
        """The finished span of a step; for None that of the dispatch or stretch. May be called from any thread."""
        self._read()
        return self._spans.get(dispatch, {}).get(step)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        pass

    def on_end(self, span: ReadableSpan) -> None:
        self._just_ended.append(span)
