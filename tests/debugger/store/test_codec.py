"""Claims about events as bytes: every fact of every dialect comes back, and is stored as it always was."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from enum import Enum, IntEnum, StrEnum

import msgspec
import pytest
from dispatch_runs import Scripted, Told, on_virtual_time, stub
from hookbus_runs import H, at, bt, run

from debugger.store import codec
from kernel import Probes, VirtualClock, dispatch
from kernel.control import Proceed
from kernel.dialects import named
from kernel.facts import Decided, Entered, Fact, Late, Left, Printed
from kernel.faults import Draw, Fault
from kernel.reach import Reach
from kernel.values import Answered, Chain, Delivery, Payload, Subscription


def plainly(value: object) -> object:
    """The stored form by the letter of the format, value by value."""
    match value:
        case None | bool() | float() | bytes():
            return value
        case Enum() if type(value).__name__ in codec._ENUMS:
            return {"$": type(value).__name__, "value": value.value}
        case str():
            return str(value)
        case int():
            return value if -(2**63) <= value < 2**64 else {"$": "int", "text": str(value)}
        case tuple():
            return {"$": "tuple", "items": [plainly(each) for each in value]}
        case list():
            return [plainly(each) for each in value]
        case Mapping():
            return {"$": "map", "items": {str(key): plainly(each) for key, each in value.items()}}
    if dataclasses.is_dataclass(value) and (type(value).__name__ in codec._CLASSES or isinstance(value, Subscription)):
        name = "Subscription" if isinstance(value, Subscription) else type(value).__name__
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        kept = {key: plainly(each) for key, each in fields if key != "reach" and not isinstance(each, Reach)}
        return {"$": name} | kept
    return {"$": "payload", "digest": value.digest}  # type: ignore[attr-defined]


def pluggable_facts() -> list[Fact]:
    async def body(clock: VirtualClock) -> Told:
        control = Scripted(before_B=Proceed(fault=Fault("delay", {"ms": 5}, Draw(0.5, 7, 2))))
        subscribers = {"A": stub("ack"), "B": stub("+x"), "C": stub("hang")}
        return await Told().run("A:o B:t C:o", subscribers, clock, control=control)

    return on_virtual_time(body).facts


def rig_facts() -> list[Fact]:
    told, dialect = Told(), named("rig")
    payload = dialect.sample_payload("Turn")
    asyncio.run(dispatch(dialect, Chain("Turn", ()), payload, {}, probes=Probes(told)))
    return told.facts


class Word(StrEnum):
    A = "a"


class Number(IntEnum):
    ONE = 1


SEAT = Subscription("A", "p", "m", options={"match": {"input_equals": [1, 1.0, None, 2**70]}, "word": Word.A})
OTHERS: list[Fact] = [
    Entered("x", "turn", "t", "", 1, {"n": 1.5, "deep": {"list": [1, {"x": None}]}}),
    Left("oops", {"count": Number.ONE}),
    Decided("a", "run", "b", "R", "because"),
    Printed("A", "stderr", "line", 2),
    Late(0, SEAT, Answered(b"\xff", (Delivery(1), Delivery(2, "it died", 1, 250.0, 7, 3.5, 1.5, 1))), 10**12),
]


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(pluggable_facts, id="pluggable"),
        pytest.param(lambda: run(bt(), H("A", {"modify": {"x": 1}}), H("B", {"confirm": "y"})).facts, id="hookbus"),
        pytest.param(lambda: run(at(), H("A", {"replace": "z"})).facts, id="hookbus output"),
        pytest.param(rig_facts, id="rig"),
        pytest.param(lambda: OTHERS, id="others"),
    ],
)
def test_facts_are_stored_by_the_letter_of_the_format_and_come_back(facts: object) -> None:
    """Byte by byte, also when they are stored again by the same objects."""
    assert callable(facts)
    for fact in facts():
        payloads: dict[str, Payload] = {}

        def keep(payload: Payload, payloads: dict[str, Payload] = payloads) -> None:
            payloads[payload.digest] = payload

        body = codec.encode(fact, keep)
        assert body == msgspec.msgpack.encode(plainly(fact))
        assert codec.encode(fact, keep) == body
        back = codec.decode(body, payloads.__getitem__)
        assert codec.encode(back, keep) == body


def test_seats_that_look_alike_but_are_others_are_not_mixed_up() -> None:
    """What is remembered of one is remembered of that object only, though ids of dead ones come again."""
    for number in range(3000):
        seat = Subscription(f"A{number}", "p", "m")
        fact = Late(0, seat, Answered(b""), 1)
        back = codec.decode(codec.encode(fact, lambda payload: None), {}.__getitem__)
        assert isinstance(back, Late)
        assert back.subscription.name == f"A{number}"
