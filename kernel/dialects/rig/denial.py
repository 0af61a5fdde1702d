"""Denials: how they are built and found in an error, and what an error makes of an outcome (spec B.4, D.2)."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Iterator

from kernel.dialects.rig.context import Canceled, DeadlineExceeded
from kernel.dialects.rig.errors import CONTAINED_NOT, ConfigError, ConfigKind, Denial, GuardError, is_really
from kernel.dialects.rig.operation import Outcome
from kernel.dialects.rig.text import is_code, is_reason

CANCELLATIONS = (Canceled, DeadlineExceeded, asyncio.CancelledError, concurrent.futures.CancelledError)
"""What counts as cancelled or deadline exceeded. A plain TimeoutError does not: sockets raise it too."""


def new_denial(code: str, reason: str) -> Denial | ConfigError:
    """A denial to be returned by a guard, or the error that is to be returned in its place when a field is bad.

    Returned and not raised, so that `return new_denial(...)` blocks either way: what a guard raises is a panic.
    """
    if is_code(code) and is_reason(reason):
        return Denial(code, reason)
    return ConfigError(ConfigKind.INVALID_DENIAL, "denial")


def classify_denial(error: object) -> Denial | None:
    """An independent copy of the first denial in an error's chain, if its fields are in order; raises what
    traversing a hostile chain raises.
    """
    for each in chain(error):
        if is_really(each, Denial):
            code, reason = _plain(each.code), _plain(each.reason)
            is_well_formed = is_code(code) and is_reason(reason)
            return Denial(code, reason) if is_well_formed else None  # even if a well-formed one follows
    return None


def _plain(field: str) -> str:
    """A field as it is right now; of a class of somebody's own, only the text."""
    return str.__str__(field) if is_really(field, str) else field


def outcome_of(error: object) -> Outcome:
    """What an operation's owner records for the error that it ended with; None is none (spec D.2)."""
    if error is None:
        return Outcome.COMPLETED
    try:
        if classify_denial(error) is not None:
            return Outcome.DENIED
        links = tuple(chain(error))
        if any(is_really(each, GuardError) for each in links):
            return Outcome.FAILED
        return Outcome.CANCELED if any(is_really(each, CANCELLATIONS) for each in links) else Outcome.FAILED
    except CONTAINED_NOT:
        raise
    except BaseException:  # noqa: BLE001  # a seam built for it: whatever the error does when it is looked into
        return Outcome.FAILED


def chain(error: object) -> Iterator[object]:
    """An error and everything that it wraps, depth first, each before what it wraps.

    Members of a group come in their order, then `__cause__`, then `__context__` unless it is suppressed. A chain that
    bites its tail ends there. Raises what the error's own attributes raise.
    """
    ahead = [error]
    seen: dict[int, object] = {}  # kept alive: one that was made on access would lend its identity to the next
    while ahead:
        each = ahead.pop()
        if id(each) in seen:
            continue
        seen[id(each)] = each
        yield each
        if is_really(each, BaseException):
            ahead += reversed(_wrapped(each))


def _wrapped(error: BaseException) -> list[BaseException]:
    wrapped = list(error.exceptions) if is_really(error, BaseExceptionGroup) else []
    if error.__cause__ is not None:
        wrapped.append(error.__cause__)
    if error.__context__ is not None and not error.__suppress_context__:
        wrapped.append(error.__context__)
    return wrapped
