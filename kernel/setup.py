"""What a configuration comes to, whatever its dialect: chains to dispatch, and where everything was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kernel.dialect import Dialect
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
