"""What host and extension tell each other first: `initialize` and its reply (spec 4.4, 4.5, 1.6). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final

import msgspec

from kernel.errors import HookscopeError
from kernel.reach import Secret, StdioExtension
from kernel.values import JSON

LONGEST_NAME: Final = 64
"""Bytes of a segment of an id."""
MAX_VERSION: Final = 2**32 - 1
PROVIDER_ID: Final = re.compile(r"[a-z0-9_-]+")


class Refused(HookscopeError):
    """The reply is none that the host can work with; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the extension brings."""

    name: str
    runtime_name: str
    """As the host knows it."""
    description: str
    input_schema: dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Provider:
    """A model provider that the extension brings."""

    id: str
    display_name: str
    description: str
    models: tuple[str, ...]
    """Their ids."""


@dataclass(frozen=True, slots=True)
class Capability:
    """Anything else that the extension says it can do."""

    kind: str
    name: str
    permissions: tuple[str, ...]
    params: JSON


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an extension brings beside its hooks, which are never taken from its reply."""

    tools: tuple[Tool, ...] = ()
    providers: tuple[Provider, ...] = ()
    others: tuple[Capability, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tools or self.providers or self.others)


def initialize_params(reach: StdioExtension) -> bytes:
    """What the extension is told. The only place where its secrets are written down, and it is for its stdin."""
    config = {key: value.reveal() if isinstance(value, Secret) else value for key, value in reach.config}
    return msgspec.json.encode(
        {
            "synaps_version": reach.host_version,
            "extension_protocol_version": reach.protocol_version,
            "plugin_id": reach.id,
            "plugin_root": reach.plugin_dir or None,
            "config": config,
        }
    )


def capabilities(result: bytes, reach: StdioExtension) -> Capabilities:
    """Check the reply to `initialize`; raises Refused with what is wrong first."""
    content = msgspec.json.decode(result)
    if not isinstance(content, dict):
        raise Refused(f"invalid initialize response: it is {_kind(content)}, not an object")
    _check_version(content, reach.protocol_version)
    offered = content.get("capabilities", {})
    if offered == []:
        offered = {}  # what programs without a notion of an empty object send
    if not isinstance(offered, dict):
        raise Refused(f"invalid initialize response: capabilities is {_kind(offered)}, not an object")
    found = Capabilities(
        tuple(_tools(_list(offered, "tools"), reach.id)),
        tuple(_providers(_list(offered, "providers"))),
        tuple(_others(_list(offered, "capabilities"), reach)),
    )
    for what, given, permission in (
        ("tools", found.tools, "tools.register"),
        ("providers", found.providers, "providers.register"),
    ):
        if given and permission not in reach.permissions:
            raise Refused(f"Extension '{reach.id}' registered {what} but lacks permission '{permission}'")
    return found


def _check_version(content: dict[str, JSON], supported: int) -> None:
    if "protocol_version" not in content:
        raise Refused("invalid initialize response: it has no protocol_version")
    version = content["protocol_version"]
    if isinstance(version, bool) or not isinstance(version, int) or not 0 <= version <= MAX_VERSION:
        raise Refused(f"invalid initialize response: protocol_version is {_kind(version)}, not an unsigned integer")
    if version != supported:
        raise Refused(f"unsupported protocol_version {version} (supported: {supported})")


def _tools(entries: Iterable[tuple[str, dict[str, JSON]]], plugin_id: str) -> Iterable[Tool]:
    is_new = _once()
    for where, entry in entries:
        name = _segment(entry, "name", where)
        is_new(name, f"{where}.name")
        description = _words(entry, "description", where)
        schema = entry.get("input_schema")
        if not isinstance(schema, dict):
            raise Refused(f"{where}.input_schema must be an object, not {_kind(schema)}")
        yield Tool(name, f"{plugin_id}:{name}", description, schema)


def _providers(entries: Iterable[tuple[str, dict[str, JSON]]]) -> Iterable[Provider]:
    is_new = _once()
    for where, entry in entries:
        name = _segment(entry, "id", where)
        if PROVIDER_ID.fullmatch(name) is None:
            raise Refused(f"{where}.id must be of lower-case letters, digits, '-' and '_', not {name!r}")
        is_new(name, f"{where}.id")
        models = []
        is_new_model = _once()
        for place, model in _list(entry, "models", where):
            model_id = _segment(model, "id", place)
            is_new_model(model_id, f"{place}.id")
            models.append(model_id)
        if not models:
            raise Refused(f"{where}.models must name at least one model")
        schema = entry.get("config_schema")
        if schema is not None and not isinstance(schema, dict):
            raise Refused(f"{where}.config_schema must be an object, not {_kind(schema)}")
        yield Provider(name, _words(entry, "display_name", where), _words(entry, "description", where), tuple(models))


def _others(entries: Iterable[tuple[str, dict[str, JSON]]], reach: StdioExtension) -> Iterable[Capability]:
    for where, entry in entries:
        wanted = entry.get("permissions", [])
        if not isinstance(wanted, list):
            raise Refused(f"{where}.permissions must be an array, not {_kind(wanted)}")
        yield Capability(
            _words(entry, "kind", where),
            _words(entry, "name", where),
            tuple(_granted(wanted, reach.permissions, f"{where}.permissions")),
            entry.get("params"),
        )


def _granted(wanted: list[JSON], granted: Collection[str], where: str) -> Iterable[str]:
    for permission in wanted:
        if not isinstance(permission, str):
            raise Refused(f"{where} must hold text, not {_kind(permission)}")
        if permission not in granted:  # what is not known to the host is granted to nobody
            raise Refused(f"{where} names {permission!r}, which the extension was not granted")
        yield permission


def _list(offered: dict[str, JSON], key: str, inside: str = "capabilities") -> Iterable[tuple[str, dict[str, JSON]]]:
    entries = offered.get(key, [])
    where = f"{inside}.{key}"
    if not isinstance(entries, list):
        raise Refused(f"{where} must be an array, not {_kind(entries)}")
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise Refused(f"{where}[{number}] must be an object, not {_kind(entry)}")
        yield f"{where}[{number}]", entry


def _segment(entry: dict[str, JSON], key: str, where: str) -> str:
    """Text that may become part of an id, whose parts are joined by colons: that sign is reserved."""
    text = _words(entry, key, where)
    if len(text.encode()) > LONGEST_NAME:
        raise Refused(f"{where}.{key} is longer than {LONGEST_NAME} bytes")
    if ":" in text or any(character.isspace() or _is_control(character) for character in text):
        raise Refused(f"{where}.{key} must have no ':', no whitespace and no control characters, unlike {text!r}")
    return text


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character < "\xa0"


def _words(entry: dict[str, JSON], key: str, where: str) -> str:
    if key not in entry:
        raise Refused(f"{where}.{key} is missing")
    text = entry[key]
    if not isinstance(text, str):
        raise Refused(f"{where}.{key} must be text, not {_kind(text)}")
    if not text.strip():
        raise Refused(f"{where}.{key} must not be blank")
    return text


def _once() -> Callable[[str, str], None]:
    seen: set[str] = set()

    def check(name: str, where: str) -> None:
        if name in seen:
            raise Refused(f"{where} is {name!r} a second time")
        seen.add(name)

    return check


def _kind(value: JSON) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return f"the number {value!r}"
        case str():
            return "text"
        case list():
            return "an array"
        case dict():
            return "an object"
