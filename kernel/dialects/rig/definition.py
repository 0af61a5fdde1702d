"""How a host takes a set: once, checked before anything else, and known by its policy revision (spec B.1, D.9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kernel.dialects.rig.errors import ConfigError
from kernel.dialects.rig.hook_set import Set
from kernel.dialects.rig.runner import Runner


class DefinitionKind(StrEnum):
    """Why a rig cannot be defined."""

    DUPLICATE_OPTION = "duplicate_option"
    INVALID_HOOKS = "invalid_hooks"


class DefinitionError(Exception):
    """A rig that cannot be defined; where its hooks are to blame, the ConfigError is the cause."""

    def __init__(self, kind: DefinitionKind) -> None:
        super().__init__(f"rig: invalid definition: {kind}")
        self.kind = kind


@dataclass(frozen=True, slots=True)
class HooksOption:
    """The option that gives a rig its hooks. Editing the lists of the set later has no effect."""

    hooks: Set


@dataclass(frozen=True, slots=True)
class RigDefinition:
    """What a host keeps of its hooks."""

    runner: Runner | None = None
    """None where no hooks were given: then nobody is asked, and calls are not looked at."""
    hook_policy_rev: str = ""
    """Stamped on the record that a session began. Arounds and callbacks are not part of it."""


def with_hooks(hooks: Set) -> HooksOption:
    """The option for a rig; whether the set is in order is said when the rig is defined."""
    return HooksOption(_copied(hooks))


def define(*options: HooksOption) -> RigDefinition:
    """What the options come to; raises DefinitionError, for a second set before looking at it."""
    taken: Set | None = None
    for option in options:
        if taken is not None:
            raise DefinitionError(DefinitionKind.DUPLICATE_OPTION)
        taken = _copied(option.hooks)
    if taken is None:
        return RigDefinition()
    try:
        return RigDefinition(Runner(taken), taken.policy_revision)
    except ConfigError as error:
        raise DefinitionError(DefinitionKind.INVALID_HOOKS) from error


def _copied(hooks: Set) -> Set:
    return Set(hooks.policy_revision, tuple(hooks.guards or ()), tuple(hooks.around or ()))
