"""Scenario files as scenarios, with a place for every key. Reads, and runs nothing."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Final, TypeVar

import msgspec
from msgspec import UNSET, inspect

from debugger.scenario import document, wording
from debugger.scenario.document import Node, Path
from debugger.scenario.model import Play, Scenario
from kernel.errors import BadInput
from kernel.values import JSON, Place

PATTERN: Final = "*.scenario.yaml"
Kind = TypeVar("Kind", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A scenario and where it stands."""

    scenario: Scenario
    file: FilePath
    node: Node

    @property
    def name(self) -> str:
        return self.scenario.scenario

    @property
    def folder(self) -> FilePath:
        """What the paths in the scenario are relative to."""
        return self.file.absolute().parent

    @property
    def place(self) -> Place:
        return self.node.place_of(("scenario",))

    def written(self, path: Path) -> JSON:
        """The value at a path, as it stands in the file."""
        return self.node.at(path)

    def wrong(self, path: Path, problem: str | BadInput) -> BadInput:
        """An error about the value at this path of the scenario. What has a place of its own keeps it."""
        said, fix = (problem, "") if isinstance(problem, str) else (problem.message, problem.fix)
        if isinstance(problem, BadInput) and problem.place is not None:
            return problem
        return BadInput(f"{dotted(path)}: {said}" if path else said, place=self.node.place_of(path), fix=fix)

    def wrong_inside(self, path: Path, problem: BadInput) -> BadInput:
        """An error about something inside the value at this path, where its sentence names that with `$.a[0].b`."""
        inner = _path(found[0]) if (found := _INSIDE.search(problem.message)) is not None else ()
        if problem.place is not None:
            return problem
        place = self.node.place_of((*path, *inner))
        return BadInput(f"{dotted(path)}: {problem.message}", place=place, fix=problem.fix)

    def converted(self, path: Path, kind: type[Kind]) -> Kind:
        """The value at a path as a part of the format that no type says it is; raises BadInput with the place."""
        try:
            return msgspec.convert(self.written(path), kind)
        except msgspec.ValidationError as error:
            raise _explained(str(error), self.node, kind, path) from None


def find(paths: Iterable[FilePath]) -> list[FilePath]:
    """The scenario files that are meant: a file by its name, a folder by all that it shows; raises BadInput."""
    found: dict[FilePath, None] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob(PATTERN) if each.is_file() and not _is_hidden(each, path))
            if not inside:
                raise BadInput(f"{path} holds no {PATTERN}")
            found.update(dict.fromkeys(inside))
        elif path.exists():
            found[path] = None
        else:
            raise BadInput(f"{path} does not exist")
    return list(found)


def _is_hidden(path: FilePath, folder: FilePath) -> bool:
    """Whether a dot says that it is no matter of whoever looks into this folder, as `ls` and `*` have it."""
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def load(path: FilePath) -> list[Loaded]:
    """The scenarios of a file; raises BadInput with file, line, column, key and the nearest known key."""
    try:
        with path.open("rb") as file:
            text = file.read(document.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return parse(text, path)


def parse(text: bytes, path: FilePath) -> list[Loaded]:
    """The scenarios of a text that stands in a file of this name."""
    nodes = list(_scenarios(document.read(text, os.fspath(path))))
    if not nodes:
        raise BadInput(f"{path} holds no scenario")
    return [_loaded(node, path) for node in nodes]


def _scenarios(documents: Sequence[Node]) -> Iterator[Node]:
    for each in documents:
        if each.items is not None:
            yield from each.items
        elif each.members is not None or each.scalar is not None:  # nothing between two lines of --- is no scenario
            yield each


def _loaded(node: Node, path: FilePath) -> Loaded:
    try:
        scenario = msgspec.convert(node.value, Scenario)
    except msgspec.ValidationError as error:
        raise _explained(str(error), node) from None
    loaded = Loaded(scenario, path, node)
    _check(loaded)
    for each in wording.unknown(scenario.dialect, loaded.written):
        raise loaded.wrong(each.path, f"{each.sentence}{nearest(each.word, each.known)}")
    return loaded


def _check(loaded: Loaded) -> None:
    """What no type can say about the shape of a scenario."""
    scenario = loaded.scenario
    if scenario.config_error is not UNSET:
        others = (("fire", scenario.fire), ("expect", scenario.expect), ("expect_played", scenario.expect_played))
        for key, value in others:
            if value is not UNSET and value:
                raise loaded.wrong((key,), "there is nothing to dispatch where config_error is expected")
    elif not scenario.fire and scenario.play is UNSET:
        raise loaded.wrong(("fire",), "a scenario fires at least once, plays a session, or expects a config_error")
    if scenario.play is not UNSET:
        _check_play(loaded, scenario, scenario.play)
    elif scenario.expect_played is not UNSET:
        raise loaded.wrong(("expect_played",), "nothing is played; dispatches that are fired have expect")
    elif scenario.expect is not UNSET and len(scenario.expect) != len(scenario.fire):
        counts = f"{len(scenario.expect)} for {len(scenario.fire)}"
        raise loaded.wrong(
            ("expect",), f"one for each dispatch is needed, {{}} where nothing is expected; not {counts}"
        )


def _check_play(loaded: Loaded, scenario: Scenario, play: Play) -> None:
    """What no type can say about a session and what is expected of it."""
    for key, value in (("fire", scenario.fire), ("expect", scenario.expect)):
        if value is not UNSET and value:
            raise loaded.wrong((key,), "a scenario plays a session or fires dispatches, not both")
    if (play.session is UNSET) == (play.session_file is UNSET):
        raise loaded.wrong(("play",), "one of session and session_file is needed")
    if scenario.config is UNSET:
        raise loaded.wrong(("play",), "a session is played under a configuration; name one under `config`")
    expected = scenario.expect_played
    if expected is UNSET:
        return
    if expected.questions is not UNSET and play.answers is UNSET:
        fix = "say under play who answers; `answers: []` is nobody"
        raise loaded.wrong(("expect_played", "questions"), f"questions are seen where the scenario answers them; {fix}")
    if expected.dispatches is not UNSET:
        named = [each.in_ is not UNSET for each in expected.dispatches]
        if any(named) and not all(named):
            here = ("expect_played", "dispatches", named.index(False))
            raise loaded.wrong(here, "either all of them say in which dispatches, or none does and all are listed")


# -- what is wrong, in words -------------------------------------------------------------------------------------

_INSIDE = re.compile(r"\$(?:\.[^.\[\]:`\s]+|\[[0-9]+\])+")
_AT = re.compile(r"(?s)(.*?)(?: - at `(?:key in )?(\$.*)`)?\Z")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_#$-]{1,60}")
_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]|\[\.\.\.\]")
_KINDS: Final = {
    "object": "a mapping",
    "array": "a list",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "nothing",
}


