"""The rows of the failure matrix of spec 7 that take a process, against real ones: what is left at each kind."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hookbus_runs import EVENTS, H, Ran, chain_of

from kernel.clock import VirtualClock
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.kinds import KINDS, Action, Style
from kernel.dispatch import dispatch
from kernel.host import Host
from kernel.probe import Probes
from kernel.reach import StdioExtension
from kernel.values import Chain, Result

PROGRAM = Path(__file__).parents[3] / "conformance" / "hookbus" / "odd_extension.py"
CONTINUE = '{"action": "continue"}'


@dataclass(frozen=True)
class Row:
    """What the first process does and what every later one does, and the error records by style of kind."""

    name: str
    words: tuple[str, ...]
    sequential: str
    concurrent: str = ""
    notify: str = ""
    starts: int = 1
    """How many processes there were in the end."""

    def records(self, style: Style) -> str:
        others = {Style.CONCURRENT: self.concurrent, Style.NOTIFY: self.notify}
        return others.get(style) or self.sequential


ROWS = (
    Row("no answer", ("silence",), "timeout", "timeout_conc", "notify_cut"),
    Row("an id of the wrong type", ("text id",), "timeout", "timeout_conc", "notify_cut"),
    Row("dies, then continues", ("exit", CONTINUE), "restart", starts=2),
    Row("dies each time", ("exit",), "restart call_failed", starts=2),
    Row("bad frame, then continues", ("length abc", CONTINUE), "restart", starts=2),
    Row("invalid JSON each time", ("not json",), "restart call_failed", starts=2),
    Row("error reply, then continues", ("error", CONTINUE), "restart", starts=2),
    Row("error reply each time", ("error",), "restart call_failed", starts=2),
    Row("oversize frame each time", ("too long",), "restart call_failed", starts=2),
)


def chain(kind: str, *words: str, timeout_ms: int = 5000) -> Chain:
    """One extension in its only seat."""
    [seat] = chain_of(kind, H("A")).subscriptions
    held = seat.options["permissions"]
    assert isinstance(held, list)
    reach = StdioExtension(
        "A",
        sys.executable,
        (str(PROGRAM), *words),
        str(PROGRAM.parent),
        frozenset(map(str, held)),
    )
    return Chain(kind, (replace(seat, reach=reach, timeout_ms=timeout_ms),))


async def emitted(seats: Chain, clock: VirtualClock, times: int = 1) -> tuple[list[Ran], int]:
    """What each of several emits told, and how often the extension was started again."""
    runs = []
    async with Host([seats]) as host:
        assert host.failures == ()
        for _ in range(times):
            run = Ran()
            run.result = await dispatch(
                HOOKBUS, seats, EVENTS[seats.point](), host.subscribers, probes=Probes(run), clock=clock
            )
            runs.append(run)
        [health] = host.health
    return runs, health.restart_count


def on_virtual_clock(*chains: Chain, times: int = 1) -> list[tuple[list[Ran], int]]:
    clock = VirtualClock()

    async def all_of_them() -> list[tuple[list[Ran], int]]:
        return [await emitted(each, clock, times) for each in chains]

    with asyncio.Runner(loop_factory=clock.loop) as runner:
        return runner.run(all_of_them())


def records(run: Ran) -> str:
    return " ".join(each.partition(" ")[2] for each in run.raised)


def nothing(kind: str) -> str:
    return "unspecified" if KINDS[kind].style is Style.NOTIFY else "continue"


@pytest.mark.parametrize("kind", EVENTS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_process_that_fails_is_as_good_as_continue(row: Row, kind: str) -> None:
    """Started again where that helps; the payload stays as it was."""
    [(runs, restarts)] = on_virtual_clock(chain(kind, *row.words, timeout_ms=5000 if row.starts > 1 else 60))
    [run] = runs
    assert records(run) == row.records(KINDS[kind].style)
    result: Result = run.came_to
    assert (result.decision, result.payload) == (nothing(kind), EVENTS[kind]())
    assert restarts == row.starts - 1


@pytest.mark.parametrize("kind", EVENTS)
def test_a_process_that_is_started_again_has_the_say(kind: str) -> None:
    """Its answer counts as if it had been the first, where anything counts."""
    accepted = KINDS[kind].actions - {Action.CONTINUE}
    action = next((each for each in (Action.BLOCK, Action.REPLACE, Action.INJECT) if each in accepted), Action.CONTINUE)
    members = {Action.BLOCK: "reason", Action.REPLACE: "output", Action.INJECT: "content"}
    answer = {"action": action.value} | ({members[action]: "x"} if action in members else {})
    seats = chain(kind, "exit", json.dumps(answer))
    [(runs, restarts)] = on_virtual_clock(seats)
    said = "continue" if action is Action.REPLACE else action.value  # which takes a second permission
    assert runs[0].came_to.decision == (nothing(kind) if action is Action.CONTINUE else said)
    assert restarts == 1


@pytest.mark.parametrize("kind", EVENTS)
def test_a_process_whose_restarts_are_spent_is_skipped_at_once(kind: str) -> None:
    """The fourth call in a row finds no attempt left."""
    [(runs, restarts)] = on_virtual_clock(chain(kind, "exit"), times=5)
    assert [records(run) for run in runs] == [*["restart call_failed"] * 3, *["call_failed"] * 2]
    assert {run.came_to.decision for run in runs} == {nothing(kind)}
    assert restarts >= 4
