"""Start and finish: a set at work inside of a host (spec C). Immutable once compiled, shared by any number of threads.

The same as a walk, which is what the debugger drives, is in `walk.py`; what anything means is in `verdict.py`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from kernel.dialects.rig.cloning import clone, copier
from kernel.dialects.rig.context import Context
from kernel.dialects.rig.errors import CONTAINED_NOT, CallError, Denial, GuardError
from kernel.dialects.rig.hook_set import Begin, Check, Finish, Set
from kernel.dialects.rig.operation import is_operation
from kernel.dialects.rig.shield import Linked, derived
from kernel.dialects.rig.snapshot import Call, Result, call_error
from kernel.dialects.rig.verdict import FINISH_PANICKED, Gave, begun, blocked, guard_panicked

_Callbacks: TypeAlias = tuple[tuple[tuple[int, Begin], ...], tuple[tuple[int, Check], ...]]
"""Those of one operation, each with its position in the whole list."""
Finishing: TypeAlias = Callable[[Result], None]
"""Ends what a start began. To be called on every path; calls after the first do nothing."""


class Started(NamedTuple):
    """What a start gives."""

    context: Context
    """For the operation, and for whatever it does."""
    finish: Finishing | None
    """None only with a CallError."""
    error: CallError | Denial | GuardError | None
    """Why the operation must not go on; a blocked one has to be finished all the same."""


def no_finish(result: Result) -> None:
    """The finish of what nobody takes part in."""


class Runner:
    """A compiled set."""

    __slots__ = ("_callbacks", "policy_revision")

    def __init__(self, hooks: Set) -> None:
        """Raises ConfigError. The lists are copied: editing them later has no effect."""
        if (error := hooks.validate()) is not None:
            raise error
        self.policy_revision: Final = hooks.policy_revision
        begins: dict[int, list[tuple[int, Begin]]] = {}
        for index, around in enumerate(hooks.around or ()):
            assert around.begin is not None, "validated"
            begins.setdefault(int(around.operation), []).append((index, around.begin))
        checks: dict[int, list[tuple[int, Check]]] = {}
        for index, guard in enumerate(hooks.guards or ()):
            assert guard.check is not None, "validated"
            checks.setdefault(int(guard.operation), []).append((index, guard.check))
        self._callbacks: Final[Mapping[int, _Callbacks]] = {
            operation: (tuple(begins.get(operation, ())), tuple(checks.get(operation, ())))
            for operation in begins.keys() | checks.keys()
        }

    def handles(self, operation: int) -> bool:
        """Whether anybody takes part in an operation; hosts spare themselves the work otherwise."""
        return is_operation(operation) and operation in self._callbacks

    def start(self, context: Context, call: Call) -> Started:
        """Ask everybody who takes part, in order; raises CloneError, before anybody was asked.

        Whether the context is cancelled already makes no difference.
        """
        if (error := call_error(call)) is not None:
            return Started(context, None, error)
        callbacks = self._callbacks.get(call.operation)
        if callbacks is None:
            return Started(context, no_finish, None)
        copy = copier(type(call))
        kept = copy(call)
        finish = _Finish(kept.operation)
        for index, begin in callbacks[0]:
            context = _begin(begin, index, context, copy(kept), finish)
        for index, check in callbacks[1]:
            if isinstance(context, Linked):
                context.sync()
            if (blocking := _check(check, index, context, copy(kept))) is not None:
                return Started(context, finish, blocking)
        return Started(context, finish, None)


def start(runner: Runner | None, context: Context, call: Call) -> Started:
    """The same for a host that may have no runner: then nobody is asked, and the call is not looked at."""
    return Started(context, no_finish, None) if runner is None else runner.start(context, call)


def handles(runner: Runner | None, operation: int) -> bool:
    """Whether anybody takes part in an operation; nobody does without a runner."""
    return runner is not None and runner.handles(operation)


def _begin(begin: Begin, index: int, context: Context, call: Call, finish: _Finish) -> Context:
    """Have one around begin; gives the context after it."""
    try:
        given = begin(context, call)
        other, own_finish = (None, None) if given is None else given
    except CONTAINED_NOT:
        raise
    except BaseException:  # noqa: BLE001  # a seam built for it
        _log(begun(Gave.RAISED, has_finish=False).log, finish.operation, index)
        return context
    gave = Gave.NONE if other is None else Gave.SAME if other is context else Gave.OTHER
    meaning = begun(gave, has_finish=own_finish is not None)
    if meaning.log:
        _log(meaning.log, finish.operation, index)
    if meaning.registers and own_finish is not None:
        finish.registered.append((index, own_finish))
    if meaning.takes_over:
        context, link = derived(context, other)
        if link is not None:
            finish.links.append(link)
    return context


def _check(check: Check, index: int, context: Context, call: Call) -> Denial | GuardError | None:
    try:
        said = check(context, call)
    except CONTAINED_NOT:
        raise
    except BaseException:  # noqa: BLE001  # a seam built for it; nothing is logged
        return guard_panicked(call.operation, index)
    return blocked(call.operation, index, said)


class _Finish:
    """Every finish of one dispatch, in reverse, once. Whoever comes second waits for the first."""

    __slots__ = ("_is_called", "_lock", "links", "operation", "registered")

    def __init__(self, operation: int) -> None:
        self.operation = operation
        self.registered: list[tuple[int, Finish]] = []
        self.links: list[Linked] = []
        self._lock = threading.RLock()  # a finish that calls this again finds it called, instead of waiting for itself
        self._is_called = False

    def __call__(self, result: Result) -> None:
        with self._lock:
            if self._is_called:
                return
            self._is_called = True
            try:
                for index, finish in reversed(self.registered):
                    self._finish(index, finish, result)
            finally:
                for link in self.links:
                    link.release()

    def _finish(self, index: int, finish: Finish, result: Result) -> None:
        try:
            finish(clone(result))  # what cannot be copied is this finish's failure, and its body is not entered
        except CONTAINED_NOT:
            raise
        except BaseException:  # noqa: BLE001  # a seam built for it
            _log(FINISH_PANICKED, self.operation, index)


def _log(message: str, operation: int, index: int) -> None:
    """One line that says who, and nothing of what was raised or of the payload."""
    logging.getLogger().error(message, extra={"operation": int(operation), "callback_index": index})
