"""How a configuration is read where hosts differ, and what they know that no file says (spec C.3, H1, H21, H25)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from kernel.dialects.pluggable.agent_hcl.schema import nearest
from kernel.dialects.pluggable.points import BY_LABEL
from kernel.errors import BadInput
from kernel.values import JSON

LENIENCIES: Final = ("hook_attributes", "repeated_subscriptions", "unadvertised_points")
"""Options that let something through which the host refuses."""


@dataclass(frozen=True, slots=True)
class Implicit:
    """A subscription that no hook block states. It takes the position of its provider's block."""

    provider: str
    point: str
    mode: str


ATTRIBUTE_TYPES: Final = ("string", "number", "bool", "list_string", "list_number", "map_string", "object")
"""Types that an argument of a plugin can have."""


@dataclass(frozen=True, slots=True)
class ConfigAttribute:
    """What a plugin says of one argument of its provider block."""

    type: str = "string"
    """Any word: the host says itself which ones it does not know."""
    is_sensitive: bool = False
    is_required: bool = False


ConfigSchema: TypeAlias = Mapping[str, ConfigAttribute]


@dataclass(frozen=True, slots=True)
class Options:
    """What is let through, and what is known beside the files; by default nothing, as in the host."""

    hook_attributes: bool = False
    """`hook { point = "..." ... }` is read as `hook "..." { ... }`."""
    repeated_subscriptions: bool = False
    """A provider may have several hooks at one point, told apart by subscription ids."""
    unadvertised_points: bool = False
    """A plugin is asked at points too that it does not offer."""
    implicit: tuple[Implicit, ...] = ()
    advertised: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """The points that plugins offer, of those that said so; nobody knows about the others."""
    config_schema: Mapping[str, ConfigSchema] = field(default_factory=lambda: MappingProxyType({}))
    """The arguments that plugins take in their provider blocks, of those that said so."""
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """The tools that plugins have, of those that said so."""

    @property
    def by_provider(self) -> Mapping[str, Iterable[str]]:
        """The options that go by provider, each with the providers that it is about."""
        return {"advertised": self.advertised, "config_schema": self.config_schema, "tools": self.tools}


PARITY: Final = Options()
"""As the host does it."""


def options_of(words: Mapping[str, JSON]) -> Options:
    """The options that a person wrote as JSON; raises BadInput that names the wrong one."""
    known = (*LENIENCIES, "implicit", "advertised", "config_schema", "tools")
    for name in words:
        if name not in known:
            raise BadInput(
                f"pluggable reads a configuration without an option {name!r}", fix=f"it has {', '.join(known)}"
            )
    return Options(
        hook_attributes=_flag(words, "hook_attributes"),
        repeated_subscriptions=_flag(words, "repeated_subscriptions"),
        unadvertised_points=_flag(words, "unadvertised_points"),
        implicit=tuple(_implicit(words.get("implicit", []))),
        advertised=MappingProxyType(dict(_advertised(words.get("advertised", {})))),
        config_schema=MappingProxyType(dict(_schemas(words.get("config_schema", {})))),
        tools=MappingProxyType(dict(_names("tools", words.get("tools", {}), "tools"))),
    )


def _flag(words: Mapping[str, JSON], name: str) -> bool:
    value = words.get(name, False)
    if not isinstance(value, bool):
        raise BadInput(f"the option {name} is true or false, not {value!r}")
    return value


def _implicit(words: JSON) -> Iterator[Implicit]:
    for wish in words if isinstance(words, list) else [words]:
        match wish:
            case {"provider": str(provider), "point": str(point), "mode": str(mode), **rest} if not rest:
                yield Implicit(provider, point, mode)
            case _:
                raise BadInput("the option implicit is a list of objects with provider, point and mode")


def _advertised(words: JSON) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, points in _names("advertised", words, "points"):
        for point in points:
            if point not in BY_LABEL:
                raise BadInput(
                    f"the option advertised has no point {point!r} to offer for {name!r}", fix=nearest(point, BY_LABEL)
                )
        yield name, points


def _names(option: str, words: JSON, what: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, names in words.items() if isinstance(words, dict) else [("", words)]:
        if not name or not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            raise BadInput(f"the option {option} is an object: the list of {what} for each provider")
        yield name, tuple(map(str, names))


def _schemas(words: JSON) -> Iterator[tuple[str, ConfigSchema]]:
    for name, arguments in words.items() if isinstance(words, dict) else [("", words)]:
        if not name or not isinstance(arguments, dict):
            raise BadInput(f"the option config_schema is {_SCHEMA}")
        yield name, MappingProxyType({argument: _attribute(said) for argument, said in arguments.items()})


_SCHEMA = 'an object: {"g": {"api_key": {"type": "string", "sensitive": true, "required": false}}}'


def _attribute(words: JSON) -> ConfigAttribute:
    match words:
        case {**said} if said.keys() <= {"type", "sensitive", "required"}:
            kind, sensitive, required = said.get("type", "string"), said.get("sensitive"), said.get("required")
            if isinstance(kind, str) and isinstance(sensitive, bool | None) and isinstance(required, bool | None):
                return ConfigAttribute(kind, bool(sensitive), bool(required))
    raise BadInput(f"the option config_schema is {_SCHEMA}")
