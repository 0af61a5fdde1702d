"""Everything that can be made to go wrong, as data, and what it means on the far side of the seam.

A fault never writes an effect or a decision: it becomes an act that a transport really performs, and the dialect
finds out the way its host would. Faults of the answer itself are made by the dialect, which knows what is wrong there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from kernel.errors import BadInput
from kernel.values import JSON, Ask


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of chance among the calls that fit. The same values draw the same, whatever else was drawn."""

    chance: float
    """From 0 to 1."""
    seed: int
    call: int
    """Of those that fit, counted from 1."""

    @property
    def is_hit(self) -> bool:
        return self.chance >= 1 or random.Random(f"{self.seed}/{self.call}").random() < self.chance  # no secret

    @property
    def amounts(self) -> random.Random:
        """What else of this call is left to chance is drawn from here."""
        return random.Random(f"{self.seed}/{self.call}/how much")

    def __str__(self) -> str:
        return f"chance {self.chance * 100:g} %, seed {self.seed}, call {self.call}"


@dataclass(frozen=True, slots=True)
class Fault:
    """One piece of trouble, to befall one call."""

    kind: str
    params: Mapping[str, JSON] = field(default_factory=dict)
    draw: Draw | None = None
    """By which draw it befell the call; None where chance had no part in it."""

    def __str__(self) -> str:
        settings = ", ".join(f"{key}={value}" for key, value in self.params.items())
        words = f"{self.kind} ({settings})" if settings else self.kind
        return words if self.draw is None else f"{words} [{self.draw}]"


@dataclass(frozen=True, slots=True)
class Hang:
    """Takes the request and never answers."""


@dataclass(frozen=True, slots=True)
class Late:
    """Answers this many milliseconds after it otherwise would."""

    ms: float


@dataclass(frozen=True, slots=True)
class LateBy:
    """Answers this many milliseconds after its deadline."""

    ms: float


