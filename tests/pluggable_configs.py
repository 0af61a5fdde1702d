"""Small agent.hcl texts, and what the stages of a host would say about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kernel import hcl
from kernel.dialects.pluggable.agent_hcl import later, provider_body, registry
from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.options import PARITY, Options
from kernel.dialects.pluggable.agent_hcl.overrides import Program
from kernel.dialects.pluggable.agent_hcl.reading import read_agent
from kernel.dialects.pluggable.agent_hcl.settings import AgentConfig
from kernel.dialects.pluggable.config import config_of
from kernel.errors import BadInput
from kernel.problems import Problem, Severity
from kernel.values import Place

S3 = 'default_frontend = "tui"\nlog_level = "info"\ntelemetry = true'
GATE = 'hook "plan-ready" {\nprovider = "g"\nmode = "veto"\n}'
ENVIRON = {"K": "hunter4", "HOME": "/home/somebody"}


def program(name: str) -> Program:
    return Program((f"/bin/{name}",), "/etc", Place("config.hcl", 1, 1))


PROGRAMS: Mapping[str, Program] = {name: program(name) for name in ("a", "b", "g")}


def named(texts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Texts as the files f, f1, f2 ..."""
    for rank, text in enumerate(texts):
        yield f"f{rank or ''}", text


def loaded(*texts: str, options: Options = PARITY) -> AgentConfig:
    """The configuration that texts make as the files f, f1, f2 ..."""
    return config_of([(name, hcl.parse(text, name)) for name, text in named(texts)], PROGRAMS, options)


def hook(point: str, mode: str = "observe", provider: str = "g", more: str = "") -> str:
    return f'hook "{point}" {{\nprovider = "{provider}"\nmode = "{mode}"\n{more}\n}}\n'


def in_settings(text: str) -> str:
    """A settings block in which one of the three required lines, or a further one, is `text`."""
    name = text.split()[0]
    lines = [line for line in S3.split("\n") if not line.startswith(name)]
    return "\n".join(("settings {", *lines, text, "}"))


def policy(match: str, action: str = '"deny"', name: str = "p") -> str:
    return f'policy "{name}" {{\nmatch = {match}\naction = {action}\n}}\n'


def profile(text: str, name: str = "a") -> str:
    return f'agent_profile "{name}" {{\n{text}\n}}\n'


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What plugins would have said by themselves."""

    advertised: Mapping[str, tuple[str, ...]]
    sensitive: tuple[str, ...]
    tools: Mapping[str, tuple[str, ...]]


def found(texts: tuple[str, ...], knows: Knowledge) -> Iterator[tuple[str, Problem]]:
    """Every problem with the stage at which it turns up: L, R, P or T; a stage with errors is the last one."""
    bodies = []
    for name, text in named(texts):
        try:
            bodies.append((name, hcl.parse(text, name)))
        except BadInput as error:
            yield "L", problem("syntax", error.message, error.place, fix=error.fix)
            return
    problems: list[Problem] = []
    config = read_agent(bodies, PROGRAMS, problems.append).config
    yield from (("L", each) for each in problems)
    if any(each.severity is Severity.ERROR for each in problems):
        return
    problems = []
    registry.assemble(config, Options(advertised=knows.advertised), problems.append)
    yield from (("R", each) for each in problems)
    problems = []
    for provider in config.providers:
        provider_body.decoded(provider.body, knows.sensitive, ENVIRON, problems.append)
    yield from (("P", each) for each in problems)
    problems = []
    later.check_settings(config.settings, problems.append)
    later.check_tools(config, knows.tools, problems.append)
    yield from (("T", each) for each in problems)
