"""Breakpoints, watched expressions and ignored places in the project file, beside what others keep there.

breakpoints:
  - before: "sub:redactor"
  - after: "status:timeout"
    hits: ">=3"
    log: "{sub} took {dur}"
    off: true
watches:
  - "$.messages[*].content"
ignored:
  - "$.turn_id"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

import yaml

from debugger import project
from debugger.breakpoints.breakpoint import Breakpoint, Side
from debugger.breakpoints.compiled import compiled
from debugger.breakpoints.counts import ALWAYS, parsed
from debugger.expressions import expression
from debugger.filters import Sight
from debugger.filters.problems import nearest
from debugger.ignoring import ignored
from kernel.errors import BadInput

T = TypeVar("T")
BREAKPOINTS: Final = "breakpoints"
WATCHES: Final = "watches"
IGNORED: Final = "ignored"
_KEYS: Final = (*Side, "hits", "log", "off")


def load_breakpoints(file: Path) -> tuple[Breakpoint, ...]:
    """Those that are kept, in order; none where there is no file. Raises BadInput with the place.

    What their filters say is not read here, and so a broken one does not hide the others: see `problem`.
    """
    return _listed(file, project.read(file) or "", BREAKPOINTS, _breakpoint)


def save_breakpoints(file: Path, breakpoints: Sequence[Breakpoint]) -> None:
    """Keep them. Raises BadInput, and then the file is as it was."""
    _save(file, BREAKPOINTS, breakpoints, _breakpoint, _breakpoint_lines)


def load_watches(file: Path) -> tuple[str, ...]:
    """The watched expressions, in order. Raises BadInput with the place."""
    return _listed(file, project.read(file) or "", WATCHES, _watch)


def save_watches(file: Path, watches: Sequence[str]) -> None:
    """Keep them. Raises BadInput, and then the file is as it was."""
    _save(file, WATCHES, watches, _watch, lambda text: [project.scalar(text)])


def load_ignored(file: Path) -> tuple[str, ...]:
    """The places that diffs ignore, in order. Raises BadInput with the place."""
    return _listed(file, project.read(file) or "", IGNORED, _ignored)


def save_ignored(file: Path, places: Sequence[str]) -> None:
    """Keep them. Raises BadInput, and then the file is as it was."""
    _save(file, IGNORED, places, _ignored, lambda text: [project.scalar(text)])


def problem(breakpoint: Breakpoint, saved: dict[str, str]) -> str:
    """Why a breakpoint cannot be used; empty where it can."""
    try:
        compiled(breakpoint, Sight(), saved)
    except BadInput as error:
        return str(error)
    return ""


def _listed(file: Path, text: str, name: str, read: Callable[[yaml.Node, str], T]) -> tuple[T, ...]:
    ours = project.section(project.composed(text, str(file)), name, str(file))
    if ours is None or project.is_empty(ours[1]):
        return ()
    if not isinstance(ours[1], yaml.SequenceNode):
        raise BadInput(f"{name} are a list", place=project.place(ours[1], str(file)), fix="begin each with a dash")
    return tuple(read(node, str(file)) for node in ours[1].value)


def _save(
    file: Path,
    name: str,
    kept: Sequence[T],
    read: Callable[[yaml.Node, str], T],
    lines: Callable[[T], list[str]],
) -> None:
    before = project.read(file) or ""
    if _listed(file, before, name, read) == tuple(kept):
        return
    written = f"{name}: []\n"
    if kept:
        items = ("".join(f"  {'-' if not at else ' '} {each}\n" for at, each in enumerate(lines(it))) for it in kept)
        written = "".join([f"{name}:\n", *items])
    after = project.with_section(before, str(file), name, written)
    if _listed(file, after, name, read) != tuple(kept):
        raise BadInput(f"cannot put {name} into {file} as they are", fix=f"write {name}: there yourself")
    project.write(file, after)


def _breakpoint_lines(breakpoint: Breakpoint) -> list[str]:
    lines = [f"{breakpoint.side}: {project.scalar(breakpoint.where)}"]
    if breakpoint.count != ALWAYS:
        lines.append(f"hits: {project.scalar(str(breakpoint.count))}")
    if breakpoint.log:
        lines.append(f"log: {project.scalar(breakpoint.log)}")
    if not breakpoint.is_on:
        lines.append("off: true")
    return lines


def _breakpoint(node: yaml.Node, name: str) -> Breakpoint:
    place = project.place(node, name)
    if not isinstance(node, yaml.MappingNode):
        raise BadInput("a breakpoint says before or after", place=place, fix='such as - before: "sub:x"')
    found: Breakpoint | None = None
    extra: dict[str, tuple[str, yaml.Node]] = {}
    for key, value in node.value:
        where = project.place(key, name)
        text = _text(value, name)
        if key.value in (Side.BEFORE, Side.AFTER):
            if found is not None:
                raise BadInput("a breakpoint is before or after, not both", place=where, fix="make two of it")
            found = Breakpoint(text, Side(key.value))
        elif key.value not in _KEYS:
            raise BadInput(f"a breakpoint has no {key.value!r}", place=where, fix=nearest(str(key.value), _KEYS))
        elif key.value in extra:
            raise BadInput(f"{key.value} is there twice", place=where, fix="leave one out")
        else:
            extra[key.value] = text, value
    if found is None:
        raise BadInput("a breakpoint says before or after", place=place, fix='such as - before: "sub:x"')
    return _with_extra(found, extra, name)


def _with_extra(found: Breakpoint, extra: dict[str, tuple[str, yaml.Node]], name: str) -> Breakpoint:
    for key, (text, node) in extra.items():
        place = project.place(node, name)
        if key == "log":
            found = replace(found, log=text)
        elif key == "hits":
            try:
                found = replace(found, count=parsed(text))
            except BadInput as error:
                raise BadInput(error.message, place=place, fix=error.fix) from None
        elif text not in ("true", "false"):
            raise BadInput(f"off is true or false, not {text!r}", place=place)
        else:
            found = replace(found, is_on=text == "false")
    return found


def _watch(node: yaml.Node, name: str) -> str:
    text = _text(node, name)
    try:
        return expression(text).text
    except BadInput as error:
        raise BadInput(error.message, place=project.place(node, name), fix=error.fix) from None


def _ignored(node: yaml.Node, name: str) -> str:
    text = _text(node, name)
    try:
        return ignored(text).text
    except BadInput as error:
        raise BadInput(error.message, place=project.place(node, name), fix=error.fix) from None


def _text(node: yaml.Node, name: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise BadInput("a text has to stand here", place=project.place(node, name), fix="put it in quotes")
    return str(node.value)
