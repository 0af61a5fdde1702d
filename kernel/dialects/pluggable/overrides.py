"""config.hcl: which program to start for which provider."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kernel.dialects.pluggable.schema import GLOBAL, check
from kernel.errors import BadInput
from kernel.hcl import Attribute, Body, Expression, ListOf, Scalar, read
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


def load(path: Path) -> Mapping[str, Program]:
    """The programs that a config.hcl names, by the provider's local name."""
    return programs(read(path), path.parent.absolute())


def programs(body: Body, folder: Path) -> Mapping[str, Program]:
    """The programs in the body of a config.hcl that stands in `folder`."""
    check(body, GLOBAL, inside=FILE, place=None)
    overrides = [attribute for block in body.of_type("dev_overrides") for attribute in block.body.attributes]
    return {attribute.name: Program(_argv(attribute, folder), str(folder), attribute.place) for attribute in overrides}


def _argv(attribute: Attribute, folder: Path) -> tuple[str, ...]:
    match attribute.expression:
        case Scalar(str() as path) if path:
            beside = folder / path
            return (str(beside) if os.path.isfile(beside) else _program(path, folder),)
        case ListOf((first, *rest)):
            return (_program(_word(attribute, first), folder), *(_word(attribute, item) for item in rest))
        case _:
            raise _refused(attribute, attribute.expression.place)


def _word(attribute: Attribute, expression: Expression) -> str:
    match expression:
        case Scalar(str() as word):
            return word
        case _:
            raise _refused(attribute, expression.place)


def _refused(attribute: Attribute, place: Place) -> BadInput:
    return BadInput(
        f"ErrInvalidValue: {attribute.name} must be the path of a program, or a list of texts: a program and its "
        "arguments",
        place=place,
    )


def _program(word: str, folder: Path) -> str:
    """A program as it can be started. One that cannot be found stays as it is: starting it will say so."""
    if word in ("python", "python3"):
        return sys.executable  # a subscriber in Python wants the packages that we have
    word = os.path.expanduser(word)
    return os.path.normpath(folder / word) if "/" in word else shutil.which(word) or word
