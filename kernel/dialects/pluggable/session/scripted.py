"""The part of a description that acts: context providers that contribute."""

from __future__ import annotations

from collections.abc import Callable

from kernel.clock import Clock, sleep
from kernel.dialects.pluggable import sections
from kernel.dialects.pluggable.sections import ContextRequest, ContributeError, Contribution, Section
from kernel.dialects.pluggable.session import turn
from kernel.dialects.pluggable.session.described import ContextProvider, Piece
from kernel.values import JSON


class DescribedContext:
    """A context provider that puts its own sections behind the chain so far."""

    def __init__(self, described: ContextProvider, clock: Clock, new_message_id: Callable[[], str]) -> None:
        self._described = described
        self._clock = clock
        self._new_message_id = new_message_id
        self._has_rewritten = False

    @property
    def name(self) -> str:
        return self._described.name

    @property
    def token_budget(self) -> int:
        return self._described.token_budget

    @property
    def is_compactor(self) -> bool:
        return self._described.compactor

    async def contribute(self, request: ContextRequest) -> Contribution:
        described = self._described
        if described.takes_ms:
            await sleep(self._clock, described.takes_ms)
        if described.error:
            raise ContributeError(described.error)
        said = [_section(piece, self.name) for piece in described.sections]
        replaced = {(section.provider, section.label) for section in said}
        others = tuple(
            section
            for section in request.prior
            if section.provider != self.name and (section.provider, section.label) not in replaced
        )
        rewrites: tuple[JSON, ...] = ()
        if described.rewrites and not self._has_rewritten:
            self._has_rewritten = True
            rewrites = tuple(dict(turn.said(each, self._new_message_id())) for each in described.rewrites)
        return Contribution((*others, *said), rewrites)


def _section(piece: Piece, provider: str) -> Section:
    content = sections.text(piece.text) if piece.text is not None else piece.content
    return Section(piece.provider or provider, piece.label, content)
