"""What a callback's answer means for the rest of a dispatch (spec C.2, C.3). Pure, and the only place that says it:
the runner asks it about what really came back, the walk about what a recording, a stub or a person says came back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernel.dialects.rig.denial import classify_denial
from kernel.dialects.rig.errors import (
    CLASSIFICATION_PANICKED,
    CONTAINED_NOT,
    GUARD_PANICKED,
    Denial,
    GuardError,
    NotAnError,
    Panic,
    is_really,
)

BEGIN_PANICKED: Final = "hook: begin callback panicked"
NIL_CONTEXT: Final = "hook: begin callback returned nil context"
FINISH_PANICKED: Final = "hook: finish callback panicked"
"""The only lines that are ever logged, each with the number of the operation and the index of the callback."""


class Gave(StrEnum):
    """What became of the context that a begin was given."""

    SAME = "the same context"
    OTHER = "another context"
    NONE = "no context"
    RAISED = "nothing, it raised"


@dataclass(frozen=True, slots=True)
class Begun:
    """What a begin comes to."""

    takes_over: bool
    """Whether what it gave is the context from here on."""
    registers: bool
    """Whether there is something to call at the end."""
    log: str
    """Empty for no line."""


_BEGUN: Final[Mapping[bool, Mapping[Gave, Begun]]] = {
    False: {
        Gave.SAME: Begun(False, False, ""),
        Gave.OTHER: Begun(True, False, ""),
        Gave.NONE: Begun(False, False, NIL_CONTEXT),
        Gave.RAISED: Begun(False, False, BEGIN_PANICKED),
    },
    True: {
        Gave.SAME: Begun(False, True, ""),
        Gave.OTHER: Begun(True, True, ""),
        Gave.NONE: Begun(False, True, NIL_CONTEXT),
        Gave.RAISED: Begun(False, False, BEGIN_PANICKED),
    },
}
"""By whether it gave a finish."""


def begun(gave: Gave, *, has_finish: bool) -> Begun:
    """Say what a begin comes to; one that raises has no finish, even if it had built one."""
    return _BEGUN[has_finish][gave]


def blocked(operation: int, index: int, said: object) -> Denial | GuardError | None:
    """The error of a start for what a guard returned; None lets the operation go on.

    Raises nothing that the returned error raises when it is looked into.
    """
    if said is None:
        return None
    try:
        denial = classify_denial(said)
    except CONTAINED_NOT:
        raise
    except BaseException:  # noqa: BLE001  # a seam built for it
        return GuardError(operation, index, Panic(CLASSIFICATION_PANICKED))
    if denial is not None:
        return denial
    return GuardError(operation, index, said if is_really(said, BaseException) else NotAnError(said))


def guard_panicked(operation: int, index: int) -> GuardError:
    """The error of a start whose guard raised; what it raised is dropped."""
    return GuardError(operation, index, Panic(GUARD_PANICKED))
