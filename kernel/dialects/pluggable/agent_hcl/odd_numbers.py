"""Numbers that the host takes, and that are hardly what was meant: each with what comes of it (spec C.1, C.7, D.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.settings import MOST_RETRIES, AgentConfig, AgentProfile, Retry, Settings
from kernel.problems import Problem
from kernel.values import Place

LONG_WAIT_MS: Final = 3_600_000
"""An hour: whoever waits longer between two calls of a model did hardly mean to."""

_LIMIT = "0 is no limit, and less is one that the first turn reaches"
_DEPTH = "no session may begin another one, as with 0"
_OF_SETTINGS: Final[Mapping[str, tuple[int, str]]] = {
    "default_tool_timeout_ms": (1, "no call of a tool is in time"),
    "max_depth": (0, _DEPTH),
    "retry.base_delay_ms": (0, "nothing is waited before a retry"),
    "retry.backoff_factor": (0, "nothing is waited before every other retry"),
    "retry.max_retries": (0, "nothing is retried, as with 0"),
    "event_bus.subscribe_queue_bound": (1, "a queue holds no event"),
    "observability.export_interval_ms": (1, "there is no time between two exports"),
}
_OF_PROFILES: Final[Mapping[str, tuple[int, str]]] = {
    "max_turns": (0, _LIMIT),
    "max_cost_usd": (0, _LIMIT),
    "max_wall_clock_s": (0, _LIMIT),
    "max_depth": (0, _DEPTH),
    "max_concurrent_subagents": (0, "there is no limit, as with 0"),
}
"""The least that makes sense, and what comes of less, by the names of places."""


def of_numbers(config: AgentConfig) -> Iterator[Problem]:
    """Those of the settings, and those of each profile."""
    settings = config.settings
    yield from _too_small(settings, _OF_SETTINGS, settings.places)
    if (wait_ms := _longest_wait_ms(settings.retry)) > LONG_WAIT_MS:
        message = (
            f"the wait before the last of {settings.retry.max_retries} retries is {wait_ms / LONG_WAIT_MS:.3g} hours"
        )
        place = settings.places.get("retry.backoff_factor")
        yield problem("odd-number", message, place, fix="use a smaller factor, or fewer retries")
    for profile in config.profiles:
        yield from _too_small(profile, _OF_PROFILES, profile.places)


def _too_small(
    of: Settings | AgentProfile, least: Mapping[str, tuple[int, str]], places: Mapping[str, Place]
) -> Iterator[Problem]:
    """Tell where such numbers are written; a default is never odd."""
    for name, (bound, so) in least.items():
        value: object = of
        for part in name.split("."):
            value = getattr(value, part)
        if isinstance(value, int | float) and value < bound and name in places:
            message = f"{name.rpartition('.')[2]} is {value:g}: {so}"
            yield problem("odd-number", message, places[name], fix=f"use {bound} or more")


def _longest_wait_ms(retry: Retry) -> float:
    """Before the last retry that a session may make."""
    retries = min(retry.max_retries, MOST_RETRIES)
    try:
        return retry.base_delay_ms * float(retry.backoff_factor) ** max(retries - 1, 0) if retries > 0 else 0
    except OverflowError:
        return float("inf") if retry.base_delay_ms > 0 else 0
