"""Which calls wait for which others."""

from __future__ import annotations

import pytest

from kernel.dialects.pluggable.session.concurrency import waits
from kernel.dialects.pluggable.session.described import Call, Tool
from kernel.dialects.pluggable.session.policy import ToolKind

TOOLS = {
    "r": Tool("fs.read", ToolKind.DATA_SOURCE),
    "w": Tool("fs.write", ToolKind.RESOURCE),
    "k": Tool("fs.patch", ToolKind.RESOURCE, safe=True, key_fields=("path",)),
    "s": Tool("shell.run", ToolKind.RESOURCE),
}


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("", ()),
        ("r r r", ((), (), ())),
        ("w w", ((), (0,))),
        ("w s", ((), ())),
        ("r w r", ((), (0,), (1,))),
        ("k:a k:b k:a", ((), (), (0,))),
        ("k:a r w:a", ((), (), (0, 1))),
        ("k k", ((), (0,))),
        ("k:1 k:1.0 k:True", ((), (0,), ())),
    ],
)
def test_calls_of_a_provider_share_it_only_where_that_is_safe(
    calls: str, expected: tuple[tuple[int, ...], ...]
) -> None:
    """Unsafe calls have their provider to themselves; safe ones differ in their keys; providers are independent."""
    pairs = []
    for each in calls.split():
        tool, _, path = each.partition(":")
        value = {"1": 1, "1.0": 1.0, "True": True}.get(path, path)  # numbers are doubles on the wire, true is none
        pairs.append((TOOLS[tool], Call(TOOLS[tool].name, {"path": value} if path else {})))
    assert waits(pairs) == expected
