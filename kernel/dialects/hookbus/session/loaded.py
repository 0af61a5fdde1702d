"""Which extensions are loaded by now, and how often each was unloaded before (spec 2.2, 4.12). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from kernel.dialects.hookbus.matching import GENERATION
from kernel.values import JSON, Chain, Subscription


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the extensions of a configuration since the session began."""

    generations: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Of those that were unloaded at least once."""
    missing: frozenset[str] = frozenset()
    """Those that are not loaded now, unloaded or refused."""
    again: tuple[str, ...] = ()
    """Those that were loaded again and still are, in that order."""

    def generation(self, extension: str) -> int:
        """How often it was unloaded so far."""
        return self.generations.get(extension, 0)

    def without(self, extension: str) -> Loaded:
        """After it was unloaded; nothing changes for one that is not loaded."""
        if extension in self.missing:
            return self
        generations = {**self.generations, extension: self.generations.get(extension, 0) + 1}
        again = tuple(each for each in self.again if each != extension)
        return replace(self, generations=generations, missing=self.missing | {extension}, again=again)

    def with_again(self, extension: str) -> Loaded:
        """After one that was unloaded was loaded again."""
        return replace(self, missing=self.missing - {extension}, again=(*self.again, extension))

    def chain(self, chain: Chain) -> Chain:
        """The chain as it is now: who was loaded again sits behind those who stayed, with its new generation."""
        gone = {*self.generations, *self.missing, *self.again}
        if not gone:
            return chain
        stayed = [seat for seat in chain.subscriptions if seat.name not in gone]
        moved = [self._anew(seat) for name in self.again for seat in chain.subscriptions if seat.name == name]
        return replace(chain, subscriptions=(*stayed, *moved))

    def _anew(self, seat: Subscription) -> Subscription:
        generation: JSON = self.generation(seat.name)
        return replace(seat, options={**seat.options, GENERATION: generation}) if generation else seat
