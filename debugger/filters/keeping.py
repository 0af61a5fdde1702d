"""Saved filters and the history as files, and nothing else about them.

Saved filters stand in the project file, under `filters`, beside whatever others keep there; what is not ours is left
as it is, byte for byte. The history is a file of its own: nobody wants to commit it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from debugger import project
from debugger.filters.parser import named
from debugger.filters.problems import BadFilter
from debugger.filters.saved import check_name, resolved
from debugger.project import MOST_BYTES, PROJECT_FILE
from kernel.errors import BadInput

SECTION: Final = "filters"
MOST_HISTORY: Final = 100
_HISTORY_VERSION: Final = 1

__all__ = [
    "MOST_BYTES",
    "PROJECT_FILE",
    "load_filters",
    "load_history",
    "problems",
    "remembered",
    "save_filters",
    "save_history",
]


def load_filters(file: Path) -> dict[str, str]:
    """Saved filters by name, in the order of the file; none where there is no file. Raises BadInput with the place.

    What the filters say is not read here: one that is broken must not hide the others. See `problems`.
    """
    text = project.read(file)
    return {} if text is None else dict(_filters_in(text, str(file)))


def save_filters(file: Path, filters: Mapping[str, str]) -> None:
    """Put the saved filters into the project file, which is made if there is none. Raises BadInput, and then the file
    is as it was.
    """
    for name, text in filters.items():
        check_name(name)
        named(name, text)
    before = project.read(file) or ""
    if _filters_in(before, str(file)) == dict(filters):
        return
    after = project.with_section(before, str(file), SECTION, _dumped(filters))
    if _filters_in(after, str(file)) != dict(filters):
        raise BadInput(f"cannot put filters into {file} as they are", fix=f"write {SECTION}: there yourself")
    project.write(file, after)


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
    text = project.read(file)
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
    project.write(file, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def _filters_in(text: str, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    ours = project.section(project.composed(text, name), SECTION, name)
    if ours is None or project.is_empty(section := ours[1]):
        return found
    if not isinstance(section, yaml.MappingNode):
        fix = 'such as slow: "dur:>1s"'
        raise BadInput(f"{SECTION} are names with a filter each", place=project.place(section, name), fix=fix)
    for key, value in section.value:
        found |= _entry(key, value, found, name)
    return found


def _entry(key: yaml.Node, value: yaml.Node, known: Mapping[str, str], name: str) -> dict[str, str]:
    place = project.place(key, name)
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
        raise BadInput(message, place=project.place(value, name), fix=f'such as {key.value}: "dur:>1s"')
    return {key.value: value.value}


def _dumped(filters: Mapping[str, str]) -> str:
    if not filters:
        return f"{SECTION}: {{}}\n"
    lines = (f"  {project.key(name)}: {project.scalar(text)}\n" for name, text in filters.items())
    return "".join([f"{SECTION}:\n", *lines])
