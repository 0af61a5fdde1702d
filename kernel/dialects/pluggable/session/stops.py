"""When a session ends: done detection, doom loop, bounds and circuit breaker (spec D.4, D.5). Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from kernel.values import JSON

IN_A_ROW = 3
OUT_OF = 20
BAD_ONES = 8
"""The circuit breaker trips at so many bad calls in a row, or so many out of the last ones, of one provider."""
USABLE_PERCENT = 80
"""Of a model's context window: so much of it may be filled."""


class Status(StrEnum):
    """How a session stands; every one but running is an end."""

    RUNNING = "running"
    COMPLETED = "completed"
    ERROR_MAX_TURNS = "error_max_turns"
    ERROR_MAX_BUDGET_USD = "error_max_budget_usd"
    ERROR_MAX_WALL_CLOCK = "error_max_wall_clock"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a session ends."""

    status: Status
    reason: str
    rule: str
    why: str
    gets_final_turn: bool = False
    """Whether the model may answer once more, without tools."""


class Done(StrEnum):
    """Why a turn was the last one by itself."""

    NO_CALLS = "no_tool_calls"
    TERMINAL_TOOL = "terminal_tool"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a session; 0 is none. The defaults are those of the profile `default`."""

    max_turns: int = 200
    max_cost_usd: float = 5.0
    max_wall_clock_s: float = 3600


@dataclass(frozen=True, slots=True)
class DoomLoop:
    """The last calls of a session, as fingerprints, and when they are too much alike."""

    window: int = 8
    threshold: int = 3
    recent: tuple[str, ...] = ()

    def after(self, prints: Sequence[str]) -> DoomLoop:
        """With further calls, of which the oldest are forgotten."""
        return replace(self, recent=(*self.recent, *prints)[-self.window :])

    @property
    def is_looping(self) -> bool:
        last = self.recent[-self.threshold :]
        return len(last) == self.threshold and len(set(last)) == 1


def fingerprint(name: str, arguments: Mapping[str, JSON]) -> str:
    """The same for calls that say the same, however their arguments are ordered."""
    return hashlib.sha256(f"{name}\0{canonical(arguments)}".encode("utf-8", "surrogatepass")).hexdigest()


def canonical(value: JSON | Mapping[str, JSON]) -> str:
    """The same text for what is the same once it has travelled: members sorted, and every number a double (A.8)."""
    return json.dumps(_travelled(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _travelled(value: JSON | Mapping[str, JSON]) -> JSON:
    match value:
        case Mapping():
            return {key: _travelled(inner) for key, inner in value.items()}
        case list():
            return [_travelled(inner) for inner in value]
        case bool() | str() | None:
            return value
        case _:
            number = float(value)
            return int(number) if number.is_integer() else number


@dataclass(frozen=True, slots=True)
class Breaker:
    """How the calls of each provider went: denied and crashed ones are bad."""

    recent: Mapping[str, tuple[bool, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """True is bad; the newest is last."""
    tripped: frozenset[str] = frozenset()

    def after(self, provider: str, *, is_bad: bool) -> Breaker:
        """With one more call."""
        seen = (*self.recent.get(provider, ()), is_bad)[-OUT_OF:]
        is_too_much = (all(seen[-IN_A_ROW:]) and len(seen) >= IN_A_ROW) or sum(seen) >= BAD_ONES
        return Breaker(
            MappingProxyType({**self.recent, provider: seen}),
            self.tripped | {provider} if is_too_much else self.tripped,
        )


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a session may spend, and what it and those inside of it have spent."""

    session: str
    spent_usd: float
    max_usd: float


@dataclass(frozen=True, slots=True)
class Tally:
    """What a session has come to after some turns."""

    turns: int = 0
    cost_usd: float = 0.0
    """Of those inside of it as well."""
    elapsed_ms: float = 0.0
    loop: DoomLoop = DoomLoop()
    breaker: Breaker = Breaker()
    around: tuple[Allowance, ...] = ()
    """Of the sessions around it, from the inside out: what is left is the least that any of them has left."""


def stop_after(tally: Tally, bounds: Bounds, done: Done | None) -> Stop | None:
    """Why the session ends after a turn, if it does; the first reason in the order of D.5."""
    if done is Done.NO_CALLS:
        return Stop(Status.COMPLETED, "", "PL-STOP-DONE", "the model called no tool, so it is done")
    if done is Done.TERMINAL_TOOL:
        return Stop(Status.COMPLETED, "", "PL-STOP-TERMINAL-TOOL", "a tool that ends the turn succeeded")
    if tally.loop.is_looping:
        why = f"the last {tally.loop.threshold} calls are the same"
        return Stop(Status.COMPLETED, "doom_loop", "PL-STOP-DOOM-LOOP", why, gets_final_turn=True)
    if (over := _over(tally, bounds)) is not None:
        return over
    if tally.breaker.tripped:
        names = ", ".join(sorted(tally.breaker.tripped))
        why = f"too many calls of {names} were denied or crashed"
        return Stop(Status.COMPLETED, "circuit_breaker", "PL-STOP-BREAKER", why, gets_final_turn=True)
    return None


def _over(tally: Tally, bounds: Bounds) -> Stop | None:
    if bounds.max_turns and tally.turns >= bounds.max_turns:
        why = f"{tally.turns} turns of {bounds.max_turns} are used"
        return Stop(Status.ERROR_MAX_TURNS, "max_turns", "PL-STOP-MAX-TURNS", why, gets_final_turn=True)
    if bounds.max_cost_usd and tally.cost_usd >= bounds.max_cost_usd:
        why = f"{tally.cost_usd:.4f} USD of {bounds.max_cost_usd:.4f} are spent"
        return Stop(Status.ERROR_MAX_BUDGET_USD, "max_cost_usd", "PL-STOP-MAX-COST", why, gets_final_turn=True)
    for outer in tally.around:
        if outer.spent_usd >= outer.max_usd:
            why = f"{outer.spent_usd:.4f} USD of the {outer.max_usd:.4f} of {outer.session} around it are spent"
            return Stop(Status.ERROR_MAX_BUDGET_USD, "max_cost_usd", "PL-STOP-MAX-COST", why, gets_final_turn=True)
    if bounds.max_wall_clock_s and tally.elapsed_ms >= bounds.max_wall_clock_s * 1000:
        why = f"{tally.elapsed_ms / 1000:.1f} s of {bounds.max_wall_clock_s:g} are over"
        return Stop(Status.ERROR_MAX_WALL_CLOCK, "max_wall_clock_s", "PL-STOP-WALL-CLOCK", why, gets_final_turn=True)
    return None


def usable(context_window: int) -> int:
    """The most tokens that a turn may have."""
    return context_window * USABLE_PERCENT // 100
