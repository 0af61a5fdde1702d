"""Claims about covered events: facts of the same kind, payloads of their dialect, the same for whoever is told."""

from __future__ import annotations

import json

from debugger.covering import CoveredEvents, Covering
from kernel import Chain, Subscription
from kernel.dialects import named
from kernel.facts import Asked, Changed, Ended, Entered, Event, Fact, Opened, Raised, Replied, Steered
from kernel.faults import Fault
from kernel.values import Answered, Delivery, Ending, Failed, Payload, Result

TOKEN, COVER = "TOKSECRET123456", "<hidden*******>"
HOOKBUS = named("hookbus")
SEAT = Subscription("A", "before_tool_call", "handle", 5000)


def payload(note: str) -> Payload:
    return HOOKBUS.payload_from_view("before_tool_call", {"tool_name": "bash", "tool_input": {"note": note}})


def covered() -> CoveredEvents:
    return CoveredEvents(Covering([TOKEN]), HOOKBUS)


def told(*facts: Fact) -> list[Event]:
    return [Event("d", number, 0, fact) for number, fact in enumerate(facts)]


OPENED = Opened("hookbus", Chain("before_tool_call", (SEAT,)), payload(TOKEN), 0)


class Hearing:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event) -> None:
        self.events.append(event)


def test_everybody_is_told_the_same() -> None:
    """Also of the end of a dispatch, whose payload stays one of its dialect."""
    covering, first, second = covered(), Hearing(), Hearing()
    probes = [covering.in_front_of(each) for each in (first, second)]
    for event in told(OPENED, Ended(Result(Ending.FINISHED, payload(f"other {TOKEN}"), "continue"))):
        for probe in probes:
            probe.see(event)
    assert first.events == second.events
    ended = second.events[-1].fact
    assert isinstance(ended, Ended)
    assert ended.result.payload == payload(f"other {COVER}")


def test_what_is_asked_is_what_the_covered_payload_would_be_asked_as() -> None:
    """Also where a key is covered, and the members change places."""
    given = HOOKBUS.payload_from_view("before_tool_call", {"tool_input": {"a": 1, TOKEN: 2, "~": 3}})
    covering = CoveredEvents(Covering([TOKEN]), HOOKBUS)
    [_, event] = [covering.event(each) for each in told(OPENED, Asked(0, SEAT, given, given.body, 5000))]
    assert isinstance(event.fact, Asked)
    assert event.fact.request == event.fact.payload.body
    assert HOOKBUS.payload_from_body("before_tool_call", event.fact.request) == event.fact.payload


def test_every_part_of_a_fact_that_somebody_else_wrote_is_covered() -> None:
    """Answers, errors, deliveries, faults, attributes; words of ours and names of the configuration are not touched."""
    covering = covered()
    seat = Subscription(TOKEN, "before_tool_call", "handle", 5000)
    deliveries = (Delivery(2), Delivery(4, f"it said {TOKEN}", 1))
    facts: list[Fact] = [
        OPENED,
        Replied(0, Answered(json.dumps({"action": "block", "reason": TOKEN}).encode(), deliveries)),
        Replied(0, Failed("error_reply", f"no {TOKEN}", deliveries)),
        Raised(0, seat, "call_failed", f"no {TOKEN}", "HB-CALL-FAILED"),
        Steered(0, "person", "fault", TOKEN, Answered(TOKEN.encode()), seat, Fault("error_reply", {"message": TOKEN})),
        Changed(0, TOKEN, payload(TOKEN), payload("none"), "HB-MODIFY"),
        Entered("hookbus", "turn", "turn 1", "", 0, {"says": [TOKEN], "of": {TOKEN: 1}}),
    ]
    found = [covering.event(event).fact for event in told(*facts)]
    shown = repr([fact for fact in found if not isinstance(fact, Raised | Steered | Changed)])
    assert COVER in shown
    assert TOKEN not in shown
    raised, steered, changed = found[3:6]
    assert raised == Raised(0, seat, "call_failed", f"no {COVER}", "HB-CALL-FAILED")
    assert steered == Steered(
        0, "person", "fault", COVER, Answered(COVER.encode()), seat, Fault("error_reply", {"message": COVER})
    )
    assert changed == Changed(0, TOKEN, payload(COVER), payload("none"), "HB-MODIFY")


def test_what_has_no_secret_is_the_very_same() -> None:
    """So nothing is copied for nothing."""
    covering = covered()
    for event in told(Raised(0, SEAT, "c", "m", "r"), Ended(Result(Ending.FINISHED, payload("x"), "continue"))):
        assert covering.event(event) is event


def test_a_payload_that_its_dialect_would_not_take_is_for_people() -> None:
    """A name that the host gives a meaning is a poor secret, and covered all the same."""
    covering = CoveredEvents(Covering(["before_tool_call"]), HOOKBUS)
    found = covering.payload(payload("x"), "before_tool_call")
    assert "before_tool_call" not in repr(found.view)
    assert found.digest != payload("x").digest
