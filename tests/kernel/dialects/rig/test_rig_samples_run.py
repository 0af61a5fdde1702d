"""Claims about the sample hooks: they are loaded as anybody's would be, and come to what their files say."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kernel import Caller, Probes, dispatch
from kernel.dialects import check_setup, load_setup
from kernel.dialects.rig import RIG
from kernel.dialects.rig.payload import RigPayload
from kernel.facts import Event, Resolved
from kernel.host import Host
from kernel.transports.callback import stuck
from kernel.values import Result

FOLDER = Path(__file__).parents[4] / "sample_configs" / "rig"


async def run(file: str, point: str, payload: RigPayload | None = None) -> tuple[Result, dict[str, str]]:
    """One dispatch, and the rule that resolved each callback first."""
    setup = load_setup(FOLDER / file)
    rules: dict[str, str] = {}

    class Keep:
        def see(self, event: Event) -> None:
            if isinstance(event.fact, Resolved):
                rules.setdefault(event.fact.subscription.name, event.fact.rule)

    async with Host(setup.chains.values()) as host:
        assert host.failures == ()
        given = payload or RIG.sample_payload(point)
        return await dispatch(RIG, setup.chains[point], given, host.subscribers, probes=Probes(Keep())), rules


@pytest.mark.parametrize("file", sorted(path.relative_to(FOLDER) for path in FOLDER.rglob("*.rig.yaml")), ids=str)
def test_a_sample_has_nothing_wrong_with_it(file: Path) -> None:
    """Not even a warning."""
    assert check_setup(FOLDER / file).problems == ()


async def test_metrics_lose_the_span_of_tracing() -> None:
    """That is what a detached context does."""
    result, rules = await run("agent.rig.yaml", "Inference")
    assert result.decision == "completed"
    assert rules["metrics"] == "RG-BEGIN-LOST"
    assert result.extras["context"]["values"] == {"metrics": "on"}  # type: ignore[call-overload, index]


@pytest.mark.parametrize(
    ("arguments", "decision", "error"),
    [
        ({"argv": ["du", "-sh"]}, "completed", ""),
        ({"argv": ["rm", "-rf", "/"]}, "denied", "hook: denied: tool.harmful: rm is not run here"),
        ("nonsense", "denied", "hook: denied: tool.arguments: the arguments are not JSON"),
    ],
)
async def test_harmful_tools_are_denied(arguments: object, decision: str, error: str) -> None:
    """With a code and a reason."""
    call = RIG.payload_from_view("ToolCall", {"ToolCall": {"ToolName": "shell", "ArgsJSON": arguments}})  # type: ignore[dict-item]
    result, _ = await run("agent.rig.yaml", "ToolCall", call)
    assert (result.decision, result.error) == (decision, error)


async def test_a_request_beyond_the_budget_is_denied() -> None:
    """By what it may cost at most."""
    view = {"Inference": {"Request": {"Model": {"Sampling": {"MaxTokens": 100_000}}}}}
    result, _ = await run("agent.rig.yaml", "Inference", RIG.payload_from_view("Inference", view))  # type: ignore[arg-type]
    assert (result.decision, result.decided_by) == ("denied", "budget")


async def test_begins_that_fail_change_no_outcome() -> None:
    """Each by its own rule."""
    result, rules = await run("failures/begins.rig.yaml", "Step")
    assert result.decision == "completed"
    assert rules == {
        "raises": "RG-BEGIN-RAISED",
        "no_context": "RG-BEGIN-NO-CONTEXT",
        "nothing": "RG-BEGIN-NO-CONTEXT",
        "no_finish": "RG-BEGIN-SAME",
        "detached": "RG-BEGIN-CONTEXT",
        "hostile": "RG-BEGIN-HOSTILE",
        "scribbles": "RG-BEGIN-SAME",
        "finish_raises": "RG-BEGIN-SAME",
        "finish_scribbles": "RG-BEGIN-SAME",
        "operation": "RG-COMPLETED",
    }
    assert [line["callback_index"] for line in result.extras["log"]] == [0, 1, 2, 7]  # type: ignore[call-overload, index, union-attr]


async def test_a_cancelled_context_cancels_what_follows() -> None:
    """That is not contained."""
    result, rules = await run("failures/begins.rig.yaml", "GateWait")
    assert result.decision == "canceled"
    assert rules["cancelled"] == "RG-BEGIN-CANCELLED"


@pytest.mark.parametrize(
    ("file", "point", "decision", "rule"),
    [
        ("guards", "Turn", "failed", "RG-GUARD-FAILED"),
        ("guards", "Inference", "failed", "RG-GUARD-RAISED"),
        ("guards", "Compaction", "failed", "RG-GUARD-HOSTILE"),
        ("guards", "ToolCall", "failed", "RG-GUARD-RAISED"),
        ("more_guards", "Turn", "failed", "RG-GUARD-FAILED"),
        ("more_guards", "Inference", "failed", "RG-GUARD-FAILED"),
        ("more_guards", "Compaction", "failed", "RG-GUARD-FAILED"),
        ("more_guards", "ToolCall", "denied", "RG-GUARD-DENIED"),
    ],
)
async def test_a_guard_that_fails_is_a_closed_gate(file: str, point: str, decision: str, rule: str) -> None:
    """All but the one whose denial is merely wrapped."""
    result, _ = await run(f"failures/{file}.rig.yaml", point)
    assert (result.decision, result.rule) == (decision, rule)


async def test_whoever_hangs_is_told_with_the_line_where_it_is() -> None:
    """And the dispatch ends when its caller has had enough."""
    setup = load_setup(FOLDER / "failures" / "hangs.rig.yaml")
    async with Host(setup.chains.values()) as host:
        caller = Caller()
        chain = setup.chains["Turn"]
        task = asyncio.create_task(dispatch(RIG, chain, RIG.sample_payload("Turn"), host.subscribers, caller=caller))
        while not _is_in("arounds.py", "in hangs"):  # noqa: ASYNC110
            await asyncio.sleep(0.001)  # a thread tells nobody where it is
        caller.cancel("enough")
        result = await task
    assert result.ending == "cancelled"


def _is_in(file: str, place: str) -> bool:
    """Whether `hangs` has come to this place."""
    lines = [line for each in stuck() if each.subscriber == "hangs" for line in each.stack]
    return any(file in line and place in line for line in lines)
