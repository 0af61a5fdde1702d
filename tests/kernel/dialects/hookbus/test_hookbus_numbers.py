"""A claim about the vectors of spec 8: each number that is printed has its place, as a scenario, a row or a test."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[3]
PRINTED = set(range(1, 112, 2))
SCENARIOS = {
    *range(1, 28, 2), *range(31, 44, 2), 49, 51, 53, 55, 59, 61, 65, 67, 71, 73, 75, 81, 83, 89, 91,
}  # fmt: skip
"""What one dispatch decides: in tests/conformance/hookbus."""
BUS = {29, 45, 47, 57, 63, 69, 77, 79, 85, 87}
"""About the bus, the latch and the constructors: tests beside this one, by name."""
PROCESSES = {*range(93, 112, 2)}
"""About real processes and their configuration: with the transport and the manifest."""


def test_every_vector_of_one_dispatch_is_a_scenario() -> None:
    """And no other number is claimed; a letter marks a further case of the same prose."""
    texts = [path.read_text() for path in (TESTS / "conformance" / "hookbus").glob("*.scenario.yaml")]
    claimed = [name for text in texts for name in re.findall(r"^scenario: V(\d{3}[a-z]?) ", text, re.MULTILINE)]
    assert len(claimed) == len(set(claimed))
    assert {int(number) for number in claimed if number.isdigit()} == SCENARIOS


def test_every_vector_about_the_bus_has_a_test() -> None:
    """Named after it, or naming it in its docstring."""
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("test_hookbus_*.py"))
    assert {number for number in BUS if f"V{number:03}" not in text} == set()


def test_no_number_is_left_out() -> None:
    """The three sets are everything."""
    assert SCENARIOS | BUS | PROCESSES == PRINTED
    assert not SCENARIOS & BUS
