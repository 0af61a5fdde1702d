"""What is chosen on screen, and how it follows what happens. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from debugger.session import Hold, SessionView
from debugger.trace import DispatchTrace, StepTrace
from kernel.values import Status


@dataclass(frozen=True, slots=True)
class Choosing:
    """A dispatch and one of its steps, or the dispatch as a whole."""

    dispatch: str | None = None
    step: int | None = None
    is_following: bool = True
    """Whether a newer dispatch takes the place of this one."""
    since: int | None = None
    """The step from before which diffs begin; None where each step is compared by itself."""

    def hold(self, seen: SessionView) -> Hold | None:
        """The hold of what is chosen: of the step, or the first of the dispatch where no step is chosen."""
        return None if self.dispatch is None else seen.hold_of(self.dispatch, self.step)

    def any_hold(self, seen: SessionView) -> Hold | None:
        """The hold that the keys act on: the chosen one, or else the first of the chosen dispatch."""
        if self.dispatch is None:
            return None
        return self.hold(seen) or seen.hold_of(self.dispatch)

    def after_news(self, dispatches: Sequence[DispatchTrace], before: SessionView, seen: SessionView) -> Choosing:
        """What is chosen after something happened: the newest dispatch if it is followed, and what was just held."""
        chosen = self
        if self.is_following and dispatches and dispatches[-1].id != self.dispatch:
            chosen = Choosing(dispatches[-1].id)
        known = {(hold.dispatch, hold.step) for hold in before.holds}
        for hold in sorted(seen.holds, key=lambda hold: hold.step):
            is_new = (hold.dispatch, hold.step) not in known
            is_watched = chosen.is_following or hold.dispatch == chosen.dispatch
            is_free = chosen.step is None or chosen.hold(seen) is None
            if is_new and is_watched and is_free:
                chosen = replace(chosen, dispatch=hold.dispatch, step=hold.step)
        return chosen


class Jump(StrEnum):
    """What one may look for the next of."""

    ERROR = "error"
    DENIAL = "denial"
    CHANGE = "change"


def is_such(step: StepTrace, jump: Jump) -> bool:
    """Whether a step is one of these."""
    status = None if step.verdict is None else step.verdict.status
    match jump:
        case Jump.ERROR:
            return status in (Status.ERROR, Status.TIMED_OUT) or bool(step.raised)
        case Jump.DENIAL:
            return status is Status.DENIED
        case Jump.CHANGE:
            return bool(step.changes)


Here: TypeAlias = tuple[int, int]
"""Where one stands: number of a dispatch, 0 for none, and of a step, -1 for the dispatch as a whole."""


def here(chosen: DispatchTrace | None, step: int | None) -> Here:
    """Where one stands."""
    return (0 if chosen is None else chosen.number, -1 if step is None else step)


def jumped(dispatches: Sequence[DispatchTrace], here: Here, jump: Jump, by: int) -> Choosing | None:
    """The next (by = 1) or previous (by = -1) step of this kind; None where there is none."""
    found: Choosing | None = None
    for dispatch in dispatches:
        for step in dispatch.steps:
            if not is_such(step, jump):
                continue
            place = dispatch.number, step.step
            if by > 0 and place > here:
                return Choosing(dispatch.id, step.step, is_following=False)
            if by < 0 and place < here:
                found = Choosing(dispatch.id, step.step, is_following=False)
    return found


def matched(dispatches: Sequence[DispatchTrace], here: Here, matching: frozenset[str], by: int) -> Choosing | None:
    """The next or previous dispatch that fits the filter; None where there is none."""
    beyond = [each for each in dispatches if each.id in matching and (each.number - here[0]) * by > 0]
    return Choosing(beyond[0 if by > 0 else -1].id, is_following=False) if beyond else None
