"""The registry of dialects: a fourth one is a folder beside these and a line here. Imports nothing before its use."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kernel.errors import BadInput

if TYPE_CHECKING:
    from kernel.setup import Setup


@dataclass(frozen=True, slots=True)
class Registered:
    """A dialect by name, and how its configurations are recognised."""

    name: str
    loader: str
    """Module with a `load_setup(path) -> Setup`."""
    files: tuple[str, ...]
    """Patterns of the files that configure it; a folder is its own if it holds one."""

    def claims(self, path: Path) -> bool:
        """Whether a path looks like a configuration of this dialect."""
        if path.is_dir():
            return any(found for pattern in self.files for found in path.glob(pattern))
        return any(path.match(pattern) for pattern in self.files)


REGISTRY: tuple[Registered, ...] = (Registered("pluggable", "kernel.dialects.pluggable.config", ("*.hcl",)),)


def load_setup(path: Path) -> Setup:
    """Read a configuration, whatever its dialect; raises BadInput with the place and the way out."""
    if not path.exists():
        raise BadInput(f"{path} does not exist")
    for registered in REGISTRY:
        if registered.claims(path):
            setup: Setup = importlib.import_module(registered.loader).load_setup(path)
            return setup
    known = ", ".join(pattern for registered in REGISTRY for pattern in registered.files)
    raise BadInput(f"{path} is no configuration that hookscope knows; it opens {known}, or a folder that holds one")
