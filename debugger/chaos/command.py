"""`hookscope chaos`: sweeps a configuration and says where what happened is not what the rules say."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from debugger.chaos import grid
from debugger.chaos.sweep import Cell, Sweep, Unreached
from debugger.covering import covering_of
from debugger.printing import print_lines, say
from debugger.starting import started
from debugger.views.text import visible
from kernel import faults
from kernel.clock import Caller
from kernel.dialects import load_setup
from kernel.host import Host
from kernel.setup import Setup
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    config: Path
    kinds: tuple[str, ...]
    """Faults to sweep; empty for all."""
    timeout_ms: int
    is_json: bool
    options: Mapping[str, JSON]


def chaos(request: Request) -> int:
    """Run the request; gives the exit code. Raises BadInput."""
    setup = load_setup(request.config, request.options)
    for kind in request.kinds:
        faults.find(setup.dialect.faults, kind)
    found, reason = asyncio.run(_swept(setup, request))
    if not request.is_json:
        say(f"\n{grid.summary(found)}{f'; {reason}, the rest was not tried' if reason else ''}\n")
    is_fine = not reason and all(each.is_as_told for each in found if isinstance(each, Cell))
    return 0 if is_fine and any(isinstance(each, Cell) for each in found) else 1


async def _swept(setup: Setup, request: Request) -> tuple[list[Cell | Unreached], str]:
    found: list[Cell | Unreached] = []
    caller, point = Caller(), ""
    host = Host(setup.chains.values(), unseats_failures=setup.dialect.staging.unseats_failures)
    async with started(host, caller):
        for sentence in host.told_failures:
            print(visible(covering_of(setup).text(f"hookscope: {sentence}")), file=sys.stderr)
        sweep = Sweep(setup, host, timeout_ms=request.timeout_ms)
        async for each in sweep.cells(caller, frozenset(request.kinds) or None):
            found.append(each)
            if request.is_json:
                say(msgspec.json.encode(grid.as_json(each)).decode() + "\n")
                continue
            if each.seat.point != point:
                point = each.seat.point
                print_lines(grid.heading(point))
            print_lines([grid.unreached(each)] if isinstance(each, Unreached) else grid.row(each))
    return found, caller.reason or ""
