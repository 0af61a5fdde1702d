"""Threads for callables that may block for ever, and the watch over them. None of them keeps the interpreter alive."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from kernel.transports.callback_streams import told_apart

KEPT: Final = 8
"""Idle threads that are kept for the next callable; starting one takes longer than most callables run."""
DEEPEST: Final = 50
"""Lines of a stack that are told, the innermost ones."""

T = TypeVar("T")


@dataclass(slots=True)
class Job:
    """One call of a callable."""

    subscriber: str
    phase: str
    dispatch: str
    act: Callable[[], None]
    since_ns: int = field(default_factory=time.monotonic_ns)
    thread: int = 0
    """Identity of the thread that runs it; 0 until one does."""
    is_abandoned: bool = False


@dataclass(frozen=True, slots=True)
class Stuck:
    """A callable that has not come back."""

    subscriber: str
    phase: str
    dispatch: str
    since_ns: int
    """On the monotonic clock."""
    for_ns: int
    """How long that is by now."""
    is_abandoned: bool
    """Whether its dispatch has given up on it."""
    stack: tuple[str, ...]
    """Where it is, outermost first: `file:line in function: text`."""


class Ledger(Protocol):
    """Whoever is told of each job, in the thread that runs it."""

    def began(self, job: Job, /) -> None: ...
    def ended(self, job: Job, /) -> None: ...


_ledgers: Final[list[Ledger]] = []
_lock: Final = threading.Lock()
_idle: Final[list[queue.SimpleQueue[Job]]] = []
_running: Final[dict[int, Job]] = {}


def tell_ledger(ledger: Ledger | None) -> None:
    """Tell one of every job that begins from now on; None for nobody."""
    _ledgers[:] = [] if ledger is None else [ledger]


def run(job: Job) -> None:
    """Have a job run in a thread that nobody waits for."""
    with _lock:
        _running[id(job)] = job
        inbox = _idle.pop() if _idle else None
    if inbox is None:
        inbox = queue.SimpleQueue()
        threading.Thread(target=_work, args=(inbox,), name="hookscope callback", daemon=True).start()
    inbox.put(job)


def unheard(stream: str, line: str) -> None:
    """Nobody asked."""


async def in_thread(
    name: str, phase: str, dispatch: str, act: Callable[[], T], printed: Callable[[str, str], None] = unheard
) -> T:
    """What an act that raises nothing gives, run off the loop. Being cancelled abandons it: it goes on for nobody.

    `printed` is told (stream, line) on the loop, before the result is there.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def give(result: T) -> None:
        if not ended.done():
            ended.set_result(result)

    def tell(stream: str, line: str) -> None:
        with contextlib.suppress(RuntimeError):  # likewise
            loop.call_soon_threadsafe(printed, stream, line)

    def finished() -> None:
        with told_apart(tell):
            result = act()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(give, result)

    job = Job(name, phase, dispatch, finished)
    run(job)
    try:
        return await ended
    finally:
        job.is_abandoned = not ended.done() or ended.cancelled()


def said(error: BaseException) -> str:
    """The text of an error of somebody else's, which may be unable to say it, or raise anything instead."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001  # it is the callable's own error, and nobody but us looks at it
        return ""


def class_of(error: BaseException) -> str:
    """The name of an error's class, whatever its metaclass makes of being asked."""
    name: str = vars(type)["__name__"].__get__(type(error))
    return name


def stuck(longer_than_ns: int = 0) -> tuple[Stuck, ...]:
    """Every callable that has been running for longer than this, the longest first. Looks, and touches nothing."""
    now = time.monotonic_ns()
    with _lock:
        jobs = [job for job in _running.values() if now - job.since_ns >= longer_than_ns]
    frames = sys._current_frames()
    told = [
        Stuck(
            job.subscriber,
            job.phase,
            job.dispatch,
            job.since_ns,
            now - job.since_ns,
            job.is_abandoned,
            _stack(frames.get(job.thread)),
        )
        for job in jobs
    ]
    return tuple(sorted(told, key=lambda each: each.since_ns))


def _stack(frame: object) -> tuple[str, ...]:
    if frame is None:
        return ()
    summary = traceback.extract_stack(frame)  # type: ignore[arg-type]  # a frame, as sys gave it
    own = [place for place, each in enumerate(summary) if each.filename == __file__]
    lines = summary[own[-1] + 1 :] if own else summary
    return tuple(f"{each.filename}:{each.lineno} in {each.name}: {each.line or ''}".rstrip(": ") for each in lines)[
        -DEEPEST:
    ]


def _work(inbox: queue.SimpleQueue[Job]) -> None:
    while True:
        job = inbox.get()
        job.thread = threading.get_ident()
        ledgers = tuple(_ledgers)
        for ledger in ledgers:
            ledger.began(job)
        try:
            job.act()
        finally:
            for ledger in ledgers:
                ledger.ended(job)
            with _lock:
                _running.pop(id(job), None)
                is_kept = len(_idle) < KEPT
                if is_kept:
                    _idle.append(inbox)
        del job  # what it holds is not kept for as long as nobody else calls
        if not is_kept:
            return
