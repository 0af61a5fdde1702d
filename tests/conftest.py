"""What holds for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

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


@pytest.fixture(scope="session", autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes what the user's own runs remember."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
