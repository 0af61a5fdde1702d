"""The calls that one step makes: all of them begin, in order, before any of them proceeds (spec D.1, D.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.session.described import Call
from kernel.dialects.rig.session.errors import ErrorKind, HostRaise, SessionEnded, made, panicked
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.owner import Block, Close, Inside
from kernel.dialects.rig.session.tools import CaptureFailed, Given, Tools
from kernel.dialects.rig.session.waiting import called_off
from kernel.dialects.rig.snapshot import ToolCallPayload


class Go(Enum):
    """What a call that has begun is told to do."""

    PROCEED = "proceed"
    FAIL = "fail"
    """Something raised elsewhere in the batch: it ends at once."""
    FORGET = "forget"
    """The same, and nobody ever calls its finish."""


@dataclass(slots=True)
class _UnderWay:
    """One call of a batch."""

    call: Call
    id: str
    payload: ToolCallPayload
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """All its begins and guards are over."""
    go: asyncio.Future[Go] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    is_blocked: bool = False
    given: Given | None = None
    task: asyncio.Task[Exception | None] | None = None


class Batch:
    """One batch. `run` once."""

    def __init__(
        self, ground: Ground, tools: Tools, identity: Identity, inside: Inside, *, events_raise: str = ""
    ) -> None:
        self._ground = ground
        self._tools = tools
        self._identity = identity
        self._inside = inside
        self._events_raise = events_raise
        self._broken: Exception | None = None
        """What ends the batch: CaptureFailed, HostRaise or SessionEnded."""

    async def run(self, calls: Sequence[tuple[Call, str]]) -> list[Given]:
        """What came of each call, in their order. Raises what broke the batch, once every call that began is over."""
        batch = [_UnderWay(call, call_id, self._tools.payload(call, call_id)) for call, call_id in calls]
        async with asyncio.TaskGroup() as group:
            for each in batch:
                each.task = group.create_task(self._whole(each), name=f"tool call {each.id}")
                begun = asyncio.ensure_future(each.begun.wait())
                try:
                    await asyncio.wait({begun, each.task}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    await called_off(begun)
            await self._proceed(batch)
        if self._broken is not None:
            raise self._broken
        return [each.given or Given("", is_error=True) for each in batch]

    async def _proceed(self, batch: Sequence[_UnderWay]) -> None:
        """Those that are blocked and those that have to run alone, in order; then the others, so many at once."""
        alone = [each for each in batch if each.is_blocked or self._tools.is_serial(each.call)]
        for each in alone:
            await self._let_go(each)
        slots = asyncio.Semaphore(self._ground.described.parallel)

        async def in_slot(each: _UnderWay) -> None:
            async with slots:
                await self._let_go(each)

        async with asyncio.TaskGroup() as group:
            for each in batch:
                if each not in alone:
                    group.create_task(in_slot(each), name=f"slot of tool call {each.id}")

    async def _let_go(self, each: _UnderWay) -> None:
        """Have a call proceed to its end, finishes included."""
        assert each.task is not None, "it has begun"
        if not each.go.done():
            each.go.set_result(self._go)
        broken = await each.task
        if broken is not None and self._broken is None:
            self._broken = broken

    @property
    def _go(self) -> Go:
        match self._broken:
            case None:
                return Go.PROCEED
            case CaptureFailed() if self._ground.leaks:
                return Go.FORGET
            case _:
                return Go.FAIL

    async def _whole(self, each: _UnderWay) -> Exception | None:
        """One call as an operation; gives what it broke the batch with."""
        broken: list[Exception] = []

        async def act(inside: Inside) -> Close:
            each.begun.set()
            go = await each.go
            if go is not Go.PROCEED:
                return self._ended(each, go)
            if self._events_raise:
                raise HostRaise(self._events_raise)
            try:
                each.given, close = await self._tools.made(each.call, each.id, each.payload, self._identity, inside)
            except CaptureFailed as failed:
                broken.append(failed)
                self._broken = self._broken or failed
                return Close(made(str(failed), ErrorKind.PLAIN), leaks=self._ground.leaks)
            return replace(close, leaks=self._go is Go.FORGET)  # whatever ends after the batch was given up

        async def refuse(block: Block, inside: Inside) -> Close:
            each.is_blocked = True
            each.begun.set()
            go = await each.go
            if go is not Go.PROCEED:
                return Close()
            if self._events_raise:
                raise HostRaise(self._events_raise)
            each.given, close = await self._tools.refused(each.call, each.id, block, inside)
            return close

        call = self._ground.call(Operation.TOOL_CALL, self._identity, each.payload)
        try:
            ended = await self._ground.operate(call, self._inside, act, refuse)
        except (HostRaise, SessionEnded) as error:
            return error
        if each.given is None and not broken:  # somebody else played it, or it never proceeded
            shown = ended.call.tool_call
            text = shown.result_preview if shown is not None else ""
            each.given = Given(text or str(ended.error or "ok"), is_error=not ended.is_completed, error=ended.error)
        return broken[0] if broken else None

    def _ended(self, each: _UnderWay, go: Go) -> Close:
        """A call that ends without having proceeded."""
        return Close(panicked(Operation.TOOL_CALL), leaks=go is Go.FORGET)
