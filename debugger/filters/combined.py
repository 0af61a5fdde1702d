"""Questions about dispatches, put together by Kleene's rules: false beats not known beats true in a conjunction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from debugger.filters.kinds import Truth
from debugger.trace import DispatchTrace, StepTrace

OfOne: TypeAlias = Callable[[DispatchTrace, StepTrace | None], Truth]
"""Of one step; of the dispatch itself for None."""
OfAll: TypeAlias = Callable[[DispatchTrace], Truth]
"""Of a dispatch with all its steps."""


def some_subject(ask: OfOne, *, has_own: bool) -> OfAll:
    """Whether it holds of some step, or of the dispatch itself."""

    def ask_all(dispatch: DispatchTrace) -> Truth:
        is_known = True
        if has_own:
            if (truth := ask(dispatch, None)) is True:
                return True
            is_known = truth is False
        for step in dispatch.steps:
            if (truth := ask(dispatch, step)) is True:
                return True
            if truth is None:
                is_known = False
        if is_known and dispatch.result is None:
            is_known = all(ask(dispatch, step) is False for step in _to_come(dispatch))
        return False if is_known else None

    return ask_all


def _to_come(dispatch: DispatchTrace) -> list[StepTrace]:
    """Steps that a dispatch under way may still have beyond those that are there: who has a seat may be asked again."""
    return [StepTrace(len(dispatch.steps), seat) for seat in dispatch.opened.chain.subscriptions]


def some_step(ask: OfOne) -> OfOne:
    ask_all = some_subject(ask, has_own=False)
    return lambda dispatch, step: ask_all(dispatch)


def every_step(ask: OfOne) -> OfOne:
    """Of a dispatch under way it is never known that every step fits, unless none that may come could fail to."""
    some = some_subject(lambda dispatch, step: inverse(ask(dispatch, step)), has_own=False)
    return lambda dispatch, step: inverse(some(dispatch))


def inverse(truth: Truth) -> Truth:
    return None if truth is None else not truth


def negated_one(ask: OfOne, *, says_nothing_of_own: bool) -> OfOne:
    def ask_negated(dispatch: DispatchTrace, step: StepTrace | None) -> Truth:
        if step is None and says_nothing_of_own:
            return False  # a dispatch is not a step that fits, and not one that does not
        truth = ask(dispatch, step)
        return None if truth is None else not truth

    return ask_negated


def all_of_one(asks: Sequence[OfOne]) -> OfOne:
    if len(asks) == 1:
        return asks[0]

    def ask_all(dispatch: DispatchTrace, step: StepTrace | None) -> Truth:
        is_known = True
        for ask in asks:
            truth = ask(dispatch, step)
            if truth is False:
                return False
            if truth is None:
                is_known = False
        return True if is_known else None

    return ask_all


def any_of_one(asks: Sequence[OfOne]) -> OfOne:
    def ask_any(dispatch: DispatchTrace, step: StepTrace | None) -> Truth:
        is_known = True
        for ask in asks:
            truth = ask(dispatch, step)
            if truth is True:
                return True
            if truth is None:
                is_known = False
        return False if is_known else None

    return ask_any


def negated_all(ask: OfAll) -> OfAll:
    return lambda dispatch: inverse(ask(dispatch))


def all_of_all(asks: Sequence[OfAll]) -> OfAll:
    if len(asks) == 1:
        return asks[0]

    def ask_all(dispatch: DispatchTrace) -> Truth:
        is_known = True
        for ask in asks:
            truth = ask(dispatch)
            if truth is False:
                return False
            if truth is None:
                is_known = False
        return True if is_known else None

    return ask_all


def any_of_all(asks: Sequence[OfAll]) -> OfAll:
    def ask_any(dispatch: DispatchTrace) -> Truth:
        is_known = True
        for ask in asks:
            truth = ask(dispatch)
            if truth is True:
                return True
            if truth is None:
                is_known = False
        return False if is_known else None

    return ask_any
