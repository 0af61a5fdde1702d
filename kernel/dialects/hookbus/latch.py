"""The confirm latch: extensions whose confirms somebody allowed for the rest of a conversation (spec 2.7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Key: TypeAlias = tuple[str, int]
"""Extension id and load generation: a reloaded extension is asked about again."""


class ConfirmLatch:
    """What was allowed in one conversation. Only ever about confirms."""

    def __init__(self) -> None:
        self._allowed: set[Key] = set()
        self._is_revoked = False

    def allows_all(self, keys: Iterable[Key]) -> bool:
        """Whether there are keys and every one of them was allowed."""
        keys = tuple(keys)
        return bool(keys) and self._allowed.issuperset(keys)

    def allow(self, keys: Iterable[Key]) -> bool:
        """Allow all of them; False, and nothing is changed, where there are none or nothing is allowed any more."""
        keys = tuple(keys)
        if self._is_revoked or not keys:
            return False
        self._allowed.update(keys)
        return True

    def clear(self) -> tuple[str, ...]:
        """Forget everything; returns the ids that were allowed, sorted, each once."""
        ids = tuple(sorted({extension for extension, _ in self._allowed}))
        self._allowed.clear()
        return ids

    def revoke(self) -> None:
        """Forget everything for good: the conversation is another one."""
        self._allowed.clear()
        self._is_revoked = True
