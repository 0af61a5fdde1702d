"""All that is said of a dispatch: short texts, and payloads and answers by the key of their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from debugger.trace import DispatchTrace, StepTrace
from kernel.facts import Decided
from kernel.values import Answered, Crashed, Failed, Outcome, Payload

TextKey: TypeAlias = tuple[str, str | bytes]
"""Of a payload: nothing and its digest. Of an answer: its dialect and its bytes."""
Keyed: TypeAlias = tuple[TextKey, Payload | Answered]
"""Something long, by its key: what is equal has the same."""


class Searchable:
    """A long text, to be searched with and without regard to case."""

    __slots__ = ("_folded", "raw")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._folded: str | None = None

    @property
    def folded(self) -> str:
        if self._folded is None:
            self._folded = self.raw if self.raw.isascii() and self.raw.islower() else self.raw.casefold()
        return self._folded


def one(value: str) -> tuple[str, ...]:
    """The value, unless it says nothing."""
    return (value,) if value else ()


def error_texts(step: StepTrace) -> Iterator[str]:
    """What is said to have gone wrong with a step."""
    for raised in step.raised:
        yield from (*one(raised.category), *one(raised.message))
    yield from _outcome_texts(step.outcome)
    yield from _outcome_texts(step.replaced)


def _outcome_texts(outcome: Outcome | None) -> Iterator[str]:
    """What an outcome says went wrong."""
    match outcome:
        case Failed(code, message):
            yield from (*one(code), *one(message))
        case Crashed(message):
            yield from one(message)
        case _:
            pass


def step_words(dispatch: DispatchTrace, step: StepTrace) -> Iterator[str]:
    """The short of it."""
    seat = step.subscription
    yield from (seat.name, seat.mode, *one(step.phase), dispatch.point)
    if step.verdict is not None:
        yield from (step.verdict.status.value, *one(step.verdict.rule), *one(step.verdict.why))
    yield from error_texts(step)
    for steered in step.steered:
        yield from (steered.by, steered.what, *one(steered.detail))
    yield from (printed.text for printed in step.printed)
    if step.not_reached is not None:
        yield from (step.not_reached.because_of, *one(step.not_reached.rule))


def step_things(dispatch: DispatchTrace, step: StepTrace) -> Iterator[Keyed]:
    """What is long: payloads and answers, each with the key of its text."""
    if step.given is not None:
        yield ("", step.given.digest), step.given
    for change in step.changes:
        yield ("", change.after.digest), change.after
    for outcome in (step.outcome, step.replaced):
        if isinstance(outcome, Answered):
            yield (dispatch.opened.dialect, outcome.body), outcome


def dispatch_words(dispatch: DispatchTrace) -> Iterator[str]:
    """The short of it."""
    yield from (dispatch.point, dispatch.opened.dialect)
    result = dispatch.result
    if result is not None:
        yield from (result.decision, *one(result.decided_by), *one(result.error), *one(result.rule))
    yield from decided_texts(dispatch.decided)


def dispatch_things(dispatch: DispatchTrace) -> Iterator[tuple[TextKey, Payload]]:
    """What is long: the payload that came in, and the one that came out."""
    yield ("", dispatch.opened.payload.digest), dispatch.opened.payload
    if dispatch.result is not None and dispatch.result.payload is not None:
        yield ("", dispatch.result.payload.digest), dispatch.result.payload


@dataclass(frozen=True, slots=True)
class Gist:
    """All text of a dispatch that is over: the short as one, the long by key."""

    words: Searchable
    things: dict[TextKey, Payload | Answered]


APART: Final = "\x00"
"""Between texts that are put together. What has it in it is looked for in each by itself."""


class Gists:
    """Makes the gist of each dispatch once. A trace is immutable, so the same one has the same gist."""

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._known: dict[str, tuple[DispatchTrace, Gist]] = {}  # the oldest first

    def of(self, dispatch: DispatchTrace) -> Gist:
        known = self._known.get(dispatch.id)
        if known is not None and known[0] is dispatch:
            return known[1]
        words = [*dispatch_words(dispatch), *(word for step in dispatch.steps for word in step_words(dispatch, step))]
        things: dict[TextKey, Payload | Answered] = dict(dispatch_things(dispatch))
        for step in dispatch.steps:
            things.update(step_things(dispatch, step))
        gist = Gist(Searchable(APART.join(dict.fromkeys(words))), things)
        if len(self._known) >= self._most:
            del self._known[next(iter(self._known))]
        self._known[dispatch.id] = (dispatch, gist)
        return gist


def decided_texts(decisions: Iterable[Decided]) -> Iterator[str]:
    for decided in decisions:
        yield from (decided.subject, decided.decision, decided.by, *one(decided.rule), decided.why)
