"""The kernel's thread: what runs there, what comes back, and that it ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from debugger.kernel_thread import KernelThread


@pytest.fixture
def kernel() -> Iterator[KernelThread]:
    """A thread that is closed at the end."""
    thread = KernelThread()
    yield thread
    thread.close()


def threads() -> list[threading.Thread]:
    """The kernel threads there are."""
    return [each for each in threading.enumerate() if each.name == "hookscope kernel"]


def test_a_result_comes_back_from_another_thread(kernel: KernelThread) -> None:
    """The coroutine runs on the kernel's loop, never on the caller's."""

    async def where() -> threading.Thread:
        return threading.current_thread()

    found = kernel.call(where()).result(timeout=10)
    assert found is not threading.current_thread()
    assert found in threads()


def test_an_exception_comes_back_as_itself(kernel: KernelThread) -> None:
    """Whoever waits for the result gets it; the loop over there goes on."""

    async def fail() -> None:
        raise ValueError("over there")

    async def succeed() -> str:
        return "fine"

    with pytest.raises(ValueError, match="over there"):
        kernel.call(fail()).result(timeout=10)
    assert kernel.call(succeed()).result(timeout=10) == "fine"


async def test_one_loop_can_wait_for_the_other(kernel: KernelThread) -> None:
    """A screen awaits what the kernel does without blocking."""

    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    assert await asyncio.wrap_future(kernel.call(answer())) == 42


def test_a_callback_runs_soon(kernel: KernelThread) -> None:
    """In order, and on the kernel's thread."""
    seen: list[object] = []
    done = threading.Event()
    kernel.soon(lambda: seen.append(threading.current_thread().name))
    kernel.soon(done.set)
    assert done.wait(10)
    assert seen == ["hookscope kernel"]


def test_closing_cancels_what_still_runs_and_ends_the_thread() -> None:
    """A coroutine that waits forever gets its cancellation and may clean up; nothing is left."""
    kernel = KernelThread()
    [mine] = threads()
    begun, cleaned = threading.Event(), threading.Event()

    async def forever() -> None:
        begun.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cleaned.set()

    future = kernel.call(forever())
    assert begun.wait(10)
    kernel.close()
    assert cleaned.is_set()
    assert future.cancelled()
    assert not mine.is_alive()


def test_closing_twice_is_closing_once() -> None:
    """Whoever leaves may not know that somebody has left already."""
    kernel = KernelThread()
    kernel.close()
    kernel.close()
    assert not threads()


def test_a_blocked_caller_does_not_hold_up_the_kernel(kernel: KernelThread) -> None:
    """Our thread may wait for something that only happens over there."""
    happened = threading.Event()

    async def later() -> None:
        await asyncio.sleep(0)
        happened.set()

    kernel.call(later())
    assert happened.wait(10)
