"""Subscribers asked by themselves: the rest of the chain is not there, only those whom the host itself plays. Pure."""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import replace

from debugger.session.seen import key_of
from kernel.errors import BadInput
from kernel.playing import Course
from kernel.values import Chain, Subscription


def alone(seat: Subscription, own: Container[str]) -> Course:
    """The course of a dispatch in which nobody else is asked; `own` are those whom the host plays.

    Its `seats` raises BadInput where nobody sits there any more.
    """

    def seats(chain: Chain) -> Chain:
        kept = tuple(each for each in chain.subscriptions if _is(each, seat) or each.name in own)
        if not any(_is(each, seat) for each in kept):
            raise BadInput(f"{seat.name} sits at {chain.point} no more", fix="choose somebody in a newer dispatch")
        return replace(chain, subscriptions=kept)

    return Course(seats=seats)


def only(chain: Chain, names: Collection[str], own: Container[str]) -> Chain:
    """The chain with nobody in it but these, and whom the host plays; raises BadInput for a name that is not there."""
    there = {seat.name for seat in chain.subscriptions}
    for name in names:
        if name not in there:
            known = f"there are {', '.join(sorted(there))}" if there else "nobody does"
            raise BadInput(f"nobody called {name!r} sits at {chain.point}", fix=known)
    kept = tuple(seat for seat in chain.subscriptions if seat.name in names or seat.name in own)
    return replace(chain, subscriptions=kept)


def _is(one: Subscription, other: Subscription) -> bool:
    return (key_of(one), one.id) == (key_of(other), other.id)
