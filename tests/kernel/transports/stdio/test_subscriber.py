"""A live extension: what it answers, how it fails, and how it is started again and asked again (hookbus spec 4)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plugin_runs import Heard, call, is_running, until
from stdio_runs import CONTINUE, EVENT, Play, Stage, ask, hooks, running

from kernel.clock import REAL, Caller, HeldClock, Limit, VirtualClock
from kernel.errors import LaunchError
from kernel.faults import Hang
from kernel.reach import Secret, StdioExtension
from kernel.subscriber import Call
from kernel.transports.stdio import NO_SPAWN, Restarts, State, StdioSubscriber, Store, start
from kernel.transports.stdio.notifications import Command
from kernel.values import Answered, Crashed, Delivery, Failed, Outcome, TimedOut

BLOCK: Play = {"result": {"action": "block", "reason": "respawned"}}
BLOCKED = b'{"action": "block", "reason": "respawned"}'
CONTINUED = b'{"action": "continue"}'


async def within(ms: float, extension: StdioSubscriber, heard: Heard | None = None) -> Outcome | None:
    """Ask as the dispatch loop does: None when the deadline comes first."""
    request = call(EVENT, ms=ms, heard=heard)
    with Limit(REAL, request.deadline_ns, Caller()):
        return await extension.answer(request)
    return None


async def nobody_is_left(stage: Stage) -> None:
    """A signal that cannot be ignored takes a moment all the same."""
    await until(lambda: not any(is_running(pid) for pid in stage.pids))


def body(outcome: Outcome | None) -> bytes | None:
    return outcome.body if isinstance(outcome, Answered) else None


# -- answers -----------------------------------------------------------------------------------------------------


async def test_a_result_comes_back_as_it_was_sent(tmp_path: Path) -> None:
    """Byte by byte, whatever it is; the event arrives as the parameters of the call."""
    stage = Stage(
        tmp_path,
        hooks(
            {"body": '{"id": <id>, "result": {"action" :\\n"x"}}'.replace("\\n", "\n")},
            {"body": '{"jsonrpc":"2.0","id":<id>}'},
            {"echo": None},
        ),
    )
    async with running(stage) as extension:
        assert await ask(extension) == Answered(b'{"action" :\n"x"}')
        assert await ask(extension) == Answered(b"null")
        assert json.loads(body(await ask(extension, b'{"kind": "x", "tool_input": [1.0, "\xc3\xa9"]}')) or b"") == {
            "kind": "x",
            "tool_input": [1.0, "é"],
        }
    assert [(number, method) for _, number, method in stage.requests] == [
        (1, "initialize"), (2, "hook.handle"), (3, "hook.handle"), (4, "hook.handle"), (5, "shutdown"),
    ]  # fmt: skip
    assert extension.state is State.RUNNING


@pytest.mark.parametrize("size", [70_000, 3_000_000])
async def test_events_larger_than_a_pipe_go_through(tmp_path: Path, size: int) -> None:
    """Both ways."""
    stage = Stage(tmp_path, hooks({"echo": None}))
    async with running(stage) as extension:
        event = json.dumps({"tool_output": "x" * size}).encode()
        assert body(await ask(extension, event)) == event


async def test_a_second_call_waits_for_the_first(tmp_path: Path) -> None:
    """One exchange at a time; the wait counts against its own deadline."""
    stage = Stage(tmp_path, hooks({"wait": "go", **CONTINUE}, CONTINUE))
    async with running(stage) as extension:
        first = asyncio.create_task(ask(extension))
        await until(lambda: len(stage.requests) == 2)
        assert await within(50, extension) is None
        assert len(stage.requests) == 2, "it was never sent"
        (tmp_path / "go").touch()
        assert await first == Answered(CONTINUED)
        assert await ask(extension) == Answered(CONTINUED)
    assert [number for _, number, _ in stage.requests] == [1, 2, 3, 4]


# -- what the reader does with odd input (4.6) ---------------------------------------------------------------------


OVER = 4 * 1024 * 1024 + 1
BREAKING: dict[str, tuple[Play, str]] = {
    "exit": ({"exit": 3}, "it exited with code 3"),
    "killed": ({"kill": 11}, "it was killed by signal 11 (SIGSEGV)"),
    "closes stdout": ({"close": 1, "hang": 0}, "it closed its stdout"),
    "end inside of headers": (
        {"bytes": "Content-Len", "close": 1, "hang": 0},
        "it broke the protocol with the stream ended inside of a header block",
    ),
    "end inside of a body": (
        {"bytes": "Content-Length: 10\r\n\r\n{", "close": 1, "hang": 0},
        "it broke the protocol with the stream ended after 1 of the 10 bytes of a body",
    ),
    "long header": ({"bytes": "x" * 1025 + "\n"}, "it broke the protocol with a header line longer than 1024 bytes"),
    "blank line": ({"bytes": "\n", **CONTINUE}, "it broke the protocol with a header block without Content-Length"),
    "length abc": (
        {"bytes": "Content-Length: abc\r\n\r\n{}"},
        "it broke the protocol with a Content-Length that is not an unsigned integer: 'abc'",
    ),
    "length -1": (
        {"bytes": "Content-Length: -1\r\n\r\n{}"},
        "it broke the protocol with a Content-Length that is not an unsigned integer: '-1'",
    ),
    "no length value": (
        {"bytes": "Content-Length:\r\n\r\n{}"},
        "it broke the protocol with a Content-Length that is not an unsigned integer: ''",
    ),
    "over 4 MiB": (
        {"bytes": f"Content-Length: {OVER}\r\n\r\n{{}}"},
        f"it broke the protocol with a Content-Length of {OVER}, and 4194304 is the most that is read",
    ),
    "empty body": ({"body": ""}, "it broke the protocol with an empty body"),
    "not JSON": ({"body": "hello"}, "it broke the protocol with a body that is not JSON"),
    "body not UTF-8": ({"body": '{"id":<id>,"result":"\xff"}'}, "it broke the protocol with a body that is not JSON"),
    "header not UTF-8": ({"bytes": "X: \xff\r\n", **CONTINUE}, "it broke the protocol with a header line that is not"),
    "error reply": ({"error": {"code": -32601, "message": "nope"}}, "it answered with an error (-32601): nope"),
    "error null": ({"error": None}, "it answered with an error: unknown error"),
    "error beside a result": (
        {"body": '{"id":<id>,"result":{"action":"continue"},"error":5}'},
        "it answered with an error: unknown error",
    ),
}


@pytest.mark.parametrize("case", BREAKING)
async def test_a_failure_restarts_the_process_and_the_event_is_delivered_again(tmp_path: Path, case: str) -> None:
    """V095, V101, V103 and every other row of 4.6 that fails a call: the second answer counts, and both are told."""
    odd, reason = BREAKING[case]
    stage, heard = Stage(tmp_path, hooks(odd), hooks(BLOCK)), Heard()
    async with running(stage) as extension:
        first_pid = extension.pid
        outcome = await ask(extension, heard=heard)
        assert isinstance(outcome, Answered)
        assert outcome.body == BLOCKED
        first, second = outcome.deliveries
        assert first == Delivery(2, pid=first_pid)
        assert second == Delivery(4, second.because, 1, 250, extension.pid, restart_count=1)
        assert second.because.startswith(reason)
        assert heard == [
            ("host", f"restart 1 of 3 after 250 ms: {second.because}"),
            ("host", f"delivered again as request 4 to process {extension.pid}"),
        ]
        assert (extension.state, extension.restarts) == (State.DEGRADED, Restarts(0, 1))
        assert first_pid is not None
        assert not is_running(first_pid)
        assert await ask(extension) == Answered(BLOCKED)
    assert [(spawn, number) for spawn, number, method in stage.requests if method == "hook.handle"] == [
        (0, 2), (1, 4), (1, 5),
    ]  # fmt: skip


HARMLESS: dict[str, Play] = {
    "a stray line": {"bytes": "debug: hello\n", **CONTINUE},
    "an array": {"body": "[]", **CONTINUE},
    "text": {"body": '"hello"', **CONTINUE},
    "a number": {"body": "7", **CONTINUE},
    "an unknown id": {"body": '{"id":99,"result":{"action":"block","reason":"x"}}', **CONTINUE},
    "an id that was answered": {"body": '{"id":1,"result":{"action":"block","reason":"x"}}', **CONTINUE},
    "a notification": {"message": {"method": "task.log", "params": {"id": "t", "line": "l"}}, **CONTINUE},
    "an unknown notification": {"message": {"jsonrpc": "2.0", "method": "no.such"}, **CONTINUE},
    "a request with a text id": {"message": {"id": "7", "method": "config.get", "params": {"key": "k"}}, **CONTINUE},
    "lines that end with LF": {"bytes": 'content-LENGTH :39\n\n{"id":<id>,"result":{"action":"continue"}}'},
}


@pytest.mark.parametrize("case", HARMLESS)
async def test_what_does_not_disturb_an_answer(tmp_path: Path, case: str) -> None:
    """Dropped or handed on; the call that waits gets its own answer from the same process."""
    stage = Stage(tmp_path, hooks(HARMLESS[case]))
    async with running(stage) as extension:
        assert json.loads(body(await ask(extension)) or b"") == {"action": "continue"}
        assert extension.restarts == Restarts()


@pytest.mark.parametrize("number", ['"<id>"', "<id>.0", "-<id>", "null", "true", "99", "[<id>]"])
async def test_an_answer_under_another_id_is_none(tmp_path: Path, number: str) -> None:
    """V093: the caller runs into its deadline, the process is not restarted, and it is told what was dropped."""
    odd = f'{{"id":{number},"result":{{"action":"continue"}}}}'
    stage, heard = Stage(tmp_path, hooks({"body": odd}, BLOCK)), Heard()
    async with running(stage) as extension:
        pid = extension.pid
        assert await within(150, extension, heard) is None
        assert [line.startswith("dropped an answer") for line in heard.lines("host")] == [True]
        assert await ask(extension) == Answered(BLOCKED)
        assert (extension.pid, extension.restarts, extension.state) == (pid, Restarts(), State.RUNNING)


# -- restarts (4.7) ------------------------------------------------------------------------------------------------


async def test_an_extension_that_dies_on_every_hook(tmp_path: Path) -> None:
    """V097: three restarts with growing delays; the fourth call fails at once, and so does the fifth."""
    stage = Stage(tmp_path, hooks({"exit": 1}))
    async with running(stage) as extension:
        told, outcomes, states = [], [], []
        for _ in range(5):
            heard = Heard()
            outcomes.append(await ask(extension, heard=heard))
            told.append(heard.lines("host"))
            states.append((extension.state, extension.restarts.ever, extension.alive))
        died, limit = "it exited with code 1", "not started again, because 3 attempts in a row are the limit"
        assert [outcome.message for outcome in outcomes if isinstance(outcome, Crashed)] == [
            f"{died}; after a restart: {died}",
            f"{died}; after a restart: {died}",
            f"{died}; after a restart: {died}",
            f"{died}; {limit}",
            f"it is not running; {limit}",
        ]
        assert [lines[0] for lines in told] == [
            f"restart 1 of 3 after 250 ms: {died}",
            f"restart 2 of 3 after 500 ms: {died}",
            f"restart 3 of 3 after 1000 ms: {died}",
            limit,
            limit,
        ]
        assert states == [
            (State.DEGRADED, 1, False),
            (State.DEGRADED, 2, False),
            (State.FAILED, 3, False),
            (State.FAILED, 4, False),
            (State.FAILED, 5, False),
        ]
    assert len([line for line in stage.log if "pid" in line]) == 4


def on_virtual_clock(scene: Callable[[VirtualClock], Coroutine[Any, Any, None]]) -> None:
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=clock.loop) as runner:
        runner.run(scene(clock))


def test_an_answer_makes_the_row_of_attempts_begin_anew(tmp_path: Path) -> None:
    """Ever and in a row are counted apart."""
    stage = Stage(tmp_path, hooks({"exit": 1}), hooks({"exit": 1}), hooks(CONTINUE, {"exit": 1}), hooks(BLOCK))

    async def scene(clock: VirtualClock) -> None:
        async with running(stage) as extension:
            assert isinstance(await ask(extension, clock=clock), Crashed)
            assert extension.restarts == Restarts(1, 1)
            assert body(await ask(extension, clock=clock)) == CONTINUED
            assert extension.restarts == Restarts(0, 2)
            outcome = await ask(extension, clock=clock)
            assert isinstance(outcome, Answered)
            assert [(each.attempt, each.delay_ms) for each in outcome.deliveries] == [(0, 0), (1, 250)]
            assert extension.restarts == Restarts(0, 3)

    on_virtual_clock(scene)


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ({"init": {"result": {"action": "continue"}}}, "invalid initialize response: it has no protocol_version"),
        ({"init": {"result": {"protocol_version": 2}}}, "unsupported protocol_version 2 (supported: 1)"),
        ({"init": {"error": {"message": "not today"}}}, "it answered initialize with an error: not today"),
        ({"init": {"exit": 4}}, "it exited with code 4 before it had answered initialize"),
    ],
)
def test_a_restart_that_does_not_shake_hands_leaves_nobody(tmp_path: Path, second: Play, reason: str) -> None:
    """The call fails; the next one finds nobody, which counts as another attempt, and it is delivered just once."""
    stage = Stage(tmp_path, hooks({"exit": 1}), second, hooks(BLOCK))

    async def scene(clock: VirtualClock) -> None:
        async with running(stage) as extension:
            outcome = await ask(extension, clock=clock)
            assert isinstance(outcome, Crashed)
            assert outcome.message == f"it exited with code 1; {reason}"
            assert [each.request_id for each in outcome.deliveries] == [2]
            assert (extension.state, extension.restarts, extension.pid) == (State.RESTARTING, Restarts(1, 1), None)
            again = await ask(extension, clock=clock)
            delivery = Delivery(5, "it is not running", 2, 500, extension.pid, restart_count=2)
            assert again == Answered(BLOCKED, (delivery,))
            assert (extension.state, extension.restarts) == (State.DEGRADED, Restarts(0, 2))

    on_virtual_clock(scene)
    assert all(not is_running(pid) for pid in stage.pids)


async def test_an_error_twice_is_an_error_of_both(tmp_path: Path) -> None:
    """The second process stays: it lives, and is replaced only when the next call fails."""
    stage = Stage(
        tmp_path,
        hooks({"error": {"code": -1, "message": "one"}}),
        hooks({"error": {"code": -2, "message": "two"}}, BLOCK),
    )
    async with running(stage) as extension:
        outcome = await ask(extension)
        assert isinstance(outcome, Failed)
        assert outcome.code == "-2"
        assert (
            outcome.message
            == "it answered with an error (-1): one; after a restart: it answered with an error (-2): two"
        )
        assert [each.request_id for each in outcome.deliveries] == [2, 4]
        pid = extension.pid
        assert await ask(extension) == Answered(BLOCKED)
        assert (extension.pid, extension.restarts) == (pid, Restarts(0, 1))


async def test_a_deadline_drops_the_wait_and_nothing_else(tmp_path: Path) -> None:
    """The process lives, no restart is counted, and the late answer is told as what it is."""
    between, heard = Heard(), Heard()
    stage = Stage(tmp_path, hooks({"wait": "go", **BLOCK}, CONTINUE))
    async with running(stage, between=between) as extension:
        pid = extension.pid
        assert await within(100, extension, heard) is None
        (tmp_path / "go").touch()
        await until(lambda: len(extension.late) == 1)
        (late,) = extension.late
        assert (late.id, late.method, late.body) == (2, "hook.handle", BLOCKED)
        assert late.late_ms >= 0
        (line,) = between.lines("host")
        assert line.startswith("request 2 (hook.handle) was answered ")
        assert line.endswith(' ms after its caller had given up: {"action": "block", "reason": "respawned"}')
        assert await ask(extension) == Answered(CONTINUED)
        assert (extension.pid, extension.restarts, extension.state) == (pid, Restarts(), State.RUNNING)


async def test_whoever_asked_is_told_what_came_too_late_and_nobody_else(tmp_path: Path) -> None:
    """While the next call is being asked as well: neither it nor the time between calls hears of it."""
    between, heard, told = Heard(), Heard(), list[Outcome]()
    stage = Stage(tmp_path, hooks({"wait": "go", **BLOCK}, {"wait": "again", **CONTINUE}))
    async with running(stage, between=between) as extension:
        request = replace(call(EVENT, ms=100), late=lambda outcome, in_ms=0.0: told.append(outcome))
        with Limit(REAL, request.deadline_ns, Caller()):
            await extension.answer(request)
        second = asyncio.create_task(within(10_000, extension, heard))
        await asyncio.sleep(0.05)  # not to wait for anything: the process is busy
        (tmp_path / "go").touch()
        await until(lambda: bool(told))
        (tmp_path / "again").touch()
        assert await second == Answered(CONTINUED)
    assert told == [Answered(BLOCKED)]
    assert not [line for line in heard.lines("host") + between.lines("host") if "after its caller" in line]


@pytest.mark.parametrize(
    ("odd", "stream", "told"),
    [
        ({"bytes": "debug: hello\nand this\n"}, "stdout", ["debug: hello", "and this"]),
        ({"message": {"method": "task.log", "params": {"id": "t"}}}, "host", ['heard task.log: {"id":"t"}']),
        ({"message": {"method": "no.such"}}, "host", ["heard no.such: null"]),
    ],
)
async def test_what_comes_beside_answers_is_told(tmp_path: Path, odd: Play, stream: str, told: list[str]) -> None:
    """Its host reads over it; whoever wrote the extension wants to know."""
    heard = Heard()
    stage = Stage(tmp_path, hooks({**odd, **CONTINUE}))
    async with running(stage) as extension:
        assert await within(5000, extension, heard) == Answered(CONTINUED)
    assert heard.lines(stream) == told


async def test_what_was_printed_in_the_place_of_a_frame_is_told(tmp_path: Path) -> None:
    """The conversation is over; the line says why."""
    heard = Heard()
    stage = Stage(tmp_path, hooks({"bytes": "Traceback of mine\n\n", "hang": 0}), hooks(CONTINUE))
    async with running(stage) as extension:
        assert isinstance(await within(5000, extension, heard), Answered)
    assert heard.lines("stdout") == ["Traceback of mine"]


async def test_a_request_that_timed_out_stays_in_the_input(tmp_path: Path) -> None:
    """The next one is written behind it, and gets its own answer, not the late one of the first."""
    stage = Stage(tmp_path, hooks({"wait": "go", **BLOCK}, CONTINUE))
    async with running(stage) as extension:
        assert await within(100, extension) is None
        second = asyncio.create_task(ask(extension))
        await asyncio.sleep(0.05)  # not to wait for anything: the process is busy
        (tmp_path / "go").touch()
        assert await second == Answered(CONTINUED)
        assert [late.id for late in extension.late] == [2]


async def test_a_call_may_be_given_up_while_its_process_is_replaced(tmp_path: Path) -> None:
    """During the delay or the handshake: nothing is left over, and the next call is another attempt."""
    stage = Stage(tmp_path, hooks({"exit": 1}), {"init": {"hang": 0}}, hooks(BLOCK))
    async with running(stage) as extension:
        assert await within(100, extension) is None, "in the delay"
        assert (extension.restarts, extension.state) == (Restarts(1, 1), State.RESTARTING)
        assert await within(1000, extension) is None, "in the handshake"
        assert (extension.restarts, extension.state) == (Restarts(2, 2), State.RESTARTING)
        assert body(await ask(extension)) == BLOCKED
        assert extension.restarts == Restarts(0, 3)
    assert all(not is_running(pid) for pid in stage.pids)


def test_no_call_lasts_longer_than_its_host_grants(tmp_path: Path) -> None:
    """Five seconds for a hook, whatever the caller would wait; on a virtual clock they are over at once."""
    stage = Stage(tmp_path, hooks({"result": None}))

    async def scene(clock: VirtualClock) -> None:
        async with running(stage) as extension:
            outcome = await extension.answer(call(EVENT, far_side=Hang(), ms=60_000, clock=clock))
            assert outcome == TimedOut(5000)
            assert clock.now_ns() >= 5_000_000_000
            assert await ask(extension, far_side=Hang(), clock=clock) == TimedOut(5000)
            assert extension.restarts == Restarts()

    on_virtual_clock(scene)


async def test_an_answer_in_a_held_moment_is_an_answer(tmp_path: Path) -> None:
    """With our clock held, what is late in real time is not late."""
    clock = HeldClock()
    async with running(Stage(tmp_path)) as extension:
        request = call(EVENT, ms=10_000, clock=clock)
        clock.hold()
        assert await extension.answer(request) == Answered(CONTINUED)
        clock.release()


async def test_a_call_for_which_nobody_is_started(tmp_path: Path) -> None:
    """It is answered by a process that runs, and fails with one that fails or where there is none."""

    def no_spawn() -> Call:
        return replace(call(EVENT), phase=NO_SPAWN)

    stage = Stage(tmp_path, hooks(CONTINUE, {"exit": 1}))
    async with running(stage) as extension:
        assert await extension.answer(no_spawn()) == Answered(CONTINUED)
        assert await extension.answer(no_spawn()) == Crashed("it exited with code 1")
        assert await extension.answer(no_spawn()) == Crashed("it exited with code 1")
        assert extension.restarts == Restarts()


# -- the end -------------------------------------------------------------------------------------------------------


async def test_shutdown_is_a_request_and_final(tmp_path: Path) -> None:
    """The extension is asked to end with null parameters; whoever calls later is told, and starts nobody."""
    stage = Stage(tmp_path)
    async with running(stage) as extension:
        pid = extension.pid
        await extension.stop()
        assert pid is not None
        assert not is_running(pid)
        assert (extension.alive, extension.pid, extension.exit) == (False, None, "exited with code 0")
        assert await ask(extension) == Crashed("it is stopped")
        await extension.stop()
    assert stage.log[-1] == {"spawn": 0, "id": 2, "method": "shutdown", "params": None}
    assert len([line for line in stage.log if "pid" in line]) == 1


@pytest.mark.parametrize(
    "shutdown",
    [{"hang": 0}, {"result": None, "hang": 0}, {"error": {"message": "no"}, "hang": 0}, {"bytes": "\n", "hang": 0}],
    ids=["silent", "answers and stays", "refuses", "breaks the protocol"],
)
async def test_one_that_does_not_end_is_killed(tmp_path: Path, shutdown: Play) -> None:
    """With everything that it has started."""
    stage = Stage(tmp_path, hooks({"child": 0, **CONTINUE}, shutdown=shutdown))
    async with running(stage) as extension:
        assert await ask(extension) == Answered(CONTINUED)
    assert extension.exit == "killed by signal 9 (SIGKILL)"
    assert len(stage.pids) == 2
    await nobody_is_left(stage)


async def test_a_call_that_waits_when_its_host_stops_fails(tmp_path: Path) -> None:
    """One in progress, and one behind it; nobody is started for them."""
    stage = Stage(tmp_path, hooks({"hang": 0}))
    async with running(stage) as extension:
        calls = [asyncio.create_task(ask(extension)) for _ in range(2)]
        await until(lambda: len(stage.requests) == 2)
        await extension.stop()
        assert [type(outcome) for outcome in await asyncio.gather(*calls)] == [Crashed, Crashed]
        assert extension.restarts == Restarts()
    await nobody_is_left(stage)


async def test_a_stop_in_the_middle_of_a_restart_leaves_nobody(tmp_path: Path) -> None:
    """In the delay, and in the handshake of the new process."""
    for number, init in enumerate(({"result": {"protocol_version": 1}}, {"hang": 0})):
        folder = tmp_path / str(number)
        folder.mkdir()
        stage = Stage(folder, hooks({"exit": 1}), {"init": init})
        async with running(stage) as extension:
            asked = asyncio.create_task(ask(extension))
            await until(lambda: extension.restarts.ever == 1)
            if "hang" in init:
                await until(lambda: len(stage.requests) == 3)  # noqa: B023
            await extension.stop()
            assert isinstance(await asked, Crashed)
        await nobody_is_left(stage)


# -- starting ------------------------------------------------------------------------------------------------------


async def refusal(reach: StdioExtension) -> LaunchError:
    with pytest.raises(LaunchError) as refused:
        await start("ext", reach, on_output=Heard())
    return refused.value


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ({"result": {"action": "continue"}}, "invalid initialize response: it has no protocol_version"),
        ({"result": {"protocol_version": 2}}, "unsupported protocol_version 2 (supported: 1)"),
        ({"error": {"code": 1, "message": "no"}}, "it answered initialize with an error: no"),
        ({"exit": 5}, "it exited with code 5 before it had answered initialize"),
        ({"bytes": "\n"}, "it broke the protocol with a header block without Content-Length before"),
        (
            {
                "result": {
                    "protocol_version": 1,
                    "capabilities": {"tools": [{"name": "t", "description": "d", "input_schema": {}}]},
                }
            },
            "Extension 'ext' registered tools but lacks permission 'tools.register'",
        ),
    ],
)
async def test_a_handshake_that_fails_is_a_launch_error(tmp_path: Path, init: Play, message: str) -> None:
    """V099: what it printed is told with it, nobody tries again, and nothing is left."""
    stage = Stage(tmp_path, {"init": {"stderr": "my last words\n", **init}})
    error = await refusal(stage.reach())
    assert message in error.message
    assert error.printed == "my last words"
    await nobody_is_left(stage)
    assert len([line for line in stage.log if "pid" in line]) == 1


async def test_a_handshake_that_does_not_come_is_a_launch_error(tmp_path: Path) -> None:
    """After the time that there is."""
    stage = Stage(tmp_path, {"init": {"hang": 0}})
    error = await refusal(stage.reach(start_timeout_s=0.3))
    assert error.message == "it has not answered initialize within 0.3 s"
    await nobody_is_left(stage)


async def test_programs_that_cannot_be_run(tmp_path: Path) -> None:
    """A sentence each."""
    (tmp_path / "plain").write_text("x")
    (tmp_path / "plain").chmod(0o755)
    (tmp_path / "forbidden").write_text("x")
    folder = str(tmp_path)

    async def sentence(reach: StdioExtension) -> str:
        return (await refusal(reach)).message

    assert "there is no program 'no-such-program'" in await sentence(StdioExtension("x", "no-such-program", (), folder))
    assert "there is no program" in await sentence(StdioExtension("x", "./missing", (), folder))
    assert "neither a binary" in await sentence(StdioExtension("x", "./plain", (), folder))
    assert "is not an executable file" in await sentence(StdioExtension("x", "./forbidden", (), folder))
    assert "its working directory" in await sentence(StdioExtension("x", "sh", (), f"{folder}/missing"))
    assert "cannot be run" in await sentence(StdioExtension("x", "sh", ("a\0b",), folder))


async def test_an_extension_sees_five_variables_and_its_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """V107. Its arguments are rewritten where they name something of its own."""
    real = os.path.realpath(tmp_path)  # noqa: ASYNC240  # before anything runs
    (tmp_path / "data").touch()
    monkeypatch.setenv("SYNAPS_BASE_DIR", "/b")
    monkeypatch.setenv("API_KEY", "k")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("HOME", "/h")
    stage = Stage(tmp_path, hooks({"environment": 0}, {"arguments": 0}))
    async with running(stage, args=("data", "-x", "../y")) as extension:
        seen = json.loads(body(await ask(extension)) or b"")
        names = {name for name in ("PATH", "HOME", "LANG", "TERM", "XDG_RUNTIME_DIR") if name in os.environ}
        assert set(seen["environment"]) - {"LC_CTYPE"} == names  # which Python may add to its own
        assert seen["environment"]["HOME"] == "/h"
        assert seen["cwd"] == real
        assert json.loads(body(await ask(extension)) or b"") == [f"{real}/data", "-x", "../y"]


async def test_a_command_without_a_slash_is_searched_in_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a relative one is looked for in the plugin's folder."""
    (tmp_path / "run").symlink_to(sys.executable)
    stage = Stage(tmp_path)
    async with running(stage, command="./run") as extension:
        assert await ask(extension) == Answered(CONTINUED)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    async with running(stage, command="run") as extension:
        assert await ask(extension) == Answered(CONTINUED)


