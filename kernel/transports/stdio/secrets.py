"""Keeps what an extension was told in confidence out of what it, or its transport, tells everybody. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kernel.reach import Secret, StdioExtension

SHORTEST: Final = 4
"""Characters. A shorter secret is part of too many words: hiding it would give it away and spoil the rest."""


def hiding(reach: StdioExtension) -> Callable[[str], str]:
    """From a text to the same text without the secrets of this extension."""
    given = [value for _, value in reach.config if isinstance(value, Secret) and len(value.reveal()) >= SHORTEST]
    secrets = sorted(given, key=lambda secret: -len(secret.reveal()))  # one may be part of another

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret.reveal(), repr(secret))
        return text

    return hide
