"""The format of session descriptions as JSON Schema, for editors: made from the classes that read them."""

from __future__ import annotations

import ast
import inspect
from typing import Any, Final

import msgspec

from kernel.dialects.pluggable import described

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema of a description. Like `described.load` it knows no key beyond those of the classes."""
    made = msgspec.json.schema(described.Described)
    told = _told()
    definitions: dict[str, Any] = made["$defs"]
    for name, definition in definitions.items():
        if "properties" not in definition:
            continue
        definition["additionalProperties"] = False
        for member, value in definition["properties"].items():
            if (name, member) in told:
                value["description"] = told[name, member]
    definitions["Described"]["properties"]["$schema"] = {"type": "string", "description": "Where this schema is."}
    return {
        "$schema": DRAFT,
        "title": "hookscope session description",
        "$ref": made["$ref"],
        "$defs": definitions,
    }


def _told() -> dict[tuple[str, str], str]:
    """What the classes say about their members, by class and member: the text below each."""
    found: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(described)).body:
        if isinstance(node, ast.ClassDef):
            for member, text in zip(node.body, node.body[1:], strict=False):
                match member, text:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(said))),
                    ):
                        found[node.name, name] = inspect.cleandoc(said)
    return found
