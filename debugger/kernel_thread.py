"""The kernel's own thread and event loop: painting is never felt in a deadline, a hanging subscriber never in a key."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class KernelThread:
    """An event loop in a thread of its own. Everything of the kernel is created and used there."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="hookscope kernel", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def call(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine over there; its result or exception comes with the future."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def soon(self, callback: Callable[[], object]) -> None:
        """Run a callback over there, not waiting for it."""
        self._loop.call_soon_threadsafe(callback)

    def close(self) -> None:
        """End what still runs over there, then the loop and the thread. Idempotent."""
        if self._loop.is_closed():
            return
        self.call(_cancel_all()).result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
