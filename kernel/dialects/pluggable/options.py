"""How a configuration is read where hosts differ, and what they know that no file says (spec C.3, H1, H21, H25)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

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


PARITY: Final = Options()
"""As the host does it."""


def options_of(words: Mapping[str, JSON]) -> Options:
    """The options that a person wrote as JSON; raises BadInput that names the wrong one."""
    known = (*LENIENCIES, "implicit", "advertised")
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
    for name, points in words.items() if isinstance(words, dict) else [("", words)]:
        if not name or not isinstance(points, list):
            raise BadInput("the option advertised is an object: the list of points for each provider")
        yield name, tuple(map(str, points))
