"""What `.synaps-plugin/plugin.json` says under `extension`, as values (spec 5.1).

Nothing is judged here. `manifest_reading` makes these from a text, `manifest_rules` says what the host refuses.
A part that could not be read is None, so that nobody complains about what follows from it. Values compare by what
they say; where it stands rides along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from kernel.dialects.hookbus.manifest.text import Node
from kernel.values import JSON

FILE: Final = Path(".synaps-plugin", "plugin.json")
"""Where a plugin's manifest is, in the plugin's folder."""
SUPPORTED: Final = 1
"""The protocol version that the host speaks."""

WHITE_SPACE: Final = "".join(
    map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000))
)
"""What the host trims: Unicode's property, which `str.strip` does not follow to the letter."""


class Lifecycle(StrEnum):
    """When a deferred extension is started."""

    HOOK = "hook"
    """At the first event that it hooks."""
    USER = "user"
    """When a person asks for it."""


class ConfigType(StrEnum):
    """What a config value is declared to be; the host does not hold anybody to it."""

    STRING = "string"
    BOOL = "bool"
    NUMBER = "number"


PROJECT_ROOT: Final = "project_root"
"""The one thing that `host_context` can ask for."""


@dataclass(frozen=True, slots=True)
class Match:
    """The condition of a hook. None, in either, is no condition: null in the manifest comes to the same."""

    input_contains: str | None
    input_equals: JSON
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Hook:
    """One entry of `hooks`: one record of the bus."""

    kind: str
    tool: str | None
    match: Match | None
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One entry of `config`."""

    key: str
    type: ConfigType | None
    required: bool
    default: JSON = field(repr=False)  # may stand in for a secret
    """None is no default."""
    secret_env: str | None
    host_context: str | None
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Declared:
    """A tool, a provider or a model that an extension promises before it runs."""

    name: str
    display_name: str | None
    description: str | None
    schema: JSON
    """None is none."""
    models: tuple[Declared, ...] | None
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Deferred:
    """What an extension promises, so that it can be started late."""

    tools: tuple[Declared, ...] | None
    providers: tuple[Declared, ...] | None
    lifecycle: Lifecycle | None
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Extension:
    """The member `extension` of a manifest. None is a part that could not be read."""

    id: str
    """Name of the plugin's folder: nothing in the manifest has a say in it."""
    folder: Path
    protocol_version: int | None
    command: str | None
    args: tuple[str, ...] | None
    setup: str | None
    permissions: tuple[str, ...] | None
    """As they stand there, repetitions included; what is granted is the set."""
    hooks: tuple[Hook, ...] | None
    config: tuple[ConfigKey, ...] | None
    theme_tokens: Mapping[str, str] | None
    deferred: Deferred | None
    node: Node = field(compare=False, repr=False)

    @property
    def granted(self) -> frozenset[str]:
        """What it may do."""
        return frozenset(self.permissions or ())


def is_blank(text: str) -> bool:
    """Whether nothing is left of a text that the host trims."""
    return not text.strip(WHITE_SPACE)
