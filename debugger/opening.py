"""What the application is opened on: the request that the command line hands over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loading the kernel takes time that the first frame does not have
    from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Opening:
    """A configuration, and how to begin with it."""

    path: Path
    fire_first: tuple[str, ...] = ()
    """Points to fire once the subscribers run: for the demonstration."""
    switches: tuple[str, ...] = ()
    """Switches of the dialect to turn on."""
    play: Path | None = None
    """A described session to play at once."""
    state: Path | None = None
    """A session file of the agent, to be read beside our own traces."""
    options: Mapping[str, JSON] = field(default_factory=dict)
    """How the configuration is read, in the dialect's words."""

    @property
    def title(self) -> str:
        """What the screen calls it: the file, and the folder that it is in."""
        folder = self.path.parent.name
        return f"{folder}/{self.path.name}" if folder else self.path.name
