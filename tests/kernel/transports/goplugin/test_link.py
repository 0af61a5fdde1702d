"""A live plugin as a subscriber: what it answers, how it fails, what it prints, and how it ends."""

import asyncio
import dataclasses
import json
import os
import random
import signal

import grpc
import pytest
from plugin_runs import (
    COOKIE,
    Heard,
    ask,
    call,
    ignored_signals,
    is_running,
    parent_of,
    pipes_of,
    reach,
    running,
    until,
)

from kernel.clock import REAL, Caller, HeldClock, Limit, VirtualClock
from kernel.faults import FarSide, Hang, Late
from kernel.transports.goplugin import start
from kernel.transports.processes import process
from kernel.transports.processes.output import MOST_LINES
from kernel.transports.processes.pipes import BITE
from kernel.values import Answered, Crashed, Failed


@pytest.mark.parametrize(
    "body",
    [b"hello", b"", b"\0", b"\xff\xfe\n\0", bytes(range(256)), random.Random(7).randbytes(8 << 20)],
    ids=["text", "nothing", "nul", "not utf-8", "every byte", "8 MiB"],
)
async def test_bytes_come_back_as_they_were_sent(body: bytes) -> None:
    """The transport reads nothing into what it carries, and has no limit of its own."""
    async with running() as plugin:
        assert await ask(plugin, b"echo " + body) == Answered(body)


CODES = [code.name for code in grpc.StatusCode if code is not grpc.StatusCode.OK]


async def test_every_status_of_a_living_plugin_is_told_by_its_name() -> None:
    """A status is the plugin's own word, CANCELLED and UNAVAILABLE included, as long as it lives."""
    async with running() as plugin:
        for code in CODES:
            assert await ask(plugin, f"status {code}") == Failed(code, f"as told: {code}")
        assert await ask(plugin, "raise my fault") == Failed("INTERNAL", "my fault")


async def test_a_method_that_is_not_served_is_unimplemented() -> None:
    """A plugin without the dialect's service is up, and says so at each call."""
    plugin = await start("it", dataclasses.replace(reach(), method="/no.Such/Method"), on_output=Heard())
    outcome = await ask(plugin, "echo x")
    await plugin.stop()
    assert isinstance(outcome, Failed)
    assert outcome.code == "UNIMPLEMENTED"


@pytest.mark.parametrize(
    ("request_text", "exit_text"),
    [
        ("exit 3", "exited with code 3"),
        ("exit 0", "exited with code 0"),
        ("kill 9", "killed by signal 9 (SIGKILL)"),
        ("kill 11", "killed by signal 11 (SIGSEGV)"),
    ],
)
async def test_a_plugin_that_dies_during_a_call_has_crashed(request_text: str, exit_text: str) -> None:
    """Whoever is asked then and later is told how it ended."""
    async with running() as plugin:
        hanging = asyncio.create_task(ask(plugin, "hang"))
        assert await ask(plugin, request_text) == Crashed(exit_text)
        assert await hanging == Crashed(exit_text)
        assert await ask(plugin, "echo x") == Crashed(exit_text)
        assert (plugin.alive, plugin.exit) == (False, exit_text)


async def test_a_plugin_that_dies_between_calls_is_noticed_without_a_call() -> None:
    """The guard tells at once."""
    async with running() as plugin:
        assert plugin.pid is not None
        os.kill(plugin.pid, signal.SIGKILL)
        await until(lambda: not plugin.alive)
        assert await ask(plugin, "echo x") == Crashed("killed by signal 9 (SIGKILL)")


async def test_a_call_ends_when_it_is_cancelled_and_the_plugin_lives_on() -> None:
    """The deadline is enforced by whoever asks; a hanging call harms no other."""
    async with running() as plugin:
        hanging = asyncio.create_task(ask(plugin, "hang"))
        assert await ask(plugin, "echo x") == Answered(b"x")
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        with Limit(REAL, REAL.now_ns() + 30_000_000, Caller()) as limit:
            await ask(plugin, "hang")
        assert limit.expired
        assert await ask(plugin, "echo y") == Answered(b"y")


async def test_a_plugin_is_told_its_remaining_time() -> None:
    """As a Go host would, in the metadata of the call; without a deadline there is nothing to tell."""
    async with running() as plugin:
        outcome = await plugin.answer(call("remaining", ms=5000))
        assert isinstance(outcome, Answered)
        assert 4000 < int(outcome.body) <= 5050, "gRPC rounds up"


