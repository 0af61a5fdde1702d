"""Two dispatches step by step: who was asked what, what came of it, and the first step at which they part. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum

from debugger.diff import diff, without
from debugger.ignoring import Ignored
from debugger.trace import DispatchTrace, StepTrace
from kernel.dialect import Dialect, HostTimes, PathInView
from kernel.values import JSON, Answered, Outcome, Payload


class Part(StrEnum):
    """In what two dispatches, or two steps, can differ; the first of these that differs is the cause of the others."""

    SEAT = "seat"
    """Somebody sits in one chain and not in the other."""
    ASKED = "asked"
    """Only one of them was asked."""
    PAYLOAD = "payload"
    """They were asked about different payloads."""
    REQUEST = "request"
    """They got different bytes, or another deadline."""
    OUTCOME = "outcome"
    """They gave something else."""
    VERDICT = "verdict"
    """The dialect made something else of it."""
    RESULT = "result"
    """Every step is alike, and the result is not."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A step of the one dispatch beside that of the other; None where only one has it."""

    first: StepTrace | None
    second: StepTrace | None
    differs_in: Part | None

    @property
    def name(self) -> str:
        """Whose step it is."""
        step = self.first or self.second
        assert step is not None
        return f"{step.subscription.name} {step.phase}".rstrip()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two dispatches beside each other."""

    first: DispatchTrace
    second: DispatchTrace
    pairings: tuple[Pairing, ...]
    """Aligned by who sits there."""
    differs_in: Part | None
    """Of the first pairing that differs, or of the results; None for two that nobody can tell apart."""
    at: Pairing | None
    """Where they part first."""


def compare(
    first: DispatchTrace, second: DispatchTrace, dialect: Dialect | None = None, ignoring: Sequence[Ignored] = ()
) -> Comparison:
    """Two dispatches, aligned by subscriber; how long anything took does not count.

    With their dialect, neither does what the host's clock said. Without, payloads are alike to the letter, but for the
    places that are ignored. Where payloads differ in those only, the questions about them count as the same.
    """
    places = tuple(each.path for each in ignoring if each.point in ("", first.point, second.point))
    alike = _Alike(dialect, places)
    pairings = tuple(
        Pairing(one, other, _difference(one, other, alike)) for one, other in _aligned(first.steps, second.steps)
    )
    if not alike.payloads(first.opened.payload, second.opened.payload):
        return Comparison(first, second, pairings, Part.PAYLOAD, None)
    for pairing in pairings:
        if pairing.differs_in is not None:
            return Comparison(first, second, pairings, pairing.differs_in, pairing)
    return Comparison(first, second, pairings, None if _has_same_result(first, second, alike) else Part.RESULT, None)


class _Alike:
    """Whether payloads, questions and answers are the same, apart from the host's clock."""

    def __init__(self, dialect: Dialect | None, ignored: tuple[PathInView, ...]) -> None:
        self._dialect = dialect
        times = HostTimes() if dialect is None else dialect.host_times
        self._times = replace(times, payload=times.payload + ignored)
        self._ignored = ignored

    def payloads(self, one: Payload | None, other: Payload | None) -> bool:
        if one is None or other is None:
            return one is other
        return one.digest == other.digest or _but_for(self._times.payload, one.view, other.view)

    def questions(self, one: StepTrace, other: StepTrace) -> bool:
        """Whether they were asked the same; of payloads that differ where nobody looks, only the deadline counts."""
        if one.timeout_ms != other.timeout_ms:
            return False
        return (bool(self._ignored) and self._differ_aside(one, other)) or self._requests(one.request, other.request)

    def _requests(self, one: bytes, other: bytes) -> bool:
        if one == other or self._dialect is None or not self._times.request:
            return one == other
        return _but_for(self._times.request, self._dialect.request_view(one), self._dialect.request_view(other))

    def outcomes(self, one: StepTrace, other: StepTrace) -> bool:
        """Whether different answers came to the same where somebody looks: a payload that both made, or none of it."""
        if not self._ignored or not isinstance(one.outcome, Answered) or not isinstance(other.outcome, Answered):
            return False
        if one.made is None and other.made is None:
            return self._differ_aside(one, other)
        return self.payloads(one.made, other.made)

    def _differ_aside(self, one: StepTrace, other: StepTrace) -> bool:
        """Whether they were asked about payloads that differ, and then only where nobody looks."""
        return one.given is not None and other.given is not None and one.given.digest != other.given.digest

    def answers(self, one: Answered, other: Answered) -> bool:
        if one.body == other.body or self._dialect is None or not self._times.answer:
            return one.body == other.body
        return _but_for(self._times.answer, self._dialect.answer_view(one), self._dialect.answer_view(other))


def _but_for(places: Sequence[PathInView], one: JSON, other: JSON) -> bool:
    return bool(places) and not diff(without(one, places), without(other, places))


def _identity(step: StepTrace) -> tuple[str, str, str, str]:
    return step.subscription.name, step.subscription.id, step.subscription.mode, step.phase


def _aligned(
    first: Sequence[StepTrace], second: Sequence[StepTrace]
) -> Sequence[tuple[StepTrace | None, StepTrace | None]]:
    """Steps side by side, in the order of both; what only one has stands alone."""
    names = [_identity(step) for step in first], [_identity(step) for step in second]
    found: list[tuple[StepTrace | None, StepTrace | None]] = []
    for how, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if how == "equal":
            found += zip(first[a:b], second[c:d], strict=True)
        else:
            found += [(step, None) for step in first[a:b]]
            found += [(None, step) for step in second[c:d]]
    return found


def _difference(first: StepTrace | None, second: StepTrace | None, alike: _Alike) -> Part | None:
    if first is None or second is None:
        return Part.SEAT
    if (first.asked_at_ns is None) != (second.asked_at_ns is None):
        return Part.ASKED
    if first.given is not None and second.given is not None and not alike.payloads(first.given, second.given):
        return Part.PAYLOAD
    if not alike.questions(first, second):
        return Part.REQUEST
    if not _is_same_outcome(first.outcome, second.outcome, alike) and not alike.outcomes(first, second):
        return Part.OUTCOME
    if (first.verdict and (first.verdict.rule, first.verdict.effect)) != (
        second.verdict and (second.verdict.rule, second.verdict.effect)
    ):
        return Part.VERDICT
    return None


def _is_same_outcome(first: Outcome | None, second: Outcome | None, alike: _Alike) -> bool:
    """The same answer, or the same kind of trouble: how long it took and how a transport words it does not count."""
    if isinstance(first, Answered) and isinstance(second, Answered):
        return alike.answers(first, second)
    return type(first) is type(second) and getattr(first, "code", "") == getattr(second, "code", "")


def _has_same_result(first: DispatchTrace, second: DispatchTrace, alike: _Alike) -> bool:
    one, other = first.result, second.result
    if one is None or other is None:
        return one is other
    if (one.ending, one.decision, one.decided_by) != (other.ending, other.decision, other.decided_by):
        return False
    return alike.payloads(one.payload, other.payload)
