"""Where a dispatch comes from, in words: forks of others, and those in which somebody went back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dispatch_runs import stub
from session_at_desk import at_desk
from session_runs import Desk

from debugger.replay.exact import replay
from debugger.runcontrol import Command, Stance
from debugger.session import SessionView
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from debugger.trace import DispatchTrace, Trace
from debugger.views import forks, inspect
from debugger.views.chain import chain_view
from debugger.whatif.alternatives import Without, prepared
from kernel.dialects.pluggable import PLUGGABLE


def made(path: Path | None = None) -> list[DispatchTrace]:
    """A dispatch, a fork of it, and one in which somebody went back."""
    found: list[DispatchTrace] = []

    async def body(desk: Desk) -> None:
        first = desk.of(await desk.fire(Stance.TO_END))
        fork, _ = await desk.session.forked(prepared(first, Without(1), desk.session.setup.dialect))
        held = await desk.fire()
        await desk.command(held, Command.NEXT)
        await desk.command(held, Command.BACK)
        await desk.command(held, Command.FINISH)
        found.extend([first, desk.of(fork), desk.of(held)])

    if path is None:
        at_desk("A:t B:t C:t", body, B=stub("+x"))
    else:
        with Writer(path) as writer:
            at_desk("A:t B:t C:t", body, B=stub("+x"), probes=(writer,))
    return found


def test_forks_and_steps_back_are_told_everywhere() -> None:
    """In a few words in the strip and the list, in a sentence in Why."""
    first, fork, back = made()
    assert [forks.in_short(each) for each in (first, fork, back)] == ["", "⑂ #1 without B", ""]
    titles = [chain_view(each, SessionView(), None, None).title for each in (first, fork, back)]
    assert titles == ["pre-model-call #1", "pre-model-call #2 ⑂ #1 without B", "pre-model-call #3 ↶ before A, step 0"]
    assert forks.origins(fork) == ("⑂ fork of #1 from step 1: without B",)
    assert forks.origins(back) == ("↶ somebody went back, to before A, step 0: what came after it was asked again",)
    why = "\n".join(line.text for line in inspect.why(fork, None, PLUGGABLE, None))
    assert "⑂ fork of #1 from step 1: without B" in why
    alone = replace(fork, fork_of=None)
    assert forks.origins(alone) == (f"⑂ fork of another dispatch ({first.id}) from step 1: without B",)


def test_a_recording_keeps_it_and_a_replay_tells_it_again(tmp_path: Path) -> None:
    """Of which dispatch and step, in the facts themselves."""
    made(tmp_path / "r")
    trace = Trace()
    with Recording(tmp_path / "r") as recording:
        for row in recording.rows(after=0):
            events = tuple(recording.events(row.id))
            _, parted = replay(events, PLUGGABLE)
            assert parted is None
            for event in events:
                trace.take(event)
    first, fork, back = trace.dispatches
    assert (fork.fork_of, fork.opened.fork and fork.opened.fork.dispatch) == (1, first.id)
    assert (back.rewinds, back.rewound_to) == (1, 0)
