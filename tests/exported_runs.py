"""What tests of exports share: recordings of real dispatches on virtual time, of any dialect, and their material."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dispatch_runs import Told, chain, on_virtual_time, stub
from pluggable_payloads import payload

from debugger.export.material import Material, gathered
from debugger.redaction import Redactor
from debugger.scenario.load import load, parse
from debugger.scenario.run import run
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from kernel import Caller, Probes, VirtualClock, dispatch
from kernel.control import Control
from kernel.dialects.pluggable import Pluggable
from kernel.facts import Event
from kernel.subscriber import Subscriber
from kernel.values import Payload

CONFORMANCE = Path(__file__).parent / "conformance"


def told(
    name: str,
    seats: str,
    says: Mapping[str, Subscriber | str],
    *,
    point: str = "pre-model-call",
    fired: Payload | None = None,
    control: Control | None = None,
    caller: Caller | None = None,
    is_parallel: bool = False,
    parent: str = "",
) -> list[Event]:
    """The events of a pluggable dispatch, under an id of their own."""

    async def body(clock: VirtualClock) -> Told:
        keeper = Told()
        await dispatch(
            Pluggable(concurrent_observe=is_parallel),
            chain(point, seats),
            payload(point) if fired is None else fired,
            {who: stub(does) if isinstance(does, str) else does for who, does in says.items()},
            probes=Probes(keeper),
            control=control,
            clock=clock,
            caller=caller,
            dispatch_id=name,
            parent=parent,
        )
        return keeper

    return on_virtual_time(body).events


def scripted(text: str) -> list[list[Event]]:
    """The events of each dispatch of a scenario, whatever its dialect."""
    fired = [each for loaded in parse(text.encode(), Path("here.scenario.yaml")) for each in run(loaded).fired]
    return [[replace(event, dispatch=f"dispatch{place}") for event in each.events] for place, each in enumerate(fired)]


def conformance(dialect: str) -> Iterable[tuple[str, list[Event], Mapping[str, bool]]]:
    """Every dispatch of the conformance suite: where it stands, its events, and the switches of its dialect."""
    for path in sorted((CONFORMANCE / dialect).rglob("*.scenario.yaml")):
        for loaded in load(path):
            for place, fired in enumerate(run(loaded).fired):
                if not fired.is_given_up:
                    yield f"{path.name}: {loaded.name} [{place}]", list(fired.events), fired.dialect.switches


def recorded(
    path: Path, *runs: Sequence[Event], dialect: str = "pluggable", switches: Mapping[str, bool] | None = None
) -> Path:
    """A recording of these runs, in order."""
    about = {"version": "0.1.0", "config": "agent.hcl", "dialect": dialect}
    about |= {"switches": json.dumps(dict(switches or {})), "hashes": "{}"}
    with Writer(path, about=about) as writer:
        for events in runs:
            for event in events:
                writer.see(event)
    return path


def material(path: Path, *wanted: str, is_redacted: bool = True) -> Material:
    """What is exported of a recording."""
    with Recording(path) as recording:
        return gathered(recording, wanted, Redactor() if is_redacted else None)
