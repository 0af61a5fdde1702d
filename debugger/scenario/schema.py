"""The format as JSON Schema, for editors that complete and check while one writes."""

from __future__ import annotations

from typing import Any

import msgspec

from debugger.scenario.model import Scenario

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema of a document in a scenario file: a scenario, or a list of them."""
    made = msgspec.json.schema(Scenario)
    one = {"$ref": made["$ref"]}
    return {
        "$schema": DIALECT,
        "title": "hookscope scenario file",
        "anyOf": [one, {"type": "array", "items": one}],
        "$defs": made["$defs"],
    }
