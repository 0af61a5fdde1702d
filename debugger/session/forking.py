"""What-ifs against live subscribers: whoever is asked what it was asked before answers from the record."""

from __future__ import annotations

from debugger.session.steering import Steering
from debugger.whatif.alternatives import Prepared
from debugger.whatif.fork import recorded
from kernel.control import PROCEED, Directive, Seam


class Forked:
    """Steers a fork like any dispatch, except that recorded answers are given where nobody says otherwise.

    Armed faults befall only those who are really asked.
    """

    def __init__(self, steering: Steering, ready: Prepared) -> None:
        self._steering = steering
        self._ready = ready

    async def before(self, seam: Seam) -> Directive:
        known = recorded(self._ready.known, seam)
        if known is None:
            return await self._steering.before(seam)
        directive = await self._steering.held_if_wished(seam)
        return known if directive == PROCEED else directive

    async def after(self, seam: Seam) -> Directive:
        return await self._steering.after(seam)
