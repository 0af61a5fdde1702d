"""Claims about chains set up by hand: the registry's checks hold there too, and the kernel's own veto comes first."""

from __future__ import annotations

import pytest
from dispatch_runs import Told, on_virtual_time

from kernel import Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.points import COOKIE, METHOD
from kernel.dialects.pluggable.staging import pinned
from kernel.errors import BadInput
from kernel.facts import Raised
from kernel.faults import Refuse
from kernel.reach import GoPlugin
from kernel.transports.stub import Stub
from kernel.values import JSON, Producer

A = Subscription("A", "plan-ready", "veto", 7, Producer("a"))
EMPTY = Chain("plan-ready")


def test_a_seat_comes_last_with_its_defaults() -> None:
    """Five seconds and a tool plugin of its own name, where nothing else is said."""
    chain = PLUGGABLE.staging.seated(EMPTY, A, {})
    chain = PLUGGABLE.staging.seated(chain, Subscription("B", "plan-ready", "observe"), {})
    assert chain.subscriptions == (
        A,
        Subscription("B", "plan-ready", "observe", 5000, Producer("B", category="tool")),
    )


@pytest.mark.parametrize(
    ("seat", "options", "sentence"),
    [
        (Subscription("A", "plan-ready", "vto"), {}, "ErrUnknownMode"),
        (Subscription("A", "session-end", "veto"), {}, "ErrVetoNotPermitted"),
        (Subscription("A", "context-assemble", "observe"), {}, "ErrUnknownPoint"),
        (Subscription("A", "plan-ready", "veto", -1), {}, "ErrInvalidTimeout"),
        (A, {}, "ErrDuplicateSubscription"),
        (Subscription("B", "plan-ready", "veto"), {"kernl": True}, "no option kernl"),
        (Subscription("B", "plan-ready", "veto"), {"kernel": 1}, "no option kernel: 1"),
        (Subscription("B", "plan-ready", "observe"), {"kernel": True}, "the kernel's own seat is a veto"),
        (Subscription("B", "session-end", "veto"), {"kernel": True}, "ErrVetoNotPermitted"),
        (Subscription("A", "plan-ready", "observe"), {"id": "A-2"}, "ErrDuplicateSubscription"),
        (Subscription("B", "plan-ready", "observe"), {"id": ""}, "no option id: ''"),
        (Subscription("B", "plan-ready", "observe"), {"id": 2}, "no option id: 2"),
        (Subscription("B", "plan-ready", "veto"), {"id": "B-1", "kernel": True}, "the kernel's own seat has no id"),
    ],
)
def test_a_seat_that_the_registry_would_refuse_is_refused(
    seat: Subscription, options: dict[str, JSON], sentence: str
) -> None:
    """With the registry's own code."""
    with pytest.raises(BadInput) as raised:
        PLUGGABLE.staging.seated(Chain(seat.point, (A,)), seat, options)
    assert sentence in str(raised.value)


def test_a_plugin_may_have_several_seats_that_are_told_apart() -> None:
    """H1, extension mode: each with an id of its own, and the wire says which seat is asked."""
    chain = EMPTY
    for number, mode in enumerate(("observe", "veto"), 1):
        chain = PLUGGABLE.staging.seated(chain, Subscription("A", "plan-ready", mode), {"id": f"A-{number}"})
    assert [(seat.mode, seat.id) for seat in chain.subscriptions] == [("observe", "A-1"), ("veto", "A-2")]
    walk, _ = PLUGGABLE.open(chain, PLUGGABLE.sample_payload("plan-ready"))
    assert b"A-1" in walk.asks[0].request
    with pytest.raises(BadInput, match=r"ErrDuplicateSubscription.* an id of its own"):
        PLUGGABLE.staging.seated(chain, Subscription("A", "plan-ready", "observe"), {"id": "A-1"})


def test_the_kernels_own_veto_is_pinned_before_every_plugin() -> None:
    """Pinning again replaces it."""
    chain = pinned(pinned(Chain("plan-ready", (A,)), "K"), "K2", 9)
    assert chain.subscriptions == (Subscription("K2", "plan-ready", "veto", 9, options={"kernel": True}), A)
    with pytest.raises(BadInput, match="ErrVetoNotPermitted"):
        pinned(Chain("session-end"), "K")


def test_a_failing_kernel_veto_closes_the_gate_and_leaves_no_record() -> None:
    """Whoever stores records would have no producer to store it under (spec B.7)."""

    async def body(clock: VirtualClock) -> Told:
        told = Told()
        refusing = Stub(lambda request: b"", trouble=Refuse("INTERNAL", "no"))
        payload = PLUGGABLE.sample_payload("plan-ready")
        chain = pinned(Chain("plan-ready", (A,)), "K")
        live = {"K": refusing, "A": refusing}
        told.result = await dispatch(PLUGGABLE, chain, payload, live, probes=Probes(told), clock=clock)
        return told

    told = on_virtual_time(body)
    assert told.result is not None
    assert (told.result.decision, told.result.decided_by) == ("deny", "K")
    assert not [fact for fact in told.facts if isinstance(fact, Raised)]


def test_a_program_is_a_plugin_of_this_dialect() -> None:
    """Method, cookie and protocol are the host's."""
    assert PLUGGABLE.staging.program(("x", "y"), "/w", {"K": "v"}) == GoPlugin(
        ("x", "y"), METHOD, COOKIE, 1, "/w", (("K", "v"),)
    )
