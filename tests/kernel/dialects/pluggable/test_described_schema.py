"""The published schema of session descriptions says what the classes that read them say."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from played_runs import session
from plugin_runs import ROOT

from kernel.dialects.pluggable.session.loading import load
from kernel.dialects.pluggable.session.schema import schema
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1.errors_pb2 import ToolErrorCategory
from kernel.errors import BadInput

SCHEMA = json.loads(json.dumps(schema()))  # as it is published
SAMPLES = sorted((ROOT / "sample_configs" / "coding_session").glob("*.json"))
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def wrong(view: Any, rule: dict[str, Any], path: str = "$") -> Iterator[str]:
    """What is wrong with a document, by the part of JSON Schema that our schemas are written in."""
    known = {"$ref", "$defs", "$schema", "title", "description", "default", "anyOf", "enum", "type", "properties",
             "required", "additionalProperties", "items", "minimum", "maximum"}  # fmt: skip
    assert rule.keys() <= known, f"this validator does not know {rule.keys() - known}"
    if "$ref" in rule:
        yield from wrong(view, SCHEMA["$defs"][rule["$ref"].removeprefix("#/$defs/")], path)
    alternatives = [list(wrong(view, each, path)) for each in rule.get("anyOf", ())]
    if alternatives and all(alternatives):  # those of the alternative that is of the right type, if one is
        yield from min(alternatives, key=lambda found: found[0].startswith(f"{path}: not "))
    if "enum" in rule and view not in rule["enum"]:
        yield f"{path}: not one of {rule['enum']}"
    if "type" in rule:
        kinds = TYPES[rule["type"]]
        if not isinstance(view, kinds) or (isinstance(view, bool) and bool not in kinds):
            yield f"{path}: not {rule['type']}"
            return
    if isinstance(view, (int, float)) and not rule.get("minimum", view) <= view <= rule.get("maximum", view):
        yield f"{path}: out of range"
    if isinstance(view, dict):
        members = rule.get("properties", {})
        yield from (f"{path}: {key} is missing" for key in rule.get("required", ()) if key not in view)
        for key, value in view.items():
            if key in members:
                yield from wrong(value, members[key], f"{path}.{key}")
            elif rule.get("additionalProperties") is False:
                yield f"{path}: no key {key}"
    if isinstance(view, list) and "items" in rule:
        for index, item in enumerate(view):
            yield from wrong(item, rule["items"], f"{path}[{index}]")


def test_the_published_file_is_made_from_the_classes() -> None:
    """`make docs` writes it, and this says when that was forgotten."""
    assert json.loads((ROOT / "docs" / "session.schema.json").read_text()) == SCHEMA


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_the_samples_validate(path: Path) -> None:
    """Against the schema and by the loader."""
    view = json.loads(path.read_text())
    assert list(wrong(view, SCHEMA)) == []
    load(view, path.name)


def test_there_are_samples_to_validate() -> None:
    """Otherwise the test above would prove nothing."""
    assert {path.name for path in SAMPLES} >= {"session.json", "delegated.json"}


def objects(view: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every object in a document whose keys are fixed."""
    if isinstance(view, dict):
        yield path
        for key, value in view.items():
            if key not in ("arguments", "result"):
                yield from objects(value, (*path, key))
    elif isinstance(view, list):
        for index, item in enumerate(view):
            yield from objects(item, (*path, index))


SAMPLE: Any = json.loads(SAMPLES[0].read_text())
assert SAMPLES[0].name == "delegated.json"


@pytest.mark.parametrize("path", objects(SAMPLE), ids=lambda path: ".".join(map(str, path)) or "$")
def test_an_unknown_key_is_refused_by_schema_and_loader_alike(path: tuple[str | int, ...]) -> None:
    """Wherever it stands, in sessions inside of sessions too; the loader names the place."""
    view = copy.deepcopy(SAMPLE)
    at = view
    for part in path:
        at = at[part]
    at["mesages"] = []
    place = "$" + "".join(f".{part}" if isinstance(part, str) else f"[{part}]" for part in path)
    assert f"{place}: no key mesages" in list(wrong(view, SCHEMA))
    with pytest.raises(BadInput) as refused:
        load(view, "x")
    assert str(refused.value).startswith(f"x: {place}: no key 'mesages'")


