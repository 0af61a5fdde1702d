"""The page about scenario files teaches by examples that are run, and leaves no key of the format out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from debugger.scenario import report
from debugger.scenario.load import Loaded, parse
from debugger.scenario.model import Part
from debugger.scenario.run import run

DOCS = Path(__file__).parent.parent / "docs"
PAGE = (DOCS / "scenarios.md").read_text()
EXAMPLES = [
    loaded
    for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    for loaded in parse(block.encode(), DOCS / "x.yaml")
]


@pytest.mark.parametrize("loaded", EXAMPLES, ids=lambda loaded: loaded.name)
def test_an_example_of_the_page_holds(loaded: Loaded) -> None:
    """Whoever copies one gets what the page says."""
    verdict = run(loaded)
    assert verdict.is_held, "\n".join(report.lines(verdict))


def test_the_failure_on_the_page_looks_like_one() -> None:
    """The printed failure is that of the first example with another decision."""
    first = re.search(r"```yaml\n(.*?)```", PAGE, re.S)
    assert first is not None
    text = first[1].replace("decision: deny", "decision: allow")
    [loaded] = parse(text.encode(), Path("checks.scenario.yaml"))
    printed = "\n".join(report.lines(run(loaded))).strip()
    assert f"```\n{printed}\n```" in PAGE


def _keys(part: type[msgspec.Struct]) -> Iterator[str]:
    for inner in part.__subclasses__():
        yield from (field.encode_name for field in msgspec.structs.fields(inner))
        yield from _keys(inner)


def test_the_page_names_every_key() -> None:
    """A key that nobody can find might as well not be there."""
    words = set(re.findall(r"`([a-z_]+)`", PAGE)) | set(re.findall(r"([a-z_]+):", PAGE))
    assert set(_keys(Part)) - words == set()


def test_the_schema_is_that_of_the_model() -> None:
    """`make check` compares the file with the code; here it is looked at as an editor would."""
    schema = json.loads((DOCS / "scenario.schema.json").read_text())
    assert schema["$defs"]["Scenario"]["required"] == ["scenario", "dialect"]
    assert schema["$defs"]["Scenario"]["additionalProperties"] is False
    assert set(_keys(Part)) == {key for each in schema["$defs"].values() for key in each.get("properties", {})}
