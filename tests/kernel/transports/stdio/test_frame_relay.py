"""Trouble on the wire of a real extension: what is armed really happens, and the host finds out as it would."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from pluggable_payloads import payload
from plugin_runs import Heard, call, until
from stdio_runs import CONTINUE, EVENT, Stage, ask, hooks, running

from kernel.clock import REAL, Caller, Clock, Limit, VirtualClock
from kernel.errors import BadInput
from kernel.faults import COMMON, Alter, Die, FarSide, Fault, FaultKind, Hang, Late, LateBy, Refuse, Rewire, find
from kernel.frame_faults import FRAME_FAULTS, error_reply
from kernel.transports.framing import FrameReader, framed
from kernel.transports.stdio import Restarts, State, StdioSubscriber
from kernel.transports.stdio.relay import Relay
from kernel.transports.stub import Stub
from kernel.values import JSON, Answered, Ask, Crashed, Outcome, Subscription, TimedOut

CONTINUED = b'{"action": "continue"}'
ASK = Ask(0, Subscription("ext", "p", "m"), payload("session-end"), EVENT, 5000)


def on_virtual_clock(scene: Callable[[VirtualClock], Coroutine[Any, Any, None]]) -> None:
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=clock.loop) as runner:
        runner.run(scene(clock))


async def within(extension: StdioSubscriber, act: FarSide, clock: Clock, ms: float = 5000) -> Outcome | None:
    """Ask as the dispatch loop does, under trouble; None when the deadline comes first."""
    request = call(EVENT, far_side=act, ms=ms, clock=clock)
    with Limit(clock, request.deadline_ns, Caller()):
        return await extension.answer(request)
    return None


def act_of(kind: str, **params: JSON) -> FarSide:
    return find((*COMMON, *FRAME_FAULTS), kind).plan(Fault(kind, params))(ASK)


def test_a_hang_costs_no_real_time_and_leaves_the_process_alone(tmp_path: Path) -> None:
    """The request is taken off the wire."""
    stage = Stage(tmp_path)

    async def scene(clock: VirtualClock) -> None:
        async with running(stage) as extension:
            started = time.monotonic()
            assert await within(extension, Hang(), clock) is None
            assert clock.now_ns() >= 5_000_000_000
            assert time.monotonic() - started < 4, "real time did not pass"
            assert await ask(extension, clock=clock) == Answered(CONTINUED)
            assert extension.restarts == Restarts()

    on_virtual_clock(scene)
    assert [(number, method) for _, number, method in stage.requests] == [
        (1, "initialize"), (3, "hook.handle"), (4, "shutdown"),
    ]  # fmt: skip


def test_an_answer_may_be_late_and_in_time(tmp_path: Path) -> None:
    """On the dispatch's clock."""

    async def scene(clock: VirtualClock) -> None:
        async with running(Stage(tmp_path)) as extension:
            assert await within(extension, Late(3000), clock) == Answered(CONTINUED)
            assert 3_000_000_000 <= clock.now_ns() < 5_000_000_000
            assert extension.restarts == Restarts()

    on_virtual_clock(scene)


def test_an_answer_after_its_deadline_is_told_as_late(tmp_path: Path) -> None:
    """It comes while the next call is under way, which it does not disturb."""
    stage = Stage(tmp_path)

    async def scene(clock: VirtualClock) -> None:
        async with running(stage) as extension:
            assert await within(extension, LateBy(50), clock) is None
            assert len(extension.late) == 0
            assert await within(extension, Late(200), clock) == Answered(CONTINUED)
            assert [late.id for late in extension.late] == [2]
            assert extension.restarts == Restarts()

    on_virtual_clock(scene)


async def test_a_death_is_answered_by_the_next_process(tmp_path: Path) -> None:
    """The process really dies; the host starts another and delivers again."""
    stage = Stage(tmp_path)
    async with running(stage) as extension:
        outcome = await ask(extension, far_side=act_of("crash"))
        assert isinstance(outcome, Answered)
        assert outcome.body == CONTINUED
        assert [each.because for each in outcome.deliveries] == ["", "it was killed by signal 9 (SIGKILL)"]
        assert (extension.restarts, extension.state) == (Restarts(0, 1), State.DEGRADED)


