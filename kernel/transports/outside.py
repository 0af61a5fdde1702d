"""Time while a call is out of our hands, for far sides that are partly ours."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import TracebackType

from kernel.clock import Clock


class Outside:
    """Whether one call is out of our hands: yes on the wire and in the plugin, no while the relay merely waits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._is_under_way = False
        self._stretch: AbstractContextManager[None] | None = None

    def __enter__(self) -> Outside:
        self._is_under_way = True
        self._leave_our_hands()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_under_way = False
        self._come_back()

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """A stretch in which only our clock counts."""
        self._come_back()
        try:
            yield
        finally:
            if self._is_under_way:  # the call may have been given up meanwhile
                self._leave_our_hands()

    def _leave_our_hands(self) -> None:
        self._stretch = self._clock.outside()
        self._stretch.__enter__()

    def _come_back(self) -> None:
        if self._stretch is not None:
            self._stretch.__exit__(None, None, None)
            self._stretch = None
