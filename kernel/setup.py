"""What a configuration comes to, whatever its dialect: chains to dispatch, and where everything was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.problems import Problem
from kernel.reach import Reach
from kernel.values import Chain


@dataclass(frozen=True, slots=True)
class Setup:
    """A configuration, read and checked; nothing of it is running."""

    path: Path
    """What a person named to open it."""
    files: tuple[Path, ...]
    dialect: Dialect
    chains: Mapping[str, Chain]
    """A chain for every point of the dialect, empty where nobody subscribed."""
    others: Mapping[str, Reach] = field(default_factory=lambda: MappingProxyType({}))
    """Whom the host asks outside of any chain, by name; somebody who has a seat as well is the same subscriber."""
    refused: tuple[Problem, ...] = ()
    """What the host reports of parts that it does not load, and goes on without."""
    missing: Mapping[str, BadInput] = field(default_factory=lambda: MappingProxyType({}))
    """Who cannot be started on this machine, by name, and why: for whoever needs them to raise."""