# -- tools and other calls -----------------------------------------------------------------------------------------


TOOLS = {"protocol_version": 1, "capabilities": {"tools": [{"name": "t", "description": "d", "input_schema": {}}]}}
MAY = frozenset({"tools.register"})


async def test_an_extension_with_tools_is_asked_who_it_is(tmp_path: Path) -> None:
    """Once, after the handshake; its tools give text, the content of an object, or JSON."""
    stage = Stage(
        tmp_path,
        hooks({"result": "out"}, {"result": {"content": "c", "x": 1}}, {"result": {"content": 5}}, {"exit": 1},
              init={"result": TOOLS}, info={"result": {"build": "x"}}),
        hooks({"result": None}, init={"result": TOOLS}),
    )  # fmt: skip
    async with running(stage, permissions=MAY) as extension:
        assert [tool.runtime_name for tool in extension.capabilities.tools] == ["ext:t"]
        assert [await extension.call_tool("t", {"a": 1}) for _ in range(3)] == ["out", "c", '{"content": 5}']
        assert await extension.call_tool("t", None) == "null", "it ran twice, the second time in another process"
    methods = [(spawn, method) for spawn, _, method in stage.requests]
    assert methods == [
        (0, "initialize"), (0, "info.get"), *[(0, "tool.call")] * 4, (1, "initialize"), (1, "tool.call"),
        (1, "shutdown"),
    ]  # fmt: skip
    assert stage.log[3]["params"] == {"name": "t", "input": {"a": 1}}


