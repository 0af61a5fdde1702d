"""Claims about deliveries: a sequence for each handler, and nobody's trouble is anybody else's (spec 2.10)."""

from __future__ import annotations

import pytest
from dispatch_runs import Scripted
from hookbus_runs import CRASH, HANG, PANIC, H, Raw, bt, nk, run

from kernel.control import Proceed, Skip
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.payload import Delivery, HookEvent
from kernel.errors import BadInput
from kernel.facts import Asked, Decided
from kernel.values import Ending, Status


def several(count: int) -> Delivery:
    return Delivery("notification", [nk(str(number)) for number in range(count)])


def messages(events: list[HookEvent]) -> str:
    return " ".join(str(event.view["message"]) for event in events)


def test_each_handler_gets_the_events_in_order_on_its_own() -> None:
    """The next one only after it has answered; a slow one does not slow the others down."""
    ran = run(several(3), H("A", "continue", after_ms=100), H("B", "continue", after_ms=1))
    assert messages(ran.handlers["A"].seen) == messages(ran.handlers["B"].seen) == "0 1 2"
    assert ran.took_ms == 300
    steps = [(fact.step, fact.subscription.name) for fact in ran.facts if isinstance(fact, Asked)]
    assert sorted(steps) == [(0, "A"), (1, "B"), (2, "A"), (3, "B"), (4, "A"), (5, "B")]
    assert ran.calls == ["A", "B", "B", "B", "A", "A"]


def test_whatever_is_answered_is_ignored() -> None:
    """And there is no decision."""
    ran = run(
        nk(), H("A", {"block": "x"}), H("B", Raw({})), H("C", {"replace": "x"}), H("D", Raw({"action": "modify"}))
    )
    assert (ran.came_to.decision, ran.came_to.ending, ran.raised) == ("unspecified", Ending.FINISHED, [])
    assert {verdict.rule for verdict in ran.verdicts.values()} == {"HB-NOTIFY-IGNORED"}


@pytest.mark.parametrize(("count", "unsent"), [(1, 0), (5, 4)])
def test_a_handler_that_does_not_answer_gets_no_more(count: int, unsent: int) -> None:
    """One line with the number; the others are not touched."""
    ran = run(several(count), H("A", HANG), H("B"))
    assert messages(ran.handlers["A"].seen) == "0"
    assert len(ran.handlers["B"].seen) == count
    assert [(line.code, line.fields) for line in ran.logs] == [("notify_cut", {"extension": "A", "unsent": unsent})]
    assert ran.took_ms == 5000


@pytest.mark.parametrize("trouble", [PANIC, CRASH])
def test_a_handler_that_fails_loses_that_event_only(trouble: str) -> None:
    """It still gets the next one; even where exceptions propagate otherwise."""
    ran = run(several(3), H("A", trouble), H("B"), dialect=HOOKBUS.switched("panics_propagate", True))
    assert messages(ran.handlers["A"].seen) == "0 1 2"
    assert ran.came_to.ending is Ending.FINISHED
    assert ran.verdicts["A"].rule == "HB-NOTIFY-LOST"


def test_v065_events_of_other_kinds_are_not_sent() -> None:
    """V065: those around them are."""
    ran = run(Delivery("notification", [nk("1"), bt(), nk("2")]), H("A"))
    assert messages(ran.handlers["A"].seen) == "1 2"
    told = [fact for fact in ran.facts if isinstance(fact, Decided)]
    assert [(fact.subject, fact.decision, fact.rule) for fact in told] == [
        ("event 2", "not sent", "HB-NOTIFY-OTHER-KIND")
    ]


def test_v071_a_hundred_events_come_in_order() -> None:
    """V071: in one delivery."""
    ran = run(several(100), H("A"))
    assert messages(ran.handlers["A"].seen) == " ".join(map(str, range(100)))


def test_v067_a_delivery_of_nothing_calls_nobody() -> None:
    """V067: it is over at once, and so is one of other kinds only."""
    for nothing in (Delivery("notification", []), Delivery("notification", [bt()])):
        ran = run(nothing, H("A"))
        assert (ran.calls, ran.came_to.rule, ran.missed) == ([], "HB-NOTIFY-NOTHING", ["A HB-NOTIFY-NOTHING"])
    assert run(nk()).came_to.rule == "HB-NOTIFY-NOBODY"


def test_filters_and_matchers_hold_for_each_event() -> None:
    """Q10: a handler gets those that it wants, and one that wants none is not called."""
    matched = {"match": {"input_contains": "7"}}
    delivery = Delivery("notification", [nk("1"), nk("2").having(tool_input=7), nk("3").having(tool_input=[7])])
    ran = run(delivery, H("A", "continue", matched), H("B", "continue", {"match": {"input_equals": 8}}), H("C"))
    assert messages(ran.handlers["A"].seen) == "2 3"
    assert ran.missed == ["B HB-MATCHER"]
    assert len(ran.handlers["C"].seen) == 3


def test_on_a_workers_bus_a_delivery_is_dropped() -> None:
    """Nobody is called."""
    ran = run(several(2), H("A"), dialect=HOOKBUS.switched("worker_view", True))
    assert (ran.calls, ran.came_to.rule, ran.missed) == ([], "HB-NOTIFY-WORKER", ["A HB-NOTIFY-WORKER"])


def test_whoever_steers_can_edit_one_event_for_one_handler_and_skip_another() -> None:
    """As at any seam; the event has to be of the delivery's kind."""
    ran = run(several(2), H("A"), H("B"), control=Scripted(before_A=Proceed(nk("edited")), before_B=Skip()))
    assert messages(ran.handlers["A"].seen) == "edited edited"
    assert ran.handlers["B"].seen == []
    assert ran.verdicts["B"].status is Status.SKIPPED
    alone = HOOKBUS.payload_from_view("notification", [nk("edited").view])
    assert messages(run(nk(), H("A"), control=Scripted(before_A=Proceed(alone))).handlers["A"].seen) == "edited"
    with pytest.raises(BadInput, match="one event of notification is needed here"):
        run(nk(), H("A"), control=Scripted(before_A=Proceed(several(2))))
    with pytest.raises(BadInput, match="one event of notification is needed here"):
        run(nk(), H("A"), control=Scripted(before_A=Proceed(bt())))
    options = {"match": {"input_contains": "null"}}
    with pytest.raises(BadInput, match="is not called for such an event"):
        run(nk(), H("A", "continue", options), control=Scripted(before_A=Proceed(nk().having(tool_input=1))))


def test_a_caller_that_gives_up_ends_every_sequence() -> None:
    """There is nothing to give back, and it was cancelled."""
    ran = run(several(3), H("A"), H("B"), gives_up=True)
    assert (ran.calls, ran.came_to.ending) == ([], Ending.CANCELLED)
    assert [verdict.status for verdict in ran.verdicts.values()] == [Status.CANCELLED, Status.CANCELLED]
