"""What every dialog in front of the desk has in common: it ends once, however many keys wait for it."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """Gives its first result. Ending it twice would take away the screen behind it."""

    _is_over = False

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        if self._is_over:
            return AwaitComplete()
        self._is_over = True
        return super().dismiss(result)
