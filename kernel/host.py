"""Live subscribers for a configuration: picks the transport for each reach, starts it once, stops it at the end."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Protocol, assert_never, runtime_checkable

from kernel.errors import LaunchError
from kernel.reach import Callback, GoPlugin, InProcess, Reach, StdioExtension
from kernel.subscriber import Call, Subscriber
from kernel.values import Chain, Crashed, Outcome

if TYPE_CHECKING:
    from kernel.transports.callback import Stuck
    from kernel.transports.stdio import Store

Heard = Callable[[str, str, str], None]
"""To be told (subscriber, stream, line) of what is printed while nobody is asked."""


@runtime_checkable
class _Running(Protocol):
    """A subscriber that takes something to keep alive."""

    @property
    def alive(self) -> bool: ...

    @property
    def pid(self) -> int | None: ...

    @property
    def exit(self) -> str | None: ...

    async def stop(self) -> None: ...


@runtime_checkable
class _Mending(Protocol):
    """One that is started again by itself, as its host does it."""

    @property
    def state(self) -> str: ...

    @property
    def restart_count(self) -> int: ...

    @property
    def health(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Health:
    """How one subscriber is."""

    name: str
    is_alive: bool
    detail: str
    """`pid 4711`, or what became of it."""
    state: str = ""
    """In the word of a host that starts it again by itself: running, restarting, degraded or failed."""
    restart_count: int = 0
    """How often that has happened since it was first started."""


@dataclass(frozen=True, slots=True)
class _Absent:
    """Stands in for a subscriber that did not start: asking it is like asking a dead process."""

    reason: str
    absent: str = ""
    """Why it did not start; empty where nobody wanted it to. See `Staging.as_started`."""

    async def answer(self, call: Call) -> Outcome:
        return Crashed(self.reason)


class Host:
    """Starts the subscribers of some chains, and `others`, and keeps them. One process serves whatever names it.

    With `unseats_failures`, whoever does not start loses its seats until it does: see `Staging`.
    """

    def __init__(
        self,
        chains: Iterable[Chain],
        heard: Heard = lambda name, stream, line: None,
        others: Mapping[str, Reach] = MappingProxyType({}),
        *,
        unseats_failures: bool = False,
    ) -> None:
        self._heard = heard
        self._unseats_failures = unseats_failures
        self._reaches: dict[str, Reach] = dict(others)
        for chain in chains:
            for seat in chain.subscriptions:
                if seat.reach is not None:
                    self._reaches[seat.name] = seat.reach
        self._live: dict[str, Subscriber] = {}
        self._failures: dict[str, LaunchError] = {}
        self._stores: dict[str, Store] = {}

    @property
    def subscribers(self) -> Mapping[str, Subscriber]:
        """Somebody to ask for each name; a subscriber that did not start answers as a dead process would."""
        return MappingProxyType(self._live)

    @property
    def failures(self) -> tuple[LaunchError, ...]:
        """Why some did not start."""
        return tuple(self._failures.values())

    @property
    def refused(self) -> frozenset[str]:
        """Names of those who did not start and sit nowhere because of that."""
        return frozenset(self._failures) if self._unseats_failures else frozenset()

    def seated(self, chain: Chain) -> Chain:
        """The chain as it is dispatched now: without whoever is refused."""
        refused = self.refused
        if not any(seat.name in refused for seat in chain.subscriptions):
            return chain
        return replace(chain, subscriptions=tuple(seat for seat in chain.subscriptions if seat.name not in refused))

    @property
    def told_failures(self) -> tuple[str, ...]:
        """Why some did not start, in sentences for people."""
        refused = self.refused
        return tuple(
            f"not loaded: {failure}" if failure.subscriber in refused else str(failure) for failure in self.failures
        )

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(self._health(name) for name in self._reaches)

    @property
    def runs_callables(self) -> bool:
        """Whether somebody's code runs in our own process."""
        return any(isinstance(reach, Callback | InProcess) for reach in self._reaches.values())

    def stuck(self, longer_than_ns: int) -> tuple[Stuck, ...]:
        """Callables that have been running for longer than this, the longest first; decides nothing about them."""
        if not self.runs_callables:
            return ()
        from kernel.transports.callback import stuck

        return tuple(each for each in stuck(longer_than_ns) if each.subscriber in self._reaches)

    async def __aenter__(self) -> Host:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start everybody together. Never raises for one of them: see `failures`."""
        await asyncio.gather(*(self._start(name) for name in self._reaches))

    async def restart(self, names: Iterable[str]) -> None:
        """Stop and start some of them."""
        names = tuple(names)
        await asyncio.gather(*(self._stop(name) for name in names))
        await asyncio.gather(*(self._start(name) for name in names))

    async def load(self, name: str, *, is_wanted: bool) -> str:
        """Stop somebody and, where it is wanted, start it anew; the reason if that fails. Nothing for a stranger."""
        if name not in self._reaches:
            return ""
        await self._stop(name)
        if is_wanted:
            await self._start(name)
        else:
            self._failures.pop(name, None)
            self._live[name] = _Absent("it is not loaded")
        return self._failures[name].message if name in self._failures else ""

    async def stop(self) -> None:
        """Stop everybody. Idempotent."""
        await asyncio.gather(*(self._stop(name) for name in tuple(self._live)))

    async def _start(self, name: str) -> None:
        self._failures.pop(name, None)
        try:
            self._live[name] = await _opened(name, self._reaches[name], self._heard, self._stores)
        except LaunchError as error:
            self._failures[name] = error
            self._live[name] = _Absent(f"it is not running: {error.message}", error.message)

    async def _stop(self, name: str) -> None:
        live = self._live.pop(name, None)
        if isinstance(live, _Running):
            await live.stop()

    def _health(self, name: str) -> Health:
        if name in self._failures:
            return Health(name, False, self._failures[name].message)
        live = self._live.get(name)
        if live is None or isinstance(live, _Absent):
            return Health(name, False, "not started")
        if not isinstance(live, _Running):
            return Health(name, True, "in process")
        detail = f"pid {live.pid}" if live.alive else live.exit or "gone"
        if isinstance(live, _Mending):
            return Health(name, live.alive, f"{detail}, {live.health}", live.state, live.restart_count)
        return Health(name, live.alive, detail)


async def _opened(name: str, reach: Reach, heard: Heard, stores: dict[str, Store]) -> Subscriber:
    match reach:
        case GoPlugin():
            from kernel.transports import goplugin  # gRPC, only for who needs it

            return await goplugin.start(name, reach, on_output=lambda stream, line: heard(name, stream, line))
        case StdioExtension():
            from kernel.transports import stdio  # msgspec, likewise

            store = stores.setdefault(name, stdio.Store())  # what an extension has had remembered outlives a restart
            return await stdio.start(name, reach, on_output=lambda stream, line: heard(name, stream, line), store=store)
        case InProcess(target):
            from kernel.transports.in_process import InProcessSubscriber

            return InProcessSubscriber(_attribute(name, target), name)
        case Callback():
            from kernel.transports import callback

            return await callback.start(name, reach, lambda stream, line: heard(name, stream, line))
        case _:
            assert_never(reach)


def _attribute(name: str, target: str) -> Callable[[bytes], bytes | None]:
    module, _, attribute = target.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise LaunchError(name, f"{target!r} is not there: {error}") from error
    if not callable(found):
        raise LaunchError(name, f"{target!r} cannot be called")
    callee: Callable[[bytes], bytes | None] = found
    return callee
