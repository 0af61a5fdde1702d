"""Subscribers that are Python callables which may block: each call runs in a thread, off every event loop.

A callable that never returns holds its thread and nothing else. Cancelling the dispatch abandons it; at the end of the
program it is not waited for. `stuck` tells who is where, and decides nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeAlias, TypeVar, cast

from kernel.errors import LaunchError
from kernel.faults import Hang, Misbehave
from kernel.reach import Callback
from kernel.subscriber import Call
from kernel.transports.callback_target import loaded
from kernel.transports.callback_threads import Job, Stuck, run, stuck
from kernel.transports.far_side import perform
from kernel.values import Crashed, Failed, Outcome

Via: TypeAlias = Callable[[Callable[..., object], Call], Outcome]
"""How a dialect calls such a callable: from it and a question to what came of it. What is raised is the callable's."""

T = TypeVar("T")

__all__ = ["CallbackSubscriber", "Stuck", "Via", "start", "stuck"]


async def start(name: str, reach: Callback) -> CallbackSubscriber:
    """A subscriber that is ready to be asked; raises LaunchError.

    Importing runs somebody's code, which may block as well. A file is read anew each time.
    """

    def load() -> tuple[Callable[..., object], Via] | LaunchError:
        try:
            return loaded(reach.target), cast(Via, loaded(reach.via))
        except Exception as error:  # noqa: BLE001  # somebody else's module, whatever it does
            return LaunchError(name, f"{reach.target!r} cannot be had: {type(error).__name__}: {_said(error)}")
        except SystemExit:
            return LaunchError(name, f"{reach.target!r} cannot be had: importing it ends the program")

    found, job = _begun(name, "import", "", load)
    try:
        ready = await found
    finally:
        job.is_abandoned = not found.done() or found.cancelled()
    if isinstance(ready, LaunchError):
        raise ready
    return CallbackSubscriber(name, *ready)


class CallbackSubscriber:
    """A callable that is asked in a thread."""

    def __init__(self, name: str, callee: Callable[..., object], via: Via) -> None:
        self._name = name
        self._callee = callee
        self._via = via

    async def answer(self, call: Call) -> Outcome:
        if call.far_side is None or isinstance(call.far_side, Misbehave):
            with call.clock.outside():  # it keeps real time: a virtual clock must not jump over what it does
                return await self._in_thread(call, lambda: self._via(self._callee, call))
        if isinstance(call.far_side, Hang):
            return await self._hanging(call)
        return await perform(call, lambda: self._undisturbed(call))

    async def _undisturbed(self, call: Call) -> Outcome:
        with call.clock.outside():
            return await self._in_thread(call, lambda: self._via(self._callee, call))

    async def _hanging(self, call: Call) -> Outcome:
        """Never comes back. The thread is ours and waits for nothing, so a virtual clock may jump meanwhile."""
        let_go = threading.Event()

        def never_returns() -> Outcome:
            let_go.wait()
            return Crashed("let go")

        try:
            return await self._in_thread(call, never_returns)
        finally:
            let_go.set()

    async def _in_thread(self, call: Call, act: Callable[[], Outcome]) -> Outcome:
        ended, job = _begun(self._name, call.phase, call.dispatch, lambda: _outcome_of(act))
        try:
            return await ended
        finally:
            job.is_abandoned = not ended.done() or ended.cancelled()


def _begun(name: str, phase: str, dispatch: str, act: Callable[[], T]) -> tuple[asyncio.Future[T], Job]:
    """An act that raises nothing, begun in a thread, and what it will give on this loop."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def give(result: T) -> None:
        if not ended.done():
            ended.set_result(result)

    def finished() -> None:
        result = act()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(give, result)

    job = Job(name, phase, dispatch, finished)
    run(job)
    return ended, job


def _outcome_of(act: Callable[[], Outcome]) -> Outcome:
    try:
        return act()
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        return Crashed(f"{type(error).__name__} ended its thread")
    except BaseException as error:  # noqa: BLE001  # a seam built for it: the callable's trouble is an outcome
        return Failed(type(error).__name__, _said(error))


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # it is the callable's own error
        return ""
