"""The registry of dialects: a fourth one is a folder beside these and a line here. Imports nothing before its use."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from kernel.errors import BadInput

if TYPE_CHECKING:
    from kernel.dialect import Dialect
    from kernel.playing import Playable
    from kernel.problems import Report
    from kernel.setup import Setup
    from kernel.stored import StateFile
    from kernel.values import JSON

_AS_WRITTEN: Mapping[str, JSON] = MappingProxyType({})
"""No option: a configuration is read as its host reads it."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A dialect by name, and how its configurations are recognised."""

    name: str
    module: str
    """Module whose attribute of the dialect's name in capitals is the dialect."""
    loader: str
    """Module with a `load_setup(path, options) -> Setup`."""
    checker: str
    """Module with a `check_setup(path, options) -> Report`."""
    files: tuple[str, ...]
    """Patterns of the files that configure it; a folder is its own if it holds one."""
    player: str = ""
    """Module with a `load_session(config, view, name, options) -> Playable`; empty where no session can be played."""
    state: str = ""
    """Module with an `open_state(path) -> StateFile`; empty where the host keeps no such files."""

    def claims(self, path: Path) -> bool:
        """Whether a path looks like a configuration of this dialect."""
        if path.is_dir():
            return any(found for pattern in self.files for found in path.glob(pattern))
        return any(path.match(pattern) for pattern in self.files)


REGISTRY: tuple[Registered, ...] = (
    Registered(
        "pluggable",
        "kernel.dialects.pluggable",
        "kernel.dialects.pluggable.config",
        "kernel.dialects.pluggable.lint",
        ("*.hcl",),
        player="kernel.dialects.pluggable.session.played",
        state="kernel.dialects.pluggable.state",
    ),
    Registered(
        "hookbus",
        "kernel.dialects.hookbus",
        "kernel.dialects.hookbus.config",
        "kernel.dialects.hookbus.lint",
        (
            ".synaps-plugin/plugin.json",
            "*/.synaps-plugin/plugin.json",
            "plugins/*/.synaps-plugin/plugin.json",
            ".synaps/plugins/*/.synaps-plugin/plugin.json",
        ),
        player="kernel.dialects.hookbus.session.played",
    ),
    Registered(
        "rig",
        "kernel.dialects.rig",
        "kernel.dialects.rig.config",
        "kernel.dialects.rig.lint",
        ("*.rig.yaml",),
        player="kernel.dialects.rig.session.played",
    ),
)


def named(name: str) -> Dialect:
    """The dialect of this name; raises BadInput with those that there are."""
    for registered in REGISTRY:
        if registered.name == name:
            dialect: Dialect = getattr(importlib.import_module(registered.module), name.upper())
            return dialect
    raise BadInput(f"no dialect {name!r}; there are {', '.join(each.name for each in REGISTRY)}")


def load_setup(path: Path, options: Mapping[str, JSON] = _AS_WRITTEN, *, is_startable: bool = True) -> Setup:
    """Read a configuration, whatever its dialect; raises BadInput with the place and the way out.

    `options` say how to read it, in the dialect's words. Unless everybody has to be `is_startable`, those who cannot be
    started on this machine are left to the caller, who may have somebody else in their place.
    """
    setup: Setup = importlib.import_module(_claiming(path).loader).load_setup(path, options)
    if is_startable:
        for error in setup.missing.values():
            raise error
    return setup


def check_setup(path: Path, options: Mapping[str, JSON] = _AS_WRITTEN) -> Report:
    """Everything that is wrong with a configuration; raises BadInput when there is nothing to look at."""
    report: Report = importlib.import_module(_claiming(path).checker).check_setup(path, options)
    return report


def _claiming(path: Path) -> Registered:
    if not path.exists():
        raise BadInput(f"{path} does not exist")
    for registered in REGISTRY:
        if registered.claims(path):
            return registered
    known = ", ".join(pattern for registered in REGISTRY for pattern in registered.files)
    raise BadInput(f"{path} is no configuration that hookscope knows; it opens {known}, or a folder that holds one")


def load_session(config: Path, view: JSON, name: str, options: Mapping[str, JSON] = _AS_WRITTEN) -> Playable:
    """A described session to be played under a configuration; raises BadInput, in which `name` is the description.

    `options` are those with which the configuration is read.
    """
    for registered in REGISTRY:
        if registered.player and registered.claims(config):
            player = importlib.import_module(registered.player)
            session: Playable = player.load_session(config, view, name, options)
            return session
    raise BadInput(f"{config}: sessions of this dialect cannot be played; there is {' and '.join(_players())}")


def _players() -> tuple[str, ...]:
    return tuple(registered.name for registered in REGISTRY if registered.player)


def open_state(path: Path) -> StateFile:
    """What a host stored about a session of its own, open for reading; raises BadInput.

    Such files have any name. Every dialect whose host keeps them is tried, and the first one's word on it is told.
    """
    problems: list[BadInput] = []
    for registered in REGISTRY:
        if registered.state:
            try:
                found: StateFile = importlib.import_module(registered.state).open_state(path)
            except BadInput as error:
                problems.append(error)
            else:
                return found
    raise problems[0]
