"""Time as the kernel sees it: real, held while a person looks, or virtual.

Deadlines are points on one of these clocks. A clock belongs to one event loop and is used from that loop only.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import selectors
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

NS_PER_MS = 1_000_000


class Timer(Protocol):
    """Something that will happen, unless cancelled."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """A source of nanoseconds and of wake-up calls."""

    def now_ns(self) -> int:
        """Nanoseconds since some fixed moment; never goes back."""
        ...

    def elapsed_ns(self) -> int:
        """The same, except that it goes on while the clock is held: to tell how long something really took."""
        ...

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> Timer:
        """Call back once this clock shows `when_ns`."""
        ...

    def outside(self) -> contextlib.AbstractContextManager[None]:
        """Mark a stretch in which something that keeps real time (a process) is being waited for."""
        ...


async def sleep(clock: Clock, ms: float) -> None:
    """Come back `ms` milliseconds later on this clock."""
    await _until(clock, clock.now_ns() + round(ms * NS_PER_MS))


async def _until(clock: Clock, when_ns: int) -> None:
    woken = asyncio.get_running_loop().create_future()

    def wake() -> None:
        if not woken.done():
            woken.set_result(None)

    timer = clock.call_at(when_ns, wake)
    try:
        await woken
    finally:
        timer.cancel()


class RealClock:
    """The machine's monotonic clock."""

    _nothing = contextlib.nullcontext()

    def now_ns(self) -> int:
        return time.monotonic_ns()

    elapsed_ns = now_ns

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> Timer:
        loop = asyncio.get_running_loop()
        return loop.call_at(loop.time() + (when_ns - time.monotonic_ns()) / 1e9, callback)

    def outside(self) -> contextlib.AbstractContextManager[None]:
        return self._nothing


REAL = RealClock()


class _HeldTimer:
    def __init__(self, clock: HeldClock, when_ns: int, callback: Callable[[], None]) -> None:
        self.when_ns = when_ns
        self.armed: Timer | None = None
        self._clock = clock
        self._callback = callback

    def fire(self) -> None:
        self._clock.forget(self)
        self._callback()

    def cancel(self) -> None:
        if self.armed is not None:
            self.armed.cancel()
        self._clock.forget(self)


class HeldClock:
    """A clock that stands still between `hold` and the matching `release`, over another one that does not.

    Holds nest: several steps of one dispatch may be held at once, and time runs again when the last is let go.
    """

    def __init__(self, base: Clock = REAL) -> None:
        self._base = base
        self._lost_ns = 0  # what the base counted while we stood still
        self._held_at_ns: int | None = None
        self._holds = 0
        self._timers: set[_HeldTimer] = set()

    @property
    def is_held(self) -> bool:
        return self._held_at_ns is not None

    def now_ns(self) -> int:
        at = self._base.now_ns() if self._held_at_ns is None else self._held_at_ns
        return at - self._lost_ns

    def elapsed_ns(self) -> int:
        return self._base.elapsed_ns()

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> Timer:
        timer = _HeldTimer(self, when_ns, callback)
        self._timers.add(timer)
        if self._held_at_ns is None:
            self._arm(timer)
        return timer

    def hold(self) -> None:
        """Stop. No deadline passes from here on."""
        self._holds += 1
        if self._held_at_ns is None:
            self._held_at_ns = self._base.now_ns()
            for timer in self._timers:
                if timer.armed is not None:
                    timer.armed.cancel()
                    timer.armed = None

    def release(self) -> None:
        """Go on where we stood, once nobody holds any more."""
        assert self._holds > 0, "nobody holds this clock"
        self._holds -= 1
        if self._holds == 0 and self._held_at_ns is not None:
            self._lost_ns += self._base.now_ns() - self._held_at_ns
            self._held_at_ns = None
            for timer in tuple(self._timers):
                self._arm(timer)

    def outside(self) -> contextlib.AbstractContextManager[None]:
        return self._base.outside()

    def forget(self, timer: _HeldTimer) -> None:
        self._timers.discard(timer)

    def _arm(self, timer: _HeldTimer) -> None:
        timer.armed = self._base.call_at(timer.when_ns + self._lost_ns, timer.fire)


class _VirtualTimer:
    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class VirtualClock:
    """A clock that jumps to the next deadline as soon as nothing else is left to do.

    Needs an event loop made by `loop()`, which alone can tell when nothing is left. While something outside
    keeps real time (`outside`), virtual time passes at the speed of real time instead of jumping.
    """

    def __init__(self) -> None:
        self._jumped_ns = 0
        self._resumed_at_ns = 0
        self._outside = 0
        self._order = itertools.count()
        self._timers: list[tuple[int, int, _VirtualTimer]] = []
        self._loops: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()

    def loop(self) -> asyncio.AbstractEventLoop:
        """A new event loop on which this clock jumps; hand it to asyncio.Runner as `loop_factory`."""
        loop = asyncio.SelectorEventLoop(_IdleSelector(self))
        self._loops.add(loop)
        return loop

    def now_ns(self) -> int:
        if self._outside == 0:
            return self._jumped_ns
        return self._jumped_ns + time.monotonic_ns() - self._resumed_at_ns

    elapsed_ns = now_ns

    def call_at(self, when_ns: int, callback: Callable[[], None]) -> Timer:
        if asyncio.get_running_loop() not in self._loops:
            raise RuntimeError("a virtual clock needs an event loop made by its loop(), or it would never jump")
        timer = _VirtualTimer(callback)
        heapq.heappush(self._timers, (when_ns, next(self._order), timer))
        return timer

    @contextlib.contextmanager
    def outside(self) -> Iterator[None]:
        if self._outside == 0:
            self._resumed_at_ns = time.monotonic_ns()
        self._outside += 1
        try:
            yield
        finally:
            if self._outside == 1:
                self._jumped_ns = self.now_ns()
            self._outside -= 1

    def wait_s(self, seconds: float | None) -> float | None:
        """How long an idle loop may really sleep, given how long it wanted to."""
        due = self._next_due()
        if due is None:
            return seconds
        wait = max(0.0, (due - self.now_ns()) / 1e9) if self._outside else 0.0
        return wait if seconds is None else min(wait, seconds)

    def run_due(self, *, idle: bool) -> None:
        """Wake whoever is due; when idle and nobody outside keeps time, jump to whoever is next."""
        due = self._next_due()
        if due is not None and idle and self._outside == 0:
            self._jumped_ns = max(self._jumped_ns, due)
        while (due := self._next_due()) is not None and due <= self.now_ns():
            _, _, timer = heapq.heappop(self._timers)
            callback, timer.callback = timer.callback, None
            if callback is not None:
                callback()

    def _next_due(self) -> int | None:
        while self._timers and self._timers[0][2].callback is None:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None


