"""Live subscribers for a configuration: extensions over stdio, how they are, and what outlives their processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plugin_runs import call
from stdio_runs import CONTINUE, EVENT, Stage, hooks

from kernel.host import Host
from kernel.values import Answered, Chain, Crashed, Subscription


def chains(stage: Stage, **more: Any) -> list[Chain]:
    return [Chain("p", (Subscription("ext", "p", "handle", 5000, reach=stage.reach(**more)),))]


async def test_the_health_of_an_extension_is_told_in_its_hosts_words(tmp_path: Path) -> None:
    """Its state, how often it was started again, and which process it is."""
    stage = Stage(tmp_path, hooks(CONTINUE, {"exit": 1}), hooks(CONTINUE, {"exit": 1}))
    async with Host(chains(stage)) as host:
        extension = host.subscribers["ext"]
        (first,) = host.health
        assert (first.is_alive, first.state, first.restart_count) == (True, "running", 0)
        assert first.detail.startswith("pid ")
        assert first.detail.endswith(", running")
        assert isinstance(await extension.answer(call(EVENT)), Answered)
        assert isinstance(await extension.answer(call(EVENT)), Answered)
        (second,) = host.health
        assert (second.is_alive, second.state, second.restart_count) == (True, "degraded", 1)
        assert second.detail.endswith(", degraded, restarted once")
        assert second.detail != first.detail
    (last,) = host.health
    assert (last.is_alive, last.detail) == (False, "not started")


async def test_one_that_has_failed_says_how_it_ended(tmp_path: Path) -> None:
    """V097: four times for four calls."""
    async with Host(chains(Stage(tmp_path, hooks({"exit": 7})))) as host:
        for _ in range(4):
            assert isinstance(await host.subscribers["ext"].answer(call(EVENT)), Crashed)
        (health,) = host.health
        assert (health.is_alive, health.state, health.restart_count) == (False, "failed", 4)
        assert health.detail == "exited with code 7, failed, restarted 4 times"


async def test_one_that_does_not_start_is_asked_in_vain(tmp_path: Path) -> None:
    """V099, for whoever looks at the host."""
    stage = Stage(tmp_path, {"init": {"result": {"action": "continue"}}})
    async with Host(chains(stage)) as host:
        (failure,) = host.failures
        assert failure.message == "invalid initialize response: it has no protocol_version"
        assert host.health[0].is_alive is False
        assert isinstance(await host.subscribers["ext"].answer(call(EVENT)), Crashed)


async def test_whoever_does_not_start_has_no_seat_where_the_dialect_says_so(tmp_path: Path) -> None:
    """V099: hooks are installed last, so an extension that is refused has none, until it is loaded after all."""
    stage = Stage(tmp_path, {"init": {"result": {"action": "continue"}}}, hooks(CONTINUE))
    (chain,) = chains(stage)
    async with Host([chain], unseats_failures=True) as host:
        assert host.seated(chain) == Chain("p")
        assert host.refused == {"ext"}
        (sentence,) = host.told_failures
        assert sentence.startswith("not loaded: 'ext' did not start: invalid initialize response")
        assert await host.load("ext", is_wanted=True) == ""
        assert host.seated(chain) is chain
        assert (host.refused, host.told_failures) == (frozenset(), ())


async def test_whoever_does_not_start_keeps_its_seat_elsewhere(tmp_path: Path) -> None:
    """A dead subscriber is for the dialect to judge where the host does not register by starting."""
    (chain,) = chains(Stage(tmp_path, {"init": {"result": {"action": "continue"}}}))
    async with Host([chain]) as host:
        assert host.seated(chain) is chain
        assert host.refused == frozenset()
        assert host.told_failures == (str(host.failures[0]),)


async def test_what_was_remembered_outlives_a_reload_and_the_counters_do_not(tmp_path: Path) -> None:
    """The memory is the host's, the health the extension's."""
    remember = {
        "message": {"id": 1, "method": "memory.append", "params": {"namespace": "ext", "content": "kept"}},
        "receive": 1,
    }
    recall = {"message": {"id": 2, "method": "memory.query", "params": {"namespace": "ext"}}, "receive": 1}
    stage = Stage(tmp_path, hooks({"exit": 1}), hooks({**remember, **CONTINUE}), hooks({**recall, **CONTINUE}))
    may = frozenset({"memory.read", "memory.write"})
    heard: list[tuple[str, str, str]] = []
    async with Host(chains(stage, permissions=may), lambda *line: heard.append(line)) as host:
        assert isinstance(await host.subscribers["ext"].answer(call(EVENT)), Answered)
        assert host.health[0].restart_count == 1
        await host.restart(["ext"])
        assert host.health[0].restart_count == 0
        assert isinstance(await host.subscribers["ext"].answer(call(EVENT)), Answered)
    (_, second) = [line["got"] for line in stage.log if "got" in line]
    assert [record["content"] for record in second["result"]["records"]] == ["kept"]


async def test_one_that_is_unloaded_is_not_there_until_it_is_loaded_again(tmp_path: Path) -> None:
    """Its process ends; another one takes its place. A name that is not hosted has no process."""
    stage = Stage(tmp_path, hooks(CONTINUE))
    async with Host(chains(stage)) as host:
        (first,) = host.health
        assert await host.load("ext", is_wanted=False) == ""
        (away,) = host.health
        assert (away.is_alive, away.detail) == (False, "not started")
        assert await host.subscribers["ext"].answer(call(EVENT)) == Crashed("it is not loaded")
        assert await host.load("ext", is_wanted=True) == ""
        (again,) = host.health
        assert again.is_alive
        assert again.detail != first.detail
        assert isinstance(await host.subscribers["ext"].answer(call(EVENT)), Answered)
        assert await host.load("stranger", is_wanted=True) == ""


async def test_one_that_cannot_be_loaded_again_says_why(tmp_path: Path) -> None:
    """It stays a failure that is told of."""
    stage = Stage(tmp_path, hooks(CONTINUE), {"init": {"result": {"action": "continue"}}})
    async with Host(chains(stage)) as host:
        assert "invalid initialize response" in await host.load("ext", is_wanted=True)
        assert [failure.subscriber for failure in host.failures] == ["ext"]
