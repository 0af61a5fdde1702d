"""Our exceptions: whose mistake it is decides the class. What a subscriber does wrong is an outcome instead."""

from __future__ import annotations

from kernel.values import Place


class HookscopeError(Exception):
    """Root of everything raised on purpose. `str()` of it is a sentence fit for a person."""


class BadInput(HookscopeError):
    """Something that a person wrote cannot be used: a config, a payload, an argument."""

    def __init__(self, message: str, *, place: Place | None = None, fix: str = "") -> None:
        sentence = f"{message}; {fix}" if fix else message
        super().__init__(f"{place}: {sentence}" if place else sentence)
        self.message = message
        self.place = place
        self.fix = fix


class LaunchError(HookscopeError):
    """A subscriber's process could not be brought up. Carries the subscriber's name and what it printed."""

    def __init__(self, subscriber: str, message: str, *, printed: str = "") -> None:
        super().__init__(f"{subscriber!r} did not start: {message}")
        self.subscriber = subscriber
        self.message = message
        self.printed = printed
