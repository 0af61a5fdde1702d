"""Alternatives as dispatches that can be compared, what is offered to be tried, and how both are drawn."""

from __future__ import annotations

import pytest
from dispatch_runs import Scripted
from hypothesis import given
from hypothesis import strategies as st
from pluggable_payloads import payload
from view_runs import run

from debugger.comparing import Part, compare
from debugger.views.text import plain
from debugger.views.whatif import beside, order, why_not
from debugger.whatif.alternatives import Fired, Gave, Swapped, Without, alternative, prepared
from debugger.whatif.choices import offers
from debugger.whatif.order import pair, swaps
from debugger.whatif.traced import traced
from kernel.control import Skip
from kernel.dialects.pluggable import PLUGGABLE
from kernel.values import Answered

PLAN = "plan-ready"


@given(
    modes=st.lists(st.sampled_from("otv"), min_size=1, max_size=4),
    says=st.lists(st.sampled_from(["ack", "same", "+x", "allow", "deny", "none", "hang"]), min_size=4, max_size=4),
)
def test_the_dispatch_with_nothing_changed_cannot_be_told_from_itself(modes: list[str], says: list[str]) -> None:
    """Step by step, verdict by verdict."""
    names = "ABCD"[: len(modes)]
    seats = " ".join(f"{name}:{mode}" for name, mode in zip(names, modes, strict=True))
    trace = run(seats, dict(zip(names, says, strict=False)))
    same = traced(prepared(trace, Fired(trace.opened.payload), PLUGGABLE), trace)
    found = compare(trace, same)
    assert found.differs_in is None
    assert same.result == trace.result


def test_the_first_difference_is_marked() -> None:
    """Where somebody gave something else, sits no more, or was asked about another payload."""
    trace = run("A:v B:v", {"A": "allow", "B": "deny"}, point=PLAN)
    other = traced(prepared(trace, Gave(1, Answered(b"\x1a\x02\x08\x01"), "allow"), PLUGGABLE), trace)
    found = compare(trace, other)
    assert (found.differs_in, found.at and found.at.name) == (Part.OUTCOME, "B")
    text = plain(beside("B: allow", found))
    assert "≠ B" in text
    assert "= A" in text
    without = compare(trace, traced(prepared(trace, Without(1), PLUGGABLE), trace))
    assert without.differs_in is Part.SEAT
    assert "Nobody could tell them apart." in plain(beside("x", compare(trace, trace)))


def test_an_open_alternative_ends_where_one_would_have_to_ask() -> None:
    """What comes behind is waiting, and the page says whom to ask."""
    trace = run("A:t B:t", {"A": "+x", "B": "+y"})
    ready = prepared(trace, Without(0), PLUGGABLE)
    other = traced(ready, trace)
    assert other.result is None
    assert other.step(0).asked_at_ns is None
    assert "would have to ask B" in plain(beside(ready.words, compare(trace, other), alternative(trace, Without(0), PLUGGABLE).open_at))  # fmt: skip  # noqa: E501


def test_a_left_out_step_stays_left_out() -> None:
    """A recorded skip is an outcome like any other."""
    for control in (Scripted(before_A=Skip()), Scripted(after_A=Skip())):
        trace = run("A:v B:v", {"A": "deny", "B": "allow"}, point=PLAN, control=control)
        same = traced(prepared(trace, Fired(trace.opened.payload), PLUGGABLE), trace)
        assert same.result == trace.result
        assert same.step(0).verdict == trace.step(0).verdict


def test_what_would_have_changed_the_verdict_is_offered_first_and_nothing_twice() -> None:
    """For the dispatch everything, for a step what is about it."""
    trace = run("A:v B:v", {"A": "allow", "B": "deny"}, point=PLAN)
    offered = offers(trace, None, PLUGGABLE)
    words = [each.words for each in offered]
    assert words[:2] == ["B: allow", "without B"]
    assert [each.verdict for each in offered[:2]] == ["then allow", "then allow"]
    assert len(set(words)) == len(words)
    for expected in ("without A", "B before A", "A: deny", "concurrent_observe on"):
        assert expected in words
    of_step = [each.words for each in offers(trace, 0, PLUGGABLE)]
    assert "A: deny" in of_step
    assert "without A" in of_step
    running = run("A:v B:v", {"A": "allow", "B": "deny"}, point=PLAN, until="asked B")
    assert offers(running, None, PLUGGABLE), "also of one that is under way"


def test_why_names_what_would_have_made_it_otherwise() -> None:
    """Or says that nothing single would have."""
    trace = run("A:v", {"A": "hang"}, point=PLAN)
    text = plain(tuple(why_not(trace, PLUGGABLE)))
    assert "A: allow in time: allow" in text
    assert "without A: allow" in text
    assert "PL-" in text
    fine = run("A:o", {"A": "ack"})
    assert "No single change" in plain(tuple(why_not(fine, PLUGGABLE)))
    assert tuple(why_not(run("A:o", {"A": "ack"}, until="asked A"), PLUGGABLE)) == ()


def test_the_order_lab_draws_all_three_answers() -> None:
    """They commute, they do not and where, nobody knows."""
    still = run("A:v B:v", {"A": "allow", "B": "allow"}, point=PLAN)
    [swap] = swaps(still)
    assert "= B before A: nobody could tell" in plain(order([pair(still, swap, alternative(still, swap, PLUGGABLE).result)]))  # fmt: skip  # noqa: E501
    moving = run("A:t B:t", {"A": "+x", "B": "+y"})
    live = run("B:t A:t", {"A": "+x", "B": "+y"})
    text = plain(order([pair(moving, Swapped(0), live.result)]))
    assert "≠ B before A: they do not commute" in text
    assert "messages" in text
    assert "? B before A: not known" in plain(order([pair(moving, Swapped(0), None)]))
    assert "no two neighbours" in plain(order([]))


def test_a_payload_of_another_point_is_refused_like_its_host_would() -> None:
    """As a dispatch that was refused, or as a sentence."""
    trace = run("A:o", {"A": "ack"})
    other = traced(prepared(trace, Fired(payload(PLAN)), PLUGGABLE), trace)
    assert other.result is not None
    assert other.result.ending == "refused"
    with pytest.raises(KeyError):
        prepared(trace, Gave(9, Answered(b""), "x"), PLUGGABLE) and traced(
            prepared(trace, Gave(9, Answered(b""), "x"), PLUGGABLE), trace
        )
