"""What a hook author declares: guards and arounds, and the revision of their policy (spec B.1, B.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kernel.dialects.rig.context import Context
from kernel.dialects.rig.errors import ConfigError, ConfigKind
from kernel.dialects.rig.operation import is_guardable, is_operation, number_of
from kernel.dialects.rig.snapshot import Call, Result
from kernel.dialects.rig.text import is_blank, is_revision

Finish: TypeAlias = Callable[[Result], object]
"""Told how it ended; what it gives back is of no interest."""
Check: TypeAlias = Callable[[Context, Call], object]
"""Gives None to let it pass. Anything else blocks: a Denial, any other error, or what is no error at all."""
Begin: TypeAlias = Callable[[Context, Call], "tuple[Context | None, Finish | None] | None"]
"""Gives the context to go on with and what to call at the end; either may be None, and None alone is both."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Someone to be asked before an operation."""

    operation: int
    check: Check | None


@dataclass(frozen=True, slots=True)
class Around:
    """Someone to be told of an operation's begin and of its end."""

    operation: int
    begin: Begin | None


@dataclass(frozen=True, slots=True)
class Set:
    """Everything that one rig is given. The empty set is legal."""

    policy_revision: str = ""
    guards: Sequence[Guard] = ()
    around: Sequence[Around] = ()

    def validate(self) -> ConfigError | None:
        """The first thing that is wrong with it, in the order of spec B.2."""
        return (
            _of_revision(self.policy_revision, has_guards=bool(self.guards))
            or next(
                (error for index, guard in enumerate(self.guards or ()) if (error := guard_error(guard, index))), None
            )
            or next(
                (error for index, each in enumerate(self.around or ()) if (error := around_error(each, index))), None
            )
        )


def _of_revision(revision: object, *, has_guards: bool) -> ConfigError | None:
    kind = revision_error(revision, has_guards=has_guards)
    return None if kind is None else ConfigError(kind, "policy_revision")


def revision_error(revision: object, *, has_guards: bool) -> ConfigKind | None:
    """What is wrong with a policy revision beside so many guards."""
    if not has_guards:
        return None if revision == "" else ConfigKind.UNEXPECTED_POLICY_REVISION
    if revision is None or (isinstance(revision, str) and is_blank(revision)):
        return ConfigKind.MISSING_POLICY_REVISION
    return None if is_revision(revision) else ConfigKind.INVALID_POLICY_REVISION


def guard_error(guard: Guard, index: int) -> ConfigError | None:
    """What is wrong with one guard by itself."""
    number = number_of(guard.operation)
    if not is_operation(guard.operation):
        return ConfigError(ConfigKind.UNKNOWN_OPERATION, "guards", number, index)
    if not is_guardable(guard.operation):
        return ConfigError(ConfigKind.OPERATION_NOT_GUARDABLE, "guards", number, index)
    return None if callable(guard.check) else ConfigError(ConfigKind.NIL_GUARD, "guards", number, index)


def around_error(around: Around, index: int) -> ConfigError | None:
    """What is wrong with one around by itself."""
    number = number_of(around.operation)
    if not is_operation(around.operation):
        return ConfigError(ConfigKind.UNKNOWN_OPERATION, "around", number, index)
    return None if callable(around.begin) else ConfigError(ConfigKind.NIL_AROUND, "around", number, index)
