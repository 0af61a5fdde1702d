"""`hookscope chaos`: sweeps a configuration and says where what happened is not what the rules say."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from debugger import payloads
from debugger.chaos import grid
from debugger.chaos.sweep import Cell, Found, Sweep
from debugger.covering import covering_of
from debugger.printing import print_lines, say
from debugger.starting import started
from debugger.views.text import visible
from kernel import faults
from kernel.clock import Caller
from kernel.dialects import load_setup
from kernel.errors import BadInput
from kernel.host import Host
from kernel.setup import Setup
from kernel.values import JSON, Payload


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    config: Path
    kinds: tuple[str, ...]
    """Faults to sweep; empty for all."""
    timeout_ms: int
    is_json: bool
    options: Mapping[str, JSON]
    given: tuple[str, ...] = ()
    """`POINT=FILE` for each point at which only one payload is to be fired."""


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


async def _swept(setup: Setup, request: Request) -> tuple[list[Found], str]:
    found: list[Found] = []
    given = dict(_given(setup, each) for each in request.given)
    caller, point = Caller(), ""
    host = Host(setup.chains.values(), unseats_failures=setup.dialect.staging.unseats_failures)
    async with started(host, caller):
        for sentence in host.told_failures:
            print(visible(covering_of(setup).text(f"hookscope: {sentence}")), file=sys.stderr)
        sweep = Sweep(setup, host, timeout_ms=request.timeout_ms, given=given)
        async for each in sweep.cells(caller, frozenset(request.kinds) or None):
            found.append(each)
            if request.is_json:
                say(msgspec.json.encode(grid.as_json(each)).decode() + "\n")
                continue
            if each.seat.point != point:
                point = each.seat.point
                print_lines(grid.heading(point))
            print_lines(grid.row(each) if isinstance(each, Cell) else [grid.left_out(each)])
    return found, caller.reason or ""


def _given(setup: Setup, said: str) -> tuple[str, Payload]:
    """The payload that `POINT=FILE` names; raises BadInput."""
    point, is_split, file = said.partition("=")
    if not is_split or not file:
        raise BadInput(f"--payload {said}: POINT=FILE is needed", fix="name the point at which the file is fired")
    if point not in setup.chains:
        raise setup.dialect.staging.no_point(point)
    return point, payloads.read(setup.dialect, point, Path(file))