async def test_one_that_does_not_say_who_it_is_is_restarted_once(tmp_path: Path) -> None:
    """The call fails twice and is only told; the extension is loaded, and degraded."""
    between = Heard()
    stage = Stage(
        tmp_path, hooks({"error": {"code": -32601, "message": "unknown method"}}, CONTINUE, init={"result": TOOLS})
    )
    async with running(stage, permissions=MAY, between=between) as extension:
        assert (extension.state, extension.restarts) == (State.DEGRADED, Restarts(1, 1))
        assert between.lines("host")[-1].startswith(
            "info.get failed: it answered with an error (-32601): unknown method"
        )
        assert await ask(extension) == Answered(CONTINUED)


@pytest.mark.parametrize(
    ("method", "ms"), [("info.get", 5000), ("tool.call", 120_000), ("command.invoke", 30_000), ("anything", 30_000)]
)
def test_each_method_has_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, ms: int) -> None:
    """Measured where waiting costs nothing: the extension is stuck, and so is the call that waits for its turn."""

    async def scene(clock: VirtualClock) -> None:
        async with running(Stage(tmp_path)) as extension:
            async with extension._lock:
                assert await extension.request(method, clock=clock) == TimedOut(ms)
            assert clock.now_ns() == ms * 1_000_000

    on_virtual_clock(scene)


