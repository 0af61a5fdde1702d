"""Deadlines one after the other, kept with one timer."""

from __future__ import annotations

import asyncio

import pytest

from kernel.clock import REAL
from kernel.transports.stdio.watchdog import Watchdog


def after(ms: float) -> int:
    return REAL.now_ns() + round(ms * 1e6)


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


async def test_a_block_ends_at_its_deadline() -> None:
    """And the next one at its own, whether it is sooner or later."""
    watchdog = Watchdog()
    for ms in (30, 60, 10):
        with watchdog.until(deadline := after(ms)):
            await forever()
        assert watchdog.expired
        assert not watchdog.is_busy
        assert REAL.now_ns() >= deadline


async def test_a_block_in_time_is_left_alone() -> None:
    """The timer of an earlier block does not hit a later one."""
    watchdog = Watchdog()
    with watchdog.until(after(20)):
        await asyncio.sleep(0)
    with watchdog.until(after(10_000)):
        await asyncio.sleep(0.05)
        assert watchdog.is_busy
    assert not watchdog.expired
    watchdog.close()


async def test_errors_and_the_cancellation_of_others_pass() -> None:
    """It swallows its own cancellation and nothing else."""
    watchdog = Watchdog()
    with pytest.raises(KeyError), watchdog.until(after(10_000)):
        raise KeyError

    async def work() -> None:
        with watchdog.until(after(10_000)):
            await forever()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not watchdog.expired
    watchdog.close()


async def test_a_deadline_and_another_cancellation_at_once_are_the_others() -> None:
    """Whoever else wants the task to end gets that."""
    watchdog = Watchdog()

    async def work() -> None:
        with watchdog.until(after(0)):
            try:
                await forever()
            except asyncio.CancelledError:
                task.cancel()  # it comes while ours is on its way
                raise

    task = asyncio.create_task(work())
    with pytest.raises(asyncio.CancelledError):
        await task
