"""The project file, which can be committed: sections of several owners, each of which leaves the others as they are,
byte for byte. Nothing in it is ever run.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

import yaml

from kernel.errors import BadInput
from kernel.values import Place

PROJECT_FILE: Final = ".hookscope.yaml"
MOST_BYTES: Final = 256 * 1024
"""Of a project file; more is a mistake."""
_LOADER: Final = yaml.BaseLoader  # every scalar is a text: a filter named `on` keeps its name


def read(file: Path) -> str | None:
    """The text of a file; None where there is none. Raises BadInput."""
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise BadInput(f"{file} has more than {MOST_BYTES} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not UTF-8") from None


def write(file: Path, text: str) -> None:
    """Write all of it or nothing: a full disk or a kill leaves the file that was. Raises BadInput."""
    target = file.resolve()  # a link stays one
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as opened:
                opened.write(text)
            mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
            Path(name).chmod(mode)
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror}") from None


def composed(text: str, name: str) -> yaml.MappingNode | None:
    """The mapping that a project file is; None for an empty one. Raises BadInput with the place."""
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = None if mark is None else Place(name, mark.line + 1, mark.column + 1)
        raise BadInput(f"not YAML: {error.problem or error.context}", place=where) from None
    except (yaml.YAMLError, RecursionError) as error:
        said = " ".join(str(error).split())
        raise BadInput(f"{name}: not YAML: {said or 'nested too deep'}") from None
    if node is None:
        return None
    if not isinstance(node, yaml.MappingNode):
        raise BadInput(
            "a project file is a mapping",
            place=place(node, name),
            fix="write the name of a section with a colon, such as filters:",
        )
    return node


def section(root: yaml.MappingNode | None, section: str, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    """Key and value of a section, if it is there; raises BadInput where it is there twice."""
    found = [] if root is None else [pair for pair in root.value if pair[0].value == section]
    if len(found) > 1:
        raise BadInput(f"{section} is there twice", place=place(found[1][0], name), fix="put all of them below one")
    return found[0] if found else None


def is_empty(node: yaml.Node) -> bool:
    """Whether nothing is written there."""
    return isinstance(node, yaml.ScalarNode) and node.value in ("", "null", "~")


def place(node: yaml.Node, name: str) -> Place:
    """Where a node begins."""
    return Place(name, node.start_mark.line + 1, node.start_mark.column + 1)


def with_section(before: str, name: str, section_name: str, written: str) -> str:
    """The file's text with another section, whose lines are given; everything else in it stays as it is written.

    Raises BadInput where that cannot be done.
    """
    root = composed(before, name)
    if root is None:
        return before + ("" if not before or before.endswith("\n") else "\n") + written
    if root.flow_style:
        raise BadInput(
            f"cannot add {section_name} to a file in one pair of braces",
            place=place(root, name),
            fix=f"write it without the outer {{ }}, {section_name}: in a line of its own",
        )
    lines = before.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    if (found := section(root, section_name, name)) is None:
        end = root.end_mark.line if root.end_mark.column == 0 else len(lines)  # in front of a `...`
        after = "".join([*lines[:end], written, *lines[end:]])
    else:
        key, _ = found
        starts = [each.start_mark.line for each, _ in root.value if each.start_mark.line > key.start_mark.line]
        end = min(starts, default=root.end_mark.line if root.end_mark.column == 0 else len(lines))
        while end > key.start_mark.line + 1 and lines[end - 1].lstrip()[:1] in ("", "#") and lines[end - 1][:1] != " ":
            end -= 1  # a comment at the margin belongs to what follows
        after = "".join([*lines[: key.start_mark.line], written, *lines[end:]])
    if _others(after, section_name, name) != _others(before, section_name, name):
        raise BadInput(
            f"cannot put {section_name} into {name} without touching the rest",
            fix=f"write {section_name}: there yourself",
        )
    return after


def _others(text: str, section_name: str, name: str) -> list[tuple[str, str]]:
    """Every other section, in a form that can be compared."""
    root = composed(text, name)
    pairs = [] if root is None else root.value
    return [(yaml.serialize(key), yaml.serialize(value)) for key, value in pairs if key.value != section_name]


def key(name: str) -> str:
    """A name in front of a colon, in quotes where it needs them."""
    return name if name.isascii() and name.replace("-", "").replace("_", "").isalnum() else scalar(name)


def scalar(text: str) -> str:
    """A text in the quotes that need the fewest escapes."""
    if "'" not in text and ('"' in text or "\\" in text) and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
