"""The format of session descriptions as JSON Schema, for editors: made from the classes that read them."""

from __future__ import annotations

from typing import Any

from kernel import describing
from kernel.dialects.rig.session import choices, described, errors, texts


def schema() -> dict[str, Any]:
    """The schema of a description."""
    title = "hookscope session description (rig)"
    return describing.schema_of(described.Described, (describing, described, choices, errors, texts), title)
