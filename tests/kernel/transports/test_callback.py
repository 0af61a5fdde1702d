"""Claims about callables in threads: they may block for ever, and nothing of ours does."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from dispatch_runs import on_virtual_time

from kernel import VirtualClock
from kernel.clock import REAL, Clock, sleep
from kernel.errors import LaunchError
from kernel.faults import Alter, FarSide, Hang, Late, Misbehave, Refuse
from kernel.reach import Callback
from kernel.subscriber import Call
from kernel.transports.callback import CallbackSubscriber, start, stuck
from kernel.values import Answered, Crashed, Failed, Outcome

ROOT = Path(__file__).parents[3]


class Outrage(BaseException):
    """Something that is not an Exception."""


class Speechless(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def call(far_side: FarSide | None = None, clock: Clock = REAL, phase: str = "guard") -> Call:
    return Call("p", b"ask", None, clock, lambda stream, line: None, far_side, phase, "d1")


def via(callee: Callable[..., object], asked: Call) -> Outcome:
    """The simplest way to call one."""
    if isinstance(asked.far_side, Misbehave):
        callee = asked.far_side.become(callee)
    return Answered(str(callee(asked.request)).encode())


def raising(error: BaseException) -> Callable[[bytes], object]:
    def callee(request: bytes) -> object:
        raise error

    return callee


@pytest.mark.parametrize(
    ("callee", "outcome"),
    [
        (lambda request: request.decode(), Answered(b"ask")),
        (raising(ValueError("bad luck")), Failed("ValueError", "bad luck")),
        (raising(Outrage("no")), Failed("Outrage", "no")),
        (raising(asyncio.CancelledError()), Failed("CancelledError", "")),
        (raising(Speechless()), Failed("Speechless", "")),
        (raising(SystemExit(3)), Crashed("SystemExit ended its thread")),
        (raising(KeyboardInterrupt()), Crashed("KeyboardInterrupt ended its thread")),
        (raising(GeneratorExit()), Crashed("GeneratorExit ended its thread")),
    ],
)
async def test_whatever_a_callable_does_is_an_outcome(callee: Callable[..., object], outcome: Outcome) -> None:
    """Raising, and what cannot be contained in a thread."""
    assert await CallbackSubscriber("a", callee, via).answer(call()) == outcome


async def test_a_callable_runs_off_the_loop() -> None:
    """And in a daemon thread."""
    found: list[threading.Thread] = []
    await CallbackSubscriber("a", lambda request: found.append(threading.current_thread()), via).answer(call())
    assert found[0] is not threading.current_thread()
    assert found[0].daemon


async def test_the_loop_goes_on_while_a_callable_blocks() -> None:
    """What the callable waits for happens on the loop."""
    may_go_on = threading.Event()

    async def let_it() -> None:
        await asyncio.sleep(0)
        may_go_on.set()

    subscriber = CallbackSubscriber("a", lambda request: may_go_on.wait(30), via)
    answered, _ = await asyncio.gather(subscriber.answer(call()), let_it())
    assert answered == Answered(b"True")


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        (Refuse("ValueError", "injected"), Failed("ValueError", "injected")),
        (Alter(lambda true: true + b"!"), Answered(b"true!")),
        (Misbehave(lambda true: b"altered", lambda callee: lambda request: "misbehaved"), Answered(b"misbehaved")),
    ],
)
async def test_faults_are_performed(act: FarSide, outcome: Outcome) -> None:
    """A callable misbehaves itself, where its answer would be altered elsewhere."""
    assert await CallbackSubscriber("a", lambda request: "true", via).answer(call(act)) == outcome


def test_a_late_answer_takes_virtual_time() -> None:
    """The callable itself takes real time, which is next to nothing."""

    async def run(clock: VirtualClock) -> float:
        await CallbackSubscriber("a", lambda request: "x", via).answer(call(Late(3_600_000), clock))
        return clock.now_ns() / 1e9

    assert on_virtual_time(run) >= 3600


def test_a_virtual_clock_does_not_jump_while_a_callable_really_runs() -> None:
    """A timer an hour ahead does not strike meanwhile."""
    struck: list[str] = []
    entered, may_end = threading.Event(), threading.Event()

    def callee(request: bytes) -> object:
        entered.set()
        return may_end.wait(30)

    async def run(clock: VirtualClock) -> list[str]:
        timer = clock.call_at(clock.now_ns() + 3_600_000_000_000, lambda: struck.append("an hour"))
        answering = asyncio.create_task(CallbackSubscriber("a", callee, via).answer(call(None, clock)))
        await asyncio.to_thread(entered.wait, 30)
        for _ in range(20):
            await asyncio.sleep(0.001)  # idle on the real clock: the moment at which a virtual one would jump
        may_end.set()
        await answering
        seen = list(struck)
        timer.cancel()
        return seen

    assert on_virtual_time(run) == []


def test_a_hang_of_ours_costs_no_real_time_on_a_virtual_clock() -> None:
    """Nothing is really computed, so time may jump to whoever loses patience."""

    async def run(clock: VirtualClock) -> float:
        hanging = asyncio.create_task(CallbackSubscriber("hung", lambda request: "x", via).answer(call(Hang(), clock)))
        await sleep(clock, 86_400_000)
        assert "hung" in [each.subscriber for each in stuck()]
        hanging.cancel()
        await asyncio.wait([hanging])
        return clock.now_ns() / 1e9

    assert on_virtual_time(run) >= 86_400


def the_place_where_it_is_stuck(entered: threading.Event, release: threading.Event) -> bool:
    entered.set()
    return release.wait(30)


async def test_who_is_stuck_where_is_told_and_nothing_is_done_about_it() -> None:
    """Name, phase, dispatch, how long, and its own stack without ours."""
    entered, release = threading.Event(), threading.Event()

    def callee(request: bytes) -> object:
        return the_place_where_it_is_stuck(entered, release)

    answering = asyncio.create_task(CallbackSubscriber("slow", callee, via).answer(call(phase="begin")))
    await asyncio.to_thread(entered.wait, 30)
    [told] = [each for each in stuck() if each.subscriber == "slow"]
    assert (told.phase, told.dispatch, told.is_abandoned) == ("begin", "d1", False)
    assert told.for_ns >= 0
    assert "the_place_where_it_is_stuck" in "".join(told.stack)
    assert not any("callback_threads.py" in line for line in told.stack)
    assert not [each for each in stuck(longer_than_ns=told.for_ns + 3_600_000_000_000) if each.subscriber == "slow"]
    answering.cancel()
    await asyncio.wait([answering])
    assert answering.cancelled()
    [told] = [each for each in stuck() if each.subscriber == "slow"]
    assert told.is_abandoned
    release.set()
    while any(each.subscriber == "slow" for each in stuck()):  # noqa: ASYNC110  # a thread tells nobody when it ends
        await asyncio.sleep(0.001)


async def test_threads_are_used_again() -> None:
    """One after the other needs one."""
    found: set[int] = set()
    subscriber = CallbackSubscriber("a", lambda request: found.add(threading.get_ident()), via)
    for _ in range(20):
        await subscriber.answer(call())
        while any(each.subscriber == "a" for each in stuck()):  # noqa: ASYNC110  # a thread tells nobody when it ends
            await asyncio.sleep(0)
    assert len(found) <= 2


def test_a_stuck_callable_does_not_keep_the_interpreter() -> None:
    """Nobody waits for its thread at the end, not even the program's exit."""
    program = """
import asyncio, threading
from kernel.clock import REAL
from kernel.subscriber import Call
from kernel.transports.callback import CallbackSubscriber
async def main():
    subscriber = CallbackSubscriber("a", lambda r: threading.Event().wait(), lambda callee, call: callee(call.request))
    task = asyncio.create_task(subscriber.answer(Call("p", b"", None, REAL, lambda s, l: None)))
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait([task])
asyncio.run(main())
print("over")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "over\n"


async def test_a_callable_that_ends_after_its_loop_is_nobodys_business() -> None:
    """It is abandoned, and ends in silence."""
    release = threading.Event()

    def elsewhere() -> None:
        async def abandon() -> None:
            task = asyncio.create_task(CallbackSubscriber("late", lambda request: release.wait(30), via).answer(call()))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])

        asyncio.run(abandon())

    await asyncio.to_thread(elsewhere)
    release.set()
    while any(each.subscriber == "late" for each in stuck()):  # noqa: ASYNC110  # a thread tells nobody when it ends
        await asyncio.sleep(0.001)


# -- from a name to a callable -----------------------------------------------------------------------------------------


async def test_a_file_is_read_anew_at_each_start(tmp_path: Path) -> None:
    """That is what makes a change count; files beside it can be imported."""
    (tmp_path / "beside.py").write_text("VALUE = 'first'\n")
    file = tmp_path / "hooks.py"
    file.write_text("from beside import VALUE\nclass Box:\n    @staticmethod\n    def ask(request): return VALUE\n")
    reach = Callback(f"{file}:Box.ask", f"{__name__}:via")
    assert await (await start("a", reach)).answer(call()) == Answered(b"first")
    file.write_text("class Box:\n    @staticmethod\n    def ask(request): return 'changed, and longer'\n")
    assert await (await start("a", reach)).answer(call()) == Answered(b"changed, and longer")
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("text", "target", "problem"),
    [
        ("", "{file}:nothing", "has no attribute 'nothing'"),
        ("x = 1", "{file}:x", "cannot be called"),
        ("raise RuntimeError('at import')", "{file}:x", "RuntimeError: at import"),
        ("raise SystemExit", "{file}:x", "importing it ends the program"),
        ("def (", "{file}:x", "SyntaxError"),
        ("", "no_such_module_at_all:x", "No module named 'no_such_module_at_all'"),
        ("", "nothing", "neither module:attribute nor file.py:attribute"),
    ],
)
async def test_what_cannot_be_had_says_why(tmp_path: Path, text: str, target: str, problem: str) -> None:
    """It is a LaunchError whatever the module does."""
    file = tmp_path / "hooks.py"
    file.write_text(text)
    with pytest.raises(LaunchError, match="'a' did not start") as raised:
        await start("a", Callback(target.format(file=file), f"{__name__}:via"))
    assert problem in str(raised.value)
