"""A change tried on live subscribers: whoever is asked what it was asked before answers from the record."""

from __future__ import annotations

from debugger.whatif.alternatives import Known, Prepared
from kernel.control import PROCEED, Directive, Instead, Proceed, Seam
from kernel.values import Ask, Payload

BY = "what-if"


def recorded(known: Known, seam: Seam) -> Instead | Proceed | None:
    """What was done at a seam before a subscriber, and what came of it, as far as that is known; None for neither."""
    edited = known.edit(seam.ask)
    ask = seam.ask if edited is None else _asked_with(seam, edited.after)
    outcome = known(ask)
    if outcome is not None:
        return Instead(outcome, BY, known.is_recorded(ask), None if edited is None else edited.after)
    return None if edited is None else Proceed(edited.after, by=BY)


def _asked_with(seam: Seam, payload: Payload) -> Ask:
    walk, _ = seam.walk.edited(seam.ask, payload, BY)
    return next(ask for ask in walk.asks if ask.step == seam.ask.step)


class FromRecord:
    """A control that gives the recorded outcomes where they are known and lets everybody else be asked."""

    def __init__(self, ready: Prepared) -> None:
        self._ready = ready

    async def before(self, seam: Seam) -> Directive:
        return recorded(self._ready.known, seam) or PROCEED

    async def after(self, seam: Seam) -> Directive:
        return PROCEED
