"""Trouble that one call is to suffer, made on the far side of the real wire."""

import asyncio
import os
import stat
import tempfile
from pathlib import Path

import pytest
from plugin_runs import Heard, ask, call, names_in, running

from kernel.clock import REAL, Caller, HeldClock, Limit, VirtualClock, sleep
from kernel.errors import BadInput
from kernel.faults import Alter, Die, FarSide, Hang, Late, LateBy, Refuse, Rewire
from kernel.transports.goplugin import GoPluginSubscriber
from kernel.values import Answered, Crashed, Failed, Outcome


async def outcome_within(plugin: GoPluginSubscriber, ms: float, request: str, act: FarSide) -> Outcome | None:
    """What the loop of a dispatch would get; None when the deadline came first."""
    faulted = call(request, far_side=act, ms=ms)
    with Limit(REAL, faulted.deadline_ns, Caller()):
        return await plugin.answer(faulted)
    return None


@pytest.mark.parametrize(
    ("request_text", "act", "outcome"),
    [
        ("echo x", Late(20), Answered(b"x")),
        ("status NOT_FOUND", Late(20), Failed("NOT_FOUND", "as told: NOT_FOUND")),
        ("echo x", Late(5000), None),
        ("echo x", LateBy(50), None),
        ("echo x", Hang(), None),
        ("echo x", Refuse("PERMISSION_DENIED", "not today"), Failed("PERMISSION_DENIED", "not today")),
        ("exit 3", Refuse("INTERNAL"), Failed("INTERNAL", "")),
        ("echo x", Refuse("UNAVAILABLE", "busy"), Failed("UNAVAILABLE", "busy")),
        ("echo x", Refuse("CANCELLED", "gone"), Failed("CANCELLED", "gone")),
        ("echo x", Alter(lambda answer: answer + b"\xff"), Answered(b"x\xff")),
        ("echo x", Alter(lambda answer: b""), Answered(b"")),
        ("status ABORTED", Alter(lambda answer: b"never"), Failed("ABORTED", "as told: ABORTED")),
        ("exit 3", Late(1), Crashed("exited with code 3")),
    ],
)
async def test_a_fault_befalls_one_call_and_no_other(request_text: str, act: FarSide, outcome: Outcome | None) -> None:
    """The faulted call gets what its act makes of it; the plugin serves the next one as before."""
    async with running() as plugin:
        assert await outcome_within(plugin, 300, request_text, act) == outcome
        if plugin.alive:
            assert await ask(plugin, "echo next") == Answered(b"next")


@pytest.mark.parametrize(("number", "name"), [(9, "SIGKILL"), (15, "SIGTERM"), (6, "SIGABRT")])
async def test_a_plugin_killed_while_it_is_asked_has_crashed(number: int, name: str) -> None:
    """Its process really dies; the host sees what it always sees."""
    async with running("mortal", script="chatty.py") as plugin:
        assert await ask(plugin, "x", far_side=Die(number)) == Crashed(f"killed by signal {number} ({name})")
        assert await ask(plugin, "x") == Crashed(f"killed by signal {number} ({name})")


async def test_calls_without_a_fault_do_not_wait_for_those_with_one() -> None:
    """Several faulted calls hang at the relay while others pass it by."""
    async with running() as plugin:
        hanging = [asyncio.create_task(ask(plugin, "echo x", far_side=Hang())) for _ in range(20)]
        late = asyncio.create_task(ask(plugin, "echo late", far_side=Late(30)))
        assert await ask(plugin, "echo x") == Answered(b"x")
        assert await late == Answered(b"late")
        for task in hanging:
            task.cancel()
        assert all(
            isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*hanging, return_exceptions=True)
        )


async def test_the_plugin_sees_the_same_call_through_the_relay() -> None:
    """Its remaining time is told as without a fault, and what it prints is told under the call."""
    async with running() as plugin:
        outcome = await plugin.answer(call("remaining", ms=5000, far_side=Late(0)))
        assert isinstance(outcome, Answered)
        assert 4000 < int(outcome.body) <= 5000
        await plugin.answer(call("say stderr hello", far_side=Late(0), heard=(heard := Heard())))
        assert heard == [("stderr", "hello")]


async def test_a_held_clock_holds_a_late_answer_too() -> None:
    """Lateness is counted on the kernel's clock, which stands still while a person looks."""
    clock = HeldClock()
    async with running() as plugin:
        clock.hold()
        asking = asyncio.create_task(plugin.answer(call("echo x", far_side=Late(1), ms=60_000, clock=clock)))
        await sleep(REAL, 50)
        assert not asking.done()
        clock.release()
        assert await asking == Answered(b"x")


def test_a_virtual_clock_spends_no_real_time_on_waiting() -> None:
    """An hour of hanging, and an answer an hour late, pass in an instant; the wire still takes the time it takes."""
    clock = VirtualClock()
    hour_ms = 3_600_000

    async def scene() -> tuple[bool, Outcome, float, float]:
        async with running() as plugin:
            begun = clock.now_ns()
            with Limit(clock, begun + hour_ms * 1_000_000, Caller()) as limit:
                await plugin.answer(call("echo x", far_side=Hang(), clock=clock))
            hung = (clock.now_ns() - begun) / 1e6
            outcome = await plugin.answer(call("echo x", far_side=Late(hour_ms), clock=clock))
            return limit.expired, outcome, hung, (clock.now_ns() - begun) / 1e6 - hung

    with asyncio.Runner(loop_factory=clock.loop) as runner:
        expired, outcome, hung_ms, late_ms = runner.run(scene())
    assert (expired, outcome) == (True, Answered(b"x"))
    assert hour_ms <= hung_ms < hour_ms + 5000
    assert hour_ms <= late_ms < hour_ms + 5000


async def test_our_own_mistakes_are_loud() -> None:
    """A fault that cannot be performed is a bug of ours and no outcome."""
    async with running() as plugin:
        with pytest.raises(ValueError, match="no status 'NO_SUCH_CODE'"):
            await ask(plugin, "echo x", far_side=Refuse("NO_SUCH_CODE"))
        with pytest.raises(ValueError, match="OK refuses nothing"):
            await ask(plugin, "echo x", far_side=Refuse("OK"))
        with pytest.raises(ZeroDivisionError):
            await ask(plugin, "echo x", far_side=Alter(lambda answer: bytes(1 // 0)))
        assert await ask(plugin, "echo x", far_side=Late(0)) == Answered(b"x")


async def test_the_relay_can_only_be_reached_by_us_and_is_gone_with_the_plugin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its socket lives in a folder that others cannot enter, from the first fault until the plugin stops."""
    with tempfile.TemporaryDirectory(prefix="relay-") as name:
        folder = Path(name)
        monkeypatch.setenv("TMPDIR", name)
        async with running(TMPDIR="/tmp") as plugin:
            await ask(plugin, "echo x")
            assert names_in(folder) == []
            await asyncio.gather(*(ask(plugin, "echo x", far_side=Late(0)) for _ in range(5)))
            (only,) = names_in(folder)
            assert stat.S_IMODE(os.stat(folder / only).st_mode) == 0o700
        assert names_in(folder) == []


async def test_trouble_with_frames_is_refused_where_there_are_none() -> None:
    """Said clearly, with the way out; the plugin lives on."""
    async with running() as plugin:
        with pytest.raises(BadInput, match="a go-plugin program sends none; arm it for a subscriber"):
            await ask(plugin, "echo x", far_side=Rewire(lambda frame: frame))
        assert await ask(plugin, "echo x") == Answered(b"x")
