"""The rules of what the host does around its dispatches are rules like the others. test_played.py applies them."""

from __future__ import annotations

import re

import pytest

from kernel.dialects.pluggable.dialect import PLUGGABLE
from kernel.dialects.pluggable.rules import RULES
from kernel.dialects.pluggable.turn_rules import TURN_RULES


@pytest.mark.parametrize("rule", TURN_RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_has_an_id_one_sentence_and_a_source(rule) -> None:  # type: ignore[no-untyped-def]
    """Fit for `explain` and for the table in the docs."""
    assert TURN_RULES[rule.id] is rule
    assert re.fullmatch(r"PL(-[A-Z]+)+", rule.id)
    assert re.fullmatch(r"[A-Z][^.]*\.", rule.text)
    assert re.fullmatch(r"([BCD]\.\d+(, )?)+", rule.source)


def test_the_dialect_knows_all_rules() -> None:
    """Those of a dispatch and those around it, none twice."""
    assert not RULES.keys() & TURN_RULES.keys()
    assert PLUGGABLE.rules == {**RULES, **TURN_RULES}
