"""How an extension's program is started: what it is, its arguments, its environment (spec 4.1)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from kernel.reach import StdioExtension

INHERITED: Final = ("PATH", "HOME", "LANG", "TERM", "XDG_RUNTIME_DIR")
"""The only variables of ours that an extension gets, where they are set."""


def placed(reach: StdioExtension) -> StdioExtension:
    """The same, with the absolute path of its folder."""
    return replace(reach, plugin_dir=os.path.abspath(reach.plugin_dir))


def argv(reach: StdioExtension) -> tuple[str, ...]:
    """The command line. Looks at the file system: an argument is a path if there is something by that name."""
    return (command(reach), *(argument(each, reach.plugin_dir) for each in reach.args))


def command(reach: StdioExtension) -> str:
    """The program: as it is, for PATH to resolve, or inside of the plugin's folder."""
    if os.path.isabs(reach.command) or "/" not in reach.command:
        return reach.command
    return os.path.join(reach.plugin_dir, reach.command)


def argument(given: str, plugin_dir: str) -> str:
    """An argument that names something inside of the plugin's folder as its real path, any other as it is."""
    if not given or "\0" in given:
        return given
    try:
        real = Path(plugin_dir, given).resolve(strict=True)
        is_inside = real.is_relative_to(Path(plugin_dir).resolve(strict=True))
    except (OSError, RuntimeError):  # nothing by that name; too long a name; links in a circle
        return given
    return str(real) if is_inside else given


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of an extension."""
    return {variable: ours[variable] for variable in INHERITED if variable in ours}
