"""The configuration cases of the specification (C.8) as one table: what comes of each, at which stage, and where."""

from __future__ import annotations

import pytest
from pluggable_cases import CASES, KNOWS
from pluggable_configs import ENVIRON, PROGRAMS, found, loaded

from kernel import hcl
from kernel.dialects.pluggable.agent_hcl import advice
from kernel.dialects.pluggable.agent_hcl.options import Options
from kernel.dialects.pluggable.agent_hcl.registry import chains
from kernel.dialects.pluggable.config import config_of
from kernel.errors import BadInput
from kernel.problems import Problem, Severity
from kernel.values import Place


def problems_of(name: str) -> list[tuple[str, Problem]]:
    return list(found(CASES[name].texts, KNOWS))


def test_there_are_all_cases_of_the_specification() -> None:
    """Eighty, numbered without a gap."""
    assert list(CASES) == [f"C{number}" for number in range(1, 81)]


@pytest.mark.parametrize("name", CASES)
def test_a_case_ends_at_its_stage_with_its_error_at_its_place(name: str) -> None:
    """The first thing that stops the host is the one that the specification names; what is in order has no error."""
    case = CASES[name]
    stops = [(stage, each) for stage, each in problems_of(name) if each.severity is Severity.ERROR or stage == "P"]
    if not case.stage:
        assert stops == []
        return
    stage, first = stops[0]
    assert (stage, first.code, first.place) == (case.stage, case.code, Place("f", case.line, case.column))
    assert case.part in first.message


@pytest.mark.parametrize("name", CASES)
def test_loading_raises_what_checking_tells_first(name: str) -> None:
    """There is one story: who stops at the first error gets the first one of those that are told."""
    case = CASES[name]
    error = raised(case.texts)
    if case.stage in ("L", "R"):
        assert error is not None
        first = next(each for stage, each in problems_of(name) if each.severity is Severity.ERROR)
        assert str(error) == str(first.as_error())
    else:
        assert error is None


def raised(texts: tuple[str, ...]) -> BadInput | None:
    try:
        chains(loaded(*texts), Options(advertised=KNOWS.advertised), environ=ENVIRON)
    except BadInput as error:
        return error
    return None


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("C60", {"empty-match"}),
        ("C67", {"unknown-match-key", "empty-match"}),
        ("C76", {"unknown-provider"}),
        ("C13", {"repeated-block"}),
    ],
)
def test_a_legal_case_that_is_almost_surely_wrong_has_a_warning(name: str, codes: set[str]) -> None:
    """Accepted as the host accepts it, and pointed out all the same."""
    (text,) = CASES[name].texts
    config = config_of([("f", hcl.parse(text, "f"))], PROGRAMS)
    told = {each.code for _, each in problems_of(name)}
    told |= {each.code for each in advice.of_policies(config, knows_providers=True)}
    assert told == codes
