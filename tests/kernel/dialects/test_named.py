"""Claims about the registry of dialects."""

from __future__ import annotations

import pytest

from kernel.dialects import REGISTRY, named
from kernel.errors import BadInput


@pytest.mark.parametrize("registered", REGISTRY, ids=lambda registered: registered.name)
def test_every_dialect_is_found_by_its_name(registered) -> None:  # type: ignore[no-untyped-def]
    """And answers to it."""
    assert named(registered.name).name == registered.name


def test_an_unknown_dialect_names_those_that_there_are() -> None:
    """It is somebody's typing mistake."""
    with pytest.raises(BadInput, match="no dialect 'plugable'; there are pluggable"):
        named("plugable")
