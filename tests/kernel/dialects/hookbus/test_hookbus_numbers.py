"""Every printed vector of spec 8 has its scenario, or the test of the bus that it is about."""

from __future__ import annotations

import re
from pathlib import Path

from debugger.scenario.load import find, load

TESTS = Path(__file__).parents[3]
SUITE = TESTS / "conformance" / "hookbus"
PRINTED = {f"V{number:03}" for number in range(1, 112, 2)}
OF_THE_BUS = {"V029", "V045", "V047", "V057", "V085", "V087", "V109"}
"""About what no chain of a scenario has: counts and lists of records, changes during an emit, the un-keyed injection,
constructors of events, a second load of one name."""


def test_every_vector_has_its_scenario() -> None:
    """By its number; numbers with a letter are further cases of the same prose."""
    names = [loaded.name.partition(" ")[0] for path in find([SUITE]) for loaded in load(path)]
    assert len(names) == len(set(names))
    assert {name for name in names if name[1:].isdigit()} == PRINTED - OF_THE_BUS
    assert {name.rstrip("abcdefgh") for name in names} <= PRINTED


def test_the_others_have_a_test_of_their_own() -> None:
    """Which names them."""
    sources = (path.read_text() for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__))
    cited = {f"V{number}" for source in sources for number in re.findall(r"\b[Vv](\d{3})", source)}
    assert cited >= OF_THE_BUS
