"""The watchers that the screen attaches to every dispatch: spans of the SDK, and events kept for the screen."""

from __future__ import annotations

from collections import deque
from typing import Final

from debugger.spans import SpanBook
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Event
from kernel.probe import Probes
from kernel.values import Producer

PRODUCER: Final = Producer("bench", "1.0.0", "bench/bench", "provider", 1)
"""Of every subscriber here, so that its span has the attributes of a real one."""


class Recorder:
    """Keeps events the way `debugger.session.Session` does, for somebody who drains them now and then."""

    def __init__(self) -> None:
        self.events: deque[Event] = deque()
        self.is_news_due = False

    def see(self, event: Event) -> None:
        self.events.append(event)
        self._on_news()

    def _on_news(self) -> None:
        self.is_news_due = True


def watchers(recorder: Recorder) -> Probes:
    """Telemetry into a book of spans, and the recorder."""
    return Probes(recorder, SpanBook({PLUGGABLE.name: PLUGGABLE}, most=500))
