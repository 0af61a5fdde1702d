"""A what-if as a dispatch that can be looked at and compared like any other, as far as the record tells. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from debugger.trace import DispatchTrace, folded, opened
from debugger.whatif.alternatives import Prepared
from kernel.amending import attributed
from kernel.facts import Asked, Ended, Event, Fact, Opened, Replied
from kernel.rerun import known_or_void
from kernel.values import Skipped

NUMBER = 0
"""Of a dispatch that never happened."""


def traced(ready: Prepared, like: DispatchTrace) -> DispatchTrace:
    """The dispatch with one thing changed, up to whoever would have to be asked. `like` lends its beginning.

    Times are none of its own: all of it happens at once. Raises BadInput where the dialect would not begin.
    """
    at_ns = like.opened_at_ns
    wall_ns, parent = like.opened.wall_ns, like.opened.parent
    fact = Opened(ready.dialect.name, ready.chain, ready.payload, wall_ns, parent, fork=ready.fork)
    trace = opened(Event(f"{like.id} {ready.words}", 0, at_ns, fact), fact, NUMBER)
    for number, each in enumerate(_facts(ready), 1):
        trace = folded(trace, Event(trace.id, number, at_ns, each))
    return trace


def _facts(ready: Prepared) -> Iterator[Fact]:
    walk, facts = ready.dialect.open(ready.chain, ready.payload)
    yield from facts
    while walk.result is None:
        ask = walk.asks[0]
        if (edited := ready.known.edit(ask)) is not None:
            walk, facts = walk.edited(ask, edited.after, edited.by)
            yield from facts
            ask = walk.asks[0]
        outcome = known_or_void(ready.dialect, ready.known, ask)
        if outcome is None:
            return
        if not isinstance(outcome, Skipped):  # who is left out is not asked
            yield Asked(ask.step, ask.subscription, ask.payload, ask.request, ask.timeout_ms, ask.phase)
            yield Replied(ask.step, outcome)
        after, facts = walk.after(ask, outcome)
        amended = ready.known.amended(ask)
        yield from facts if amended is None else attributed(facts, walk, ask, amended)
        walk = after
    yield Ended(walk.result)
