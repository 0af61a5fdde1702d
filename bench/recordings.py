"""Recordings of any size, made by the writer itself from dispatches that really ran, a few of them told many times.

`python -m bench.recordings FILE SPANS`
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from bench.payloads import POINT, answers, tool_call
from debugger.store.writer import Writer
from debugger.version import VERSION
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_response_pb2, types_pb2
from kernel.dispatch import dispatch
from kernel.facts import Entered, Event, Left, Opened
from kernel.probe import Probes
from kernel.transports.stub import Stub
from kernel.values import Chain, Subscription

SPANS_EACH: Final = 4
"""Of a dispatch here: its own, and those of three subscribers."""
A_TURN: Final = 50
"""Dispatches in one stretch."""
MOST_WAITING: Final = 50_000
"""Events that are given to the writer before it is waited for."""
BEGAN_NS: Final = 1_750_000_000_000_000_000
APART_NS: Final = 10_000_000
"""From the beginning of one dispatch to that of the next."""
SEATS: Final = (("audit-log", "observe"), ("redactor", "transform"), ("policy", "veto"))


def build(path: Path, spans: int, *, characters: int = 200) -> None:
    """A closed recording of about so many spans; its payloads have a text of so many characters."""
    templates = [asyncio.run(_ran(characters + 7 * each, kind)) for each, kind in enumerate(_KINDS * 4)]
    about = {"version": VERSION, "config": "agent.hcl", "dialect": "pluggable", "switches": "{}", "hashes": "{}"}
    with Writer(path, about=about) as writer:
        for number, event in enumerate(_events(templates, spans // SPANS_EACH)):
            writer.see(event)
            if number % 1_000 == 0:
                while writer._waiting.qsize() > MOST_WAITING:
                    time.sleep(0.01)


def _events(templates: Sequence[Sequence[Event]], dispatches: int) -> Iterator[Event]:
    turn = ""
    for number in range(dispatches):
        began_ns = BEGAN_NS + number * APART_NS
        if number % A_TURN == 0:
            if turn:
                yield Event(turn, 1, began_ns - BEGAN_NS, Left())
            turn = f"turn{number // A_TURN:012x}"
            yield Event(turn, 0, began_ns - BEGAN_NS, Entered("pluggable", "turn", str(number // A_TURN), "", began_ns))
        name = f"{number:016x}"
        for event in templates[number // 5 * 3 % len(templates)]:
            fact = event.fact
            if isinstance(fact, Opened):
                fact = replace(fact, parent=turn, wall_ns=began_ns)
            yield Event(name, event.number, event.at_ns, fact)


class _Kept:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event) -> None:
        self.events.append(event)


async def _ran(characters: int, kind: str) -> list[Event]:
    """The events of one dispatch that comes to a certain end."""
    payload = tool_call(characters)
    given = answers(payload)
    if kind == "changed":
        given["transform"] = answers(tool_call(characters + 1))["transform"]
    elif kind == "denied":
        refused = rpc_response_pb2.DispatchHookResponse()
        refused.veto.decision = types_pb2.HOOK_DECISION_DENY
        given["veto"] = refused.SerializeToString()
    elif kind == "failed":
        given["observe"] = b"\xff"
    chain = Chain(POINT, tuple(Subscription(name, POINT, mode, 1000) for name, mode in SEATS))
    kept = _Kept()
    stubs = {name: Stub(_saying(given[mode])) for name, mode in SEATS}
    await dispatch(PLUGGABLE, chain, payload, stubs, probes=Probes(kept))
    return kept.events


def _saying(answer: bytes) -> Callable[[bytes], bytes]:
    return lambda request: answer


_KINDS: Final = ("fine", "fine", "changed", "fine", "denied", "fine", "failed")

if __name__ == "__main__":
    build(Path(sys.argv[1]), int(sys.argv[2]))
