"""Everything that can be made to go wrong, as data, and what it means on the far side of the seam.

A fault never writes an effect or a decision: it becomes an act that a transport really performs, and the dialect
finds out the way its host would. Faults of the answer itself are made by the dialect, which knows what is wrong there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kernel.errors import BadInput
from kernel.values import JSON, Ask


@dataclass(frozen=True, slots=True)
class Fault:
    """One piece of trouble, to befall one call."""

    kind: str
    params: Mapping[str, JSON] = field(default_factory=dict)

    def __str__(self) -> str:
        settings = ", ".join(f"{key}={value}" for key, value in self.params.items())
        return f"{self.kind} ({settings})" if settings else self.kind


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

    def plan(self, fault: Fault) -> Plan:
        """What a fault of this kind comes to; raises BadInput for settings that cannot be used."""
        for key in fault.params:
            if key not in self.defaults:
                raise BadInput(
                    f"fault {self.kind!r} has no setting {key!r}; it has {', '.join(self.defaults) or 'none'}"
                )
        return self.prepare({**self.defaults, **fault.params})


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
    return always(Late(milliseconds(params, "ms")))


def _late_by(params: Mapping[str, JSON]) -> Plan:
    return always(LateBy(milliseconds(params, "by_ms")))


def _die(params: Mapping[str, JSON]) -> Plan:
    number = params["signal"]
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 64:
        raise BadInput(f"signal must be a signal number, not {number!r}")
    return always(Die(number))


COMMON: tuple[FaultKind, ...] = (
    FaultKind("hang", "takes the request and never answers", lambda params: always(Hang())),
    FaultKind("delay", "answers later than it would, perhaps still in time", _late, {"ms": 100}),
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
