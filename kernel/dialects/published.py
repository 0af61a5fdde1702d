"""What hosts call their spans, for whoever reads spans that somebody else has written: one entry for each dialect."""

from __future__ import annotations

from dataclasses import dataclass
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
    ),
    Published("rig", "rig.operation", "rig.phase", "rig.callback", ("rig.callback",)),  # none of the host's: ours
    Published("hookbus", "hook", "", "extension", ("extension",), ("hook.emit",)),  # likewise
)
"""The hosts whose spans are known. Each dialect's `spans` writes the same words."""
