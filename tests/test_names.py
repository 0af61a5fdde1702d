"""Test modules are imported by their bare names: no two may share one, or only one of them would ever be run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path


def test_no_two_test_modules_share_a_name() -> None:
    """Helpers included."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("*.py") if "plugins" not in path.parts)
    assert [name for name, count in names.items() if count > 1] == []
