"""Which tools and which model a profile comes to (spec C.7). Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from kernel.dialects.pluggable.agent_hcl.settings import DEFAULT_PROFILE, AgentProfile, ModelChoice, scope_parts
from kernel.dialects.pluggable.session.described import Model, Tool
from kernel.dialects.pluggable.session.stops import Bounds, usable
from kernel.errors import BadInput


def profile_named(name: str, profiles: Sequence[AgentProfile]) -> AgentProfile:
    """The profile of this name; the one called default exists even if nobody wrote it. Raises BadInput."""
    known = {profile.name: profile for profile in (DEFAULT_PROFILE, *profiles)}
    if name not in known:
        near = difflib.get_close_matches(name, list(known), 1)
        raise BadInput(f"no agent_profile {name!r}{f'; did you mean {near[0]!r}?' if near else ''}")
    return known[name]


def depth_of(settings_depth: int | None, profile: AgentProfile) -> int | None:
    """How many sessions may be nested below one that nobody began; None is no limit."""
    return _least(settings_depth, profile.max_depth)


def depth_below(depth: int | None, profile: AgentProfile) -> int | None:
    """The same for a session that is begun where this much is left: one less, or what its own profile allows."""
    return _least(None if depth is None else depth - 1, profile.max_depth)


def _least(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)


def bounds_of(profile: AgentProfile) -> Bounds:
    """A bound that is left open is none."""
    return Bounds(profile.max_turns or 0, profile.max_cost_usd or 0, profile.max_wall_clock_s or 0)


def granted(entries: Sequence[str], tools: Sequence[Tool]) -> Mapping[str, Tool]:
    """The tools that a profile's list grants, by full name; raises BadInput. No entry, no tool."""
    loaded = {tool.provider for tool in tools}
    found: dict[str, Tool] = {}
    for entry in entries:
        parts = scope_parts(entry)
        if parts is None:
            raise BadInput(f"ErrMalformedToolScope: {entry!r} is neither <provider>.<tool> nor <provider>.*")
        provider, wanted = parts
        if provider not in loaded:
            continue
        fitting = {tool.name: tool for tool in tools if tool.provider == provider and wanted in ("*", tool.operation)}
        if not fitting:
            raise BadInput(f"ErrUnknownTool: {provider!r} has no tool {wanted!r}")
        found |= fitting
    return found


def candidates(choice: ModelChoice | None, models: Sequence[Model]) -> tuple[Model, ...]:
    """The models to try, in order: those of the profile that are there, or else whatever is there.

    Where nobody says what is there, everything is that the profile names.
    """
    if choice is None:
        return tuple(models)
    wanted = (choice.primary, *choice.fallbacks)
    if not models:
        return tuple(Model(ref.id, ref.provider) for ref in wanted)
    there = {(model.provider, model.id): model for model in models}
    return tuple(there[ref.provider, ref.id] for ref in wanted if (ref.provider, ref.id) in there)


def eligible(models: Sequence[Model], used_tokens: int) -> Model | None:
    """The first model that a turn of this size fits."""
    for model in models:
        if not model.context_window or used_tokens <= usable(model.context_window):
            return model
    return None