def test_a_death_at_each_delivery_is_a_crash(tmp_path: Path) -> None:
    """Until the attempts are spent."""

    async def scene(clock: VirtualClock) -> None:
        async with running(Stage(tmp_path)) as extension:
            outcome = await ask(extension, far_side=act_of("keeps_crashing"), clock=clock)
            died = "it was killed by signal 9 (SIGKILL)"
            assert isinstance(outcome, Crashed)
            assert outcome.message == f"{died}; after a restart: {died}"
            for _ in range(3):
                outcome = await ask(extension, far_side=Die(9, 2), clock=clock)
            assert isinstance(outcome, Crashed)
            assert outcome.message.endswith("3 attempts in a row are the limit")
            assert extension.state is State.FAILED

    on_virtual_clock(scene)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Refuse("-32601", "unknown method"), "it answered with an error (-32601): unknown method"),
        (Refuse("UNAVAILABLE", "gone"), "it answered with an error (-32000): UNAVAILABLE: gone"),
        (Refuse("BUSY"), "it answered with an error (-32000): BUSY"),
    ],
)
async def test_a_refusal_is_an_error_reply(tmp_path: Path, act: FarSide, reason: str) -> None:
    """Which has the process replaced, although it never saw the request."""
    stage = Stage(tmp_path)
    async with running(stage) as extension:
        outcome = await ask(extension, far_side=act)
        assert isinstance(outcome, Answered)
        assert outcome.deliveries[1].because == reason
    assert [number for _, number, method in stage.requests if method == "hook.handle"] == [4]


async def test_another_answer_travels_in_a_proper_frame(tmp_path: Path) -> None:
    """Whatever the dialect makes of it; one that is not JSON breaks the stream."""
    async with running(Stage(tmp_path)) as extension:
        assert await ask(extension, far_side=Alter(lambda true: true[:-1] + b', "x": 1}')) == Answered(
            b'{"action": "continue", "x": 1}'
        )
        outcome = await ask(extension, far_side=Alter(lambda true: b"\xff"))
        assert isinstance(outcome, Answered)
        assert outcome.body == CONTINUED
        assert outcome.deliveries[1].because.startswith("it broke the protocol with a body that is not JSON")


BREAKING = {
    "bad_length": "a Content-Length that is not an unsigned integer: 'abc'",
    "no_length": "a header block without Content-Length",
    "long_header": "a header line longer than 1024 bytes",
    "odd_header": "a header line that is not UTF-8",
    "blank_line": "a header block without Content-Length",
    "invalid_json": "a body that is not JSON",
    "not_utf8": "a body that is not JSON",
    "empty_frame": "an empty body",
    "oversize_frame": "a Content-Length of 4194305",
    "wrong_length": "a body that is not JSON",
    "half_frame": "the stream ended after",
}


@pytest.mark.parametrize("kind", BREAKING)
async def test_a_frame_that_breaks_the_stream(tmp_path: Path, kind: str) -> None:
    """Restart and redelivery; armed for both deliveries, the call fails."""
    stage = Stage(tmp_path)
    async with running(stage) as extension:
        outcome = await ask(extension, far_side=act_of(kind))
        assert isinstance(outcome, Answered)
        assert outcome.deliveries[1].because.startswith(f"it broke the protocol with {BREAKING[kind]}")
        twice = await ask(extension, far_side=act_of(kind, deliveries=2))
        assert isinstance(twice, Crashed)
        assert twice.message.count(BREAKING[kind]) == 2
        assert extension.restarts == Restarts(1, 2)


async def test_a_stream_that_closes_where_an_answer_belongs(tmp_path: Path) -> None:
    """Between two frames it is just closed."""
    async with running(Stage(tmp_path)) as extension:
        outcome = await ask(extension, far_side=act_of("closes_stdout"))
        assert isinstance(outcome, Answered)
        assert outcome.deliveries[1].because == "it closed its stdout"


