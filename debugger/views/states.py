"""The states of a step as people see them: one glyph, one word and one emphasis each, so that colour is never alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from debugger.session import Hold
from debugger.trace import DispatchTrace, StepTrace
from debugger.views.text import Emphasis
from kernel.clock import NS_PER_MS
from kernel.values import Ending, Status


class SeatState(StrEnum):
    """How one seat in a chain stands."""

    WAITING = "waiting"
    RUNNING = "running"
    HELD = "held"
    OK = "ok"
    CHANGED = "changed"
    DENIED = "denied"
    ERROR = "error"
    TIMED_OUT = "timed out"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is drawn."""

    glyph: str
    emphasis: Emphasis


AGAIN: Final = "⟳"
"""A question that was delivered more than once."""
LOOKS: Final[Mapping[SeatState, Look]] = MappingProxyType(
    {
        SeatState.WAITING: Look("○", Emphasis.DIM),
        SeatState.RUNNING: Look("▶", Emphasis.RUNNING),
        SeatState.HELD: Look("‖", Emphasis.HELD),
        SeatState.OK: Look("✓", Emphasis.OK),
        SeatState.CHANGED: Look("±", Emphasis.CHANGED),
        SeatState.DENIED: Look("⊘", Emphasis.DENIED),
        SeatState.ERROR: Look("✗", Emphasis.ERROR),
        SeatState.TIMED_OUT: Look("◷", Emphasis.ERROR),
        SeatState.SKIPPED: Look("»", Emphasis.DIM),
        SeatState.CANCELLED: Look("×", Emphasis.DIM),
        SeatState.NOT_REACHED: Look("┄", Emphasis.DIM),
    }
)


def state_of(step: StepTrace, hold: Hold | None) -> SeatState:
    """The state of a seat, given whether somebody holds it."""
    if hold is not None:
        return SeatState.HELD
    if step.not_reached is not None:
        return SeatState.NOT_REACHED
    if step.verdict is not None:
        return _OF_STATUS[step.verdict.status]
    return SeatState.RUNNING if step.asked_at_ns is not None else SeatState.WAITING


def is_further(trace: DispatchTrace, step: StepTrace) -> bool:
    """Whether a step is one more question to somebody who sits in the chain, rather than what the seat is for."""
    return step.step >= len(trace.opened.chain.subscriptions)


def name_of(trace: DispatchTrace, step: StepTrace) -> str:
    """Who is asked, literally; of a further question also for what: `tracing finish`."""
    name = step.subscription.name
    return f"{name} {step.phase}" if step.phase and is_further(trace, step) else name


def duty_of(trace: DispatchTrace, step: StepTrace) -> str:
    """What somebody is asked for, in a word: the mode of a seat, and of a further question what it is."""
    return step.phase if step.phase and is_further(trace, step) else step.subscription.mode


_OF_STATUS: Final[Mapping[Status, SeatState]] = MappingProxyType(
    {
        Status.OK: SeatState.OK,
        Status.CHANGED: SeatState.CHANGED,
        Status.DENIED: SeatState.DENIED,
        Status.ERROR: SeatState.ERROR,
        Status.TIMED_OUT: SeatState.TIMED_OUT,
        Status.SKIPPED: SeatState.SKIPPED,
        Status.CANCELLED: SeatState.CANCELLED,
    }
)
_OF_WORD: Final[Mapping[str, SeatState]] = MappingProxyType(
    {str(status): state for status, state in _OF_STATUS.items()}
)

_SHOUTED: Final = MappingProxyType(dict.fromkeys((SeatState.DENIED, SeatState.ERROR, SeatState.TIMED_OUT), str.upper))
"""What nobody should overlook in a list."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a dispatch stands, in a word."""

    glyph: str
    word: str
    emphasis: Emphasis


def verdict_of(trace: DispatchTrace, is_held: bool) -> Verdict:
    """The word that a row about a dispatch leads with."""
    if trace.result is None:
        return verdict_of_words("", "", "", "", is_held=is_held)
    decided = trace.decided[-1].decision if trace.decided else ""
    result = trace.result
    return verdict_of_words(result.ending, result.decision, result.status, decided, is_held=is_held)


def verdict_of_words(ending: str, decision: str, status: str, decided: str, *, is_held: bool) -> Verdict:
    """The same of a dispatch in short; `ending` is empty while it is under way."""
    if not ending:
        return Verdict("‖", "held", Emphasis.HELD) if is_held else Verdict("▶", "running", Emphasis.RUNNING)
    if decided:
        return Verdict("→", decided, Emphasis.STRONG)
    match ending:
        case Ending.ABORTED:
            return Verdict("✗", "ABORTED", Emphasis.ERROR)
        case Ending.CANCELLED:
            return Verdict("×", "cancelled", Emphasis.DIM)
        case Ending.REFUSED:
            return Verdict("✗", "REFUSED", Emphasis.ERROR)
        case _:
            state = _OF_WORD.get(status, SeatState.OK)  # a stranger's recording may say anything
            return Verdict(LOOKS[state].glyph, _SHOUTED.get(state, str)(decision), LOOKS[state].emphasis)


def duration(ns: int | None) -> str:
    """Nanoseconds for people; a dash for not known."""
    if ns is None:
        return "-"
    ms = ns / NS_PER_MS
    if ms < 10:
        return f"{ms:.1f} ms"
    return f"{ms:.0f} ms" if ms < 10_000 else f"{ms / 1000:.1f} s"
