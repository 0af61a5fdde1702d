"""What is legal and almost surely wrong: warnings, which nobody gives but us."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.overrides import FILE, Program
from kernel.dialects.pluggable.agent_hcl.registry import value_of, without_program
from kernel.dialects.pluggable.agent_hcl.schema import listed, nearest
from kernel.dialects.pluggable.agent_hcl.settings import CONTEXT, AgentConfig, PolicyRule, Provider
from kernel.dialects.pluggable.points import BY_LABEL, POINTS, Mode
from kernel.problems import Problem


def of_hooks(config: AgentConfig) -> Iterator[Problem]:
    """Deadlines and modes that will hardly do what was wanted."""
    for hook in config.hooks:
        point = BY_LABEL.get(hook.point)
        if hook.mode is Mode.VETO and hook.timeout_ms is None and point is not None and point.bears_veto:
            default = config.settings.default_hook_timeout_ms
            message = f"this veto has no deadline of its own: silence of {hook.provider!r} denies after {default} ms"
            yield problem("veto-default-timeout", message, hook.places.get("mode", hook.place), fix="set timeout_ms")
        if hook.timeout_ms == 0:
            message = f"timeout_ms is 0, so the deadline has passed before {hook.provider!r} is asked"
            yield problem(
                "expired-deadline",
                message,
                hook.places.get("timeout_ms", hook.place),
                fix="leave timeout_ms out for the default",
            )
        if hook.mode is Mode.TRANSFORM and point is not None and not point.mutable:
            where = listed((each.label for each in POINTS if each.mutable), "and")
            message = f"a transform may change nothing at {hook.point}"
            yield problem(
                "idle-transform",
                message,
                hook.places.get("mode", hook.place),
                fix=f"observe here, or transform at {where}",
            )


def of_settings(config: AgentConfig) -> Iterator[Problem]:
    """Settings that undo one another."""
    settings = config.settings
    if settings.telemetry is False and "observability" in settings.places:
        message = "telemetry is false, so nothing in this block has an effect"
        fix = "set telemetry to true, or remove the block"
        yield problem("idle-observability", message, settings.places["observability"], fix=fix)


def of_policies(config: AgentConfig, *, knows_providers: bool) -> Iterator[Problem]:
    """Rules that match everything, or nothing, or do something else than they say."""
    known = tuple(provider.name for provider in config.providers)
    for rule in config.policies:
        if not any(each is not None for each in rule.match):
            what = _ASKED if rule.action == "ask" else rule.action
            message = f"rule {rule.name!r} matches every call: {what} wherever no other rule matches"
            yield problem("empty-match", message, rule.place)
        if why := _why_never(rule):
            yield problem("unreachable-rule", f"rule {rule.name!r} never matches: {why}", rule.place)
            continue
        if rule.tool_name is not None and "." in rule.tool_name:
            provider, _, tool = rule.tool_name.partition(".")
            message = f"rule {rule.name!r} hardly ever matches: tool_name is compared with a name without its provider"
            fix = f'write provider = "{provider}", tool_name = "{tool}"'
            yield problem("unreachable-rule", message, rule.place, fix=fix)
        if knows_providers and rule.provider is not None and rule.provider not in known:
            message = f"rule {rule.name!r} never matches: there is no provider {rule.provider!r}"
            yield problem("unreachable-rule", message, rule.place, fix=nearest(rule.provider, known))
        if rule.action == "ask" and (downgraded := _downgraded(rule)):
            what, fix = downgraded
            message = f"rule {rule.name!r} asks about {what}, which the host turns into deny"
            yield problem("downgraded-ask", message, rule.place, fix=fix)


_ASKED = "a resource is asked about, a data source or an interactive call denied,"


def _downgraded(rule: PolicyRule) -> tuple[str, str] | None:
    """The calls that a rule that says ask denies, and what to do; None where it may be about resources only.

    Nobody is asked about anything else, and nothing else has any other risk than read_only (spec A.9, C.5). A rule that
    names its tool is taken to know the kind of it.
    """
    if rule.kind == "data_source":
        return "data sources", "say allow or deny"
    if rule.risk == "read_only":
        return "calls that only read", "say allow or deny"
    if rule.kind is None and rule.risk is None and rule.tool_name is None:
        return "data sources and interactive calls as well", 'add kind = "resource", and say allow or deny for others'
    return None


def _why_never(rule: PolicyRule) -> str:
    """What keeps a rule from ever matching; empty if nothing does by itself."""
    if rule.kind == "resource" and rule.risk == "read_only":
        return "no resource is read_only"
    if rule.kind == "data_source" and rule.risk not in (None, "read_only"):
        return "every data_source is read_only"
    for key, value in (("tool_name", rule.tool_name), ("provider", rule.provider)):
        if value == "":
            return f"no {key} is empty"
        if value is not None and "*" in value:
            return f"{key} is compared letter by letter, and * is a letter"
    return ""


def of_profiles(config: AgentConfig) -> Iterator[Problem]:
    """Models of providers that are not there."""
    known = tuple(provider.name for provider in config.providers)
    for profile in config.profiles:
        for model in (profile.model.primary, *profile.model.fallbacks) if profile.model else ():
            if model.provider not in known:
                message = (
                    f"profile {profile.name!r} wants {model.id!r} of {model.provider!r}, which is no provider here"
                )
                fix = nearest(model.provider, known)
                yield problem("unknown-provider", message, profile.places.get("model", profile.place), fix=fix)


def of_context(config: AgentConfig) -> Iterator[Problem]:
    """Context providers that nobody asks."""
    for provider in config.providers:
        if provider.category == CONTEXT and provider.position is None:
            message = f"{provider.name!r} has no provider block, so it has no place in the order and is not asked"
            fix = f'add provider "{provider.name}" {{}}'
            yield problem("unasked-context", message, provider.place, fix=fix)


def of_programs(config: AgentConfig, programs: Mapping[str, Program], environ: Mapping[str, str]) -> Iterator[Problem]:
    """What this machine lacks for the plugins to be started."""
    providers = {provider.name: provider for provider in config.providers}
    spare = [name for name in programs if _is_mentioned_nowhere_else(providers[name], programs[name])]
    for provider in config.providers:
        if provider.reach is None:
            message = f"no program is known for provider {provider.name!r}"
            fix = f'add {provider.name} = "<path>" to dev_overrides in {FILE}'
            for name in difflib.get_close_matches(provider.name, spare, n=1):
                fix = f"{FILE} has {name!r}, which nothing else mentions; is it meant?"
            yield problem("no-program", message, provider.place, fix=fix)
        for variable in provider.environment:
            problems: list[Problem] = []
            value_of(variable, environ, problems.append)
            yield from problems
    for hook in config.hooks:
        found = providers.get(hook.provider)
        if found is not None and found.reach is None:
            yield without_program(found, hook.places.get("provider", hook.place))
    for name, program in programs.items():
        if why := _why_not_started(program):
            yield problem("missing-program", f"{name} cannot be started: {why}", program.place)


def _is_mentioned_nowhere_else(provider: Provider, program: Program) -> bool:
    return provider.place == program.place


def _why_not_started(program: Program) -> str:
    """What a look at the files says against a program; starting it may still go wrong."""
    command, *arguments = program.argv
    if "/" not in command:
        return f"there is no {command!r} on the PATH"
    if not os.path.isfile(command):
        return f"there is no file {command}"
    if shutil.which(command) is None:
        return f"{command} is not executable"
    script = arguments[0] if arguments else ""
    if script.endswith(".py") and not (Path(program.cwd) / script).is_file():
        return f"there is no file {Path(program.cwd) / script}"
    return ""
