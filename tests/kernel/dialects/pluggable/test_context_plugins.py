"""Context plugins from a configuration to their processes, and back with what they contribute (spec B.11, E.1)."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from played_runs import Run, session

from kernel.dialects.pluggable.agent_hcl.registry import context_providers
from kernel.dialects.pluggable.config import load, load_setup
from kernel.dialects.pluggable.context_wire import encode
from kernel.dialects.pluggable.plugin import ContextContribution, ContextRequest, Plugin, refusal
from kernel.dialects.pluggable.points import CAPABILITIES, CONTEXT_ASSEMBLE, CONTRIBUTE, GET_CAPABILITIES, METHOD
from kernel.dialects.pluggable.sections import ContextRequest as Asked
from kernel.dialects.pluggable.sections import Section, text
from kernel.dialects.pluggable.session.contributing import ContextPlugin
from kernel.dialects.pluggable.session.played import Script, load_session
from kernel.errors import BadInput
from kernel.host import Host
from kernel.playing import Stage, fire_with
from kernel.probe import Probes
from kernel.serving import Refused
from kernel.subscriber import Subscriber

PLUGIN = """
import os, sys, time
from kernel.dialects.pluggable.plugin import Plugin, refusal

plugin = Plugin("{name}")
seen = []

@plugin.observe("session-start")
def note(payload):
    seen.append(payload.session_id)

@plugin.contribute({options})
def contribute(request):
    print("asked in", request.turn_id, file=sys.stderr)
{body}

if __name__ == "__main__":
    plugin.serve()
