"""Saved filters and the history as files, and nothing else about them.

Saved filters stand in the project file, under `filters`, beside whatever others keep there; what is not ours is left
as it is, byte for byte. The history is a file of its own: nobody wants to commit it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from debugger.filters.parser import named
from debugger.filters.problems import BadFilter
from debugger.filters.saved import check_name, resolved
from kernel.errors import BadInput
from kernel.values import Place

PROJECT_FILE: Final = ".hookscope.yaml"
SECTION: Final = "filters"
MOST_BYTES: Final = 256 * 1024
"""Of a project file or a history; more is a mistake."""
MOST_HISTORY: Final = 100
_HISTORY_VERSION: Final = 1
_LOADER: Final = yaml.BaseLoader  # every scalar is a text: a filter named `on` keeps its name


def load_filters(file: Path) -> dict[str, str]:
    """Saved filters by name, in the order of the file; none where there is no file. Raises BadInput with the place.

    What the filters say is not read here: one that is broken must not hide the others. See `problems`.
    """
    text = _read(file)
    return {} if text is None else dict(_filters_in(text, str(file)))


def save_filters(file: Path, filters: Mapping[str, str]) -> None:
    """Put the saved filters into the project file, which is made if there is none. Raises BadInput, and then the file
    is as it was.
    """
    for name, text in filters.items():
        check_name(name)
        named(name, text)
    before = _read(file) or ""
    if _filters_in(before, str(file)) == dict(filters):
        return
    _write(file, _with_section(before, filters, str(file)))


def problems(filters: Mapping[str, str]) -> dict[str, BadFilter]:
    """Those saved filters that cannot be used, each with the reason."""
    found: dict[str, BadFilter] = {}
    for name, text in filters.items():
        try:
            resolved(named(name, text), {**filters}, text)
        except BadFilter as error:
            found[name] = error
    return found


def remembered(history: Sequence[str], text: str) -> tuple[str, ...]:
    """The history with one more filter in it, the newest first and each once; an empty one is not worth it."""
    text = text.strip()
    rest = [each for each in history if each != text]
    return tuple(([text, *rest] if text else rest)[:MOST_HISTORY])


def load_history(file: Path) -> tuple[str, ...]:
    """What was used before, the newest first; nothing where there is no file. Raises BadInput."""
    text = _read(file)
    if text is None:
        return ()
    try:
        read: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file} is no history of filters: {error}", fix="delete it to begin a new one") from None
    match read:
        case {"version": int(version), "filters": [*texts]} if all(isinstance(each, str) for each in texts):
            if version > _HISTORY_VERSION:
                raise BadInput(f"{file} is from a newer hookscope", fix="update hookscope, or delete the file")
            return tuple(texts[:MOST_HISTORY])
    raise BadInput(f"{file} is no history of filters", fix="delete it to begin a new one")


def save_history(file: Path, history: Sequence[str]) -> None:
    """Keep the history. Raises BadInput."""
    kept = {"version": _HISTORY_VERSION, "filters": list(history[:MOST_HISTORY])}
    _write(file, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def _read(file: Path) -> str | None:
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


def _write(file: Path, text: str) -> None:
    """All of it or nothing: a full disk or a kill leaves the file that was."""
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


def _composed(text: str, name: str) -> yaml.MappingNode | None:
    """The mapping that a project file is; None for an empty one."""
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = None if mark is None else Place(name, mark.line + 1, mark.column + 1)
        raise BadInput(f"not YAML: {error.problem or error.context}", place=place) from None
    except (yaml.YAMLError, RecursionError) as error:
        said = " ".join(str(error).split())
        raise BadInput(f"{name}: not YAML: {said or 'nested too deep'}") from None
    if node is None:
        return None
    if not isinstance(node, yaml.MappingNode):
        raise BadInput(
            "a project file is a mapping", place=_place(node, name), fix=f"write {SECTION}: and names below it"
        )
    return node


def _filters_in(text: str, name: str) -> dict[str, str]:
    root = _composed(text, name)
    found: dict[str, str] = {}
    for _, section in _sections(root, name):
        if isinstance(section, yaml.ScalarNode) and section.value in ("", "null", "~"):
            continue
        if not isinstance(section, yaml.MappingNode):
            fix = 'such as slow: "dur:>1s"'
            raise BadInput(f"{SECTION} are names with a filter each", place=_place(section, name), fix=fix)
        for key, value in section.value:
            found |= _entry(key, value, found, name)
    return found


def _sections(root: yaml.MappingNode | None, name: str) -> list[tuple[yaml.Node, yaml.Node]]:
    """Key and value of our section, if it is there."""
    ours = [] if root is None else [pair for pair in root.value if pair[0].value == SECTION]
    if len(ours) > 1:
        raise BadInput(f"{SECTION} is there twice", place=_place(ours[1][0], name), fix="put all of them below one")
    return ours


def _entry(key: yaml.Node, value: yaml.Node, known: Mapping[str, str], name: str) -> dict[str, str]:
    place = _place(key, name)
    if not isinstance(key, yaml.ScalarNode):
        raise BadInput("the name of a filter is a text", place=place)
    if key.value in known:
        raise BadInput(f"the filter {key.value!r} is there twice", place=place, fix="leave one out")
    try:
        check_name(key.value)
    except BadInput as error:
        raise BadInput(error.message, place=place, fix=error.fix) from None
    if not isinstance(value, yaml.ScalarNode):
        message = f"the filter {key.value!r} is a text"
        raise BadInput(message, place=_place(value, name), fix=f'such as {key.value}: "dur:>1s"')
    return {key.value: value.value}


def _place(node: yaml.Node, name: str) -> Place:
    return Place(name, node.start_mark.line + 1, node.start_mark.column + 1)


def _with_section(before: str, filters: Mapping[str, str], name: str) -> str:
    """The file's text with another section of filters; everything else in it stays as it is written."""
    root = _composed(before, name)
    section = _dumped(filters)
    if root is None:
        return before + ("" if not before or before.endswith("\n") else "\n") + section
    if root.flow_style:
        fix = f"write it without the outer {{ }}, {SECTION}: in a line of its own"
        raise BadInput("cannot add filters to a file in one pair of braces", place=_place(root, name), fix=fix)
    lines = before.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    if not (found := _sections(root, name)):
        end = root.end_mark.line if root.end_mark.column == 0 else len(lines)  # in front of a `...`
        after = "".join([*lines[:end], section, *lines[end:]])
    else:
        [(key, _)] = found
        starts = [each.start_mark.line for each, _ in root.value if each.start_mark.line > key.start_mark.line]
        end = min(starts, default=root.end_mark.line if root.end_mark.column == 0 else len(lines))
        while end > key.start_mark.line + 1 and lines[end - 1].lstrip()[:1] in ("", "#") and lines[end - 1][:1] != " ":
            end -= 1  # a comment at the margin belongs to what follows
        after = "".join([*lines[: key.start_mark.line], section, *lines[end:]])
    if _filters_in(after, name) != dict(filters) or _others(after, name) != _others(before, name):
        raise BadInput(
            f"cannot put filters into {name} without touching the rest", fix=f"write {SECTION}: there yourself"
        )
    return after


def _others(text: str, name: str) -> list[tuple[str, str]]:
    """Everything that is not ours, in a form that can be compared."""
    root = _composed(text, name)
    return [] if root is None else [
        (yaml.serialize(key), yaml.serialize(value)) for key, value in root.value if key.value != SECTION
    ]  # fmt: skip


def _dumped(filters: Mapping[str, str]) -> str:
    if not filters:
        return f"{SECTION}: {{}}\n"
    return "".join([f"{SECTION}:\n", *(f"  {_key(name)}: {_scalar(text)}\n" for name, text in filters.items())])


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("-", "").replace("_", "").isalnum() else _scalar(name)


def _scalar(text: str) -> str:
    """A text in the quotes that need the fewest escapes."""
    if "'" not in text and ('"' in text or "\\" in text) and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
