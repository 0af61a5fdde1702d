"""A set file read: entries with their places, and what is wrong with them in the order of spec B.2. Runs no code."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from kernel.dialects.rig.codes import problem
from kernel.dialects.rig.context import Context
from kernel.dialects.rig.errors import ConfigError, ConfigKind
from kernel.dialects.rig.hook_set import Around, Guard, around_error, guard_error, revision_error
from kernel.dialects.rig.operation import BY_LABEL, GUARDABLE, Operation
from kernel.dialects.rig.seats import AROUND, GUARD
from kernel.dialects.rig.snapshot import Call
from kernel.errors import BadInput
from kernel.problems import Complain
from kernel.values import Place

MAX_BYTES: Final = 1024 * 1024
KEYS: Final = ("policy_revision", "guards", "around")
CALLBACK_KEYS: Final = {GUARD: "check", AROUND: "begin"}
_SCALAR_OPERATION: Final = "one of the eight operations by name or number"


@dataclass(frozen=True, slots=True)
class Entry:
    """One guard or around, in one operation."""

    mode: str
    operation: int
    """0 where the file names none that there is."""
    named: str
    """As the file has it."""
    target: str
    """Empty where there is none."""
    name: str
    """Empty where the file gives none."""
    place: Place
    operation_place: Place
    target_place: Place


@dataclass(frozen=True, slots=True)
class SetFile:
    """A set as a file declares it. An entry's index is its position among those of its mode."""

    revision: str
    revision_place: Place
    entries: tuple[Entry, ...]

    def of_mode(self, mode: str) -> tuple[Entry, ...]:
        return tuple(each for each in self.entries if each.mode == mode)


