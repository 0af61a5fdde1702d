"""Claims about played rig sessions in the debugger: held inside of what runs, asked of a person, recorded, traced."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from rig_played import Story, call, play, session, turn

from debugger.runcontrol import Command, Stance
from debugger.scenario.measure import SpanNode, measured
from debugger.session import Session
from debugger.trace import Trace
from kernel.asking import Answer
from kernel.dialects import load_session, load_setup
from kernel.dialects.rig import RIG

ROOT = Path(__file__).parents[4]
SAMPLE = ROOT / "sample_configs" / "rig"


async def test_every_seam_of_nested_operations_can_be_held() -> None:
    """From the first begin of the turn to the last finish; the gate's question waits for a person."""
    debug = Session(load_setup(SAMPLE))
    await debug.start()
    view = json.loads((SAMPLE / "session.json").read_text())
    debug.play(load_session(SAMPLE, view, "sample"), Stance.TO_NEXT_SEAM)
    trace, held, answered = Trace(), set(), 0
    async with asyncio.timeout(60):
        while debug.view.is_playing:
            await asyncio.sleep(0)
            for hold in debug.view.holds:
                held.add((hold.dispatch, hold.step))
                debug.command(hold.dispatch, Command.STEP, hold.step)
            for asking in debug.view.askings:
                answered += 1
                debug.reply(asking, Answer(allows=True, by="dana"))
            while debug.events:
                trace.take(debug.events.popleft())
    await debug.close()
    while debug.events:
        trace.take(debug.events.popleft())
    assert answered == 1
    assert all(dispatch.result is not None for dispatch in trace.dispatches)
    points = {dispatch.id: dispatch.point for dispatch in trace.dispatches}
    assert {points[dispatch] for dispatch, _ in held} == set(points.values()) >= {"Turn", "GateWait", "ToolExecution"}
    [ended] = [note.text for note in debug.notes if "session" in note.text]
    assert ended.startswith("the session ended completed")


def test_a_recorded_session_is_replayed_to_the_letter(tmp_path: Path) -> None:
    """Owners' questions included, blocked ones too; and with a guard asked for real."""
    record = tmp_path / "run.hookscope"

    def command(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "debugger.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=ROOT,
            check=False,
        )

    assert command("play", SAMPLE, SAMPLE / "session.json", "-o", record).returncode == 0
    for options in ((), ("--live", "tool-safety")):
        again = command("replay", record, *options)
        assert (again.returncode, ", 0 not" in again.stdout) == (0, True), again.stdout


def test_spans_are_a_tree_in_which_siblings_overlap() -> None:
    """E.1: the parent is what the context says, never whatever began last."""
    calls = [call(id="slow", takes_ms=400), call(id="quick", takes_ms=200)]
    run = play(session(turn({"calls": calls})), Story().watching("ToolCall"))
    [root] = measured(tuple(run.events), RIG).roots

    def named(node: SpanNode, name: str) -> list[SpanNode]:
        return [each for each in node.children if each.span.name == name]

    [turned] = named(root, "rig.Turn")
    [stepped] = named(turned, "rig.Step")
    slow, quick = named(stepped, "rig.ToolCall")
    assert slow.span.start_time < quick.span.start_time < quick.span.end_time < slow.span.end_time  # type: ignore[operator]
    for each, call_id in ((slow, "slow"), (quick, "quick")):
        [execution] = named(each, "rig.ToolExecution")
        assert (execution.span.attributes or {})["rig.operation.id"] == call_id
        shared = "rig.tool_execution.id"
        assert (execution.span.attributes or {})[shared] == (each.span.attributes or {})[shared]


def test_an_append_is_known_by_family_and_identity() -> None:
    """E.1: neither alone tells it from others."""
    run = play(session({"append": {"family": "fence", "id": "42"}}), Story().watching("JournalAppend"))

    def appends(node: SpanNode) -> list[tuple[object, object]]:
        attributes = node.span.attributes or {}
        own = (
            [(attributes["rig.record.family"], attributes["rig.operation.id"])]
            if "rig.record.family" in attributes
            else []
        )
        return [*own, *(each for child in node.children for each in appends(child))]

    assert ("fence", "42") in [each for root in measured(tuple(run.events), RIG).roots for each in appends(root)]
