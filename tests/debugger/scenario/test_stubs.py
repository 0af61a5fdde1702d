"""Claims about stubs: what each doing comes to, one for each call, and how wrong ones are refused."""

from __future__ import annotations

import asyncio

import pytest
from dispatch_runs import on_virtual_time
from scenario_texts import loaded, scenario, verdict

from debugger.scenario.stubs import Act, AtPoints, StubSubscriber, acts_of, hexadecimal
from kernel.clock import NS_PER_MS, VirtualClock
from kernel.dialects.pluggable import PLUGGABLE
from kernel.errors import BadInput
from kernel.faults import Late
from kernel.subscriber import Call
from kernel.values import Answered, Crashed, Empty, Failed, Outcome

ACK = Answered(bytes.fromhex("0a00"))


def acts(stub: str) -> tuple[Act, ...]:
    found = loaded(scenario(f"[{{name: A, point: session-end, mode: observe, stub: {stub}}}]"))
    told = found.scenario.subscribers[0].stub
    return acts_of(told, "observe", PLUGGABLE.staging, found, ("subscribers", 0, "stub"))  # type: ignore[arg-type]


def asked(stub: str, times: int = 1, **more: object) -> list[tuple[Outcome, float]]:
    """Outcomes and how many milliseconds each took."""

    async def body(clock: VirtualClock) -> list[tuple[Outcome, float]]:
        subscriber, found = StubSubscriber(acts(stub)), []
        for _ in range(times):
            call = Call("session-end", b"", None, clock, lambda stream, line: None, **more)  # type: ignore[arg-type]
            before = clock.now_ns()
            outcome = await subscriber.answer(call)
            found.append((outcome, (clock.now_ns() - before) / NS_PER_MS))
        return found

    return on_virtual_time(body)


@pytest.mark.parametrize(
    ("stub", "outcome", "took_ms"),
    [
        ("ack", ACK, 0),
        ("pass", ACK, 0),
        ("{answer: ack}", ACK, 0),
        ("{answer: ack, after_ms: 40}", ACK, 40),
        ("{json: {observe: {}}}", ACK, 0),
        ("{bytes: 0A 00}", ACK, 0),
        ("{bytes: ''}", Answered(b""), 0),
        ("none", Answered(b""), 0),
        ("{nothing: true}", Empty(), 0),
        ("{status: INTERNAL}", Failed("INTERNAL", "as told"), 0),
        ("{status: {code: NOT_FOUND, message: no}, after_ms: 7}", Failed("NOT_FOUND", "no"), 7),
        ("{crash: true}", Crashed("killed by signal 9"), 0),
        ("{crash: {signal: 15}, after_ms: 3}", Crashed("killed by signal 15"), 3),
    ],
)
def test_a_stub_does_as_it_is_told(stub: str, outcome: Outcome, took_ms: float) -> None:
    """Trouble comes when an answer would have come."""
    assert asked(stub) == [(outcome, took_ms)]


def test_a_stub_that_hangs_never_comes_back() -> None:
    """Somebody else has to end it."""

    async def body(clock: VirtualClock) -> None:
        call = Call("session-end", b"", None, clock, lambda stream, line: None)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await StubSubscriber(acts("{hang: true}")).answer(call)

    on_virtual_time(body)


def test_a_list_is_one_for_each_call_and_the_last_goes_on() -> None:
    """A subscriber that recovers, or that fails once."""
    outcomes = [outcome for outcome, _ in asked("[{crash: true}, {nothing: true}, ack]", 5)]
    assert outcomes == [Crashed("killed by signal 9"), Empty(), ACK, ACK, ACK]


def test_trouble_that_the_call_brings_comes_instead() -> None:
    """An armed fault is nearer than the stub's own."""
    assert asked("{answer: ack, after_ms: 5}", far_side=Late(10)) == [(ACK, 15)]


def test_a_stub_prints_first() -> None:
    """Each line on its own."""
    printed: list[tuple[str, str]] = []

    async def body(clock: VirtualClock) -> None:
        call = Call("session-end", b"", None, clock, lambda stream, line: printed.append((stream, line)))
        await StubSubscriber(acts("{answer: ack, prints: [a, b]}")).answer(call)
        await StubSubscriber(acts("{answer: ack, prints: c}")).answer(call)

    on_virtual_time(body)
    assert printed == [("stderr", "a"), ("stderr", "b"), ("stderr", "c")]


@pytest.mark.parametrize(
    ("stub", "sentence"),
    [
        ("akc", "subscribers[0].stub: no answer 'akc'; did you mean 'ack'?"),
        ("[ack, alow]", "subscribers[0].stub[1]: no answer 'alow'; did you mean 'allow'?"),
        ("{}", "subscribers[0].stub: one of answer, json, bytes, nothing, status, crash, hang is needed, and none is"),
        ("{hang: true, answer: ack}", "is needed, not answer and hang"),
        ("{hang: false}", "subscribers[0].stub.hang: leave the key out where it is not meant"),
        ("{answer: {appendd: x}}", "subscribers[0].stub.answer: no edit 'appendd'; did you mean 'append'?"),
        ("{answer: 3}", "subscribers[0].stub.answer: an answer is one of pass, ack"),
        (
            "{json: {vto: {}}}",
            "subscribers[0].stub.json: $: DispatchHookResponse has no member 'vto'; did you mean 'veto'",
        ),
        ("{bytes: 0g}", "subscribers[0].stub.bytes: not hexadecimal"),
        ("{status: INTERNL}", "subscribers[0].stub.status: no status 'INTERNL'; did you mean 'INTERNAL'?"),
    ],
)
def test_what_a_stub_cannot_do_is_said_with_its_key(stub: str, sentence: str) -> None:
    """Before anything is fired."""
    with pytest.raises(BadInput) as raised:
        acts(stub)
    assert sentence in str(raised.value)
    assert raised.value.place is not None


def test_words_that_do_not_fit_what_was_asked_are_said_too() -> None:
    """They can only be found out when the stub is asked."""
    stub = '{answer: {set: {"messages[7].id": x}}}'
    found = verdict(scenario(f"[{{name: A, point: session-end, mode: transform, stub: {stub}}}]"))
    assert found.problem is not None
    assert "fire[0]: 'set': there is no messages[7].id in this payload" in str(found.problem)


async def test_one_name_can_be_somebody_else_at_some_points() -> None:
    """Elsewhere it is whoever has the name."""
    here, there = (StubSubscriber((Act(lambda request, body=body: body),)) for body in (b"here", b"there"))  # type: ignore[misc]
    both = AtPoints({"a": here}, there)
    clock = VirtualClock()
    answers = [await both.answer(Call(point, b"", None, clock, lambda stream, line: None)) for point in ("a", "b")]
    assert answers == [Answered(b"here"), Answered(b"there")]


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        ("ack", ACK),
        ("{nothing: true}", Empty()),
        ("{status: INTERNAL}", Failed("INTERNAL", "as told")),
        ("{crash: true}", Crashed("killed by signal 9")),
    ],
)
def test_an_act_is_an_outcome_for_whoever_steers(act: str, outcome: Outcome) -> None:
    """Without anybody being called."""
    assert acts(act)[0].outcome(b"") == outcome


def test_hexadecimal_may_have_spaces() -> None:
    """As dumps have them."""
    assert hexadecimal(" 0a 00\n1A ") == b"\x0a\x00\x1a"