@dataclass(frozen=True, slots=True)
class Die:
    """The process is killed while it is being asked."""

    signal: int = 9
    deliveries: int = 1
    """How many times in a row, where a host hands a request over again after a death."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """Ends the call with an error of the transport instead of an answer."""

    code: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Alter:
    """Sends other bytes than the ones the subscriber answered with."""

    rewrite: Callable[[bytes], bytes]
    """From the true answer to the one that is sent."""


@dataclass(frozen=True, slots=True)
class Misbehave(Alter):
    """Behaves otherwise altogether, where it is a Python callable that we call; elsewhere its answer is altered."""

    become: Callable[[Callable[..., object]], Callable[..., object]]
    """From the true callable to the one that is called instead."""


@dataclass(frozen=True, slots=True)
class Rewire:
    """Sends other bytes than the frame in which the subscriber answered. Only where answers travel in frames."""

    rewrite: Callable[[bytes], bytes]
    """From the true frame, with its headers, to the bytes that are sent instead."""
    closes: bool = False
    """Whether the stream ends behind them."""
    bite: int = 0
    """How many bytes are sent at a time; 0 = all of them."""
    pause_ms: float = 0.0
    """Milliseconds between two bites."""
    deliveries: int = 1
    """How many times in a row, where a host hands a request over again after a failure."""


FarSide: TypeAlias = Hang | Late | LateBy | Die | Refuse | Alter | Rewire
"""What a transport can be asked to do. A closed set: matching it must be exhaustive."""


Plan: TypeAlias = Callable[[Ask], FarSide]
"""From the call that a fault befalls to what happens on the far side."""


def always(act: FarSide) -> Plan:
    """The same act, whatever the call."""
    return lambda ask: act


@dataclass(frozen=True, slots=True)
class FaultKind:
    """An entry of the fault catalogue."""

    kind: str
    summary: str
    prepare: Callable[[Mapping[str, JSON]], Plan]
    """Takes settings, every default filled in; raises BadInput for values that cannot be used."""
    defaults: Mapping[str, JSON] = field(default_factory=dict)
    modes: frozenset[str] | None = None
    """Modes for which it makes sense; None = all."""
    settle: Callable[[Mapping[str, JSON], random.Random], Mapping[str, JSON]] | None = None
    """From settings, every default filled in, to what chance makes of them for one call; None = nothing."""

    def plan(self, fault: Fault) -> Plan:
        """What a fault of this kind comes to; raises BadInput for settings that cannot be used."""
        for key in fault.params:
            if key not in self.defaults:
                raise BadInput(
                    f"fault {self.kind!r} has no setting {key!r}; it has {', '.join(self.defaults) or 'none'}"
                )
        return self.prepare({**self.defaults, **fault.params})

    def settled(self, fault: Fault, draw: Draw) -> Fault:
        """The fault as it befalls one call; itself where it leaves nothing to chance."""
        if self.settle is None:
            return fault
        before = {**self.defaults, **fault.params}
        params = self.settle(before, draw.amounts)
        return fault if params == before else Fault(fault.kind, params, draw)


def milliseconds(params: Mapping[str, JSON], key: str) -> float:
    """A setting as a non-negative number of milliseconds."""
    value = params[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        raise BadInput(f"{key} must be a number of milliseconds, not {value!r}")
    return float(value)


def text(params: Mapping[str, JSON], key: str) -> str:
    """A setting as text."""
    value = params[key]
    if not isinstance(value, str):
        raise BadInput(f"{key} must be text, not {value!r}")
    return value


def _late(params: Mapping[str, JSON]) -> Plan:
    ms, percent = milliseconds(params, "ms"), params["of_deadline"]
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 <= percent < 1e6:
        raise BadInput(f"of_deadline must be a number of per cent, not {percent!r}")
    if milliseconds(params, "jitter_ms") and percent:
        raise BadInput("jitter_ms goes with ms, not with of_deadline")
    if params["spread"] not in SPREADS:
        raise BadInput(f"spread must be {' or '.join(SPREADS)}, not {params['spread']!r}")

    def late(ask: Ask) -> Late:
        return Late(ask.timeout_ms * percent / 100 if percent and ask.timeout_ms is not None else ms)

    return late


SPREADS: Final = ("uniform", "normal")


def _jittered(params: Mapping[str, JSON], amounts: random.Random) -> Mapping[str, JSON]:
    """Another delay for each call: up to `jitter_ms` more or less, or with that as its standard deviation."""
    jitter_ms = milliseconds(params, "jitter_ms")
    if not jitter_ms:
        return params
    by_ms = amounts.gauss(0, jitter_ms) if params["spread"] == "normal" else amounts.uniform(-jitter_ms, jitter_ms)
    return {"ms": round(max(0.0, milliseconds(params, "ms") + by_ms), 3)}


def _late_by(params: Mapping[str, JSON]) -> Plan:
    return always(LateBy(milliseconds(params, "by_ms")))


def _die(params: Mapping[str, JSON]) -> Plan:
    number = params["signal"]
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 64:
        raise BadInput(f"signal must be a signal number, not {number!r}")
    return always(Die(number))


COMMON: tuple[FaultKind, ...] = (
    FaultKind("hang", "takes the request and never answers", lambda params: always(Hang())),
    FaultKind(
        "delay",
        "answers later than it would, perhaps still in time",
        _late,
        {"ms": 100, "jitter_ms": 0, "spread": "uniform", "of_deadline": 0},
        settle=_jittered,
    ),
    FaultKind("late_answer", "answers correctly, but after its deadline", _late_by, {"by_ms": 50}),
    FaultKind("crash", "its process is killed while it is being asked", _die, {"signal": 9}),
)
"""What any subscriber can suffer, whatever its dialect."""


def find(catalogue: tuple[FaultKind, ...], kind: str) -> FaultKind:
    """The entry of this kind; raises BadInput with the kinds there are."""
    for entry in catalogue:
        if entry.kind == kind:
            return entry
    raise BadInput(f"no fault {kind!r}; there are {', '.join(entry.kind for entry in catalogue)}")
