"""Contexts: what is passed along from begin to begin, to the guards and to the operation (spec C.4, I).

Explicit immutable objects with Go's vocabulary, since *the same object*, *another one* and *none at all* mean different
things to the runner, which ambient `contextvars` cannot say. Cancelling is told at once to everybody derived; a
deadline counts as soon as anybody looks or waits, so no thread sits there to watch it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Final


class Canceled(Exception):
    """A context, or what ran under it, was cancelled."""

    def __init__(self, message: str = "context canceled") -> None:
        super().__init__(message)


class DeadlineExceeded(TimeoutError):
    """A context's deadline passed."""

    def __init__(self, message: str = "context deadline exceeded") -> None:
        super().__init__(message)


_LONGEST_NS: Final = 86_400 * 10**9
"""For which a thread waits at once; a deadline may be further away than any thread can wait."""


class Done:
    """The signal of one cancellable context. Contexts that share it end together: its identity counts."""

    __slots__ = ("_event", "_lock", "_look", "_told")

    def __init__(self, look: Callable[[], int | None]) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._told: list[Callable[[], None]] = []
        self._look = look
        """Notices what has become due, and says how many nanoseconds are left until something will; None = never."""

    def is_set(self) -> bool:
        """Whether it has been given."""
        if not self._event.is_set():
            self._look()
        return self._event.is_set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for it in this thread; says whether it was given in time."""
        ends = None if timeout_s is None else time.monotonic() + timeout_s
        while not self._event.is_set():
            left_ns = self._look()
            if self._event.is_set():
                break
            waits = [] if left_ns is None else [min(left_ns, _LONGEST_NS) / 1e9]
            if ends is not None:
                if (left := ends - time.monotonic()) <= 0:
                    return False
                waits.append(min(left, _LONGEST_NS / 1e9))
            self._event.wait(min(waits) if waits else None)
        return True

    def on_set(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have somebody told, at once if it has been given already; returns the undo."""
        with self._lock:
            if not self._event.is_set():
                self._told.append(told)
                return lambda: self._forget(told)
        told()
        return lambda: None

    def give(self) -> None:
        """Give the signal. Nobody is told twice."""
        with self._lock:
            self._event.set()
            told, self._told = self._told, []
        for each in told:
            each()

    def _forget(self, told: Callable[[], None]) -> None:
        with self._lock:
            if told in self._told:
                self._told.remove(told)


class Context:
    """What everybody derives from; by itself the root: no deadline, no values, never cancelled.

    A begin may return an object of any class that answers these; what raises, or answers with something that cannot be
    meant, is answered by the context before it.
    """

    __slots__ = ()

    def deadline(self) -> int | None:
        """Nanoseconds on `now_ns` at which it ends by itself; None = never."""
        return None

    def done(self) -> Done | None:
        """The signal that it has ended; None = it cannot be cancelled."""
        return None

    def err(self) -> BaseException | None:
        """Canceled or DeadlineExceeded once it has ended."""
        return None

    def cause(self) -> BaseException | None:
        """Why it ended, where whoever cancelled it said; otherwise the same as `err`."""
        return self.err()

    def value(self, key: object) -> object:
        """The value kept under a key; None where there is none."""
        return None

    def known(self) -> Iterator[object]:
        """The keys that it has values for, nearest first; for people, so a class of yours need not know."""
        return iter(())

    def now_ns(self) -> int:
        """What time it is for deadlines."""
        return time.monotonic_ns()


class _Root(Context):
    __slots__ = ("_now_ns",)

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns

    def now_ns(self) -> int:
        return self._now_ns()


BACKGROUND: Final = Context()
"""The root on the machine's own clock."""


def background(now_ns: Callable[[], int]) -> Context:
    """A root on a clock of yours."""
    return _Root(now_ns)


