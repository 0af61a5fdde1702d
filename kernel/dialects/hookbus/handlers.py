"""Handlers in the field's words: an object with an id that handles events, in our process or behind a transport."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, get_args

from kernel.dialects.hookbus.answers import HookResult, to_body
from kernel.dialects.hookbus.payload import HookEvent, parse
from kernel.dialects.hookbus.walk import NO_SPAWN
from kernel.errors import BadInput
from kernel.subscriber import Call, Subscriber
from kernel.values import Answered, Empty, Failed, Outcome

Handle: TypeAlias = Callable[[HookEvent], HookResult | Awaitable[HookResult | None] | None]
_RESULTS = (*get_args(HookResult), type(None))


class Handler(Protocol):
    """Somebody in our process. May have a `handle_no_spawn` besides, for the bus of a worker."""

    @property
    def id(self) -> str: ...

    def handle(self, event: HookEvent) -> HookResult | Awaitable[HookResult | None] | None:
        """Gets a copy of the event of its own. What it raises is its own trouble. Called on the loop: one that takes
        its time has to be async, since while it blocks nobody's deadline passes."""
        ...


@dataclass(frozen=True, slots=True)
class Reached:
    """An extension that is reached over a transport."""

    id: str
    subscriber: Subscriber


AnyHandler: TypeAlias = Handler | Reached


def subscriber_of(handler: AnyHandler) -> Subscriber:
    """Whom the kernel asks."""
    return handler.subscriber if isinstance(handler, Reached) else _InProcess(handler)


class _InProcess:
    """Asks a handler in its own words, and answers in wire form.

    A fault needs a far side: whoever wants one for a handler in process brings it as `Reached`.
    """

    def __init__(self, handler: Handler) -> None:
        self._usual = handler.handle
        self._no_spawn: Handle = getattr(handler, "handle_no_spawn", handler.handle)

    async def answer(self, call: Call) -> Outcome:
        if call.far_side is not None:
            raise BadInput("a plain handler has no far side", fix="reach it over a transport to make it fail")
        handle = self._no_spawn if call.phase == NO_SPAWN else self._usual
        event = parse(call.request)
        try:
            answer = handle(event)
            result = await answer if isinstance(answer, Awaitable) else answer
            if not isinstance(result, _RESULTS):
                return Failed("TypeError", f"it answered with {type(result).__name__}, not with a result")
            return Empty() if result is None else Answered(to_body(result))
        except (KeyboardInterrupt, GeneratorExit):
            raise  # not the handler's doing, wherever it struck
        except BaseException as error:
            # A seam built for it: a handler's trouble is an outcome, even if it wants to end the whole program.
            if isinstance(error, asyncio.CancelledError) and is_being_ended():
                raise
            return Failed(type(error).__name__, str(error))


def is_being_ended() -> bool:
    """Whether somebody wants the task to end that asks, as opposed to a handler that cancels by itself."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
