"""A dispatch with one thing changed, computed from what is known, without asking anybody.

An answer is known for as long as its subscriber is asked the very same thing. Where a change makes a later question
another one, the result is open, and says whom one would have to ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from debugger.trace import DispatchTrace, StepTrace
from kernel.amending import Amended
from kernel.clock import NS_PER_MS
from kernel.dialect import Dialect, thrown
from kernel.errors import BadInput
from kernel.facts import Changed, Fork
from kernel.rerun import UNASKED, Rerun, rerun
from kernel.values import Ask, Chain, Outcome, Payload, Result, Skipped, Status, Subscription


@dataclass(frozen=True, slots=True)
class Without:
    """One seat is not there."""

    step: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """Two neighbours sit the other way round."""

    step: int
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Gave:
    """One subscriber gave something else."""

    step: int
    outcome: Outcome
    words: str
    """What it gave, for people."""


@dataclass(frozen=True, slots=True)
class Unedited:
    """Whoever steered left alone what one subscriber was asked about, and what it answered."""

    step: int


@dataclass(frozen=True, slots=True)
class Patient:
    """One subscriber was given another deadline."""

    step: int
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class Fired:
    """Another payload was fired."""

    payload: Payload


@dataclass(frozen=True, slots=True)
class Thrown:
    """A switch of the dialect stood the other way."""

    name: str
    is_on: bool


What: TypeAlias = Without | Swapped | Gave | Unedited | Patient | Fired | Thrown


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that it takes to run a dispatch again with one thing changed."""

    words: str
    """The change in a few words: `without policy-b`."""
    dialect: Dialect
    chain: Chain
    payload: Payload
    known: Known
    step: int | None = None
    """The step at which something is changed; None where it is the whole dispatch."""

    @property
    def fork(self) -> Fork:
        """What whoever runs it tells of it."""
        return Fork(self.known.trace.id, self.step, self.words)


@dataclass(frozen=True, slots=True)
class Known:
    """The recorded outcomes, each for whoever is asked the same thing again; a call gives it, None if there is none."""

    trace: DispatchTrace
    places: Mapping[int, int]
    """From the number of a step now to what it was, where that differs; -1 for one that was not there."""
    given: Mapping[int, Outcome] = field(default_factory=dict)
    """By the number that a step had: what is made of it, whatever was recorded."""
    unedited: frozenset[int] = frozenset()
    """Numbers that steps had at which nobody steers this time."""

    def __call__(self, ask: Ask) -> Outcome | None:
        step = self._recorded(ask)
        if step is None:
            return None
        if step.step in self.given:
            return self.given[step.step]
        outcome = step.outcome
        if step.step in self.unedited:
            outcome = own_of(step)
        elif (skipped := left_out(step)) is not None:
            return skipped  # whoever steered did so whatever was asked
        is_same = (step.request, step.timeout_ms) == (ask.request, ask.timeout_ms)
        return outcome if is_same else None

    def amended(self, ask: Ask) -> Amended | None:
        """Who gave the outcome that is known, where that was not the subscriber itself."""
        step = self._recorded(ask)
        if step is None or step.step in self.unedited or step.step in self.given:
            return None
        by = next((each.by for each in reversed(step.steered) if each.what in ("answered", "replaced answer")), None)
        return None if by is None else Amended(by, own_of(step))

    def edit(self, ask: Ask) -> Changed | None:
        """What was put in the place of the payload before this was asked, where the same stands there again."""
        step = self._recorded(ask)
        if step is None or step.edited is None or step.step in self.unedited:
            return None
        return step.edited if step.edited.before.digest == ask.payload.digest else None

    def is_recorded(self, ask: Ask) -> bool:
        """Whether what it gives is what was recorded, and not what somebody would like it to have been."""
        step = self._recorded(ask)
        return step is not None and step.step not in self.given

    def _recorded(self, ask: Ask) -> StepTrace | None:
        """The step of the same seat, asked for the same."""
        try:
            step = self.trace.step(self.places.get(ask.step, ask.step))
        except KeyError:
            return None
        is_same = (step.subscription.name, step.subscription.id) == (ask.subscription.name, ask.subscription.id)
        return step if is_same and step.phase in ("", ask.phase) else None


