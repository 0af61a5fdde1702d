"""What holds for every test."""

from __future__ import annotations

MOST_BYTES = 24
MOST_CHARACTERS = 120
"""Of a parameter that may name its test."""


def pytest_make_parametrize_id(config: object, val: object, argname: str) -> str | None:
    """Long values name no test: nobody can read them, and protobuf writes a map in another order in each process."""
    if isinstance(val, bytes) and len(val) > MOST_BYTES:
        return f"{argname} of {len(val)} bytes"
    if isinstance(val, str) and len(val) > MOST_CHARACTERS:
        return f"{argname} of {len(val)} characters"
    return None
