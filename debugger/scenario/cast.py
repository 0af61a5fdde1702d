"""Everybody whom a scenario can ask while it runs: stubs and callables of its own, and the processes of a host."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from debugger.scenario.stage import Seat
from debugger.scenario.stubs import AtPoints
from kernel.clock import Clock
from kernel.host import Host
from kernel.subscriber import Subscriber
from kernel.values import Chain

Tell = Callable[[str], None]
"""To be told what happens beside the dispatches."""


class Cast:
    """Somebody for each name: at a point of its own, at every point, or the process that the host started.

    `played` are those that the dialect plays itself; they count where somebody else has only some of their points.
    """

    def __init__(
        self, host: Host, own: Mapping[Seat, Subscriber], played: Mapping[str, Subscriber], tell: Tell
    ) -> None:
        self._host = host
        self._own = own
        self._played = played
        self._tell = tell
        self._restarting = asyncio.Lock()  # several dispatches of a session may be under way

    @property
    def subscribers(self) -> Mapping[str, Subscriber]:
        """As it is now: whoever was started again is another one than before."""
        own, hosted = self._own, self._host.subscribers
        elsewhere = {**self._played, **hosted}
        return MappingProxyType(
            {
                name: AtPoints(
                    {point: subscriber for (whose, point), subscriber in own.items() if whose == name and point},
                    own.get((name, ""), elsewhere.get(name)),
                )
                for name in {whose for whose, _ in own} | hosted.keys()
            }
        )

    @property
    def refused(self) -> frozenset[str]:
        """Names of those whom the host refused when it was to load them."""
        return self._host.refused

    def seated(self, chain: Chain) -> Chain:
        """The chain without whoever is refused now."""
        return self._host.seated(chain)

    async def revive(self, names: Collection[str], clock: Clock) -> None:
        """Start again whoever of them has died since it was started, unless its own host's rules do that.

        Takes none of the scenario's time.
        """
        if not any(each.name in names and not each.is_alive and not each.state for each in self._host.health):
            return
        async with self._restarting:
            host = self._host
            stillborn = {failure.subscriber for failure in host.failures}
            dead = [
                each.name
                for each in host.health
                if each.name in names and not each.is_alive and not each.state and each.name not in stillborn
            ]
            with clock.outside():  # a program keeps real time while it starts
                await host.restart(dead)
            for failure in host.failures:
                if failure.subscriber in dead:
                    self._tell(f"{failure}; it stays dead")
            for each in host.health:
                if each.name in dead and each.is_alive:
                    self._tell(f"{each.name} had died and was started again")

    async def load(self, name: str, clock: Clock, *, is_wanted: bool) -> str:
        """Stop a process and, where it is wanted, start another; the reason if that fails. Stubs have no process."""
        async with self._restarting:
            with clock.outside():
                return await self._host.load(name, is_wanted=is_wanted)
