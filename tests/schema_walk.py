"""Whether a document fits a schema of ours: a validator for the part of JSON Schema that they are written in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

KNOWN = frozenset({"$ref", "$defs", "$schema", "title", "description", "default", "anyOf", "enum", "type"}) | {
    "properties",
    "required",
    "additionalProperties",
    "items",
}
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def misfits(view: Any, rule: dict[str, Any], whole: dict[str, Any], path: str = "$") -> Iterator[str]:
    """What does not fit; `whole` is the schema that `rule` is a part of."""
    assert rule.keys() <= KNOWN, f"this validator does not know {rule.keys() - KNOWN}"
    if "$ref" in rule:
        yield from misfits(view, whole["$defs"][rule["$ref"].removeprefix("#/$defs/")], whole, path)
    ways = [list(misfits(view, each, whole, path)) for each in rule.get("anyOf", ())]
    if ways and all(ways):
        yield from min(ways, key=len)
    if "enum" in rule and view not in rule["enum"]:
        yield f"{path}: not one of {rule['enum']}"
    kinds = TYPES.get(rule.get("type", ""), (object,))
    if not isinstance(view, kinds) or (isinstance(view, bool) and kinds not in ((bool,), (object,))):
        yield f"{path}: not {rule['type']}"
    elif isinstance(view, dict):
        members = rule.get("properties", {})
        yield from (f"{path}: no {key}" for key in rule.get("required", ()) if key not in view)
        for key, value in view.items():
            if key in members:
                yield from misfits(value, members[key], whole, f"{path}.{key}")
            elif rule.get("additionalProperties") is False:
                yield f"{path}: {key} is unknown"
    elif isinstance(view, list) and "items" in rule:
        for index, item in enumerate(view):
            yield from misfits(item, rule["items"], whole, f"{path}[{index}]")
