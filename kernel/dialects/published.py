"""What hosts call their spans and metrics, for whoever reads what somebody else has written: an entry a dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Published:
    """How a host names what it traces: where in its spans the words of a chain are."""

    dialect: str
    point: str
    """The attribute of a dispatch's span that names the point, and by which it is known."""
    mode: str
    """The attribute of a step's span that names the mode, or the phase."""
    known_by: str
    """The attribute by which a step's span is known."""
    subscriber: tuple[str, ...]
    """Where a step's span names whom it asked, the best one first."""
    names: tuple[str, ...] = ()
    """What the spans of its dispatches are called; empty for whatever has the attribute."""
    gates: frozenset[str] = frozenset()
    """Modes in which a failure closes the gate, and OK may be a no."""
    transforms: frozenset[str] = frozenset()
    """Modes in which a failure ends the dispatch with an error."""
    metrics: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    """What is counted and timed: the attributes that each metric may have, by its name."""


def _metrics(prefix: str, names: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    """By name, from the attributes of each in one text; names and attributes are prefixed."""
    return MappingProxyType(
        {f"{prefix}{name}": frozenset(f"{prefix}{each}" for each in told.split()) for name, told in names.items()}
    )


_PLUGGABLE_METRICS: Final = _metrics(  # those of F.2 that this kernel records
    "pluggableharness.",
    {
        "hook.dispatch.duration": "hook.point",
        "hook.errors": "hook.point subscriber.mode",
        "plugin.crashes": "producer.category producer.name producer.version",
        "sessions.active": "",
        "sessions.started": "",
        "sessions.ended": "session.status",
        "turns": "",
        "turn.duration": "outcome",
        "model.call.duration": "outcome",
        "tokens": "token.type",
        "cost.usd": "",
        "tool.calls": "tool.kind outcome",
        "tool.duration": "tool.kind outcome",
        "interactive.resolutions": "tool.name outcome",
        "policy.decisions": "policy.decision",
        "bounds.fired": "bound",
        "doomloop.detected": "",
        "context.contribution.violations": "context.violation_reason",
        "token_count.fallbacks": "tokencount.fallback_reason",
    },
)
PUBLISHED: Final = (
    Published(  # pluggable B.12, F.1
        "pluggable",
        "pluggableharness.hook.point",
        "pluggableharness.subscriber.mode",
        "pluggableharness.subscriber.mode",
        ("pluggableharness.producer.name",),
        ("hook.dispatch",),
        frozenset({"veto"}),
        frozenset({"transform"}),
        _PLUGGABLE_METRICS,
    ),
    Published("rig", "rig.operation", "rig.phase", "rig.callback", ("rig.callback",)),  # none of the host's: ours
    Published("hookbus", "hook", "", "extension", ("extension",), ("hook.emit",)),  # likewise
)
"""The hosts whose spans are known. Each dialect's `spans` writes the same words."""
