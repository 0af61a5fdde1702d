"""Asking a subscriber outside of any chain, under the same deadlines and with the same outcomes as inside one."""

from __future__ import annotations

from collections.abc import Callable

from kernel.clock import NS_PER_MS, REAL, Caller, Clock, Limit
from kernel.subscriber import Call, Subscriber
from kernel.values import Cancelled, Outcome, TimedOut


async def consult(
    subscriber: Subscriber,
    point: str,
    request: bytes,
    *,
    timeout_ms: float,
    clock: Clock = REAL,
    caller: Caller | None = None,
    printed: Callable[[str, str], None] = lambda stream, line: None,
) -> Outcome:
    """What asking one subscriber once gave. Its deadline counts from now."""
    caller = Caller() if caller is None else caller
    started_ns = clock.now_ns()
    deadline_ns = started_ns + round(timeout_ms * NS_PER_MS)
    call = Call(point, request, deadline_ns, clock, printed)
    with Limit(clock, deadline_ns, caller) as limit:
        outcome = await subscriber.answer(call)
    if limit.given_up:
        return Cancelled(caller.reason or "")
    if limit.expired or isinstance(outcome, TimedOut):
        return TimedOut((clock.now_ns() - started_ns) / NS_PER_MS)
    return outcome