def own_of(step: StepTrace) -> Outcome | None:
    """What the subscriber itself came to; None where it was not called, since somebody answered in its place."""
    if step.asked_at_ns is None or any(each.what == "answered" for each in step.steered):
        return None
    return step.outcome if step.replaced is None else step.replaced


def left_out(step: StepTrace) -> Skipped | None:
    """That somebody left the step out, before it was asked or after it had answered."""
    if step.verdict is None or step.verdict.status is not Status.SKIPPED:
        return None
    return next((Skipped(each.by) for each in reversed(step.steered) if each.what == "skipped"), None)


def prepared(trace: DispatchTrace, what: What, dialect: Dialect) -> Prepared:
    """The dispatch with one thing changed, not run. Raises KeyError for a step that it does not have."""
    chain, payload, dialect = trace.opened.chain, trace.opened.payload, thrown(dialect, trace.opened.switches)
    seats, known = list(chain.subscriptions), Known(trace, {})
    at: int | None = None if isinstance(what, Fired | Thrown) else what.step
    match what:
        case Without(step):
            words = f"without {seats[step].name}"
            del seats[step]
            later = {each.step: each.step + 1 for each in trace.steps if each.step >= step}
            known = Known(trace, later)
        case Swapped(step):
            words = f"{seats[step + 1].name} before {seats[step].name}"
            seats[step], seats[step + 1] = seats[step + 1], seats[step]
            known = Known(trace, {step: step + 1, step + 1: step})
        case Gave(step, outcome, said):
            words = f"{trace.step(step).subscription.name}: {said}"
            known = Known(trace, {}, {step: outcome})
        case Unedited(step):
            words = f"without the edit at {trace.step(step).subscription.name}"
            known = Known(trace, {}, unedited=frozenset({step}))
        case Patient(step, timeout_ms):
            words = f"{seats[step].name} given {timeout_ms} ms"
            seats[step] = replace(seats[step], timeout_ms=timeout_ms)
            known = Known(trace, {}, _in_time(trace.step(step), timeout_ms))
        case Fired(other):
            words, payload = "another payload", other
        case Thrown(name, is_on):
            words, dialect = f"{name} {'on' if is_on else 'off'}", dialect.switched(name, is_on)
        case never:
            assert_never(never)
    return Prepared(words, dialect, _seated(chain, seats), payload, known, at)


def _in_time(step: StepTrace, timeout_ms: int) -> dict[int, Outcome]:
    """What came too late and would have come in time, by the number of the step."""
    came = next((late.outcome for late in step.late if late.took_ns < timeout_ms * NS_PER_MS), None)
    return {} if came is None else {step.step: came}


def _seated(chain: Chain, seats: Sequence[Subscription]) -> Chain:
    return replace(chain, subscriptions=tuple(seats))


@dataclass(frozen=True, slots=True)
class Alternative:
    """A dispatch as it would have been."""

    what: What
    words: str
    rerun: Rerun | None
    """None where the dialect would not have begun."""
    refusal: str = ""
    """Why it would not have begun."""

    @property
    def result(self) -> Result | None:
        """None where the recorded answers do not tell."""
        return None if self.rerun is None or self._asked_anew is not None else self.rerun.result

    @property
    def open_at(self) -> str:
        """Name of the subscriber whose answer one would have to know; empty where nothing is open."""
        ask = None if self.rerun is None else self._asked_anew or self.rerun.unknown
        return "" if ask is None else ask.subscription.name

    @property
    def _asked_anew(self) -> Ask | None:
        """Of two that change places, one that would hear something else: that it can change nothing does not help, for
        it can tell.
        """
        if self.rerun is None or not isinstance(self.what, Swapped):
            return None
        places = (self.what.step, self.what.step + 1)
        void = Skipped(UNASKED)
        return next((ask for ask, outcome in self.rerun.asked if outcome == void and ask.step in places), None)


def alternative(trace: DispatchTrace, what: What, dialect: Dialect) -> Alternative:
    """The dispatch with one thing changed, as far as the recorded answers tell."""
    ready = prepared(trace, what, dialect)
    try:
        return Alternative(
            what, ready.words, rerun(ready.dialect, ready.chain, ready.payload, ready.known, ready.known.edit)
        )
    except BadInput as error:
        return Alternative(what, ready.words, None, error.message)


def verdict(result: Result) -> tuple[str, str]:
    """What two dispatches have in common if a caller cannot tell their verdicts apart: ending and decision."""
    return result.ending, result.decision