# -- what it asks and tells unasked --------------------------------------------------------------------------------


def wish(number: object, method: str, **params: Any) -> Play:
    return {"message": {"jsonrpc": "2.0", "id": number, "method": method, "params": params}}


def got(stage: Stage) -> list[dict[str, Any]]:
    return [line["got"] for line in stage.log if "got" in line]


async def test_a_request_without_permission_is_refused_and_the_hook_goes_on(tmp_path: Path) -> None:
    """V105."""
    heard = Heard()
    stage = Stage(
        tmp_path, hooks({**wish(7, "memory.append", namespace="ext", content="secret words"), "receive": 1, **CONTINUE})
    )
    async with running(stage) as extension:
        assert await ask(extension, heard=heard) == Answered(CONTINUED)
    (answer,) = got(stage)
    assert (answer["id"], answer["error"]["code"]) == (7, -32602)
    assert heard == [
        ("host", "refused memory.append (its request 7): -32602 Extension 'ext' lacks permission 'memory.write'")
    ]


async def test_requests_are_served_during_the_handshake_and_over_restarts(tmp_path: Path) -> None:
    """With the permissions that it has from the first moment; what was remembered outlives its process."""
    may = frozenset({"memory.read", "memory.write"})
    remember = wish(2**64 - 1, "memory.append", namespace="ext", content="kept")
    recall = wish(0, "memory.query", namespace="ext")
    ready = {"result": {"protocol_version": 1}}
    store = Store()
    stage = Stage(
        tmp_path,
        {"init": {**remember, "receive": 1, **ready}, "hooks": [{"exit": 1}]},
        {"init": {**recall, "receive": 1, **ready}},
    )
    async with running(stage, permissions=may, store=store) as extension:
        assert body(await ask(extension)) == CONTINUED
    first, second = got(stage)
    assert (first["id"], first["result"]["ok"]) == (2**64 - 1, True)
    assert second["id"] == 0
    assert [record["content"] for record in second["result"]["records"]] == ["kept"]
    assert len(store.records) == 1