async def test_a_deadline_is_the_plugins_to_notice_and_not_the_transports() -> None:
    """With our clock held, an answer that comes after its deadline in real time is an answer all the same."""
    clock = HeldClock()
    async with running() as plugin:
        request = call("echo late", ms=10_000, clock=clock)
        clock.hold()
        assert await plugin.answer(request) == Answered(b"late")
        clock.release()


def test_a_virtual_clock_keeps_real_time_while_a_process_works() -> None:
    """Virtual time must not jump to the deadline while the answer is on its way."""
    clock = VirtualClock()

    async def scene() -> object:
        async with running() as plugin:
            with Limit(clock, clock.now_ns() + 10_000_000_000, Caller()) as limit:
                return await plugin.answer(call("echo x", clock=clock))
            return limit.expired

    with asyncio.Runner(loop_factory=clock.loop) as runner:
        assert runner.run(scene()) == Answered(b"x")


async def test_what_is_printed_during_a_call_is_told_to_that_call() -> None:
    """Both streams, before the answer returns; between calls it goes to whoever started the plugin."""
    between, first, second = Heard(), Heard(), Heard()
    async with running(between=between) as plugin:
        await plugin.answer(call("say stderr one", heard=first))
        await plugin.answer(call("say stdout two", heard=second))
        await plugin.answer(call("mumble three", heard=second))
        await plugin.answer(call(b"mumble \xff\n", heard=second))
        await plugin.answer(call("raise it", heard=(failed := Heard())))
    assert first == [("stderr", "one")]
    assert second == [("stdout", "two"), ("stderr", "three"), ("stderr", "\\xff")]
    assert failed.lines("stderr")[0].startswith("Traceback")
    assert failed.lines("stderr")[-1] == "RuntimeError: it"
    assert between == []


async def test_a_flood_is_read_to_its_end_counted_and_leaves_the_loop_its_turns() -> None:
    """Many short lines neither block the plugin, nor fill the memory, nor keep other things from happening."""
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with running() as plugin:
        counting = asyncio.create_task(count_turns())
        heard = Heard()
        assert await plugin.answer(call("flood 300000", heard=heard)) == Answered(b"flooded")
        counting.cancel()
    assert len(heard) == MOST_LINES + 1
    assert heard[-1] == ("stderr", f"… {300_000 - MOST_LINES} more lines during this call were not kept")
    assert turns > 2 * 300_000 / BITE


async def test_newer_plugins_print_through_a_stream_which_is_read() -> None:
    """Such a plugin would hang once nobody reads its stream."""
    between, heard = Heard(), Heard()
    async with running(script="chatty.py", between=between) as plugin:
        await plugin.answer(call("print 20000", heard=heard))
        await until(lambda: ("stderr", "err") in heard + between)
        assert isinstance(await plugin.answer(call("print 1")), Answered)
    assert ("stdout", "out 0") in heard + between


