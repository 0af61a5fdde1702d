"""What every dialect says to whoever sets up a chain by hand, and gets it wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel.dialects import REGISTRY, load_setup, named
from kernel.errors import BadInput
from sample_configs import FIRST_CHAIN

NAMES = [registered.name for registered in REGISTRY]


@pytest.mark.parametrize("name", NAMES)
def test_a_point_that_there_is_not_is_told_with_the_way_out(name: str) -> None:
    """The one that was meant, or all that there are."""
    dialect = named(name)
    last = dialect.points[-1]
    assert f"did you mean {last!r}?" in str(dialect.staging.no_point(last[:-1]))
    far = str(dialect.staging.no_point("q"))
    assert "'q'" in far
    assert all(point in far for point in dialect.points)


def test_context_assemble_is_explained() -> None:
    """It is a point of the host at which no hook can be (pluggable spec C.4 row 4)."""
    error = named("pluggable").staging.no_point("context-assemble")
    assert str(error).startswith("ErrUnknownPoint: ")
    assert "ContextService.Contribute" in str(error)


@pytest.mark.parametrize(
    ("name", "wrong", "fine"), [("pluggable", [-1, 0], [1]), ("hookbus", [-1], [0]), ("rig", [5], [])]
)
def test_a_deadline_for_all_is_what_the_host_would_take(name: str, wrong: list[int], fine: list[int]) -> None:
    """Pluggable wants more than 0 (spec B.8), rig knows none."""
    staging = named(name).staging
    for timeout_ms in wrong:
        with pytest.raises(BadInput, match="deadline"):
            staging.check_default(timeout_ms)
    for timeout_ms in fine:
        staging.check_default(timeout_ms)


def test_who_cannot_be_started_is_an_error_unless_somebody_else_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever brings stand-ins reads who is missing instead, and why."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    agent = tmp_path / "agent.hcl"
    agent.write_text('provider "g" {}\nhook "plan-ready" {\n  provider = "g"\n  mode = "veto"\n}\n')
    with pytest.raises(BadInput, match="'g' has no program") as refused:
        load_setup(agent)
    setup = load_setup(agent, is_startable=False)
    assert {name: str(error) for name, error in setup.missing.items()} == {"g": str(refused.value)}
    assert [seat.reach for seat in setup.chains["plan-ready"].subscriptions] == [None]
    assert load_setup(FIRST_CHAIN, is_startable=False).missing == {}