async def test_a_request_whose_id_is_no_unsigned_integer_gets_no_answer(tmp_path: Path) -> None:
    """The one behind it does."""
    play = hooks({"body": '{"id":"1","method":"config.get","params":{"key":"k"}}',
                  **wish(5, "config.get", key="k"), "receive": 1, **CONTINUE})  # fmt: skip
    async with running(stage := Stage(tmp_path, play), config=(("k", "v"),)) as extension:
        assert await ask(extension) == Answered(CONTINUED)
    assert got(stage) == [{"jsonrpc": "2.0", "id": 5, "result": {"value": "v"}}]


async def test_an_extension_that_asks_and_never_listens_is_read_no_further(tmp_path: Path) -> None:
    """What it does not read we do not pile up; the call times out, and it is ended like any other."""
    text = json.dumps({"id": 1, "method": "x" * 2000})
    one = f"Content-Length: {len(text)}\r\n\r\n{text}"
    stage = Stage(tmp_path, hooks({"repeat": [3000, one], "hang": 0}))
    async with running(stage) as extension:
        assert await within(1500, extension) is None
        assert extension._connection is not None
        assert extension._connection._feed.waiting <= 65
    await nobody_is_left(stage)


async def test_notifications_reach_whoever_listens_and_wait_for_room(tmp_path: Path) -> None:
    """Those of another command do not; nothing is lost when there are more than there is room for."""

    def output(number: int, request_id: str = "r1") -> dict[str, Any]:
        return {
            "method": "command.output",
            "params": {"request_id": request_id, "event": {"kind": "text", "content": str(number)}},
        }

    texts = [json.dumps(output(0, "other")), *(json.dumps(output(number)) for number in range(30))]
    many = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)
    stage = Stage(tmp_path, hooks({"bytes": many, **CONTINUE}))
    async with running(stage) as extension, extension.listening(Command("r1")) as listener:
        asked = asyncio.create_task(
            extension.request("command.invoke", {"command": "c", "args": [], "request_id": "r1"})
        )
        await until(lambda: listener.is_full)
        await asyncio.sleep(0.05)  # not to wait for anything: nothing more may come
        assert not asked.done()
        contents = []
        for _ in range(30):
            notification = await listener.next()
            assert notification is not None
            assert isinstance(notification.params, dict)
            contents.append(notification.params["event"])
        assert contents == [{"kind": "text", "content": str(number)} for number in range(30)]
        assert await asked == Answered(CONTINUED)
        assert len(extension.notifications.kept) == 31