async def test_nothing_of_our_environment_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process has the allow-listed variables and nothing that any of us added on the way."""
    monkeypatch.setenv("SECRET_OF_OURS", "x")
    monkeypatch.delenv("TMPDIR", raising=False)
    async with running(EXTRA="1") as plugin:
        outcome = await ask(plugin, "environment")
    assert isinstance(outcome, Answered)
    seen = json.loads(outcome.body)
    seen.pop("LC_CTYPE", None)  # the plugin's own Python sets it
    allowed = {"PATH", "HOME", "EXTRA", "PYTHONPATH", COOKIE[0]}
    handshake = {"PLUGIN_MIN_PORT", "PLUGIN_MAX_PORT", "PLUGIN_PROTOCOL_VERSIONS"}
    grpc_own = {name for name in seen if name.startswith("GRPC_")}
    assert set(seen) - grpc_own == allowed | handshake


async def test_the_plugin_hears_nothing_on_stdin_and_holds_no_descriptor_of_ours() -> None:
    """Only its three standard streams come from outside."""
    async with running() as plugin:
        assert plugin.pid is not None
        assert os.readlink(f"/proc/{plugin.pid}/fd/0") == "/dev/null"
        assert len(pipes_of(plugin.pid) & pipes_of("self")) == 2  # its stdout and stderr: we read them


async def test_stop_lets_a_plugin_exit_by_itself() -> None:
    """Asked to shut down it exits with 0, and its socket is gone."""
    plugin = await start("it", reach(), on_output=Heard())
    await plugin.stop()
    assert (plugin.alive, plugin.exit) == (False, "exited with code 0")
    assert plugin.pid is not None
    assert not is_running(plugin.pid)
    await plugin.stop()
    assert await ask(plugin, "echo x") == Crashed("exited with code 0")


async def test_stop_kills_a_plugin_that_will_not_exit() -> None:
    """Whatever it ignores, it is gone when stop returns; calls under way learn of it."""
    plugin = await start("it", reach("stubborn"), on_output=Heard())
    hanging = asyncio.create_task(ask(plugin, "hang"))
    await ask(plugin, "echo x")
    await plugin.stop(drain_s=0.1)
    assert plugin.exit == "killed by signal 9 (SIGKILL)"
    assert await hanging == Crashed("killed by signal 9 (SIGKILL)")


@pytest.mark.parametrize("act", [None, Hang(), Late(60_000)])
async def test_calls_under_way_when_a_plugin_is_stopped_find_it_gone(act: FarSide | None) -> None:
    """Wherever they hang: in the plugin, or in trouble of our making. Nobody cancelled them."""
    plugin = await start("it", reach(), on_output=Heard())
    heard = Heard()
    hanging = [asyncio.create_task(plugin.answer(call("say stderr x", far_side=act, heard=heard))) for _ in range(5)]
    if act is None:
        hanging = [asyncio.create_task(ask(plugin, "hang")) for _ in range(5)]
    await ask(plugin, "echo x", far_side=Late(0))
    await plugin.stop()
    assert await asyncio.gather(*hanging) == [Crashed("exited with code 0")] * 5


async def test_stop_kills_a_plugin_whose_guard_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even that keeps a plugin alive."""
    monkeypatch.setattr(process, "GUARD_S", 0.1)
    plugin = await start("it", reach("stubborn"), on_output=Heard())
    assert plugin.pid is not None
    os.kill(parent_of(plugin.pid), signal.SIGSTOP)
    await plugin.stop(drain_s=0.1)
    pid = plugin.pid
    await until(lambda: not is_running(pid))


async def test_stop_kills_a_plugin_that_is_standing_still() -> None:
    """A stopped process answers nothing at all."""
    plugin = await start("it", reach(), on_output=Heard())
    assert plugin.pid is not None
    os.kill(plugin.pid, signal.SIGSTOP)
    await plugin.stop(drain_s=0.1)
    assert plugin.exit == "killed by signal 9 (SIGKILL)"


async def test_stop_may_be_wanted_by_several_at_once() -> None:
    """All of them come back when it is done."""
    plugin = await start("it", reach(), on_output=Heard())
    await asyncio.gather(plugin.stop(), plugin.stop(), plugin.stop())
    assert plugin.exit == "exited with code 0"


@pytest.mark.parametrize("end", ["stop", "crash"])
async def test_what_a_plugin_started_ends_with_it(end: str) -> None:
    """The whole process group goes, whether the plugin was stopped or died."""
    async with running() as plugin:
        outcome = await ask(plugin, "parent")
        assert isinstance(outcome, Answered)
        child = int(outcome.body)
        assert is_running(child)
        if end == "crash":
            await ask(plugin, "exit 3")
    await until(lambda: not is_running(child))


async def test_the_death_of_the_guard_is_the_end_of_the_plugin() -> None:
    """Somebody may kill the guard by mistake: then its duty is ours."""
    async with running() as plugin:
        assert plugin.pid is not None
        guard = parent_of(plugin.pid)
        os.kill(guard, signal.SIGKILL)
        await until(lambda: not plugin.alive)
        assert plugin.exit == "lost together with its guard process"
        pid = plugin.pid
        await until(lambda: not is_running(pid))


async def test_a_keyboard_interrupt_of_the_terminal_does_not_reach_plugins() -> None:
    """Guard and plugin are in sessions of their own."""
    async with running() as plugin:
        assert plugin.pid is not None
        guard = parent_of(plugin.pid)
        assert os.getsid(guard) not in (os.getsid(0), plugin.pid)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(guard, number)
        os.kill(plugin.pid, signal.SIGINT)
        assert await ask(plugin, "echo x") == Answered(b"x")


async def test_a_plugin_gets_back_the_signals_that_its_guard_ignores() -> None:
    """Ignored signals are inherited, and a plugin must be able to die of SIGTERM and SIGPIPE as usual."""
    async with running(script="chatty.py") as plugin:
        assert plugin.pid is not None
        ignored = ignored_signals(plugin.pid)
    assert ignored & {signal.SIGTERM, signal.SIGHUP, signal.SIGINT} == set()
