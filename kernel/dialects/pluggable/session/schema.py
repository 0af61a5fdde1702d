"""The format of session descriptions as JSON Schema, for editors: made from the classes that read them."""

from __future__ import annotations

from typing import Any

from kernel import describing
from kernel.describing import schema_of
from kernel.dialects.pluggable.session import described


def schema() -> dict[str, Any]:
    """The schema of a description. Like `loading.load` it knows no key beyond those of the classes."""
    made = schema_of(described.Described, (described, describing), "hookscope session description")
    category: dict[str, Any] = made["$defs"]["Category"]
    category["enum"] = sorted(word for each in described.Category for word in each.spellings)
    return made
