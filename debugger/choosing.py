"""What is chosen on screen, and how it follows what happens. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from debugger.session import Hold, SessionView
from debugger.trace import DispatchTrace


@dataclass(frozen=True, slots=True)
class Choosing:
    """A dispatch and one of its steps, or the dispatch as a whole."""

    dispatch: str | None = None
    step: int | None = None
    is_following: bool = True
    """Whether a newer dispatch takes the place of this one."""

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
