"""Rules files: what else is secret, and what is not. YAML, read without tags or aliases to code; errors have places."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from debugger.covering.keys import KeyRule, normal
from debugger.covering.secrets import SHORTEST
from debugger.redaction import shapes
from debugger.redaction.places import PlacePattern, pattern
from debugger.redaction.rules import NAMES, VALUE, Allowed, Rules
from debugger.redaction.shapes import TextRule
from debugger.scenario import document
from debugger.scenario.document import Node
from debugger.scenario.load import nearest
from kernel.errors import BadInput

KEY = "key"
"""Name of the rule for keys that a rules file names."""
_KEYS = ("keys", "values", "environment", "places", "patterns", "allow")
_ALLOWED = ("values", "keys", "places", "rules")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_NESTED = re.compile(r"[+*}]\)?[+*{]")
"""What makes a pattern take for ever on some text: something repeated, repeated."""


def read(path: Path, environment: Mapping[str, str] | None = None) -> Rules:
    """The built-in rules with those of a file; raises BadInput with file, line and column.

    `environment` gives the values of the variables that the file names; None for our own.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return parse(text, str(path), os.environ if environment is None else environment)


def parse(text: bytes, name: str, environment: Mapping[str, str]) -> Rules:
    """The same from a text that stands in a file of this name."""
    nodes = [node for node in document.read(text, name) if node.members is not None or node.value is not None]
    if len(nodes) > 1:
        raise BadInput("one document with rules is enough", place=nodes[1].place)
    if not nodes:
        return Rules()
    root = nodes[0]
    _members(root, _KEYS, "a rules file")
    rules = Rules()
    own_keys = tuple(_glob(each) for each in _texts(root, "keys"))
    values = {_value(each): VALUE for each in _texts(root, "values")}
    values |= {_variable(each, environment): VALUE for each in _texts(root, "environment")}
    allowed, without = _allow(root.members["allow"]) if root.members and "allow" in root.members else (Allowed(), ())
    return replace(
        rules,
        text=(*_patterns(root), *(rule for rule in rules.text if rule.name not in without)),
        keys=(
            KeyRule(KEY, own_keys, hides_numbers=True, hides_all=True),
            *(rule for rule in rules.keys if rule.name not in without),
        ),
        places=tuple(_place(each) for each in _texts(root, "places")),
        values=values,
        allowed=allowed,
    )


def _allow(node: Node) -> tuple[Allowed, tuple[str, ...]]:
    """What is left as it is, and the names of built-in rules that do not count."""
    _members(node, _ALLOWED, "allow")
    without = []
    for each in _texts(node, "rules"):
        if each.scalar not in NAMES:
            raise BadInput(f"no rule {each.scalar!r}{nearest(str(each.scalar), NAMES)}", place=each.place)
        without.append(str(each.scalar))
    allowed = Allowed(
        frozenset(str(each.scalar) for each in _texts(node, "values")),
        tuple(_glob(each) for each in _texts(node, "keys")),
        tuple(_place(each) for each in _texts(node, "places")),
    )
    return allowed, tuple(without)


def _members(node: Node, known: tuple[str, ...], what: str) -> None:
    if node.members is None:
        raise BadInput(f"{what} is a mapping of {', '.join(known)}", place=node.place)
    for key in node.members:
        if key not in known:
            raise BadInput(f"{what} has no key {key!r}{nearest(key, known)}", place=node.keys[key])


def _texts(node: Node, key: str) -> Iterator[Node]:
    found = node.inner(key)
    if found is None or (found.items is None and found.members is None and found.scalar is None):
        return
    for each in found.items if found.items is not None else [found]:
        if not isinstance(each.scalar, str) or not each.scalar:
            raise BadInput(f"{key}: a list of texts is needed; put numbers in quotes", place=each.place)
        yield each


def _value(node: Node) -> str:
    value = str(node.scalar)
    if len(value) < SHORTEST:
        raise BadInput(f"a secret of fewer than {SHORTEST} characters stands everywhere by chance", place=node.place)
    return value


def _variable(node: Node, environment: Mapping[str, str]) -> str:
    name = str(node.scalar)
    if name not in environment:
        raise BadInput(f"the variable {name!r} is not set, so its value cannot be looked for", place=node.place)
    if len(environment[name]) < SHORTEST:
        raise BadInput(f"the value of {name!r} has fewer than {SHORTEST} characters", place=node.place)
    return environment[name]


def _glob(node: Node) -> str:
    """A glob in the notation in which names are compared."""
    written = str(node.scalar)
    glob = "*".join(normal(part) if part else "" for part in written.split("*"))
    # `x-*` means what begins with `x-`: the joint belongs to the glob
    for joint in ("_*", "*_"):
        dashed = tuple(joint.replace("_", each) for each in "-_. ")
        if any(each in written for each in dashed):
            glob = glob.replace(joint.replace("_", ""), joint, 1)
    if not glob.strip("*_"):
        raise BadInput(f"{written!r} would be every key", place=node.place)
    return glob


def _place(node: Node) -> PlacePattern:
    try:
        return pattern(str(node.scalar))
    except BadInput as error:
        raise BadInput(error.message, place=node.place, fix=error.fix) from None


def _patterns(root: Node) -> Iterator[TextRule]:
    node = root.inner("patterns")
    if node is None:
        return
    if node.members is None:
        raise BadInput("patterns: a mapping from a name to a regular expression is needed", place=node.place)
    for name, each in node.members.items():
        if not _NAME.fullmatch(name):
            raise BadInput(f"{name!r} is no name: small letters, digits and dashes", place=node.keys[name])
        if name in NAMES:
            raise BadInput(f"there is a built-in rule {name!r} already", place=node.keys[name])
        if not isinstance(each.scalar, str):
            raise BadInput(f"{name}: a regular expression is needed", place=each.place)
        yield TextRule(name, f"what {each.scalar} matches", (_shape(each.scalar, each),))


def _shape(written: str, node: Node) -> shapes.Shape:
    try:
        made = shapes.shape(written)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadInput(f"not a regular expression: {error}", place=node.place) from None
    if made.pattern.match("") is not None:
        raise BadInput("the regular expression matches nothing at all as well", place=node.place)
    if _NESTED.search(written):
        raise BadInput("something repeated is repeated: this may take for ever on some text", place=node.place)
    return made
