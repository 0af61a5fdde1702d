"""Claims about `hookscope explain`."""

from __future__ import annotations

import pytest

from debugger.explain import catalogue, explain
from kernel.errors import BadInput


@pytest.mark.parametrize("rule", ["PL-VETO-TIMEOUT", "pl-veto-timeout"])
def test_a_rule_is_said_with_its_source(capsys: pytest.CaptureFixture[str], rule: str) -> None:
    """However it is written."""
    assert explain(rule) == 0
    assert capsys.readouterr().out == (
        "PL-VETO-TIMEOUT\n  A veto that exceeds its deadline counts as DENY.\n  pluggable, B.3, B.8\n"
    )


def test_every_rule_of_every_dialect_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """With an empty line between."""
    assert explain(None) == 0
    rules = capsys.readouterr().out.split("\n\n")
    assert [rule.splitlines()[0] for rule in rules] == list(catalogue())
    assert all(len(rule.splitlines()) == 3 for rule in rules)


@pytest.mark.parametrize(
    ("rule", "remedy"),
    [("PL-VETO-TIMEOT", "did you mean PL-VETO-TIMEOUT?"), ("zzz", "`hookscope explain --all` lists them")],
)
def test_an_unknown_rule_names_the_nearest(rule: str, remedy: str) -> None:
    """Bad input, which is exit code 2."""
    with pytest.raises(BadInput) as raised:
        explain(rule)
    assert str(raised.value) == f"no rule {rule!r}; {remedy}"
