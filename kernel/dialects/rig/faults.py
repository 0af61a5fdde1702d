"""What a callback can do wrong (spec E.3), as real misbehaviour: a live callback really does it, a stub answers so.

A callback is asked for more than one thing. A fault that makes no sense of what is asked leaves it as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from kernel.dialects.rig.context import BACKGROUND, Canceled, Context, with_cancel, with_deadline, with_value
from kernel.dialects.rig.context_view import NS_PER_MS, ContextKind, Given, Hostile
from kernel.dialects.rig.error_view import HostileError, error_view
from kernel.dialects.rig.errors import Denial
from kernel.dialects.rig.seats import AROUND, GUARD, OPERATION
from kernel.dialects.rig.snapshot import Call
from kernel.dialects.rig.snapshot_view import encoded
from kernel.dialects.rig.wire import Phase
from kernel.errors import BadInput
from kernel.faults import COMMON, FarSide, FaultKind, Late, Misbehave, Plan, milliseconds, text
from kernel.values import JSON

_Callback: TypeAlias = Callable[..., object]
_NOTHING: Final = Late(0)
"""No trouble at all."""

_AROUND: Final = frozenset({AROUND})
_GUARD: Final = frozenset({GUARD})
_CALLBACKS: Final = frozenset({AROUND, GUARD})


class NotAnException(BaseException):
    """Something that can be raised although it is no Exception."""


def _raises(make: Callable[[], BaseException], phases: frozenset[Phase] | None = None) -> Plan:
    def become(callback: _Callback) -> _Callback:
        def raising(*given: object) -> object:
            raise make()

        return raising

    shown = make()
    answer = encoded({"raised": {"type": type(shown).__name__, "message": str(shown)}})
    return _in(phases, Misbehave(lambda true_answer: answer, become))


def _in(phases: frozenset[Phase] | None, act: FarSide) -> Plan:
    return lambda ask: act if phases is None or ask.phase in phases else _NOTHING


def _begins(given: Given, make: Callable[[Context], object], *, has_finish: bool | None = None) -> Plan:
    """A begin that gives another context than it would; with or without its finish, or as it would (None)."""

    def become(callback: _Callback) -> _Callback:
        def beginning(context: Context, call: Call) -> object:
            true = callback(context, call)
            finish = true[1] if isinstance(true, tuple) and len(true) == 2 else None
            return make(context), None if has_finish is False else finish

        return beginning

    def rewrite(true_answer: bytes) -> bytes:
        true = _object(true_answer)
        finish = true.get("finish", False) if has_finish is None else has_finish and true.get("finish", False)
        return encoded({"context": given.to_json(), "finish": finish})

    return _in(frozenset({Phase.BEGIN}), Misbehave(rewrite, become))


def _no_finish(callback: _Callback) -> _Callback:
    def beginning(context: Context, call: Call) -> object:
        true = callback(context, call)
        return true if not isinstance(true, tuple) else (true[0], None)

    return beginning


def _returns(error: Callable[[], object]) -> Plan:
    """A guard that returns this instead of what it would."""

    def become(callback: _Callback) -> _Callback:
        return lambda context, call: error()

    answer = encoded({"error": error_view(error())})
    return _in(frozenset({Phase.GUARD}), Misbehave(lambda true_answer: answer, become))


def _mutates(callback: _Callback) -> _Callback:
    """Does what it does, having scribbled over the copy that it was given."""

    def scribbling(*given: object) -> object:
        snapshot = given[-1]
        if isinstance(snapshot, Call):
            snapshot.agent_name = "scribbled"
            snapshot.turn = snapshot.step = snapshot.inference = snapshot.compaction = None
            snapshot.tool_call = snapshot.gate_wait = snapshot.tool_execution = snapshot.journal_append = None
        return callback(*given)

    return scribbling


def _object(answer: bytes) -> Mapping[str, JSON]:
    try:
        view = json.loads(answer) if answer else {}
    except ValueError:
        view = {}
    return view if isinstance(view, dict) else {}


def _ended_thread(params: Mapping[str, JSON]) -> Plan:
    return _raises(lambda: SystemExit("injected"))


def _detached(params: Mapping[str, JSON]) -> Plan:
    values = params["values"]
    if not isinstance(values, dict):
        raise BadInput(f"values must be an object, not {values!r}")
    kept: dict[str, JSON] = values

    def make(context: Context) -> Context:
        made: Context = BACKGROUND
        for key, value in kept.items():
            made = with_value(made, key, value)
        return made

    return _begins(Given(ContextKind.DETACHED, kept), make)


def _cancelled(params: Mapping[str, JSON]) -> Plan:
    def make(context: Context) -> Context:
        made, cancel = with_cancel(context)
        cancel()
        return made

    given = Given(ContextKind.DERIVED, own_signal=True, cancelled=str(Canceled()))
    return _begins(given, make)


def _short_deadline(params: Mapping[str, JSON]) -> Plan:
    ms = milliseconds(params, "ms")

    def make(context: Context) -> Context:
        return with_deadline(context, context.now_ns() + round(ms * NS_PER_MS))[0]

    return _begins(Given(ContextKind.DERIVED, own_signal=True, deadline_ms=ms), make)


def _bad_denial(params: Mapping[str, JSON]) -> Plan:
    code, reason = text(params, "code"), text(params, "reason")
    return _returns(lambda: Denial(code, reason))


def _malformed_first() -> ExceptionGroup[Exception]:
    return ExceptionGroup("joined", [Denial("MALFORMED", "first"), Denial("policy.blocked", "second")])


def _null_denial() -> Denial:
    return Denial.__new__(Denial)


FAULTS: tuple[FaultKind, ...] = (
    *(each for each in COMMON if each.kind in ("hang", "delay")),
    FaultKind(
        "raises",
        "raises an exception",
        lambda params: _raises(lambda: RuntimeError(text(params, "message"))),
        {"message": "injected"},
        _CALLBACKS,
    ),
    FaultKind(
        "raises_no_exception",
        "raises something that is not an Exception",
        lambda params: _raises(lambda: NotAnException("injected")),
        modes=_CALLBACKS,
    ),
    FaultKind("ends_thread", "ends its thread instead of returning", _ended_thread, modes=_CALLBACKS),
    FaultKind(
        "mutates",
        "scribbles over the copy that it was given",
        lambda params: _in(None, Misbehave(lambda true_answer: true_answer, _mutates)),
        modes=_CALLBACKS,
    ),
    FaultKind(
        "no_context",
        "gives no context at its begin, but its finish",
        lambda params: _begins(Given(ContextKind.NONE), lambda context: None),
        modes=_AROUND,
    ),
    FaultKind(
        "nothing",
        "gives neither a context nor a finish at its begin",
        lambda params: _begins(Given(ContextKind.NONE), lambda context: None, has_finish=False),
        modes=_AROUND,
    ),
    FaultKind(
        "no_finish",
        "gives no finish at its begin",
        lambda params: _in(
            frozenset({Phase.BEGIN}),
            Misbehave(lambda answer: encoded({**_object(answer), "finish": False}), _no_finish),
        ),
        modes=_AROUND,
    ),
    FaultKind(
        "detached_context",
        "gives a context at its begin that knows nothing of the one before",
        _detached,
        {"values": {}},
        _AROUND,
    ),
    FaultKind("cancelled_context", "gives a context at its begin that is cancelled already", _cancelled, modes=_AROUND),
    FaultKind("short_deadline", "gives a context at its begin that ends so soon", _short_deadline, {"ms": 0}, _AROUND),
    FaultKind(
        "hostile_context",
        "gives something at its begin that raises when it is used as a context",
        lambda params: _begins(Given(ContextKind.HOSTILE), lambda context: Hostile()),
        modes=_AROUND,
    ),
    FaultKind(
        "returns_error",
        "returns an error that is no denial",
        lambda params: _returns(lambda: Exception(text(params, "message"))),
        {"message": "backend unavailable"},
        _GUARD,
    ),
    FaultKind("returns_cancellation", "returns that it was cancelled", lambda params: _returns(Canceled), modes=_GUARD),
    FaultKind(
        "returns_no_error", "returns something that is no error", lambda params: _returns(lambda: False), modes=_GUARD
    ),
    FaultKind(
        "bad_denial",
        "returns a denial that was built with bad fields",
        _bad_denial,
        {"code": "INVALID", "reason": "not permitted"},
        _GUARD,
    ),
    FaultKind(
        "malformed_first",
        "returns joined denials of which the first is malformed",
        lambda params: _returns(_malformed_first),
        modes=_GUARD,
    ),
    FaultKind(
        "null_denial", "returns a denial that was never built", lambda params: _returns(_null_denial), modes=_GUARD
    ),
    FaultKind(
        "hostile_error",
        "returns an error that raises when it is looked into",
        lambda params: _returns(lambda: HostileError("sensitive")),
        modes=_GUARD,
    ),
)
"""The catalogue. `hang` holds the thread for good: there is no deadline in this dialect."""

EXERCISES: Mapping[tuple[str, str], frozenset[str]] = {
    **{
        ("hang", mode): frozenset({"RG-CANCELLED"}) for mode in (AROUND, GUARD, OPERATION)
    },  # once the caller has enough of it
    **{("ends_thread", mode): frozenset({"RG-THREAD-ENDED"}) for mode in (AROUND, GUARD)},
    ("short_deadline", AROUND): frozenset({"RG-BEGIN-CANCELLED", "RG-FINISH"}),
    ("raises", AROUND): frozenset({"RG-BEGIN-RAISED", "RG-FINISH-RAISED"}),
    ("raises", GUARD): frozenset({"RG-GUARD-RAISED"}),
    ("raises_no_exception", AROUND): frozenset({"RG-BEGIN-RAISED", "RG-FINISH-RAISED"}),
    ("raises_no_exception", GUARD): frozenset({"RG-GUARD-RAISED"}),
    ("no_context", AROUND): frozenset({"RG-BEGIN-NO-CONTEXT", "RG-FINISH"}),
    ("nothing", AROUND): frozenset({"RG-BEGIN-NO-CONTEXT", "RG-FINISH"}),
    ("cancelled_context", AROUND): frozenset({"RG-BEGIN-CANCELLED", "RG-FINISH"}),
    ("hostile_context", AROUND): frozenset({"RG-BEGIN-HOSTILE", "RG-FINISH"}),
    **{
        (kind, GUARD): frozenset({"RG-GUARD-FAILED"})
        for kind in (
            "returns_error",
            "returns_cancellation",
            "returns_no_error",
            "bad_denial",
            "malformed_first",
            "null_denial",
        )
    },
    ("hostile_error", GUARD): frozenset({"RG-GUARD-HOSTILE"}),
}
"""Rules of which one has to resolve the step that a fault befalls, by its kind and the mode of the seat."""


def exercises(kind: str, mode: str) -> frozenset[str]:
    """One of these resolves a step in a seat of this mode that a fault befalls; empty where that cannot be said."""
    return EXERCISES.get((kind, mode), frozenset())
