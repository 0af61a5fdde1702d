"""Claims about the dialect's page: its tables are those of the code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kernel.dialects.rig import RIG
from kernel.dialects.rig.codes import CODES
from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.words import BEGIN_WORDS, GUARD_WORDS, OPERATION_WORDS

PAGE = (Path(__file__).parents[4] / "docs" / "dialects" / "rig.md").read_text()


def rows() -> Iterator[tuple[str, list[str]]]:
    """Each made table by its heading."""
    yield "Operations", [f"| {o.label} | {int(o)} | {'yes' if o.is_guardable else 'no'} |" for o in Operation]
    yield "Rules", [f"| {rule.id} | {rule.text} | {rule.source} |" for rule in RIG.rules.values()]
    faults = []
    for fault in RIG.faults:
        settings = ", ".join(f"{key}={value!r}" for key, value in fault.defaults.items()) or "none"
        modes = "all" if fault.modes is None else ", ".join(sorted(fault.modes))
        faults.append(f"| {fault.kind} | {fault.summary} | {settings} | {modes} |")
    yield "Faults", faults
    codes = [f"| `{code.id}` | {code.severity} | {code.text} | {code.found or 'never'} |" for code in CODES.values()]
    yield "What a check finds", codes


@pytest.mark.parametrize(("heading", "expected"), rows(), ids=[heading for heading, _ in rows()])
def test_a_table_of_the_page_is_the_one_of_the_code(heading: str, expected: list[str]) -> None:
    """Row by row, no more and no fewer."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.split("\n") if line.startswith("| ")]
    assert lines[1:] == expected


@pytest.mark.parametrize("word", sorted({*BEGIN_WORDS, *GUARD_WORDS, *OPERATION_WORDS}))
def test_every_word_stands_on_the_page(word: str) -> None:
    """As it is written in scenarios."""
    assert f"`{word}`" in PAGE