@pytest.mark.parametrize(
    "change",
    [
        {"turns": None},
        {"turns": [{"cost_usd": "much"}]},
        {"turns": [{"fails": ["tired"]}]},
        {"turns": [{"calls": [{}]}]},
        {"turns": [{"calls": [{"tool": "a.b", "session": {"turns": []}}]}]},
        {"tools": [{"name": "a.b", "kind": "recource"}]},
        {"answers": [{"answer": "maybe"}]},
        {"parent": 3},
        {"context": [{"name": "a", "compactor": "yes"}]},
        {"models": [{"id": "m"}]},
        {"turns": [{"cost_usd": -0.5}]},
        {"turns": [{"takes_ms": -1}]},
        {"turns": [{"takes_ms": 1e10}]},
        {"turns": [{"input_tokens": -1}]},
        {"turns": [{"output_tokens": -1}]},
        {"turns": [{"cache_read_tokens": -1}]},
        {"turns": [{"cache_write_tokens": 2**63}]},
        {"turns": [{"calls": [{"tool": "a.b", "takes_ms": -1}]}]},
        {"turns": [{"calls": [{"tool": "a.b", "preview": "", "preview_takes_ms": -0.1}]}]},
        {"tools": [{"name": "a.b", "kind": "resource", "timeout_ms": -1}]},
        {"models": [{"provider": "p", "id": "m", "context_window": -1}]},
        {"context": [{"name": "a", "token_budget": -1}]},
        {"context": [{"name": "a", "takes_ms": -1}]},
        {"turns": [{"calls": [{"tool": "a.b", "error": {"message": "", "category": "Timeout"}}]}]},
        {"turns": [{"calls": [{"tool": "a.b", "error": {"message": "", "category": "LATE"}}]}]},
        {"turns": [{"calls": [{"tool": "a.b", "error": {"message": "", "category": ""}}]}]},
    ],
)
def test_what_the_loader_refuses_for_its_type_the_schema_refuses_too(change: dict[str, Any]) -> None:
    """Types, alternatives, and what is missing."""
    view = {**session(), **change}
    assert list(wrong(view, SCHEMA))
    with pytest.raises(BadInput):
        load(view, "x")


def test_what_is_fine_is_fine_for_both() -> None:
    """With the key by which editors find the schema."""
    view = {"$schema": "https://example.org/session.schema.json", **session("fs.write a")}
    assert list(wrong(view, SCHEMA)) == []
    assert load(view, "x").turns[0].calls[0].tool == "fs.write"


@pytest.mark.parametrize("word", SCHEMA["$defs"]["Category"]["enum"])
def test_a_category_may_be_written_as_on_the_wire(word: str) -> None:
    """With the prefix of the enum or without, in capitals or in small letters (spec A.9)."""
    view = session({"calls": [{"tool": "fs.read", "error": {"message": "no", "category": word}}]})
    assert list(wrong(view, SCHEMA)) == []
    error = load(view, "x").turns[0].calls[0].error
    assert error is not None
    assert f"TOOL_ERROR_CATEGORY_{error.category}".endswith(word.upper())
    assert f"TOOL_ERROR_CATEGORY_{error.category}" in set(ToolErrorCategory.keys())


def test_there_is_a_category_for_each_of_the_wire() -> None:
    """In four spellings each."""
    words = SCHEMA["$defs"]["Category"]["enum"]
    assert {word for word in words if word.startswith("TOOL_")} == set(ToolErrorCategory.keys())
    assert len(words) == 4 * len(ToolErrorCategory.keys())


def test_members_are_explained() -> None:
    """By the sentences that stand beside them in the code."""
    tool = SCHEMA["$defs"]["Tool"]["properties"]
    assert tool["name"]["description"] == "`<provider>.<tool>`, as the model calls it."
    assert SCHEMA["$defs"]["Call"]["properties"]["session"]["description"].startswith("What the tool begins")
