"""Arounds that misbehave, each in one way."""

from __future__ import annotations

import threading
from collections.abc import Callable

from kernel.dialects.rig import BACKGROUND, Call, Context, Result, with_cancel, with_timeout, with_value

Begun = tuple[Context | None, Callable[[Result], object] | None]


def _fine(result: Result) -> None:
    """A finish that does nothing wrong."""


def raises(context: Context, call: Call) -> Begun:
    raise RuntimeError("this begin always raises")


def no_context(context: Context, call: Call) -> Begun:
    return None, _fine


def nothing(context: Context, call: Call) -> None:
    """Forgets to return anything."""


def no_finish(context: Context, call: Call) -> Begun:
    return context, None


def detached(context: Context, call: Call) -> Begun:
    return with_value(BACKGROUND, "only", "this"), _fine


def cancelled(context: Context, call: Call) -> Begun:
    derived, cancel = with_cancel(context)
    cancel()
    return derived, _fine


def short_deadline(context: Context, call: Call) -> Begun:
    return with_timeout(context, 0.001)[0], _fine


def hostile(context: Context, call: Call) -> Begun:
    class NoContext(Context):
        def __getattribute__(self, name: str) -> object:
            raise RuntimeError("not a context at all")

    return NoContext(), _fine


def scribbles(context: Context, call: Call) -> Begun:
    call.agent_name = "scribbled"
    call.step = None
    return context, _fine


def finish_raises(context: Context, call: Call) -> Begun:
    def finish(result: Result) -> None:
        raise RuntimeError("this finish always raises")

    return context, finish


def finish_scribbles(context: Context, call: Call) -> Begun:
    def finish(result: Result) -> None:
        result.outcome, result.step = 99, None

    return context, finish


def hangs(context: Context, call: Call) -> Begun:
    threading.Event().wait()
    return context, None


def finish_hangs(context: Context, call: Call) -> Begun:
    return context, lambda result: threading.Event().wait()
