"""A callback that cannot be had: the set is never compiled, so nobody is asked, nothing let through (spec B.1)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kernel import Probes, dispatch
from kernel.dialects.rig import RIG
from kernel.dialects.rig.config import load_setup
from kernel.errors import BadInput
from kernel.facts import Event
from kernel.host import Host
from kernel.values import Chain, Ending, Result, Subscription

CALLBACKS = "def begin(context, call):\n    print('asked')\n    return context, print\nnumber = 5\n"


def fired(tmp_path: Path, check: str) -> tuple[Result, list[str], Chain]:
    """What comes of a set with a guard of that name, which facts are told, and the chain as it was dispatched."""
    (tmp_path / "good.py").write_text(CALLBACKS)
    (tmp_path / "raises.py").write_text("raise RuntimeError('no server')\n")
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "wrong.py").write_text("def (\n")
    file = tmp_path / "a.rig.yaml"
    file.write_text(
        "policy_revision: v1\naround: [{operation: ToolCall, begin: good.py:begin}]\n"
        f"guards: [{{operation: ToolCall, check: {check}}}]\n"
    )
    setup = load_setup(file)
    events: list[Event] = []

    class Keeper:
        def see(self, event: Event) -> None:
            events.append(event)

    async def main() -> Result:
        chain = setup.chains["ToolCall"]
        async with Host([chain]) as host:
            payload = RIG.sample_payload("ToolCall")
            return await dispatch(RIG, host.seated(chain), payload, host.subscribers, probes=Probes(Keeper()))

    result = asyncio.run(main())
    [opened] = [event.fact.chain for event in events if hasattr(event.fact, "chain")]
    return result, [type(event.fact).__name__ for event in events], opened


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ("good.py:nothing", "AttributeError"),
        ("good.py:number", "it cannot be called"),
        ("raises.py:check", "RuntimeError: no server"),
        ("wrong.py:check", "SyntaxError"),
        ("ends.py:check", "importing it ends the program"),
        ("nosuchmodule:check", "ModuleNotFoundError"),
    ],
)
def test_a_set_with_a_callback_that_is_not_there_is_refused(check: str, why: str, tmp_path: Path) -> None:
    """No begin runs whose finish never would, and the rule says what it is."""
    result, facts, chain = fired(tmp_path, check)
    assert (result.ending, result.rule, result.decision) == (Ending.REFUSED, "RG-NOT-LOADED", "not started")
    assert why in result.error
    assert facts == ["Opened", "Ended"]
    again, more = RIG.open(chain, RIG.sample_payload("ToolCall"))  # from the record alone
    assert (again.result, more) == (result, ())


def test_everybody_else_is_asked(tmp_path: Path) -> None:
    """A set that can be compiled is."""
    result, _, chain = fired(tmp_path, "good.py:begin")  # returns no error, and so blocks
    assert result.ending is Ending.FINISHED
    assert all("not_loaded" not in seat.options for seat in chain.subscriptions)


def test_such_a_seat_can_be_set_up_by_hand() -> None:
    """So that a scenario can be made of the dispatch."""
    seat = Subscription("check", "ToolCall", "guard")
    chain = RIG.staging.seated(Chain("ToolCall"), seat, {"not_loaded": "no server"})
    walk, _ = RIG.open(chain, RIG.sample_payload("ToolCall"))
    assert walk.result is not None
    assert walk.result.rule == "RG-NOT-LOADED"
    with pytest.raises(BadInput):
        RIG.staging.seated(Chain("ToolCall"), seat, {"not_loaded": 5})
