"""Subscribers that are Python callables which may block: each call runs in a thread, off every event loop.

A callable that never returns holds its thread and nothing else. Cancelling the dispatch abandons it; at the end of the
program it is not waited for. `stuck` tells who is where, and decides nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias, cast

from kernel.errors import LaunchError
from kernel.far_side import perform
from kernel.faults import Hang, Misbehave
from kernel.reach import Callback
from kernel.subscriber import Call
from kernel.transports.callback_target import loaded
from kernel.transports.callback_threads import Stuck, class_of, in_thread, said, stuck, unheard
from kernel.values import Crashed, Failed, Outcome

Via: TypeAlias = Callable[[Callable[..., object], Call], Outcome]
"""How a dialect calls such a callable: from it and a question to what came of it. What is raised is the callable's."""

__all__ = ["CallbackSubscriber", "Stuck", "Via", "start", "stuck"]


async def start(name: str, reach: Callback, on_output: Callable[[str, str], None] = unheard) -> CallbackSubscriber:
    """A subscriber that is ready to be asked; raises LaunchError.

    Importing runs somebody's code, which may block as well. A file is read anew each time. `on_output` is told
    (stream, line) of what it prints.
    """

    def load() -> tuple[Callable[..., object], Via] | LaunchError:
        try:
            return loaded(reach.target), cast(Via, loaded(reach.via))
        except SystemExit:
            return LaunchError(name, f"{reach.target!r} cannot be had: importing it ends the program")
        except BaseException as error:  # noqa: BLE001  # somebody else's module, whatever it does
            return LaunchError(name, f"{reach.target!r} cannot be had: {class_of(error)}: {said(error)}")

    ready = await in_thread(name, "import", "", load, on_output)
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
        return await in_thread(self._name, call.phase, call.dispatch, lambda: _outcome_of(act), call.printed)


def _outcome_of(act: Callable[[], Outcome]) -> Outcome:
    try:
        return act()
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        return Crashed(f"{class_of(error)} ended its thread")
    except BaseException as error:  # noqa: BLE001  # a seam built for it: the callable's trouble is an outcome
        return Failed(class_of(error), said(error))
