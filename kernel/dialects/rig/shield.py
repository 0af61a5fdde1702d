"""What becomes of the context that a begin returns: shielded, and linked to the one before it (spec C.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

from kernel.dialects.rig.context import Canceled, Cancellable, Context, Done
from kernel.dialects.rig.errors import CONTAINED_NOT, is_really

T = TypeVar("T")


class Shielded(Context):
    """A foreign context of which nothing can hurt: whatever raises there is answered by the one before.

    A value that is merely missing is missing: the one before is not asked for it.
    """

    __slots__ = ("given", "previous")

    def __init__(self, given: object, previous: Context) -> None:
        self.given = cast(Context, given)  # perhaps it is one; every access finds out
        self.previous = previous

    def deadline(self) -> int | None:
        return self._answer(lambda: _as_deadline(self.given.deadline()), self.previous.deadline)

    def done(self) -> Done | None:
        return self._answer(lambda: _as_done(self.given.done()), self.previous.done)

    def err(self) -> BaseException | None:
        return self._answer(lambda: _as_error(self.given.err()), self.previous.err)

    def cause(self) -> BaseException | None:
        err = self.err()  # foreign contexts need not know of causes

        def of_given() -> BaseException | None:
            cause = _as_error(self.given.cause())
            return err if cause is None else cause

        return self._answer(of_given, lambda: self.previous.cause() if err is None else err)

    def value(self, key: object) -> object:
        return self._answer(lambda: self.given.value(key), lambda: self.previous.value(key))

    def known(self) -> Iterator[object]:
        def of_given() -> list[object]:
            keys = list(self.given.known())
            asked = [key for key in self.previous.known() if self.given.value(key) is not None]
            return [*keys, *(key for key in asked if key not in keys)]

        return iter(self._answer(of_given, lambda: self._answered_keys()))

    def now_ns(self) -> int:
        return self._answer(lambda: _as_time(self.given.now_ns()), self.previous.now_ns)

    def _answered_keys(self) -> list[object]:
        """Those keys of the one before that still have a value here."""
        return [key for key in self.previous.known() if self.value(key) is not None]

    def _answer(self, ask: Callable[[], T], otherwise: Callable[[], T]) -> T:
        try:
            return ask()
        except CONTAINED_NOT:
            raise
        except BaseException:  # noqa: BLE001  # a seam built for it: a foreign object answers
            return otherwise()


class Linked(Cancellable):
    """A shielded context that also ends with the one before it, and by its deadline; released by the finish."""

    __slots__ = ("_previous",)

    def __init__(self, shielded: Shielded) -> None:
        self._previous = shielded.previous
        super().__init__(shielded, self._previous.deadline())
        self.follow(self._previous)

    def sync(self) -> None:
        """Notice at once what befell the context before it, even one that tells nobody."""
        if self._err is None and self._previous.err() is not None:
            self._end_like(self._previous)

    def release(self) -> None:
        """Let go of both: it counts as cancelled from here on, they are not touched."""
        self.end(Canceled())

    def _look(self) -> int | None:
        self.sync()
        return super()._look()


def derived(previous: Context, given: object) -> tuple[Context, Linked | None]:
    """The context that follows after a begin returned `given`, and the link that has to be released, if there is one.

    Linked only where the one before can be cancelled, and not by the very signal that the new one has.
    """
    if given is previous:
        return previous, None
    shielded = Shielded(given, previous)
    signal = previous.done()
    if signal is None or signal is shielded.done():
        return shielded, None
    linked = Linked(shielded)
    return linked, linked


def _as_deadline(value: object) -> int | None:
    return None if value is None else _as_time(value)


def _as_time(value: object) -> int:
    if is_really(value, bool) or not is_really(value, int):
        raise TypeError("a time is a number of nanoseconds")
    return value


def _as_done(value: object) -> Done | None:
    if value is not None and not is_really(value, Done):
        raise TypeError("a signal is a Done")
    return value


def _as_error(value: object) -> BaseException | None:
    if value is not None and not is_really(value, BaseException):
        raise TypeError("an error is an exception")
    return value
