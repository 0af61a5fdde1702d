"""Debug sessions over stubs on virtual time, for the tests of what a person does to dispatches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from dispatch_runs import on_virtual_time, stub
from pluggable_payloads import VIEWS
from session_runs import Desk

from kernel.clock import VirtualClock
from kernel.probe import Probe
from kernel.subscriber import Subscriber
from kernel.values import JSON

PRE, PLAN = "pre-model-call", "plan-ready"


def at_desk(
    seats: str,
    body: Callable[[Desk], Awaitable[None]],
    *,
    point: str = PRE,
    parallel: bool = False,
    probes: tuple[Probe, ...] = (),
    **stubs: Subscriber,
) -> None:
    """Run with a session over stubs, on virtual time; at the end it is closed and no task may be left."""

    async def run(clock: VirtualClock) -> None:
        named = {
            seat.partition(":")[0]: stub({"o": "ack", "t": "same", "v": "allow"}[seat[-1]]) for seat in seats.split()
        }
        desk = Desk(seats, named | stubs, clock, point=point, parallel=parallel, probes=probes)
        await desk.session.start()
        try:
            await body(desk)
        finally:
            await desk.session.close()
        assert desk.host.is_stopped
        assert not desk.session.view.states
        assert not desk.session.view.holds

    on_virtual_time(run)


def edited_view(word: str = "edited") -> JSON:
    """P0 of pre-model-call with one message that says a word."""
    view = VIEWS[PRE]
    assert isinstance(view, dict)
    return {**view, "messages": [{"role": "ROLE_USER", "content": [{"text": {"text": word}}], "id": "e"}]}