async def test_an_error_reply_of_the_extension(tmp_path: Path) -> None:
    """It has handled the event, and handles it again."""
    stage = Stage(tmp_path)
    async with running(stage) as extension:
        outcome = await ask(extension, far_side=error_reply({"code": -32601, "message": "no", "deliveries": 1})(ASK))
        assert isinstance(outcome, Answered)
        assert outcome.deliveries[1].because == "it answered with an error (-32601): no"
    assert [number for _, number, method in stage.requests if method == "hook.handle"] == [2, 4]


@pytest.mark.parametrize("kind", ["noise", "duplicate_answer", "duplicate_member", "slow_drip"])
def test_a_frame_that_arrives_all_the_same(tmp_path: Path, kind: str) -> None:
    """Tolerated, dropped or merely slow."""
    stage, between = Stage(tmp_path), Heard()

    async def scene(clock: VirtualClock) -> None:
        async with running(stage, between=between) as extension:
            for _ in range(2):
                assert await within(extension, act_of(kind), clock) == Answered(CONTINUED)
            assert await ask(extension, clock=clock) == Answered(CONTINUED)
            assert extension.restarts == Restarts()
            if kind == "slow_drip":
                assert clock.now_ns() > 100_000_000, "five bites at least, each after 20 ms"

    on_virtual_clock(scene)


@pytest.mark.parametrize("kind", ["nan", "two_documents"])
async def test_what_is_no_json_to_a_host_breaks_the_protocol(tmp_path: Path, kind: str) -> None:
    """Though many a reader takes it: the process is replaced, and asked once more."""
    async with running(Stage(tmp_path)) as extension:
        outcome = await ask(extension, far_side=act_of(kind))
        assert isinstance(outcome, Answered)
        assert outcome.body == CONTINUED
        assert outcome.deliveries[1].because.startswith("it broke the protocol with a body that is not JSON")


async def test_a_duplicate_is_told(tmp_path: Path) -> None:
    """Of which answer it was one."""
    heard = Heard()
    async with running(Stage(tmp_path)) as extension:
        await ask(extension, far_side=act_of("duplicate_answer"), heard=heard)
    assert heard.lines("host") == ["dropped an answer to request 2, which was answered already"]


@pytest.mark.parametrize("number", ["text", "float", "negative", "null", "true", "unknown", "missing"])
def test_an_answer_under_another_id_is_no_answer(tmp_path: Path, number: str) -> None:
    """Silence until the deadline; no restart."""

    async def scene(clock: VirtualClock) -> None:
        async with running(Stage(tmp_path)) as extension:
            heard = Heard()
            request = call(EVENT, far_side=act_of("wrong_id", id=number), ms=300, clock=clock, heard=heard)
            with Limit(clock, request.deadline_ns, Caller()) as limit:
                await extension.answer(request)
            assert limit.expired
            assert len(heard.lines("host")) == 1
            assert extension.restarts == Restarts()
            assert await ask(extension, clock=clock) == Answered(CONTINUED)

    on_virtual_clock(scene)


@pytest.mark.parametrize(
    ("kind", "result"),
    [("no_result", Answered(b"null")), ("flat_result", Answered(b"null")), ("array_message", None)],
)
async def test_messages_that_are_odd_and_whole(tmp_path: Path, kind: str, result: Outcome | None) -> None:
    """Neither result nor error is null; an array is nothing."""
    async with running(Stage(tmp_path)) as extension:
        assert await within(extension, act_of(kind), REAL, 300) == result
        assert extension.restarts == Restarts()


async def test_a_length_that_is_too_long_swallows_what_comes_next(tmp_path: Path) -> None:
    """The reader waits for bytes that never come, and takes them from the next answer."""
    async with running(Stage(tmp_path)) as extension:
        assert await within(extension, act_of("wrong_length", by=4), REAL, 200) is None
        outcome = await ask(extension)
        assert isinstance(outcome, Answered)
        assert outcome.deliveries[1].because.startswith("it broke the protocol with a body that is not JSON")


