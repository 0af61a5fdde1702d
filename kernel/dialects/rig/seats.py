"""Seats of this dialect's chains: arounds, then guards, then the operation itself; each knows its place in its list."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from kernel.values import Chain, Subscription

AROUND, GUARD, OPERATION = "around", "guard", "operation"
MODES: Final = (AROUND, GUARD, OPERATION)
"""In the order in which they sit; within a mode the order is that of the list."""
LISTS: Final = {AROUND: "around", GUARD: "guards"}
_ID = re.compile(r"(?:around|guards)\[(\d{1,9})\]")


def seat_id(mode: str, index: int) -> str:
    """How a seat says at which position of the whole list its callback stands: `guards[2]`."""
    return f"{LISTS[mode]}[{index}]" if mode in LISTS else ""


def index_of(subscription: Subscription) -> int:
    """Position of a callback in its whole list, from 0, as logs and errors say it."""
    found = _ID.fullmatch(subscription.id)
    return int(found[1]) if found else 0


def own_seat(point: str) -> Subscription:
    """The seat of the operation itself."""
    return Subscription(OPERATION, point, OPERATION)


OWNED: Final = "owned"
"""Option of the operation's seat: its owner is at hand, and acts as well where a guard blocks the operation."""


NOT_LOADED: Final = "not_loaded"
"""Option of a callback's seat: why there is no callback. A set that holds such a seat was never compiled."""


def owned(chain: Chain) -> Chain:
    """The chain with an owner in the seat of the operation, who is there even where nobody takes part."""
    seat = next((each for each in chain.subscriptions if each.mode == OPERATION), own_seat(chain.point))
    others = tuple(each for each in chain.subscriptions if each.mode != OPERATION)
    return Chain(chain.point, (*others, replace(seat, options={**seat.options, OWNED: True})))


def has_callbacks(chain: Chain) -> bool:
    """Whether anybody takes part in an operation."""
    return any(each.mode != OPERATION for each in chain.subscriptions)


def arranged(point: str, seats: tuple[Subscription, ...]) -> Chain:
    """The chain of these seats, in order. Where there are callbacks, the operation itself sits behind them."""
    if seats and not any(seat.mode == OPERATION for seat in seats):
        seats = (*seats, own_seat(point))
    return Chain(point, tuple(sorted(seats, key=lambda seat: (MODES.index(seat.mode), index_of(seat)))))