def _explained(message: str, node: Node, root: type = Scenario, around: Path = ()) -> BadInput:
    """What msgspec says about a value, with the place of it and in our words. `root` is what stands at `around`."""
    parts = _AT.match(message)
    assert parts is not None
    said, path = parts[1], _path(parts[2] or "$")
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", said, re.S):
        path = (*path, found[1])
        said = f"unknown key{nearest(found[1], _known_keys(path[:-1], root))}"
    elif found := re.fullmatch(r"Object missing required field `(.*)`", said):
        said = f"the key {found[1]!r} is missing"
    elif found := re.fullmatch(r"Expected `(.*?)`(.*), got `(.*)`", said):
        wanted = " or ".join(dict.fromkeys(_KINDS.get(each, each) for each in found[1].split(" | ")))
        said = f"{wanted}{found[2]} is expected, not {_KINDS.get(found[3], found[3])}"
    elif found := re.fullmatch(r"Expected `(.*)` (of length )?>= 1", said):
        said = "it cannot be empty" if found[2] else "it has to be at least 1"
    elif found := re.fullmatch(r"Expected `(?:.*?)` (.*)", said):
        said = f"it has to be {found[1]}"
    elif found := re.fullmatch(r"Invalid enum value (?:'(.*)'|(.*))", said, re.S):
        said = f"no such word {(found[1] or found[2])!r}{nearest(found[1] or '', _known_words(path, root))}"
    path = (*around, *path)
    return BadInput(f"{dotted(path)}: {said}" if path else said, place=node.place_of(path))


def nearest(word: str, known: Iterable[str]) -> str:
    """The rest of a sentence about a word that nobody knows: the one that was meant, or all there are."""
    known = list(known)
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known) or 'none'}"


def dotted(path: Path) -> str:
    """A path as people write it."""
    return "".join(map(_written, path)).removeprefix(".")


def _written(step: str | int) -> str:
    if isinstance(step, str) and _PLAIN_KEY.fullmatch(step):
        return f".{step}"
    return f"[{step!r}]" if isinstance(step, int) or len(step) <= 40 else f"[{step[:40]!r}...]"


def _path(written: str) -> Path:
    """A path as msgspec writes it, as far as it says it: it does not name the keys of mappings with free keys."""
    path: list[str | int] = []
    for step in _STEP.finditer(written):
        if step[0] == "[...]":
            break
        path.append(step[1] if step[2] is None else int(step[2]))
    return tuple(path)


def _known_keys(path: Path, root: type) -> list[str]:
    kinds = (kind for kind in _types_at(path, root) if isinstance(kind, inspect.StructType))
    return [each.encode_name for kind in kinds for each in kind.fields]


def _known_words(path: Path, root: type) -> list[str]:
    words: list[str] = []
    for kind in _types_at(path, root):
        if isinstance(kind, inspect.EnumType):
            words += [str(each.value) for each in kind.cls]
    return words


def _types_at(path: Path, root: type) -> list[inspect.Type]:
    """Every type that the value at a path in a root may have."""
    kinds = _alternatives(inspect.type_info(root))
    for step in path:
        inner: list[inspect.Type] = []
        for kind in kinds:
            if isinstance(kind, inspect.ListType) and isinstance(step, int):
                inner += _alternatives(kind.item_type)
            elif isinstance(kind, inspect.StructType) and isinstance(step, str):
                for field in kind.fields:
                    if field.encode_name == step:
                        inner += _alternatives(field.type)
        kinds = inner
    return kinds


def _alternatives(kind: inspect.Type) -> list[inspect.Type]:
    match kind:
        case inspect.Metadata(inner):
            return _alternatives(inner)
        case inspect.UnionType(types):
            return [each for one in types for each in _alternatives(one)]
        case _:
            return [kind]
