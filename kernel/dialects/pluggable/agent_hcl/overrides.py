"""config.hcl: which program to start for which provider."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kernel.dialects.pluggable.agent_hcl.arguments import constant, refuse, texts
from kernel.dialects.pluggable.agent_hcl.schema import GLOBAL, check
from kernel.hcl import Attribute, Body, ListOf, Scalar
from kernel.problems import Complain
from kernel.values import Place

FILE = "config.hcl"


@dataclass(frozen=True, slots=True)
class Program:
    """What is started for a provider."""

    argv: tuple[str, ...]
    cwd: str
    """The folder of config.hcl: what it says about paths is relative to it."""
    place: Place


def find(beside: Path) -> Path | None:
    """The config.hcl that counts for a folder: its own, or else the user's."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folders = [beside]
    with contextlib.suppress(RuntimeError):  # nobody's home
        folders.append((Path(home) if os.path.isabs(home) else Path.home() / ".config") / "agent")
    return next((folder / FILE for folder in folders if os.path.isfile(folder / FILE)), None)


def programs(body: Body, folder: Path, complain: Complain) -> Mapping[str, Program]:
    """The programs in the body of a config.hcl that stands in `folder`, by the provider's local name."""
    check(body, GLOBAL, complain, inside=FILE, place=None)
    _check_mirrors(body, complain)
    overrides = [attribute for block in body.of_type("dev_overrides")[:1] for attribute in block.body.attributes]
    found = {
        attribute.name: (_argv(constant(attribute, complain), folder, complain), attribute.place)
        for attribute in overrides
    }
    return {name: Program(argv, str(folder), place) for name, (argv, place) in found.items() if argv}


def _argv(attribute: Attribute, folder: Path, complain: Complain) -> tuple[str, ...]:
    match attribute.expression:
        case Scalar(str() as path) if path and "\0" not in path:
            beside = folder / path
            return (str(beside) if os.path.isfile(beside) else _program(path, folder),)
        case ListOf((_, *_) as items):
            words = texts(attribute, complain) or ()
            if any("\0" in word for word in words):
                refuse(attribute, "without a NUL character", complain)
                return ()
            return (_program(words[0], folder), *words[1:]) if len(words) == len(items) else ()
        case _:
            refuse(attribute, "the path of a program, or a list: a program and its arguments", complain)
            return ()


def _check_mirrors(body: Body, complain: Complain) -> None:
    """Where plugins come from does not matter here. Only what lets us into a mirror may come from a variable."""
    for block in body.of_type("registry_mirror"):
        for attribute in (
            *block.body.attributes,
            *(each for mirror in block.body.blocks for each in mirror.body.attributes),
        ):
            if attribute.name != "auth":
                constant(attribute, complain)


def _program(word: str, folder: Path) -> str:
    """A program as it can be started. One that cannot be found stays as it is: starting it will say so."""
    if word in ("python", "python3"):
        return sys.executable  # a subscriber in Python wants the packages that we have
    word = os.path.expanduser(word)
    return os.path.normpath(folder / word) if "/" in word else shutil.which(word) or word
