"""The rig dialect: operation hooks of looprig, in process.

The package itself, which a hook author or a host uses as it is:

    operation   operations and outcomes                       text        which texts are allowed
    content     messages and blocks                           snapshot    calls and results
    errors      every error by name                           denial      denials, and what errors come to
    context     contexts                                      shield      what becomes of a begin's context
    hook_set    guards, arounds, sets                         cloning     copies
    verdict     what an answer means                          runner      start and finish
    definition  how a host takes a set

The same as a dispatch that can be stepped, recorded and steered:

    payload     a call as a payload                           seats       who sits where
    shape       the fields of snapshots                       snapshot_view  snapshots as JSON and back
    context_view  contexts as JSON and back                   error_view  errors as JSON and back
    wire        questions and answers                         reading     what one outcome comes to
    walk        a dispatch as a value                         rules       the named rules
    session     whole sessions, played                        host_rules  rules of the host around its hooks
    live        asking a live callback                        room        what live callbacks share
    own         the operation itself                          words       answers in words
    staging     chains set up by hand                         faults      what a callback can do wrong
    samples     made-up calls                                 spans       what spans are called
    config      set files, relied on                          lint        everything that is wrong with one

`RIG` is the dialect.
"""

from kernel.dialects.rig.context import (
    BACKGROUND,
    Canceled,
    Context,
    DeadlineExceeded,
    with_cancel,
    with_deadline,
    with_timeout,
    with_value,
    without_cancel,
)
from kernel.dialects.rig.denial import classify_denial, new_denial, outcome_of
from kernel.dialects.rig.dialect import RIG, Rig
from kernel.dialects.rig.errors import CallError, CloneError, ConfigError, Denial, GuardError
from kernel.dialects.rig.hook_set import Around, Guard, Set
from kernel.dialects.rig.operation import Operation, Outcome
from kernel.dialects.rig.runner import Runner, handles, start
from kernel.dialects.rig.snapshot import Call, Result

__all__ = [
    "BACKGROUND",
    "RIG",
    "Around",
    "Call",
    "CallError",
    "Canceled",
    "CloneError",
    "ConfigError",
    "Context",
    "DeadlineExceeded",
    "Denial",
    "Guard",
    "GuardError",
    "Operation",
    "Outcome",
    "Result",
    "Rig",
    "Runner",
    "Set",
    "classify_denial",
    "handles",
    "new_denial",
    "outcome_of",
    "start",
    "with_cancel",
    "with_deadline",
    "with_timeout",
    "with_value",
    "without_cancel",
]
