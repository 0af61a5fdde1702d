"""Asking a live callback: from a question to a call of a Python function, and from what it gives to an answer.

Named by `CALLBACK_VIA` in the reach of every callback, so that the transport knows nothing of this dialect.
What a callback raises passes through here; the transport makes an outcome of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Final, cast

from kernel.dialects.rig.context import Context
from kernel.dialects.rig.context_view import described
from kernel.dialects.rig.error_view import error_view
from kernel.dialects.rig.hook_set import Finish
from kernel.dialects.rig.payload import members, read
from kernel.dialects.rig.room import LiveRoom, room_of
from kernel.dialects.rig.shield import Linked
from kernel.dialects.rig.snapshot import Call, Result
from kernel.dialects.rig.snapshot_view import call_from_view, encoded
from kernel.dialects.rig.verdict import blocked
from kernel.dialects.rig.wire import Phase
from kernel.faults import Misbehave
from kernel.subscriber import Call as Asking
from kernel.values import JSON, Answered, Outcome

CALLBACK_VIA: Final = "kernel.dialects.rig.live:ask"


def ask(callback: Callable[..., object], asking: Asking) -> Outcome:
    """Call a callback as its phase demands. Runs in a thread of its own and may take for ever."""
    asked = members(read(asking.request))
    room = room_of(asking.room, asking.clock)
    call = call_from_view(asked.get("call"))
    seat = cast(int, asked.get("seat", 0))
    if asked.get("phase") == Phase.FINISH:
        return Answered(encoded(_finish(asking, room, call, seat, members(asked.get("result")))))
    context = room.context(asked.get("context"))
    match asked.get("phase"):
        case Phase.BEGIN:
            answer = _begin(_as_told(callback, asking), room, context, call, seat)
        case _:
            index = cast(int, asked.get("index", 0))
            answer = _check(_as_told(callback, asking), room, context, call, index)
    return Answered(encoded({**answer, "now": described(context, room.began_ns).to_json()}))


def _as_told(callback: Callable[..., object], asking: Asking) -> Callable[..., object]:
    """The callback, or what a fault makes of it."""
    return asking.far_side.become(callback) if isinstance(asking.far_side, Misbehave) else callback


def _begin(begin: Callable[..., object], room: LiveRoom, context: Context, call: Call, seat: int) -> dict[str, JSON]:
    given = _nothing_awaited(begin(context, call))
    other, finish = (None, None) if given is None else cast("tuple[object, Finish | None]", given)
    room.keep_finish(seat, finish)
    return {"context": room.keep_given(seat, context, other).to_json(), "finish": finish is not None}


def _check(check: Callable[..., object], room: LiveRoom, context: Context, call: Call, index: int) -> dict[str, JSON]:
    if isinstance(context, Linked):
        context.sync()
    said = _nothing_awaited(check(context, call))
    if said is None:
        return {}
    error = blocked(call.operation, index, said)
    if error is not None:
        room.keep_error(error)
    return {"error": error_view(said)}


def _finish(asking: Asking, room: LiveRoom, call: Call, seat: int, ended: Mapping[str, JSON]) -> dict[str, JSON]:
    try:
        finish = room.finish(seat)
        if finish is None:
            if not isinstance(asking.far_side, Misbehave):
                return {"note": "nothing live was registered here"}
            finish = _nothing
        outcome = ended.get("outcome", 0)
        result = Result.of(
            call,
            ended_at=room.ended_at(ended.get("ended_at"), call.started_at),
            outcome=outcome if isinstance(outcome, int) else 0,
            err=room.error(ended.get("error")),
        )
        _nothing_awaited(_as_told(finish, asking)(result))
        return {}
    finally:
        if ended.get("is_last"):
            room.release()


def _nothing_awaited(given: object) -> object:
    """What a callback gave. Nobody awaits anything here; a coroutine is told of where it counts, by no warning."""
    if inspect.iscoroutine(given) and inspect.getcoroutinestate(given) == inspect.CORO_CREATED:
        given.close()
    return given


def _nothing(result: Result) -> None:
    """The finish of a begin that somebody else answered."""
