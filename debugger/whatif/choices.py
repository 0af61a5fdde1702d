"""What can be changed about a dispatch or one of its steps, each with a name: what a dialog offers. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from debugger.trace import DispatchTrace
from debugger.whatif.alternatives import Swapped, Thrown, Unedited, What, Without
from debugger.whatif.reasons import other_answers, reasons
from kernel.dialect import Dialect


@dataclass(frozen=True, slots=True)
class Offer:
    """One change that can be tried."""

    words: str
    what: What
    verdict: str = ""
    """What it is known to come to, of those that would have changed the verdict."""


def offers(trace: DispatchTrace, step: int | None, dialect: Dialect) -> tuple[Offer, ...]:
    """What would have changed the verdict first, then everything that can be tried at a step, or at any of them."""
    found: dict[str, Offer] = {}
    if trace.result is not None:
        for each in reasons(trace, dialect):
            told = f"would have to ask {each.open_at}" if each.result is None else f"then {each.result.decision}"
            found[each.words] = Offer(each.words, each.what, told)
    for offer in _tried(trace, step, dialect):
        found.setdefault(offer.words, offer)
    return tuple(found.values())


def _tried(trace: DispatchTrace, step: int | None, dialect: Dialect) -> Iterator[Offer]:
    seats = trace.opened.chain.subscriptions
    for place, seat in enumerate(seats):
        if step not in (None, place):
            continue
        yield Offer(f"without {seat.name}", Without(place))
        if place + 1 < len(seats):
            yield Offer(f"{seats[place + 1].name} before {seat.name}", Swapped(place))
    for each in trace.steps:
        if step in (None, each.step) and each.is_edited:
            yield Offer(f"without the edit at {each.subscription.name}", Unedited(each.step))
        if step in (None, each.step) and each.asked_at_ns is not None:
            for gave in other_answers(each, dialect):
                yield Offer(f"{each.subscription.name}: {gave.words}", gave)
    for name, is_on in dialect.switches.items():
        yield Offer(f"{name} {'off' if is_on else 'on'}", Thrown(name, not is_on))
