"""Signs of life of a live desk, for the watch that draws while the screen cannot (`debugger/lockwatch`)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from debugger import own_terminal

if TYPE_CHECKING:
    from debugger.lockwatch.heart import Heart

log = logging.getLogger(__name__)

BEAT_S: Final = 0.5
"""How often there is a sign of life."""


class Pulse:
    """Beats only on a terminal that is ours."""

    def __init__(self, recording: Path | None) -> None:
        self._is_held = False
        self._heart: Heart | None = None
        terminal = own_terminal.terminal()
        if terminal is None:
            return
        from debugger.lockwatch.heart import Heart

        try:
            self._heart = Heart(terminal, "" if recording is None else str(recording))
        except OSError as error:
            log.warning("nobody watches Python's lock: %s", error)

    def beat(self) -> tuple[str, ...]:
        """A sign of life; gives, in sentences, what the watch drew since the last one, over what was on the screen."""
        return () if self._heart is None or self._is_held else self._heart.beat()

    @contextmanager
    def held(self) -> Iterator[None]:
        """While the terminal is somebody else's."""
        self._is_held = True
        if self._heart is not None:
            self._heart.pause()
        try:
            yield
        finally:
            self._is_held = False

    def stop(self) -> None:
        """End the watch. Idempotent."""
        self._is_held = True
        if self._heart is not None:
            self._heart.stop()
