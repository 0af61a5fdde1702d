"""What parts of the host refuse after files are loaded and chains are built (spec C.1, C.7). Nothing of it stops us."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.schema import listed, nearest
from kernel.dialects.pluggable.agent_hcl.settings import AgentConfig, Settings, scope_parts
from kernel.problems import Complain

THRESHOLDS: Final = range(3, 6)
"""What the doom-loop detector takes as its threshold."""


def check_settings(settings: Settings, complain: Complain) -> None:
    """Tell which values the subsystems that they are for cannot work with."""
    ratio = settings.observability.sampling_ratio
    if not 0 <= ratio <= 1:
        place = settings.places.get("observability.sampling_ratio")
        complain(problem("ErrInvalidConfig", f"sampling_ratio is {ratio}", place, fix="use a number from 0 to 1"))
    doom = settings.doom_loop
    if doom.threshold not in THRESHOLDS:
        place = settings.places.get("doom_loop.threshold")
        fix = f"use {listed(map(str, THRESHOLDS), 'or')}"
        complain(problem("doom-loop-bounds", f"threshold is {doom.threshold}", place, fix=fix))
    are_read = not settings.unread & {"doom_loop.threshold", "doom_loop.window_size"}
    if are_read and doom.window_size < doom.threshold:
        place = settings.places.get("doom_loop.window_size") or settings.places.get("doom_loop")
        message = f"window_size is {doom.window_size}, which is less than the threshold {doom.threshold}"
        complain(problem("doom-loop-bounds", message, place))


def check_tools(config: AgentConfig, tools: Mapping[str, Collection[str]], complain: Complain) -> None:
    """Tell which tools of profiles cannot be granted; `tools` has those of the plugins that said them."""
    known = tuple(provider.name for provider in config.providers)
    for profile in config.profiles:
        for scope in profile.tools:
            place = profile.places.get(f"tools.{scope}", profile.place)
            parts = scope_parts(scope)
            if parts is None:
                fix = "write <provider>.<tool>, or <provider>.* for all of them"
                complain(problem("ErrMalformedToolScope", f"{scope!r} names no tool", place, fix=fix))
                continue
            provider, tool = parts
            if provider not in known:
                message, fix = f"{scope!r} grants nothing: there is no provider {provider!r}", nearest(provider, known)
                complain(problem("unknown-provider", message, place, fix=fix))
            elif tool != "*" and provider in tools and tool not in tools[provider]:
                message, fix = f"{provider!r} has no tool {tool!r}", nearest(tool, tools[provider])
                complain(problem("ErrUnknownTool", message, place, fix=fix))
            elif tool != "*" and "*" in tool and provider not in tools:
                message = f"{scope!r} means a tool whose name is written with *, which stands for all tools only alone"
                complain(problem("literal-star", message, place, fix=f"write {provider}.*, or the name of each tool"))