def text_of(path: Path) -> str:
    """The text of a set file; raises BadInput."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    if len(data) > MAX_BYTES:
        raise BadInput(f"{path} has {len(data)} bytes; a set file has at most {MAX_BYTES}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput("not UTF-8 here", place=Place(str(path), line, 1)) from None


def read(text: str, file: str, complain: Complain) -> SetFile:
    """What a text declares, as far as it can be understood; everything else is complained of."""
    reader = _Reader(file, complain)
    return reader.set_file(text)


def check(found: SetFile, folder: Path, complain: Complain) -> None:
    """Tell what compiling would refuse, in its order, and what cannot be reached."""
    guards = found.of_mode(GUARD)
    if (kind := revision_error(found.revision, has_guards=bool(guards))) is not None:
        complain(problem(kind, _sentence(ConfigError(kind, "policy_revision")), found.revision_place, fix=_FIXES[kind]))
    for index, entry in enumerate(guards):
        _check_entry(guard_error(Guard(entry.operation, _callable(entry)), index), entry, complain)
    for index, entry in enumerate(found.of_mode(AROUND)):
        _check_entry(around_error(Around(entry.operation, _callable(entry)), index), entry, complain)
    for entry in found.entries:
        if entry.target:
            _check_target(entry, folder, complain)


_FIXES: Final = {
    ConfigKind.UNEXPECTED_POLICY_REVISION: "leave it out, or add a guard",
    ConfigKind.MISSING_POLICY_REVISION: "write policy_revision: v1, or whatever names this policy",
    ConfigKind.INVALID_POLICY_REVISION: "use up to 128 bytes of one line",
}


def _callable(entry: Entry) -> Callable[[Context, Call], None] | None:
    """Something to call in place of what nobody loads here; None where the file names nothing."""
    return (lambda context, call: None) if entry.target else None


def _check_entry(error: ConfigError | None, entry: Entry, complain: Complain) -> None:
    if error is None:
        return
    if error.kind is ConfigKind.UNKNOWN_OPERATION:
        close = difflib.get_close_matches(entry.named, BY_LABEL, 1)
        fix = f"did you mean {close[0]}?" if close else f"there are {', '.join(BY_LABEL)}"
        complain(problem(error.kind, f"{_sentence(error)}: {entry.named or 'none'}", entry.operation_place, fix=fix))
    elif error.kind is ConfigKind.OPERATION_NOT_GUARDABLE:
        labels = ", ".join(each.label for each in Operation if each in GUARDABLE)
        complain(problem(error.kind, _sentence(error), entry.operation_place, fix=f"guards stand before {labels}"))
    else:
        key = CALLBACK_KEYS[entry.mode]
        complain(problem(error.kind, _sentence(error), entry.place, fix=f"write {key}: file.py:function"))


def _sentence(error: ConfigError) -> str:
    return str(error)


def _check_target(entry: Entry, folder: Path, complain: Complain) -> None:
    module, _, attribute = entry.target.rpartition(":")
    if not module or not attribute or not all(part.isidentifier() for part in attribute.split(".")):
        said = f"{entry.target!r} is neither module:attribute nor file.py:attribute"
        complain(problem("target", said, entry.target_place))
    elif module.endswith(".py") and not (folder / module).is_file():
        complain(problem("missing_file", f"{folder / module} is not there", entry.target_place))


class _Reader:
    """Walks the nodes of one file. An alias is read where it stands; nothing is expanded."""

    def __init__(self, file: str, complain: Complain) -> None:
        self._file = file
        self._complain = complain

    def set_file(self, text: str) -> SetFile:
        start = Place(self._file, 1, 1)
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = start if mark is None else Place(self._file, mark.line + 1, mark.column + 1)
            self._complain(problem("syntax", f"not YAML: {error.problem or error.context}", place))
            return SetFile("", start, ())
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            self._complain(problem("syntax", f"not YAML: {' '.join(str(error).split())}", start))
            return SetFile("", start, ())
        if root is None:
            return SetFile("", start, ())
        members = dict(self._members(root, KEYS, "a set"))
        revision, revision_place = "", self._place(root)
        if (node := members.get("policy_revision")) is not None:
            revision, revision_place = self._text(node), self._place(node)
        elif (guards := members.get("guards")) is not None:
            revision_place = self._place(guards)
        entries = [
            entry
            for mode, key in ((GUARD, "guards"), (AROUND, "around"))
            for node in self._items(members.get(key), key)
            for entry in self._entries(node, mode)
        ]
        return SetFile(revision, revision_place, tuple(entries))

    def _entries(self, node: yaml.Node, mode: str) -> Iterator[Entry]:
        """An entry for each operation that it names; a list of operations is as many entries in a row."""
        key = CALLBACK_KEYS[mode]
        members = dict(self._members(node, ("operation", key, "name"), "an entry"))
        place = self._place(node)
        target = members.get(key)
        name = members.get("name")
        operation = members.get("operation")
        named = operation.value if isinstance(operation, yaml.SequenceNode) else [operation]
        if not named:
            self._complain(problem("shape", f"an entry is for {_SCALAR_OPERATION}, this one for none", place))
        for each in named:
            word = "" if each is None else self._text(each, _SCALAR_OPERATION)
            yield Entry(
                mode,
                _operation(word),
                word,
                "" if target is None else self._text(target),
                "" if name is None else self._text(name),
                place,
                place if each is None else self._place(each),
                place if target is None else self._place(target),
            )

    def _members(self, node: yaml.Node, known: tuple[str, ...], what: str) -> Iterator[tuple[str, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode):
            self._complain(problem("shape", f"{what} is a mapping with {', '.join(known)}", self._place(node)))
            return
        seen: set[str] = set()
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                fix = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
                self._complain(problem("shape", f"no key {name!r}", self._place(key), fix=fix, length=len(name) or 1))
            elif name in seen:
                self._complain(problem("shape", f"{name!r} is there twice", self._place(key), length=len(name)))
            else:
                seen.add(name)
                yield name, value

    def _items(self, node: yaml.Node | None, key: str) -> Iterable[yaml.Node]:
        if node is None or (isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")):
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self._complain(problem("shape", f"{key!r} is a list", self._place(node)))
            return ()
        items: list[yaml.Node] = node.value
        return items

    def _text(self, node: yaml.Node, what: str = "text") -> str:
        """A scalar as it stands, whatever YAML would make of it: a revision 1.0 is the text 1.0."""
        if not isinstance(node, yaml.ScalarNode):
            self._complain(problem("shape", f"{what} is needed", self._place(node)))
            return ""
        is_null = node.tag.endswith(":null") and node.style is None
        return "" if is_null else str(node.value)

    def _place(self, node: yaml.Node) -> Place:
        return Place(self._file, node.start_mark.line + 1, node.start_mark.column + 1)


def _operation(word: str) -> int:
    if word in BY_LABEL:
        return int(BY_LABEL[word])
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else 0
