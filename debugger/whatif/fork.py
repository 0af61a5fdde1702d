"""A change tried on live subscribers: whoever is asked what it was asked before answers from the record."""

from __future__ import annotations

from debugger.whatif.alternatives import Prepared
from kernel.control import PROCEED, Directive, Instead, Seam

BY = "what-if"


class FromRecord:
    """A control that gives the recorded outcomes where they are known and lets everybody else be asked."""

    def __init__(self, ready: Prepared) -> None:
        self._ready = ready

    async def before(self, seam: Seam) -> Directive:
        outcome = self._ready.known(seam.ask)
        return PROCEED if outcome is None else Instead(outcome, BY)

    async def after(self, seam: Seam) -> Directive:
        return PROCEED
