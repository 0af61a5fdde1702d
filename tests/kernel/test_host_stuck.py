"""Who is stuck, where and for how long: told of callbacks, and nobody else's."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Callable
from pathlib import Path

from kernel import Caller, Probes, dispatch
from kernel.dialects import load_setup
from kernel.host import Host
from kernel.values import Ending

BLOCKED = textwrap.dedent(
    """
    import pathlib
    import time


    def check(context, call):
        while not pathlib.Path(__file__).with_name("open").exists():
            time.sleep(0.01)
    """
)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that a thread does."""
    while not holds():  # noqa: ASYNC110  # threads set no events of ours
        await asyncio.sleep(0.01)


async def test_a_callback_that_does_not_come_back_is_told_with_its_stack(tmp_path: Path) -> None:
    """Its name, where it is, since when; once its caller has given up on it, that too. The loop goes on meanwhile."""
    (tmp_path / "blocked.py").write_text(BLOCKED)
    (tmp_path / "one.rig.yaml").write_text(
        "policy_revision: v1\nguards:\n  - {name: gatekeeper, operation: Turn, check: 'blocked.py:check'}\n"
    )
    setup = load_setup(tmp_path / "one.rig.yaml")
    async with Host(setup.chains.values()) as host:
        caller = Caller()
        chain, payload = setup.chains["Turn"], setup.dialect.sample_payload("Turn")
        running = asyncio.create_task(
            dispatch(setup.dialect, chain, payload, host.subscribers, probes=Probes(), caller=caller, dispatch_id="d")
        )
        await until(lambda: [each.phase for each in host.stuck(0)] == ["guard"])
        await until(lambda: any("blocked.py:8 in check: time.sleep(0.01)" in line for line in host.stuck(0)[0].stack))
        [one] = host.stuck(0)
        assert (one.subscriber, one.dispatch, one.is_abandoned) == ("gatekeeper", "d", False)
        assert host.stuck(3_600_000_000_000) == ()
        caller.cancel("enough")
        result = await running
        assert result.ending is Ending.CANCELLED
        assert host.stuck(0)[0].is_abandoned
        (tmp_path / "open").touch()
        await until(lambda: not host.stuck(0))


async def test_hosts_without_callbacks_know_of_nobody(tmp_path: Path) -> None:
    """And load no threads for it."""
    async with Host([]) as host:
        assert host.stuck(0) == ()
