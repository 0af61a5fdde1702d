"""Waiting on a kernel clock for as long as a context lasts.

Contexts are told of their end in whichever thread ends them, and notice a deadline only when somebody looks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kernel.clock import Clock, Timer, sleep
from kernel.dialects.rig.context import Canceled, Context

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ended:
    """A context ended before what was waited for."""

    context: Context
    error: BaseException


async def slept(context: Context, clock: Clock, ms: float) -> BaseException | None:
    """Let time go by; gives the error of the context if that one ends first. One that ended takes no time at all."""
    found = await raced(sleep(clock, ms) if ms > 0 else _at_once(), clock, [context])
    return found.error if isinstance(found, Ended) else None


async def _at_once() -> None:
    return None


async def raced(work: Coroutine[None, None, T], clock: Clock, contexts: Sequence[Context]) -> T | Ended:
    """What some work gives, or which context ended first; then the work is called off, and waited for until it is."""
    for context in contexts:
        if (error := context.err()) is not None:
            work.close()
            return Ended(context, error)
    ended: asyncio.Future[Context] = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(work)
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(_watched(context, clock, ended))
        try:
            waited: set[asyncio.Future[Any]] = {task, ended}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            found = ended.result()
            return Ended(found, found.err() or Canceled())
        finally:
            ended.cancel()
            await called_off(task)


async def called_off(task: asyncio.Future[Any]) -> None:
    """End a task, if it is not over, and wait until it is."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})


@contextlib.contextmanager
def _watched(context: Context, clock: Clock, ended: asyncio.Future[Context]) -> Iterator[None]:
    """Have the future told once the context has ended, in whichever thread that is."""
    loop = asyncio.get_running_loop()
    timer: Timer | None = None

    def tell() -> None:
        if not ended.done():
            ended.set_result(context)

    def told() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell)

    def look() -> None:
        nonlocal timer
        if context.err() is not None:
            tell()
        elif (deadline := context.deadline()) is not None:  # not yet by the context's own time
            timer = clock.call_at(clock.now_ns() + max(deadline - context.now_ns(), 1), look)

    signal = context.done()
    undo = None if signal is None else signal.on_set(told)
    if (deadline := context.deadline()) is not None:
        timer = clock.call_at(clock.now_ns() + max(deadline - context.now_ns(), 0), look)
    try:
        yield
    finally:
        if undo is not None:
            undo()
        if timer is not None:
            timer.cancel()
