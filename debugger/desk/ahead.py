"""Keys that come between the key that opens a dialog and the dialog: they are meant for it, not for the desk."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Coroutine

from textual.events import Key


class TypedAhead:
    """Keeps keys while something opens. `on_ready` is called once they can go where they belong."""

    def __init__(self) -> None:
        self.on_ready: Callable[[], object] = lambda: None
        self._keys: deque[Key] = deque()
        self._openings: set[object] = set()

    def until(self, opening: Awaitable[None]) -> Coroutine[None, None, None]:
        """What waits for a deed that opens a dialog; from now on keys are kept until it stands, or the deed is over."""
        token = object()
        self._openings.add(token)
        return self._until(token, opening)

    async def _until(self, token: object, opening: Awaitable[None]) -> None:
        try:
            await opening
        finally:
            self._openings.discard(token)
            self.on_ready()

    def let_go(self) -> None:
        """What was opened stands."""
        self._openings.clear()
        self.on_ready()

    def keeps(self, key: Key) -> bool:
        """Whether a key has to wait; it is kept then, behind those that wait already."""
        is_kept = bool(self._openings or self._keys)
        if is_kept:
            self._keys.append(key)
        return is_kept

    def next_key(self) -> Key | None:
        """The next key that can go; None where there is none, or where one of them opened something again."""
        return self._keys.popleft() if self._keys and not self._openings else None
