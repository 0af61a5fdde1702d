"""What every dialect's session descriptions have in common: keys that are known, a schema, people who answer."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import inspect
import re
import typing
from dataclasses import dataclass
from enum import Enum
from types import ModuleType, UnionType
from typing import Any, Final, TypeVar

import msgspec

from kernel.asking import Answer, Nobody, Question, ReplyWord
from kernel.clock import Clock, sleep
from kernel.errors import BadInput
from kernel.values import JSON

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reaction:
    """What a person answers when asked."""

    answer: ReplyWord
    about: str = ""
    """The subject of the question; empty is anything."""
    by: str = "person"
    takes_ms: float = 0


class Reactions:
    """Answers as described: each reaction once, the first that fits; nobody is there for the rest."""

    def __init__(self, reactions: tuple[Reaction, ...], clock: Clock) -> None:
        self._left = list(reactions)
        self._clock = clock

    async def resolve(self, question: Question) -> Answer:
        for reaction in self._left:
            if reaction.about in ("", question.subject):
                self._left.remove(reaction)
                if reaction.takes_ms:
                    await sleep(self._clock, reaction.takes_ms)
                return reaction.answer.as_answer(reaction.by)
        return await Nobody().resolve(question)


def converted(view: JSON, kind: type[T], name: str) -> T:
    """A description as a value of this dataclass; raises BadInput with `name` and the path inside."""
    if isinstance(view, dict) and isinstance(view.get("$schema"), str):  # for editors; says nothing of the session
        view = {key: value for key, value in view.items() if key != "$schema"}
    try:
        _check_keys(kind, view, "$")
        return msgspec.convert(view, kind)
    except RecursionError:
        raise BadInput(f"{name}: it is nested too deeply") from None
    except msgspec.ValidationError as error:
        raise BadInput(f"{name}: {error}", fix=_meant(str(error), kind)) from error
    except BadInput as error:
        raise BadInput(f"{name}: {error.message}") from error


_NO_WORD = re.compile(r"Invalid enum value '(.*)' - at `(\$.*)`", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[[0-9.]+\]")


def _meant(message: str, kind: Any) -> str:
    """What to write in the place of a word that there is not; empty for any other complaint."""
    found = _NO_WORD.fullmatch(message)
    if found is None:
        return ""
    kinds = _options(kind)
    for step in _STEP.finditer(found[2]):
        kinds = [option for each in kinds for inner in _inside(each, step[1]) for option in _options(inner)]
    words = [str(word.value) for each in kinds if isinstance(each, type) and issubclass(each, Enum) for word in each]
    near = difflib.get_close_matches(found[1], words, 1) or difflib.get_close_matches(found[1].upper(), words, 1)
    said = f"there is {', '.join(words)}" if words else ""
    return f"did you mean {near[0]!r}? {said}" if near else said


def _options(kind: Any) -> list[Any]:
    """The types of a union, or the one type that it is."""
    is_union = typing.get_origin(kind) in (typing.Union, UnionType)
    return [each for arg in typing.get_args(kind) for each in _options(arg)] if is_union else [kind]


def _inside(kind: Any, member: str | None) -> list[Any]:
    """The type of a member; without a name, that of an item."""
    if member is not None and dataclasses.is_dataclass(kind):
        return [hint for name, hint in typing.get_type_hints(kind).items() if name == member]
    return list(typing.get_args(kind)[-1:] if typing.get_origin(kind) is dict else typing.get_args(kind)[:1])


def schema_of(kind: type[Any], modules: tuple[ModuleType, ...], title: str) -> dict[str, Any]:
    """The JSON Schema of a description, with what the classes in these modules say about their members.

    Like `converted` it knows no key beyond those of the classes.
    """
    made = msgspec.json.schema(kind)
    told = {key: text for module in modules for key, text in _told(module).items()}
    definitions: dict[str, Any] = made["$defs"]
    for name, definition in definitions.items():
        if "properties" not in definition:
            continue
        definition["additionalProperties"] = False
        for member, value in definition["properties"].items():
            if (name, member) in told:
                value["description"] = told[name, member]
    definitions[kind.__name__]["properties"]["$schema"] = {"type": "string", "description": "Where this schema is."}
    return {"$schema": DRAFT, "title": title, "$ref": made["$ref"], "$defs": definitions}


def _told(module: ModuleType) -> dict[tuple[str, str], str]:
    """What the classes say about their members, by class and member: the text below each."""
    found: dict[tuple[str, str], str] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef):
            for member, text in zip(node.body, node.body[1:], strict=False):
                match member, text:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(said))),
                    ):
                        found[node.name, name] = inspect.cleandoc(said)
    return found


def _check_keys(kind: Any, view: JSON, path: str) -> None:
    """Refuse keys that mean nothing: a typo must not be silent. What the values are is checked elsewhere."""
    if typing.get_origin(kind) is tuple and isinstance(view, list):
        for index, item in enumerate(view):
            _check_keys(typing.get_args(kind)[0], item, f"{path}[{index}]")
    elif dataclasses.is_dataclass(kind) and isinstance(view, dict):
        hints = typing.get_type_hints(kind)
        for key, value in view.items():
            if key not in hints:
                near = difflib.get_close_matches(key, list(hints), 1)
                raise BadInput(f"{path}: no key {key!r}{f'; did you mean {near[0]!r}?' if near else ''}")
            _check_keys(hints[key], value, f"{path}.{key}")
    else:
        for option in typing.get_args(kind):
            if dataclasses.is_dataclass(option):
                _check_keys(option, view, path)
