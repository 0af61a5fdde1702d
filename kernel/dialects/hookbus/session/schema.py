"""The format of session descriptions as JSON Schema, for editors: made from the classes that read them."""

from __future__ import annotations

from typing import Any

from kernel import describing
from kernel.dialects.hookbus.session import described


def schema() -> dict[str, Any]:
    """The schema of a description."""
    title = "hookscope session description (hookbus)"
    return describing.schema_of(described.Described, (describing, described), title)
