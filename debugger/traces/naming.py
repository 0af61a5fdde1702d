"""What spans are called for people, and when they were. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Final

from debugger.otlp.forest import Odd
from debugger.otlp.tree import words
from debugger.traces.hooks import Hook
from debugger.traces.skeleton import Skeleton

LAST_YEAR_NS: Final = 253_402_300_800_000_000_000
"""Nanoseconds since the epoch from which on no calendar has a date."""


def called(skeleton: Skeleton, place: int, hooks: Mapping[int, Hook]) -> str:
    """A span in a few words: the subscriber, the point, or its own name."""
    hook = hooks.get(place)
    if hook is not None and hook.subscriber:
        return hook.subscriber
    if hook is not None and hook.point:
        return hook.mode or hook.point
    if skeleton.keys[place] < 0:
        return "missing parent" if not skeleton.all_spans else "parent that is not read yet"
    return skeleton.names[place] or "(no name)"


def described(skeleton: Skeleton, place: int, hooks: Mapping[int, Hook]) -> str:
    """The same in a sentence about more than one: `redactor at pre-model-call`."""
    hook = hooks.get(place)
    if hook is not None and hook.point:
        who = hook.subscriber or hook.mode
        return f"{who} at {hook.point}" if who else f"the host at {hook.point}"
    service = skeleton.services[place]
    name = called(skeleton, place, hooks)
    return f"{service}: {name}" if service and not hooks else name


def oddities(skeleton: Skeleton, place: int) -> tuple[str, ...]:
    """What is odd about where a span is. That it is an orphan is said by what it hangs below."""
    odd = Odd(skeleton.odd[place]) & ~(Odd.ORPHAN | Odd.MISSING)
    copies = skeleton.copies.get(place, 1)
    return (*words(odd), *((f"sent {copies} times",) if copies > 1 else ()))


def iso(ns: int) -> str:
    """A moment with its zone, to the nanosecond: UTC, so that it can be compared with any other copy."""
    if not 0 <= ns < LAST_YEAR_NS:
        return f"{ns} ns since 1970"
    moment = dt.datetime.fromtimestamp(ns // 1_000_000_000, dt.UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{ns % 1_000_000_000:09d}Z"


def clock(ns: int, digits: int = 3) -> str:
    """The time of day of a moment, here."""
    if not 0 <= ns < LAST_YEAR_NS:
        return "-"
    moment = dt.datetime.fromtimestamp(ns // 1_000_000_000).astimezone()
    return f"{moment:%H:%M:%S}.{ns % 1_000_000_000:09d}"[: 9 + digits] if digits else f"{moment:%H:%M:%S}"


def plural(count: int, noun: str) -> str:
    """`1 trace`, `1,204 traces`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
