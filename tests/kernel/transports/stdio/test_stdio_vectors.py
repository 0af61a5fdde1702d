"""The vectors of the hookbus sheet that need a process: a whole dispatch over a real extension (section 8)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from dispatch_runs import Told
from stdio_runs import CONTINUE, Play, Stage, hooks

from kernel.clock import REAL, Clock, VirtualClock
from kernel.dialects.hookbus import HOOKBUS
from kernel.dispatch import dispatch
from kernel.facts import Printed, Raised, Replied
from kernel.host import Host
from kernel.probe import Probes
from kernel.values import JSON, Answered, Chain, Result, Subscription

BLOCK: Play = {"result": {"action": "block", "reason": "respawned"}}
BEFORE: dict[str, JSON] = {
    "kind": "before_tool_call",
    "tool_name": "bash",
    "tool_input": {"command": "ls"},
    "data": None,
}
AFTER: dict[str, JSON] = {**BEFORE, "kind": "after_tool_call", "tool_output": "raw"}


class Run:
    """One extension at one point, and everything that was told."""

    def __init__(self, stage: Stage, point: str, timeout_ms: int = 5000, permissions: tuple[str, ...] = ()) -> None:
        granted = permissions or ("tools.intercept",)
        options: dict[str, JSON] = {"permissions": list(granted)}
        reach = stage.reach(permissions=frozenset(granted))
        self.chain = Chain(point, (Subscription("ext", point, "handle", timeout_ms, reach=reach, options=options),))
        self.host = Host([self.chain])
        self.told = Told()

    async def emit(self, view: dict[str, JSON], clock: Clock = REAL) -> Result:
        payload = HOOKBUS.payload_from_view(self.chain.point, view)
        return await dispatch(
            HOOKBUS, self.chain, payload, self.host.subscribers, probes=Probes(self.told), clock=clock
        )

    @property
    def raised(self) -> list[str]:
        return [fact.category for fact in self.told.facts if isinstance(fact, Raised)]

    @property
    def state(self) -> tuple[str, int]:
        (health,) = self.host.health
        return health.state, health.restart_count


def on_virtual_clock(scene: Callable[[VirtualClock], Coroutine[Any, Any, None]]) -> None:
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=clock.loop) as runner:
        runner.run(scene(clock))


async def test_v089_a_replace_without_output_is_invalid(tmp_path: Path) -> None:
    """The output stays as it was."""
    run = Run(
        Stage(tmp_path, hooks({"result": {"action": "replace"}})),
        "after_tool_call",
        permissions=("tools.intercept", "tools.transform_output"),
    )
    async with run.host:
        result = await run.emit(AFTER)
    assert result.decision == "continue"
    assert run.raised == ["invalid_result"]


async def test_v091_an_unknown_action_is_invalid(tmp_path: Path) -> None:
    """And passes."""
    run = Run(Stage(tmp_path, hooks({"result": {"action": "explode"}})), "before_tool_call")
    async with run.host:
        assert (await run.emit(BEFORE)).decision == "continue"
        assert (run.raised, run.state) == (["invalid_result"], ("running", 0))


async def test_v093_a_text_id_is_no_answer(tmp_path: Path) -> None:
    """The handler times out, and its process is left alone. Less than five seconds, or the test would take them."""
    odd = {"body": '{"jsonrpc":"2.0","id":"<id>","result":{"action":"block","reason":"x"}}'}
    run = Run(Stage(tmp_path, hooks(odd)), "before_tool_call", timeout_ms=300)
    async with run.host:
        assert (await run.emit(BEFORE)).decision == "continue"
        assert (run.raised, run.state) == (["timeout"], ("running", 0))


@pytest.mark.parametrize(
    "odd",
    [
        {"exit": 0},
        {"bytes": "\n", **CONTINUE},
        {"bytes": "Content-Length: abc\r\n\r\n{}"},
        {"bytes": "Content-Length: -1\r\n\r\n{}"},
    ],
    ids=["v095 exits", "v101 blank line", "v103 abc", "v103 -1"],
)
async def test_a_restarted_extension_has_the_say(tmp_path: Path, odd: Play) -> None:
    """Told under the call during which it happened, and kept with the outcome."""
    run = Run(Stage(tmp_path, hooks(odd), hooks(BLOCK)), "before_tool_call")
    async with run.host:
        result = await run.emit(BEFORE)
        assert (result.decision, run.state) == ("block", ("degraded", 1))
    (replied,) = [fact for fact in run.told.facts if isinstance(fact, Replied)]
    assert isinstance(replied.outcome, Answered)
    assert [each.request_id for each in replied.outcome.deliveries] == [2, 4]
    assert replied.took_ns >= 250_000_000
    printed = [fact for fact in run.told.facts if isinstance(fact, Printed)]
    assert [(fact.stream, fact.step) for fact in printed] == [("host", 0), ("host", 0)]
    assert printed[0].text.startswith("restart 1 of 3 after 250 ms: ")


def test_v097_an_extension_that_dies_on_every_hook(tmp_path: Path) -> None:
    """Five times continue; failed after the fourth."""
    run = Run(Stage(tmp_path, hooks({"exit": 1})), "before_tool_call")

    async def scene(clock: VirtualClock) -> None:
        async with run.host:
            states = []
            for _ in range(5):
                assert (await run.emit(BEFORE, clock)).decision == "continue"
                states.append(run.state)
            assert states[3] == ("failed", 4)

    on_virtual_clock(scene)
    assert run.raised == [*["restart", "call_failed"] * 3, *["call_failed"] * 2]
    told = [fact.text.partition(":")[0] for fact in run.told.facts if isinstance(fact, Printed)]
    assert [line for line in told if line.startswith("restart")] == [
        f"restart {number} of 3 after {ms} ms" for number, ms in ((1, 250), (2, 500), (3, 1000))
    ]


async def test_v105_a_request_that_is_refused_disturbs_no_hook(tmp_path: Path) -> None:
    """It gets -32602 under its own id."""
    wish = {"id": 7, "method": "memory.append", "params": {"namespace": "ext", "content": "x"}}
    stage = Stage(tmp_path, hooks({"message": wish, "receive": 1, **BLOCK}))
    run = Run(stage, "before_tool_call")
    async with run.host:
        assert (await run.emit(BEFORE)).decision == "block"
    (got,) = [line["got"] for line in stage.log if "got" in line]
    assert (got["id"], got["error"]["code"]) == (7, -32602)
