"""Going back, what-ifs and answers over the samples of dialects with shapes of their own: nothing knows a dialect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from plugin_runs import until

from debugger import payloads
from debugger.comparing import Part, compare
from debugger.runcontrol import Command, IllegalMove, Stance
from debugger.session import Session
from debugger.standing_in import answers
from debugger.trace import DispatchTrace, Trace
from debugger.whatif.alternatives import Fired, alternative, prepared
from debugger.whatif.choices import offers
from debugger.whatif.order import pair, swaps
from debugger.whatif.traced import traced
from kernel.asking import Answer
from kernel.dialects import load_setup
from sample_configs import FIRST_CHAIN

SAMPLES = FIRST_CHAIN.parent.parent
CASES = [
    ("rig/agent.rig.yaml", "Step"), ("rig/agent.rig.yaml", "ToolCall"), ("rig/failures/begins.rig.yaml", "Step"),
    ("hookbus", "before_tool_call"), ("hookbus", "before_message"),
]  # fmt: skip


class Run:
    """A session over a sample, with its trace."""

    def __init__(self, path: Path) -> None:
        self.session = Session(load_setup(path))
        self.trace = Trace()

    def drain(self) -> None:
        while self.session.events:
            self.trace.take(self.session.events.popleft())
        for asking in self.session.view.askings:
            self.session.reply(asking, Answer(allows=True))

    async def fired(self, point: str, stance: Stance = Stance.TO_BREAKPOINT) -> str:
        return await self.session.fire(point, payloads.default(self.session.setup, point), stance)

    async def over(self, dispatch: str) -> DispatchTrace:
        def is_over() -> bool:
            self.drain()
            return dispatch not in self.session.view.states

        await until(is_over, 20)
        found = self.trace.find(dispatch)
        assert found is not None
        assert found.result is not None
        return found


@asynccontextmanager
async def running(sample: str) -> AsyncIterator[Run]:
    run = Run(SAMPLES / sample)
    await run.session.start()
    try:
        yield run
    finally:
        await run.session.close()


@pytest.mark.parametrize(("sample", "point"), CASES)
async def test_everything_that_is_offered_can_be_tried(sample: str, point: str) -> None:
    """And the dispatch with nothing changed comes to what it came to, without asking anybody."""
    async with running(sample) as run:
        dialect = run.session.setup.dialect
        trace = await run.over(await run.fired(point))
        same = prepared(trace, Fired(trace.opened.payload), dialect)
        assert alternative(trace, Fired(trace.opened.payload), dialect).result == trace.result
        assert compare(trace, traced(same, trace)).differs_in is None
        offered = offers(trace, None, dialect)
        assert offered
        for offer in offered:
            ready = prepared(trace, offer.what, dialect)
            found = compare(trace, traced(ready, trace))
            assert found.pairings
        for swap in swaps(trace):
            assert pair(trace, swap, alternative(trace, swap, dialect).result).commutes in (True, False, None)
        _, forked = await run.session.forked(same)
        assert (forked.ending, forked.decision) == (trace.result.ending, trace.result.decision)  # type: ignore[union-attr]


@pytest.mark.parametrize(("sample", "point"), CASES)
async def test_one_can_go_back_from_every_seam(sample: str, point: str) -> None:
    """Once from each; in the end it comes to what it comes to without that."""
    async with running(sample) as run:
        straight = await run.over(await run.fired(point))
        dispatch = await run.fired(point, Stance.TO_NEXT_SEAM)
        gone_back: set[tuple[str, int]] = set()
        async with asyncio.timeout(30):
            while dispatch in run.session.view.states:
                await asyncio.sleep(0.001)
                run.drain()
                hold = run.session.view.hold_of(dispatch)
                if hold is None:
                    continue
                assert all(each.meets for each in answers(hold, run.session.setup.dialect))
                command = Command.STEP if (hold.side, hold.step) in gone_back else Command.BACK
                gone_back.add((hold.side, hold.step))
                try:
                    run.session.command(dispatch, command)
                except IllegalMove:
                    run.session.command(dispatch, Command.STEP)
        trace = await run.over(dispatch)
        assert trace.rewinds == len(gone_back) - 1, "from every seam but the first"
        assert trace.result is not None
        assert straight.result is not None
        assert (trace.result.ending, trace.result.decision) == (straight.result.ending, straight.result.decision)
        # a subscriber may say how much time is left: that is another answer each time
        assert compare(straight, trace).differs_in in (None, Part.OUTCOME, Part.PAYLOAD, Part.REQUEST)