class _IdleSelector(selectors.DefaultSelector):
    """Lets a virtual clock know when its loop has nothing ready: only then does asyncio ask to wait."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        is_idle = timeout is None or timeout > 0
        ready = super().select(self._clock.wait_s(timeout) if is_idle else 0)
        self._clock.run_due(idle=is_idle and not ready)
        return ready


@dataclass(frozen=True, slots=True)
class _Deadline:
    """When a caller gives up by itself."""

    clock: Clock
    when_ns: int
    reason: str
    timer: Timer
    is_lasting: bool
    """Whether it holds beyond the dispatch that is under way."""


class Caller:
    """Whoever wants the result of a dispatch, and may give up on it."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self._limits: set[Limit] = set()
        self._deadline: _Deadline | None = None

    def cancel(self, reason: str) -> None:
        """Give up. The first reason counts."""
        if self.reason is None:
            self.reason = reason
            for limit in tuple(self._limits):
                limit.cut_by_caller()

    def give_up_at(self, clock: Clock, when_ns: int, reason: str) -> None:
        """Cancel by itself at a point in time: the caller's own deadline, for one dispatch."""
        self._has_until(clock, when_ns, reason, is_lasting=False)

    @contextlib.contextmanager
    def giving_up_at(self, clock: Clock, when_ns: int, reason: str) -> Iterator[None]:
        """The same for the length of the block, however many dispatches and questions there are in it."""
        self._has_until(clock, when_ns, reason, is_lasting=True)
        try:
            yield
        finally:
            self._forget()

    def _has_until(self, clock: Clock, when_ns: int, reason: str, *, is_lasting: bool) -> None:
        self._forget()
        timer = clock.call_at(when_ns, lambda: self.cancel(reason))
        self._deadline = _Deadline(clock, when_ns, reason, timer, is_lasting)

    @property
    def is_late(self) -> bool:
        """Whether its own deadline has come, even if the loop had no time yet to say so."""
        return self._deadline is not None and self._deadline.clock.now_ns() >= self._deadline.when_ns

    def look(self) -> None:
        """Give up if its own deadline has come: no answer counts from then on."""
        if self._deadline is not None and self.is_late:
            self.cancel(self._deadline.reason)

    def done(self) -> None:
        """The dispatch is over; a deadline that was the dispatch's no longer matters."""
        if self._deadline is not None and not self._deadline.is_lasting:
            self._forget()

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.timer.cancel()
            self._deadline = None

    def watch(self, limit: Limit) -> None:
        self._limits.add(limit)
        if self.reason is not None:
            limit.cut_by_caller()

    def unwatch(self, limit: Limit) -> None:
        self._limits.discard(limit)


class Limit:
    """Ends the block inside it at a deadline on a kernel clock, or when the caller gives up; says which.

    What asyncio.timeout is for the loop's own clock, with its way of telling our cancellation from others'.
    """

    __slots__ = (
        "_caller",
        "_cancelling",
        "_clock",
        "_deadline_ns",
        "_open",
        "_task",
        "_timer",
        "expired",
        "given_up",
    )

    def __init__(self, clock: Clock, deadline_ns: int | None, caller: Caller) -> None:
        self._clock = clock
        self._deadline_ns = deadline_ns
        self._caller = caller
        self.expired = False
        self.given_up = False

    def __enter__(self) -> Limit:
        task = asyncio.current_task()
        assert task is not None, "a limit guards a task"
        self._task = task
        self._cancelling = task.cancelling()
        self._timer = (
            None if self._deadline_ns is None else self._clock.call_at(self._deadline_ns, self._cut_by_deadline)
        )
        self._open = True
        self._caller.watch(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if self._timer is not None:
            self._timer.cancel()
        self._caller.unwatch(self)
        self._open = False
        if not (self.expired or self.given_up):
            if kind is None and self._caller.is_late:  # the block never let the loop say so
                self._caller.look()
                self.given_up = True
            return False
        # Ours if nobody else asked for the task's end in the meantime.
        is_ours = self._task.uncancel() <= self._cancelling
        return is_ours and kind is not None and issubclass(kind, asyncio.CancelledError)

    def cut_by_caller(self) -> None:
        # Possibly called from inside the block. A task that cancels itself would be hit at some later await,
        # outside of the block, so the cut comes from the loop.
        asyncio.get_running_loop().call_soon(self._cut_given_up)

    def _cut_given_up(self) -> None:
        if self._open and not (self.expired or self.given_up):
            self.given_up = True
            self._task.cancel()

    def _cut_by_deadline(self) -> None:
        if self._open and not (self.expired or self.given_up):
            self._caller.look()
            self.given_up = self._caller.is_late  # nobody wants an answer any more, so nobody is to blame for none
            self.expired = not self.given_up
            self._task.cancel()
