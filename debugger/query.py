"""JMESPath: the one place that knows the library, what it lets out bare, and what it warns of. Pure."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import jmespath

from kernel.values import JSON


class NoQuery(ValueError):
    """What is no expression, with the library's reason on one line."""

    def __init__(self, error: Exception) -> None:
        super().__init__(" ".join(str(error).split()) or "nested too deep")
        self.short = next(iter(str(error).splitlines()), "nested too deep").rstrip(":")
        """The same without where in the text it is."""
        self.may_grow = "Incomplete" in type(error).__name__
        """Whether it may become one if more is typed."""


class NoAnswer(ValueError):
    """An expression asks something of a value that it cannot be asked, such as the length of a number."""


@dataclass(frozen=True, slots=True)
class Selector:
    """An expression; made by `query`."""

    parsed: Any  # the library's own class, without types

    def of(self, value: JSON) -> JSON:
        """What it selects, null for nothing; raises NoAnswer."""
        try:
            found: JSON = self.parsed.search(value)
        except (ValueError, TypeError, ArithmeticError, RecursionError) as error:  # some are not the library's own
            raise NoAnswer(" ".join(str(error).split())) from None
        return found


def query(text: str) -> Selector:
    """The expression that a text is; raises NoQuery."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # of literals that people still write
        try:
            return Selector(jmespath.compile(text))
        except (ValueError, TypeError, RecursionError) as error:  # some are not the library's own
            raise NoQuery(error) from None
