"""A probe in front of another one, mostly of a recording: what it passes on has no secrets in it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from debugger.redaction.events import EventRedactor
from debugger.redaction.redactor import Redactor
from debugger.redaction.rules import Rules
from kernel.facts import Ended, Event
from kernel.probe import Probe


class RedactingProbe:
    """Redacts on a thread of its own, so that no dispatch waits for it. `close` waits until everything is passed on.

    A secret that only its surroundings tell is found from there on, not before: nothing is read twice here. What
    breaks on our side is passed on to nobody: then nothing is any more, and `on_trouble` is told why.
    """

    def __init__(
        self, inner: Probe, rules: Rules, *, on_trouble: Callable[[str], None] = lambda sentence: None
    ) -> None:
        self.lost = 0
        """Dispatches that were not passed on."""
        self._inner = inner
        self._on_trouble = on_trouble
        self._redactor = EventRedactor(Redactor(rules))
        self._waiting: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="redaction", daemon=True)
        self._thread.start()

    def see(self, event: Event) -> None:
        self._waiting.put(event)

    def close(self) -> None:
        """Pass on what is left; idempotent. Whatever is behind it is closed after it."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()

    def __enter__(self) -> RedactingProbe:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _work(self) -> None:
        is_broken = False
        while (event := self._waiting.get()) is not None:
            if is_broken:
                self.lost += isinstance(event.fact, Ended)
                continue
            try:
                redacted = self._redactor.event(event)
            except Exception as error:  # noqa: BLE001  # a bug of ours must not let a secret through, nor end the session
                is_broken, self.lost = True, self.lost + isinstance(event.fact, Ended)
                self._on_trouble(f"nothing is recorded any more: redacting it failed: {error!r}")
                continue
            self._inner.see(redacted)