async def test_a_listener_that_leaves_lets_the_extension_go_on(tmp_path: Path) -> None:
    """What it had no room for goes to nobody."""
    text = json.dumps({"method": "task.log", "params": {"id": "t", "line": "l"}})
    stage = Stage(tmp_path, hooks({"bytes": f"Content-Length: {len(text)}\r\n\r\n{text}" * 30, **CONTINUE}))
    async with running(stage) as extension:
        async with extension.listening(Command("r")) as listener:
            asked = asyncio.create_task(ask(extension))
            await until(lambda: listener.is_full)
        assert await asked == Answered(CONTINUED)


async def test_widgets_are_kept_as_they_were_last_told(tmp_path: Path) -> None:
    """Until they are dismissed."""

    def widget(identity: str, *lines: str) -> str:
        text = json.dumps({"method": "widget.upsert", "params": {"id": identity, "lines": lines}})
        return f"Content-Length: {len(text)}\r\n\r\n{text}"

    gone = json.dumps({"method": "widget.dismiss", "params": {"id": "b"}})
    data = widget("a", "1") + widget("b", "x") + widget("a", "2") + f"Content-Length: {len(gone)}\r\n\r\n{gone}"
    async with running(Stage(tmp_path, hooks({"bytes": data, **CONTINUE}))) as extension:
        await ask(extension)
        assert extension.notifications.widgets == {"a": {"position": "top_right", "id": "a", "lines": ["2"]}}


