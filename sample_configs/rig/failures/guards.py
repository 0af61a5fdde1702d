"""Guards that misbehave, each in one way."""

from __future__ import annotations

import threading

from kernel.dialects.rig import Call, Canceled, Context, Denial, new_denial


class _Hostile(Exception):
    """Raises when somebody looks at what it wraps."""

    @property
    def __cause__(self) -> BaseException:  # type: ignore[override]
        raise RuntimeError("do not look")


def malformed(context: Context, call: Call) -> object:
    return Denial("NOT A CODE", "so this denial is none")


def raises(context: Context, call: Call) -> object:
    raise RuntimeError("this guard always raises")


def hostile(context: Context, call: Call) -> object:
    return _Hostile("look at me")


def denies_by_raising(context: Context, call: Call) -> object:
    raise Denial("policy.blocked", "raised and not returned, so nobody will know")


def error(context: Context, call: Call) -> object:
    return ConnectionError("the policy server does not answer")


def cancelled(context: Context, call: Call) -> object:
    return Canceled()


def never_built(context: Context, call: Call) -> object:
    return Denial.__new__(Denial)


def wrapped(context: Context, call: Call) -> object:
    failed = RuntimeError("while asking")
    failed.__cause__ = new_denial("policy.blocked", "wrapped, and a denial all the same")
    return failed


def hangs(context: Context, call: Call) -> object:
    threading.Event().wait()
    return None
