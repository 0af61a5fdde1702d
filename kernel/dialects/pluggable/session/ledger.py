"""What sessions have spent, those inside of each other together (spec D.5)."""

from __future__ import annotations

from kernel.dialects.pluggable.session.stops import Allowance


class Ledger:
    """The costs of one session. What a session inside spends is spent by every session around it as well.

    Sessions side by side debit the one around them, all of them on one loop.
    """

    def __init__(self, session: str, max_usd: float, around: Ledger | None = None) -> None:
        """`max_usd` of 0 is no limit."""
        self._session = session
        self._max_usd = max_usd
        self._around = around
        self.spent_usd = 0.0

    def debit(self, usd: float) -> None:
        """Spend something, here and up to the root."""
        self.spent_usd += usd
        if self._around is not None:
            self._around.debit(usd)

    @property
    def allowances(self) -> tuple[Allowance, ...]:
        """The limits that hold for this session: its own, and those around it, from the inside out."""
        own = (Allowance(self._session, self.spent_usd, self._max_usd),) if self._max_usd else ()
        return own if self._around is None else (*own, *self._around.allowances)
