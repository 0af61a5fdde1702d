"""What tests of open recordings share: dispatches that really ran, written under ids of their own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from dispatch_runs import Told, on_virtual_time, stub

from debugger.store.caps import Caps
from debugger.store.writer import Writer
from kernel import VirtualClock
from kernel.control import Control
from kernel.facts import Event, Opened

ABOUT = {"version": "0.1.0", "config": "agent.hcl", "dialect": "pluggable", "switches": "{}", "hashes": "{}"}
WALL_NS = 1_700_000_000_000_000_000

FINE = ("A:o B:t", {"A": "ack", "B": "same"}, "pre-model-call")
CHANGED = ("A:o B:t", {"A": "ack", "B": "+x"}, "pre-model-call")
FAILED = ("A:o B:o", {"A": "ack", "B": "hang"}, "pre-model-call")
DENIED = ("gate:v audit:o", {"gate": "deny", "audit": "ack"}, "plan-ready")
Kind = tuple[str, dict[str, str], str]


def told(name: str, kind: Kind = FINE, *, parent: str = "", at: int = 0, control: Control | None = None) -> list[Event]:
    """The events of a real dispatch; `at` is its place in time."""
    seats, says, point = kind

    async def body(clock: VirtualClock) -> Told:
        stubs = {who: stub(does) for who, does in says.items()}
        return await Told().run(seats, stubs, clock, point=point, control=control)

    with ThreadPoolExecutor(1) as elsewhere:  # a test of the application has a loop in its own thread
        events = elsewhere.submit(on_virtual_time, body).result().events
    return [
        replace(event, dispatch=name, fact=replace(event.fact, parent=parent, wall_ns=WALL_NS + at))
        if isinstance(event.fact, Opened)
        else replace(event, dispatch=name)
        for event in events
    ]


def written(path: Path, kinds: Sequence[Kind], *, caps: Caps | None = None, about: dict[str, str] = ABOUT) -> Path:
    """A closed recording of these, named d1, d2 and so on."""
    known = {id(kind): told("d", kind) for kind in kinds}
    with Writer(path, caps=caps, about=about) as writer:
        for number, kind in enumerate(kinds, 1):
            for event in known[id(kind)]:
                writer.see(replace(event, dispatch=f"d{number}"))
    return path


__all__ = ["ABOUT", "CHANGED", "DENIED", "FAILED", "FINE", "told", "written"]