# -- what it prints ------------------------------------------------------------------------------------------------


async def test_stderr_is_told_to_the_call_and_bounded(tmp_path: Path) -> None:
    """Lines of 8192 bytes, 131072 bytes of one process; beyond, it is read but only counted."""
    heard, later = Heard(), Heard()
    stage = Stage(
        tmp_path,
        hooks(
            {"stderr": "one\n" + "x" * 10_000 + "\n\xff", **CONTINUE},
            {"flood": 2000, **CONTINUE},
            {"stderr": "more\n", **CONTINUE},
        ),
    )
    async with running(stage) as extension:
        await ask(extension, heard=heard)
        assert heard == [("stderr", "one"), ("stderr", "x" * 8192 + " [1808 more bytes cut]"), ("stderr", "\\xff")]
        await ask(extension, heard=(flooded := Heard()))
        await ask(extension, heard=later)
    told = sum(len(line) for line in heard.lines("stderr") if "cut" not in line) + 8192
    kept = [line for line in flooded.lines("stderr") if line.startswith("xxx")]
    assert told + sum(map(len, kept)) <= 131_072 + 99
    assert len(kept) >= 1000 or len(kept) == 1000
    assert later == [("stderr", "… 4 bytes beyond 131072 were only counted")]


async def test_a_flood_on_stderr_does_not_stop_an_answer(tmp_path: Path) -> None:
    """Several megabytes."""
    stage = Stage(tmp_path, hooks({"flood": 50_000, **CONTINUE}))
    async with running(stage) as extension:
        assert await ask(extension) == Answered(CONTINUED)


async def test_a_secret_is_told_to_the_extension_and_to_nobody_else(tmp_path: Path) -> None:
    """Whatever the extension does with it, beside answering."""
    between, heard = Heard(), Heard()
    secret = "hunter2-hunter2"
    stage = Stage(
        tmp_path,
        hooks(
            {"stderr": "using <secret>\n", "error": {"message": "bad key <secret>"}},
            init={"stderr": "<secret>\n", "result": {"protocol_version": 1}},
        ),
    )
    async with running(stage, between=between, config=(("secret", Secret(secret)),)) as extension:
        outcome = await ask(extension, heard=heard)
        assert stage.log[1]["params"]["config"] == {"secret": secret}
        assert secret not in repr((outcome, between, heard, extension, extension.health, vars(extension)))
        assert "bad key <hidden>" in repr(outcome)
        assert "using <hidden>" in heard.lines("stderr")
    failing = Stage(tmp_path, {"init": {"stderr": "<secret>\n", "error": {"message": "<secret>"}}})
    with pytest.raises(LaunchError) as refused:
        await start("x", failing.reach(config=(("secret", Secret(secret)),)), on_output=between)
    assert secret not in repr((str(refused.value), refused.value.printed, between))