async def test_what_no_trouble_was_ordered_for_passes(tmp_path: Path) -> None:
    """Notifications and requests of the extension in the same stream, before and after."""
    text = json.dumps({"method": "task.log", "params": {"id": "t", "line": "l"}})
    stage = Stage(
        tmp_path,
        hooks({"bytes": f"noise\nContent-Length: {len(text)}\r\n\r\n{text}", **CONTINUE, "message": json.loads(text)}),
    )
    async with running(stage) as extension:
        assert await ask(extension, far_side=Late(1)) == Answered(CONTINUED)
        assert await ask(extension) == Answered(CONTINUED)
        await until(lambda: len(extension.notifications.kept) == 4)
        assert extension.restarts == Restarts()


def test_a_relay_takes_over_anywhere_in_the_stream() -> None:
    """Even inside of a frame, which goes through whole."""
    stream = b"noise\n" + framed(b'{"id":1}') + framed(b'{"id":2,"result":1}')
    for cut in range(1, len(stream)):
        reader = FrameReader()
        bodies = list(reader.feed(stream[:cut]))
        relay = Relay(reader, lambda data: bodies.extend(reader.feed(data)))  # noqa: B023
        for byte in stream[cut:]:
            relay.take(bytes([byte]))
        relay.take(b"")
        assert len(bodies) == 3


async def test_a_program_that_sends_no_frames_cannot_suffer_in_them() -> None:
    """Said clearly, with the way out."""
    with pytest.raises(BadInput, match="sends none; arm it for a subscriber that runs over stdio"):
        await Stub(lambda request: b"x").answer(call("x", far_side=Rewire(lambda frame: frame)))


@pytest.mark.parametrize("entry", FRAME_FAULTS, ids=lambda entry: entry.kind)
def test_every_fault_of_the_catalogue_is_an_act(entry: FaultKind) -> None:
    """With its defaults; its name is its own."""
    assert isinstance(entry.plan(Fault(entry.kind))(ASK), Rewire | Die)
    assert [each.kind for each in (*COMMON, *FRAME_FAULTS)].count(entry.kind) == 1


@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        ("wrong_length", {"by": 0}, "by must be a number of bytes other than 0"),
        ("wrong_length", {"by": True}, "by must be"),
        ("bad_length", {"length": "a\nb"}, "on one line"),
        ("bad_length", {"length": 5}, "length must be text"),
        ("noise", {"line": ""}, "line must not be empty"),
        ("oversize_frame", {"bytes": -1}, "bytes must be"),
        ("oversize_frame", {"bytes": 10**9}, "bytes must be"),
        ("wrong_id", {"id": "odd"}, "no id 'odd'; there are text, float"),
        ("half_frame", {"deliveries": 3}, "deliveries must be 1 or 2, not 3"),
        ("half_frame", {"deliveries": True}, "deliveries must be"),
        ("slow_drip", {"bytes": 0}, "bytes must be"),
        ("slow_drip", {"pause_ms": -1}, "pause_ms must be"),
        ("keeps_crashing", {"signal": 0}, "signal must be"),
        ("keeps_crashing", {"x": 0}, "has no setting 'x'; it has signal"),
    ],
)
def test_settings_that_cannot_be_used(kind: str, params: dict[str, JSON], message: str) -> None:
    """Found before anything goes wrong."""
    with pytest.raises(BadInput, match=message):
        act_of(kind, **params)


def test_no_trouble_is_a_hook_that_takes_five_seconds(tmp_path: Path) -> None:
    """What the host grants is over on the dispatch's clock, however the answer is held up."""

    async def scene(clock: VirtualClock) -> None:
        async with running(Stage(tmp_path)) as extension:
            assert await ask(extension, far_side=Late(6000), clock=clock) == TimedOut(5000)

    on_virtual_clock(scene)
