"""What the application is opened on: the request that the command line hands over."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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

    @property
    def title(self) -> str:
        """What the screen calls it: the file, and the folder that it is in."""
        folder = self.path.parent.name
        return f"{folder}/{self.path.name}" if folder else self.path.name
