"""Every fault at every seat of every sample, with its real subscribers: each rule is the one that must apply."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from debugger.chaos.grid import as_json, summary
from debugger.chaos.sweep import Cell, Sweep, Unreached, applicable
from kernel.clock import Caller
from kernel.dialects import load_setup
from kernel.host import Host

SAMPLES = Path(__file__).resolve().parents[3] / "sample_configs"
TIMEOUTS_MS = {"first_chain": 400, "coding_session": 400, "rig": 300, "hookbus": 1500}
"""Deadlines: hookbus starts a dead process again inside of them."""


async def swept(sample: str) -> list[Cell | Unreached]:
    """All of it."""
    setup = load_setup(SAMPLES / sample)
    async with Host(setup.chains.values()) as host:
        assert not host.failures
        return [each async for each in Sweep(setup, host, timeout_ms=TIMEOUTS_MS[sample]).cells(Caller())]


@pytest.mark.timeout(400)
@pytest.mark.parametrize("sample", sorted(TIMEOUTS_MS))
def test_every_fault_everywhere_is_as_the_rules_say(sample: str) -> None:
    """Every fault strikes; whoever is never asked with the usual payload is told, with the reason."""
    found = asyncio.run(swept(sample))
    cells = [each for each in found if isinstance(each, Cell)]
    assert [as_json(cell) for cell in cells if not cell.is_as_told] == []
    setup = load_setup(SAMPLES / sample)
    seats = [seat for chain in setup.chains.values() for seat in chain.subscriptions]
    unreached = [each for each in found if isinstance(each, Unreached)]
    assert all(each.because_of for each in unreached)
    missed = {(each.seat.name, each.seat.point, each.seat.id) for each in unreached}
    reached = [seat for seat in seats if (seat.name, seat.point, seat.id) not in missed]
    assert len(cells) == sum(len(applicable(setup.dialect, seat)) for seat in reached)
    assert summary(found).startswith(f"{len(cells)} faults, {len(cells)} as the rules say, 0 not")
