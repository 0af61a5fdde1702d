"""What live callbacks of one dispatch share: real contexts, finish functions and errors.

Whatever a question speaks of and nobody live has made is made after its description. So a callback runs the same
behind a stub, behind an answer that somebody wrote, and in a replay.
"""

from __future__ import annotations

import itertools
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Final

from kernel.clock import Clock
from kernel.dialects.rig.context import Context
from kernel.dialects.rig.context_view import (
    ContextKind,
    ContextView,
    Given,
    brought_to,
    built,
    context_from_json,
    described,
    given_context,
    given_from_json,
)
from kernel.dialects.rig.error_view import error_from_view, error_view
from kernel.dialects.rig.hook_set import Finish
from kernel.dialects.rig.payload import members
from kernel.dialects.rig.shield import Linked, Shielded, derived
from kernel.dialects.rig.showing import contained
from kernel.values import JSON

_KEY: Final = "rig"


class LiveRoom:
    """The live side of one dispatch. Used by one callback at a time, as the questions of a dispatch come."""

    def __init__(
        self, clock: Clock, wall_ns: Callable[[], int] = time.time_ns, *, inherited: Context | None = None
    ) -> None:
        """`inherited` is the live context that the dispatch starts under, where it happens inside of another one."""
        self.began_ns = clock.now_ns()
        self._now_ns = clock.now_ns
        self._wall_ns = wall_ns
        self._base = inherited
        self._shown = None if inherited is None else described(inherited, self.began_ns)
        """How the inherited one was described; a question that speaks of another was edited."""
        self._after: dict[int, tuple[Given, Context]] = {}
        """By seat: the context after its begin, and what made it."""
        self._given: dict[str, tuple[Given, object]] = {}
        """By handle: what a begin really gave, and how that was described."""
        self._finishes: dict[int, Finish] = {}
        self._links: list[Linked] = []
        self._error: tuple[JSON, BaseException] | None = None
        self._ended_at: int | None = None
        self._numbers = itertools.count()
        weakref.finalize(self, _release, self._links)  # with the dispatch, whether or not anybody finished it

    def context(self, view: JSON) -> Context:
        """The real context that a question speaks of."""
        asked = members(view)
        if self._base is None or self._shown is not None:
            base = context_from_json(asked.get("base", {}), "$.context.base")
            if base != self._shown:
                self._base, self._shown = built(base, self._now_ns, self.began_ns), None
        assert self._base is not None, "inherited, or built"
        context = self._base
        derivation = asked.get("derivation")
        for each in derivation if isinstance(derivation, list) else ():
            turnover = members(each)
            seat = turnover.get("seat")
            given = given_from_json(turnover.get("given"), "$.context.derivation")
            context = self._onward(context, seat if isinstance(seat, int) else -1, given)
        now = {key: value for key, value in asked.items() if key not in ("base", "derivation")}
        return brought_to(context, context_from_json(now, "$.context"))

    def _onward(self, before: Context, seat: int, given: Given) -> Context:
        known = self._after.get(seat)
        if known is not None and known[0] == given:
            return known[1]
        live = self._given.get(given.handle)
        is_as_it_was = live is not None and live[0] == given  # nobody wrote something else in its place
        really = live[1] if live is not None and is_as_it_was else given_context(before, given, self.began_ns)
        context, link = derived(before, really)
        if link is not None:
            self._links.append(link)
        self._after[seat] = (given, context)
        return context

    def keep_given(self, seat: int, before: Context, context: object) -> Given:
        """Keep what a begin gave as its context; gives the description."""
        if context is None:
            return Given(ContextKind.NONE)
        if context is before:
            return Given(ContextKind.SAME)
        _, link = derived(before, context)  # what ends a thread here would have ended it in the runner
        if link is not None:
            link.release()
        handle = f"context-{seat}.{next(self._numbers)}"  # asked once more, it gives another one
        given = description(before, context, self.began_ns, handle)
        self._given[handle] = (given, context)
        return given

    def keep_finish(self, seat: int, finish: Finish | None) -> None:
        """Keep what a begin registered."""
        if finish is None:
            self._finishes.pop(seat, None)
        else:
            self._finishes[seat] = finish

    def finish(self, seat: int) -> Finish | None:
        """What is to be called at the end for this seat; None where nothing live was ever registered."""
        return self._finishes.get(seat)

    def keep_error(self, error: BaseException) -> None:
        """Keep what an operation ends with, for the finishes to be told the very same."""
        self._error = (dict(error_view(error)), error)

    def error(self, view: JSON) -> BaseException | None:
        """The error that a finish is told: one object for all of them."""
        if view is None:
            return None
        if self._error is None or self._error[0] != view:
            found = error_from_view(view, "$.result.error")
            self._error = (view, found if isinstance(found, BaseException) else Exception(str(found)))
        return self._error[1]

    def ended_at(self, shown: JSON, started_at: int) -> int:
        """When it ended: sampled once, before any finish, and never before it started (spec A.5)."""
        if isinstance(shown, int):
            self._ended_at = shown
        elif self._ended_at is None:
            self._ended_at = self._wall_ns()
        return max(self._ended_at, started_at)

    def release(self) -> None:
        """Let go of every link, as the end of all finishes does."""
        _release(self._links)


def furnished(clock: Clock, inherited: Context, wall_ns: Callable[[], int]) -> tuple[dict[str, object], ContextView]:
    """The room of a dispatch that starts under a live context, and how that one is at this moment."""
    live = LiveRoom(clock, wall_ns, inherited=inherited)
    return {_KEY: live}, described(inherited, live.began_ns)


def room_of(room: dict[str, object], clock: Clock) -> LiveRoom:
    """The live side of the dispatch that a call belongs to."""
    found = room.get(_KEY)
    if not isinstance(found, LiveRoom):
        found = room[_KEY] = LiveRoom(clock)
    return found


def description(before: Context, context: object, began_ns: int, handle: str = "") -> Given:
    """What a begin gave in place of `before`, so that whoever builds after it gets a context that answers the same."""
    if _is_hostile(context):
        return Given(ContextKind.HOSTILE, handle=handle)
    shielded = Shielded(context, before)
    old, new = described(before, began_ns), described(shielded, began_ns)
    signal, old_signal = contained(shielded.done, None), contained(before.done, None)
    has_own = signal is not None and signal is not old_signal
    keeps = all(key in new.values for key in old.values)
    is_child = keeps and (has_own or signal is old_signal) and _is_below(context, before, old, new)
    values = {key: value for key, value in new.values.items() if not is_child or old.values.get(key) != value}
    return Given(
        ContextKind.DERIVED if is_child else ContextKind.DETACHED,
        values,
        has_own,
        new.deadline_ms if has_own and not (is_child and new.deadline_ms == old.deadline_ms) else None,
        new.cancelled if has_own and not (is_child and old.cancelled) else "",
        handle,
    )


def _is_below(context: object, before: Context, old: ContextView, new: ContextView) -> bool:
    """Whether a context descends from another one, as far as one can tell from outside."""
    each: object = context
    for _ in range(1000):
        if each is before:
            return True
        each = contained(partial(getattr, each, "parent", None), None)
        if each is None:
            break
    return bool(old.values) and all(new.values.get(key) == value for key, value in old.values.items())


def _is_hostile(context: object) -> bool:
    """Whether an object works as a context in no respect."""

    def works(name: str) -> bool:
        getattr(context, name)()
        return True

    return not any(contained(partial(works, name), False) for name in ("deadline", "done", "err"))


def _release(links: list[Linked]) -> None:
    for link in links:
        link.release()
