"""What tests of the debug session and of its screen share: a host of stubs, and a session that is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from dispatch_runs import chain
from pluggable_payloads import payload

from debugger.runcontrol import Command, Stance
from debugger.session import Session
from debugger.trace import DispatchTrace, Trace
from kernel.clock import Clock
from kernel.dialects.pluggable import Pluggable
from kernel.errors import LaunchError
from kernel.host import Health, Host
from kernel.probe import Probe
from kernel.setup import Setup
from kernel.subscriber import Call, Subscriber
from kernel.transports.callback_threads import Stuck
from kernel.values import Crashed, Outcome, Payload


class StubHost(Host):
    """Stubs where a host has processes. One that crashed stays dead until it is started again."""

    def __init__(self, stubs: Mapping[str, Subscriber]) -> None:
        super().__init__(())
        self.calls: list[tuple[str, Call]] = []
        self.dead: set[str] = set()
        self.restarted: list[str] = []
        self.is_stopped = False
        self.not_back: tuple[Stuck, ...] = ()
        self._stubs = {name: _Watched(self, name, each) for name, each in stubs.items()}

    @property
    def subscribers(self) -> Mapping[str, Subscriber]:
        return MappingProxyType(self._stubs)

    @property
    def failures(self) -> tuple[LaunchError, ...]:
        return ()

    @property
    def health(self) -> tuple[Health, ...]:
        return tuple(Health(name, name not in self.dead, "a stub") for name in self._stubs)

    def stuck(self, longer_than_ns: int) -> tuple[Stuck, ...]:
        return tuple(each for each in self.not_back if each.for_ns >= longer_than_ns)

    async def start(self) -> None:
        pass

    async def restart(self, names: object) -> None:
        assert isinstance(names, list | tuple)
        await asyncio.sleep(0)  # others may go on meanwhile, as while a process starts
        self.restarted += names
        self.dead -= set(names)

    async def stop(self) -> None:
        self.is_stopped = True


class _Watched:
    def __init__(self, host: StubHost, name: str, stub: Subscriber) -> None:
        self._host, self._name, self._stub = host, name, stub

    async def answer(self, call: Call) -> Outcome:
        self._host.calls.append((self._name, call))
        if self._name in self._host.dead:
            return Crashed("it is dead")
        outcome = await self._stub.answer(call)
        if isinstance(outcome, Crashed):
            self._host.dead.add(self._name)
        return outcome


def setup_of(seats: str, point: str, *, parallel: bool = False, timeout_ms: int = 1000) -> Setup:
    """A configuration of one chain whose subscribers are brought by the caller."""
    chains = {point: chain(point, seats, timeout_ms)}
    return Setup(Path("agent.hcl"), (), Pluggable(concurrent_observe=parallel), chains)


class Desk:
    """A session over stubs at one point, with the trace of what it told."""

    def __init__(
        self,
        seats: str,
        stubs: Mapping[str, Subscriber],
        clock: Clock,
        *,
        point: str = "pre-model-call",
        parallel: bool = False,
        probes: tuple[Probe, ...] = (),
    ) -> None:
        self.point = point
        self.host = StubHost(stubs)
        self.session = Session(
            setup_of(seats, point, parallel=parallel), self._has_news, *probes, host=self.host, clock=clock
        )  # fmt: skip
        self.trace = Trace()
        self.notes: list[str] = []
        self._news = asyncio.Event()
        self._known: dict[str, list[str]] = {}

    def _has_news(self) -> None:
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Come back once the session has told of something that makes this true."""
        async with asyncio.timeout(20):
            while not self._follow(condition):
                self._news.clear()
                await self._news.wait()

    def _follow(self, condition: Callable[[], bool]) -> bool:
        while self.session.events:
            self.trace.take(self.session.events.popleft())
        while self.session.notes:
            self.notes.append(self.session.notes.popleft().text)
        return condition()

    async def fire(self, stance: Stance = Stance.TO_NEXT_SEAM, given: Payload | None = None) -> str:
        """Start a dispatch, and wait until it is held or over."""
        dispatch = await self.session.fire(self.point, given or payload(self.point), stance)
        self._known[dispatch] = []
        await self.settled(dispatch)
        return dispatch

    async def settled(self, dispatch: str) -> None:
        """Wait until a dispatch is held elsewhere than before, or is over."""
        before = self._known[dispatch]
        await self.until(lambda: dispatch not in self.session.view.states or self.places(dispatch) not in ([], before))
        self._known[dispatch] = self.places(dispatch)

    async def command(self, dispatch: str, command: Command, step: int | None = None) -> None:
        """Command, and wait for what comes of it."""
        self.session.command(dispatch, command, step)
        await self.settled(dispatch)

    def places(self, dispatch: str) -> list[str]:
        """Where a dispatch is held, such as `before A`."""
        holds = [hold for hold in self.session.view.holds if hold.dispatch == dispatch]
        return [f"{hold.side} {hold.subscriber}" for hold in sorted(holds, key=lambda hold: hold.step)]

    def of(self, dispatch: str) -> DispatchTrace:
        """What is known of a dispatch."""
        self._follow(lambda: True)
        trace = self.trace.find(dispatch)
        assert trace is not None
        return trace

    def asked(self) -> str:
        """Names of those who were really asked, in order."""
        return " ".join(name for name, _ in self.host.calls)
