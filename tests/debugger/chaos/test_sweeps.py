"""Every fault at every seat of every sample, with its real subscribers: each rule is the one that must apply."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from debugger.chaos.grid import as_json, summary
from debugger.chaos.sweep import Cell, Failing, Found, Sweep, Unreached, applicable
from kernel.clock import Caller
from kernel.dialects import load_setup
from kernel.host import Host
from kernel.setup import Setup

SAMPLES = Path(__file__).resolve().parents[3] / "sample_configs"
TIMEOUTS_MS = {"first_chain": 400, "coding_session": 400, "rig": 300, "hookbus": 1500}
"""Deadlines: hookbus starts a dead process again inside of them."""


async def swept(sample: str) -> list[Found]:
    """All of it."""
    setup = load_setup(SAMPLES / sample)
    async with Host(setup.chains.values()) as host:
        assert not host.failures
        return [each async for each in Sweep(setup, host, timeout_ms=TIMEOUTS_MS[sample]).cells(Caller())]


@pytest.mark.timeout(400)
@pytest.mark.parametrize("sample", sorted(TIMEOUTS_MS))
def test_every_fault_everywhere_is_as_the_rules_say(sample: str) -> None:
    """Every fault strikes, at every seat: the payloads beside a sample reach all of them."""
    found = asyncio.run(swept(sample))
    cells = [each for each in found if isinstance(each, Cell)]
    assert [as_json(cell) for cell in cells if not cell.is_as_told] == []
    setup = load_setup(SAMPLES / sample)
    seats = [seat for chain in setup.chains.values() for seat in chain.subscriptions]
    unreached = [each for each in found if isinstance(each, Unreached)]
    assert unreached == [], "whoever sits behind a condition is asked with the payload that meets it"
    assert len(cells) == sum(len(applicable(setup.dialect, seat)) for seat in seats)
    assert summary(found).startswith(f"{len(cells)} faults, {len(cells)} as the rules say, 0 not")


async def of(setup: Setup, kinds: frozenset[str], *, timeout_ms: int = 1000, **how: Any) -> list[Found]:
    """Some of a sweep, by real subscribers."""
    async with Host(setup.chains.values()) as host:
        return [each async for each in Sweep(setup, host, timeout_ms=timeout_ms, **how).cells(Caller(), kinds)]


def test_deadlines_that_are_shorter_than_a_fault_contradict_no_rule() -> None:
    """A delay leaves some of the deadline, whatever it is, and the step really takes that long."""
    found = asyncio.run(of(load_setup(SAMPLES / "first_chain"), frozenset({"delay"}), timeout_ms=120))
    cells = [each for each in found if isinstance(each, Cell)]
    assert [as_json(cell) for cell in cells if not cell.is_as_told] == []
    assert {cell.least_ms for cell in cells} == {60.0}
    assert all((cell.struck.took_ns or 0) >= 60_000_000 for cell in cells)


def test_a_fault_that_is_not_felt_is_no_success() -> None:
    """It is told as injected, and the rule is the right one; but nothing took any longer."""
    [cell, *_] = [
        each
        for each in asyncio.run(of(load_setup(SAMPLES / "rig"), frozenset({"delay"})))
        if isinstance(each, Cell) and each.seat.mode == "operation"
    ]
    assert cell.is_as_told
    assert (cell.struck.took_ns or 0) >= 100_000_000, "the operation itself is delayed"
    assert not replace(cell, least_ms=10_000.0).is_as_told


def test_whoever_fails_without_a_fault_is_told_apart(tmp_path: Path) -> None:
    """What a fault does there cannot be told from what happens anyway."""
    shutil.copytree(SAMPLES / "first_chain", tmp_path / "sample")
    (tmp_path / "sample" / "plugins" / "policy_bot.py").unlink()
    setup = load_setup(tmp_path / "sample")

    async def swept_without() -> list[Found]:
        async with Host(setup.chains.values()) as host:
            assert len(host.failures) == 1
            sweep = Sweep(setup, host, timeout_ms=500)
            return [each async for each in sweep.cells(Caller(), frozenset({"hang", "crash"}))]

    found = asyncio.run(swept_without())
    [failing] = [each for each in found if isinstance(each, Failing)]
    assert (failing.seat.name, failing.rule) == ("policy-bot", "PL-VETO-CRASHED")
    assert all(each.is_as_told for each in found if isinstance(each, Cell))
    assert summary(found).endswith("1 seat failing without a fault")


def test_a_payload_can_be_given() -> None:
    """Then only that one is fired, and whoever it does not reach is never asked."""
    setup = load_setup(SAMPLES / "hookbus")
    harmless = setup.dialect.sample_payload("before_tool_call")
    found = asyncio.run(of(setup, frozenset({"delay"}), given={"before_tool_call": harmless}))
    theirs = [each for each in found if each.seat.point == "before_tool_call"]
    assert any(isinstance(each, Unreached) for each in theirs)