"""
NOTES = '    return {"seen": " ".join(seen), "before": ",".join(each.label for each in request.prior_sections)}'


def configure(folder: Path, plugins: dict[str, tuple[str, str]], *, blocks: list[str] | None = None) -> Path:
    """Context plugins by name: the options and the body of what they contribute. All of them also observe."""
    agent, programs = ["required_providers {"], ["dev_overrides {"]
    for name, (options, body) in plugins.items():
        program = folder / f"{name}.py"
        program.write_text(PLUGIN.format(name=name, options=options, body=body))
        agent.append(f'  {name} = {{\n source = "test/{name}"\n version = "1.0.0"\n category = "context"\n }}')
        programs.append(f"  {name} = {json.dumps([sys.executable, str(program)])}")
    agent.append("}")
    agent += [f'provider "{name}" {{}}' for name in (blocks if blocks is not None else plugins)]
    agent += ['agent_profile "test" {\n  tools = ["fs.*"]\n}']
    agent += ['settings {\n default_frontend = "t"\n log_level = "info"\n telemetry = true\n'
              ' default_hook_timeout_ms = 1500\n}']  # fmt: skip
    agent += [f'hook "session-start" {{\n  provider = "{name}"\n  mode = "observe"\n}}' for name in plugins]
    (folder / "agent.hcl").write_text("\n".join(agent) + "\n")
    (folder / "config.hcl").write_text("\n".join([*programs, "}"]) + "\n")
    return folder / "agent.hcl"


def played(config: Path, *turns: Any, **more: Any) -> Run:
    """Play a session against the real processes of a configuration."""
    seen = Run()

    async def body() -> None:
        setup = load_setup(config)
        playable = load_session(config, session(*turns, **more), "session")
        probes = Probes(seen)
        async with Host(setup.chains.values(), others=setup.others) as host:
            assert not host.failures

            async def bring(name: str) -> Subscriber:
                return host.subscribers[name]

            fire = fire_with(setup.dialect, setup.chains, host.subscribers, probes=probes)
            seen.played = await playable.play(Stage(fire, probes, bring=bring))

    asyncio.run(body())
    return seen


# -- real processes ----------------------------------------------------------------------------------------------------


def test_real_plugins_contribute_over_the_connection_of_their_hooks(tmp_path: Path) -> None:
    """One process: what its observer saw is in its sections. Each sees the chain so far."""
    config = configure(tmp_path, {"first": ("token_budget=50", NOTES), "second": ("", NOTES)})
    seen = played(config, "fs.read d")
    assert seen.played is not None
    assert seen.played.is_fine
    told = seen.stretches("context.contribute")
    answers: Any = [left.attributes["answer"] for _, left, *_ in told]
    first = [{"provider": "first", "label": "seen", "content": [{"text": {"text": "s"}}]},
             {"provider": "first", "label": "before", "content": [{"text": {}}]}]  # fmt: skip
    assert answers[0] == {"sections": first}
    own = [each for each in answers[1]["sections"] if each["provider"] == "second"]
    assert [each["content"][0]["text"]["text"] for each in own] == ["s", "seen,before"]
    assert [begun.attributes["token_budget"] for begun, *_ in told] == [50, 4000] * 2
    assert [left.attributes["printed"] for _, left, *_ in told] == [
        [f"asked in s/turn-{turn}"] for turn in (1, 1, 2, 2)
    ]


@pytest.mark.parametrize(
    ("body", "rule", "why"),
    [
        ('    raise refusal("source_unavailable", "no index yet")', "PL-CONTEXT-FAILED",
         "UNAVAILABLE: no index yet (source_unavailable)"),
        ('    raise refusal("budget_exceeded", "too much")', "PL-CONTEXT-FAILED",
         "FAILED_PRECONDITION: too much (budget_exceeded)"),
        ('    raise ValueError("oops")', "PL-CONTEXT-FAILED", "INTERNAL: oops (unknown)"),
        ("    time.sleep(60)", "PL-CONTEXT-TIMEOUT", "no answer within its deadline (1500 ms)"),
        ("    os._exit(3)", "PL-CONTEXT-CRASHED", "exited with code 3"),
        ('    return ["a"]', "PL-CONTEXT-FAILED", "INTERNAL: context is a mapping"),
    ],
)  # fmt: skip
def test_a_real_failure_is_told_for_what_it_is(tmp_path: Path, body: str, rule: str, why: str) -> None:
    """A status, a deadline that passes, a process that dies: each by its rule, and the session fails."""
    seen = played(configure(tmp_path, {"bad": ("", body)}))
    assert seen.rules == [rule]
    assert seen.played is not None
    assert seen.played.status == "failed"
    assert seen.played.why.startswith(f"bad failed: {why}")
    assert seen.hooks == ["session-start", "session-end"]


def test_a_program_without_a_context_service_fails_the_turn(tmp_path: Path) -> None:
    """It is usual in what it says of itself, and then it does not serve what it is asked for."""
    config = configure(tmp_path, {"plain": ("", NOTES)})
    program = tmp_path / "plain.py"
    program.write_text(program.read_text().replace("@plugin.contribute()", ""))
    seen = played(config)
    assert seen.rules == ["PL-CONTEXT-FAILED"]
    assert "UNIMPLEMENTED" in (seen.played.why if seen.played else "")


# -- configuration -----------------------------------------------------------------------------------------------------


def test_context_providers_come_in_the_order_of_their_blocks(tmp_path: Path) -> None:
    """Whatever the order in required_providers; one without a block has no place and is not asked."""
    plugins = dict.fromkeys(("a", "b", "c"), ("", NOTES))
    config = configure(tmp_path, plugins, blocks=["c", "a"])
    assert [each.name for each in context_providers(load(config))] == ["c", "a"]
    assert list(load_setup(config).others) == ["c", "a"]
    playable = load_session(config, session(), "x")
    assert isinstance(playable, Script)
    assert [each.name for each in playable.context_plugins] == ["c", "a"]
    assert {each.timeout_ms for each in playable.context_plugins} == {1500}


def test_how_a_context_plugin_is_reached_says_which_method_is_called_where(tmp_path: Path) -> None:
    """Its hooks by the one, context by the others, whether or not it has a seat."""
    setup = load_setup(configure(tmp_path, {"a": ("", NOTES)}))
    [seat] = setup.chains["session-start"].subscriptions
    reach = setup.others["a"]
    assert seat.reach == reach
    methods = {point: reach.method_at(point) for point in ("session-start", CONTEXT_ASSEMBLE, CAPABILITIES)}  # type: ignore[union-attr]
    assert methods == {"session-start": METHOD, CONTEXT_ASSEMBLE: CONTRIBUTE, CAPABILITIES: GET_CAPABILITIES}


def test_a_context_provider_without_a_program_has_to_be_described(tmp_path: Path) -> None:
    """The place, and both ways out."""
    config = configure(tmp_path, {"a": ("", NOTES)})
    config.write_text(config.read_text().replace('hook "session-start" {\n  provider = "a"\n  mode = "observe"\n}', ""))
    (tmp_path / "config.hcl").write_text("dev_overrides {\n}\n")
    with pytest.raises(BadInput) as refused:
        load_session(config, session(), "x")
    assert "agent.hcl:8:1" in str(refused.value)
    assert "'a' has no program" in str(refused.value)
    assert "or describe what it contributes" in str(refused.value)
    playable = load_session(config, session(context=[{"name": "a"}]), "x")
    assert isinstance(playable, Script)
    assert [type(each) for each in playable.context_plugins] == [ContextPlugin]
    assert dict(load_setup(config).others) == {}


# -- what a plugin's author writes -------------------------------------------------------------------------------------

PRIOR = (Section("other", "a", text("hi"), 1), Section("p", "old", text("x"), 1))
REQUEST = encode(Asked("s", "t", "/w", 7, "m", PRIOR, 0, 0, None))


def test_texts_by_label_become_the_sections_of_the_plugin() -> None:
    """In order, behind those of others, in the place of what it said before."""
    plugin = Plugin("p")

    @plugin.contribute()
    def say(request: ContextRequest) -> dict[str, str]:
        return {"b": f"{request.token_budget}", "a": ""}

    whole = ContextContribution.FromString(plugin.contribution(REQUEST))
    assert [(each.provider, each.label, each.content[0].text.text) for each in whole.sections] == [
        ("other", "a", "hi"), ("p", "b", "7"), ("p", "a", ""),
    ]  # fmt: skip
    assert whole.sections[0].tokens == 1


def test_a_plugin_may_answer_with_the_whole_chain() -> None:
    """Untouched by us."""
    plugin, answer = Plugin("p"), ContextContribution()
    answer.rewritten_history.add(id="m")

    @plugin.contribute(compactor=True)
    def compact(request: ContextRequest) -> ContextContribution:
        return answer

    assert plugin.contribution(REQUEST) == answer.SerializeToString()


@pytest.mark.parametrize(("request_", "code"), [(b"\xff", "INVALID_ARGUMENT"), (REQUEST, "PERMISSION_DENIED")])
def test_a_plugin_refuses_with_a_status(request_: bytes, code: str) -> None:
    """What it cannot read, and what it says no to."""
    plugin = Plugin("p")

    @plugin.contribute()
    def refuse(request: ContextRequest) -> dict[str, str]:
        raise refusal("scope_violation", "not here")

    with pytest.raises(Refused) as refused:
        plugin.contribution(request_)
    assert refused.value.code == code
    with pytest.raises(Refused, match="contributes no context"):
        Plugin("q").contribution(REQUEST)
    with pytest.raises(ValueError, match="'nonsense' is not a valid"):
        refusal("nonsense", "")


def test_a_plugin_contributes_with_one_function() -> None:
    """A second one would be a mistake, and so is anything but texts."""
    plugin = Plugin("p")
    plugin.contribute()(lambda request: ["a"])  # type: ignore[arg-type, return-value]
    with pytest.raises(ValueError, match="already has a function"):
        plugin.contribute()(lambda request: {})
    with pytest.raises(TypeError, match="a mapping of labels to texts"):
        plugin.contribution(REQUEST)


@pytest.mark.parametrize("said", [{"a": 5}, {"a": "x", "b": None}, {7: "x"}, {"a": b"x"}])
def test_what_is_no_text_is_told_by_its_label(said: Any) -> None:
    """A sentence about what was returned, and not about the wire."""
    plugin = Plugin("p")
    plugin.contribute()(lambda request: said)
    with pytest.raises(TypeError, match=r"labels to texts, and .* is mapped to"):
        plugin.contribution(REQUEST)