class Derived(Context):
    """One that answers like its parent, as long as it does not say otherwise."""

    __slots__ = ("parent",)

    def __init__(self, parent: Context) -> None:
        self.parent = parent

    def deadline(self) -> int | None:
        return self.parent.deadline()

    def done(self) -> Done | None:
        return self.parent.done()

    def err(self) -> BaseException | None:
        return self.parent.err()

    def cause(self) -> BaseException | None:
        return self.parent.cause()

    def value(self, key: object) -> object:
        return self.parent.value(key)

    def known(self) -> Iterator[object]:
        return self.parent.known()

    def now_ns(self) -> int:
        return self.parent.now_ns()


class _WithValue(Derived):
    __slots__ = ("_key", "_value")

    def __init__(self, parent: Context, key: object, value: object) -> None:
        super().__init__(parent)
        self._key = key
        self._value = value

    def value(self, key: object) -> object:
        return self._value if key == self._key else self.parent.value(key)

    def known(self) -> Iterator[object]:
        yield self._key
        yield from self.parent.known()


class _WithoutCancel(Derived):
    __slots__ = ()

    def deadline(self) -> int | None:
        return None

    def done(self) -> Done | None:
        return None

    def err(self) -> BaseException | None:
        return None

    def cause(self) -> BaseException | None:
        return None


class Cancellable(Derived):
    """One with a signal of its own. Ends with its parent, at its deadline, or when it is cancelled."""

    __slots__ = ("_cause", "_deadline", "_done", "_err", "_lock", "_undo")

    def __init__(self, parent: Context, deadline: int | None = None) -> None:
        super().__init__(parent)
        inherited = parent.deadline()
        self._deadline = inherited if deadline is None else deadline if inherited is None else min(deadline, inherited)
        self._err: BaseException | None = None
        self._cause: BaseException | None = None
        self._lock = threading.RLock()
        self._done = Done(self._look)
        self._undo: list[Callable[[], None]] = []
        self.follow(parent)

    def follow(self, other: Context) -> None:
        """End when the other does, and for its reason."""
        signal = other.done()
        if signal is not None:
            self._undo.append(signal.on_set(lambda: self._end_like(other)))

    def cancel(self, cause: BaseException | None = None) -> None:
        """End it and everybody derived. The first reason counts."""
        self.end(Canceled(), cause)

    def end(self, err: BaseException, cause: BaseException | None = None) -> None:
        """End it with an error of one's own choice."""
        with self._lock:
            if self._err is not None:
                return
            self._err, self._cause = err, err if cause is None else cause
            undo, self._undo = self._undo, []
        for each in undo:
            each()
        self._done.give()

    def deadline(self) -> int | None:
        return self._deadline

    def done(self) -> Done | None:
        return self._done

    def err(self) -> BaseException | None:
        if self._err is None:
            self._look()
        return self._err

    def cause(self) -> BaseException | None:
        self.err()
        return self._cause

    def _look(self) -> int | None:
        """Notice what has become due; gives the nanoseconds that are left."""
        if self._err is None and self.parent.err() is not None:
            self._end_like(self.parent)
        if self._deadline is None:
            return None
        left = self._deadline - self.now_ns()
        if left <= 0:
            self.end(DeadlineExceeded())
        return max(0, left)

    def _end_like(self, other: Context) -> None:
        err = other.err()
        self.end(Canceled() if err is None else err, other.cause())


Cancel = Callable[[], None]


def with_value(parent: Context, key: object, value: object) -> Context:
    """A context with one more value; it shares its parent's signal."""
    return _WithValue(parent, key, value)


def with_cancel(parent: Context) -> tuple[Cancellable, Cancel]:
    """A context with a signal of its own, and what cancels it."""
    made = Cancellable(parent)
    return made, made.cancel


def with_deadline(parent: Context, when_ns: int) -> tuple[Cancellable, Cancel]:
    """A context that ends at a point on `now_ns` at the latest."""
    made = Cancellable(parent, when_ns)
    return made, made.cancel


def with_timeout(parent: Context, seconds: float) -> tuple[Cancellable, Cancel]:
    """A context that ends so much later at the latest."""
    return with_deadline(parent, parent.now_ns() + round(seconds * 1e9))


def without_cancel(parent: Context) -> Context:
    """A context that keeps the values only: neither cancelled nor ended with its parent."""
    return _WithoutCancel(parent)
