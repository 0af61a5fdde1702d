"""What-ifs over real dispatches against stubs: what they say has to be what a real dispatch then does."""

from __future__ import annotations

import itertools

import pytest
from dispatch_runs import Scripted, Told, chain, on_virtual_time, stub
from hypothesis import given
from hypothesis import strategies as st
from pluggable_answers import ANSWERS, DENY
from pluggable_payloads import payload

from debugger.trace import DispatchTrace, Trace
from debugger.whatif.alternatives import Fired, Gave, Patient, Swapped, Thrown, Without, alternative, prepared, verdict
from debugger.whatif.fork import FromRecord
from debugger.whatif.order import pair, swaps
from debugger.whatif.reasons import reasons
from debugger.whatif.traced import traced
from kernel import Probes, VirtualClock, dispatch
from kernel.control import Instead, Seam
from kernel.dialects.pluggable import PLUGGABLE, Pluggable
from kernel.rerun import rerun
from kernel.values import Answered, Ending, Result

SEATS = "A:o B:t C:v D:v"


def ran(seats: str, does: dict[str, str], **how: object) -> DispatchTrace:
    """One dispatch on virtual time, as a trace."""

    async def body(clock: VirtualClock) -> Told:
        subscribers = {name: stub(said) for name, said in does.items()}
        return await Told().run(seats, subscribers, clock, **how)  # type: ignore[arg-type]

    trace = Trace()
    for event in on_virtual_time(body).events:
        trace.take(event)
    [found] = trace.dispatches
    return found


def in_words(trace: DispatchTrace) -> list[str]:
    """The reasons, as a person reads them."""
    return [
        f"{each.words} -> {each.result.decision if each.result is not None else f'ask {each.open_at}'}"
        for each in reasons(trace, PLUGGABLE)
    ]


def test_a_denial_names_the_answer_and_the_seat_that_made_it() -> None:
    """Without it, or with its other answer, the chain allows; whoever came before could not have altered it."""
    trace = ran("A:o B:v C:o", {"A": "ack", "B": "deny", "C": "ack"}, point="plan-ready")
    assert in_words(trace) == ["B: allow -> allow", "without B -> allow"], "an observer can change nothing"
    trace = ran("A:o B:v", {"A": "ack", "B": "deny"}, point="plan-ready")
    assert in_words(trace) == ["B: allow -> allow", "without B -> allow"]


def test_two_denials_in_a_row_are_open_behind_the_first() -> None:
    """The second veto was never asked, so nobody knows, and it says whom to ask."""
    trace = ran("A:v B:v", {"A": "deny", "B": "deny"}, point="plan-ready")
    assert in_words(trace) == ["A: allow -> ask B", "without A -> ask B"]


def test_a_veto_that_was_too_late_would_have_been_heard_in_time() -> None:
    """Each usual answer in the place of the silence; a denial in time is the same verdict and no reason."""
    trace = ran("A:v", {"A": "hang"}, point="plan-ready")
    assert in_words(trace) == ["A: allow in time -> allow", "without A -> allow"]


def test_an_abort_would_have_been_none_with_a_proper_answer() -> None:
    """A transform that hands back what it was given."""
    trace = ran("A:t B:o", {"A": "hang", "B": "ack"})
    assert trace.result is not None
    assert trace.result.ending is Ending.ABORTED
    assert in_words(trace) == ["A: same in time -> allow", "without A -> allow"]
    trace = ran("A:t B:t", {"A": "hang", "B": "same"})
    assert in_words(trace) == ["A: same in time -> ask B", "without A -> ask B"]


def test_what_is_asked_otherwise_is_not_known() -> None:
    """Without the transform the next one is asked about another payload: the recorded answer is not its answer."""
    trace = ran("A:t B:t", {"A": "+x", "B": "+y"})
    other = alternative(trace, Without(0), PLUGGABLE)
    assert (other.result, other.open_at) == (None, "B")
    assert alternative(trace, Without(1), PLUGGABLE).result is not None
    assert alternative(trace, Swapped(0), PLUGGABLE).open_at == "B"


def test_another_payload_or_deadline_asks_anew() -> None:
    """Nothing recorded fits; the payload of another point is refused by the dialect."""
    trace = ran("A:t", {"A": "same"})
    assert alternative(trace, Patient(0, 5), PLUGGABLE).open_at == "A"
    assert alternative(trace, Fired(payload("plan-ready")), PLUGGABLE).result is not None  # refused: nobody is asked
    assert alternative(trace, Thrown("concurrent_observe", is_on=True), PLUGGABLE).result == trace.result
    with pytest.raises(KeyError):
        alternative(trace, Gave(7, Answered(b""), "x"), PLUGGABLE)


@given(
    modes=st.lists(st.sampled_from("otv"), min_size=1, max_size=4),
    says=st.lists(st.sampled_from(["ack", "same", "+x", "allow", "deny", "none", "hang"]), min_size=4, max_size=4),
)
def test_rerunning_with_every_recorded_answer_gives_the_recorded_result(modes: list[str], says: list[str]) -> None:
    """Nothing changed, nothing different: the walk is the only judge, live or not."""
    names = "ABCD"[: len(modes)]
    seats = " ".join(f"{name}:{mode}" for name, mode in zip(names, modes, strict=True))
    trace = ran(seats, dict(zip(names, says, strict=False)))
    ready = prepared(trace, Fired(trace.opened.payload), PLUGGABLE)
    again = rerun(PLUGGABLE, trace.opened.chain, trace.opened.payload, ready.known)
    assert again.result == trace.result
    assert [ask.subscription.name for ask, _ in again.asked] == [
        step.subscription.name for step in trace.steps if step.asked_at_ns is not None
    ]


def edited_answer(word: str) -> Scripted:
    """A control that puts another change in the place of what B answered."""

    async def instead(seam: Seam) -> Instead:
        body = ANSWERS[word](seam.ask.request)
        assert body is not None
        return Instead(Answered(body))

    return Scripted(after_B=instead)


def test_what_ifs_know_what_whoever_steered_did() -> None:
    """The dispatch again with nothing changed is the dispatch, edits and whose they are included."""
    trace = ran("A:o B:t C:o", {"A": "ack", "B": "+x", "C": "ack"}, control=edited_answer("+y"))
    again = traced(prepared(trace, Fired(trace.opened.payload), PLUGGABLE), trace)
    assert again.result == trace.result
    assert [(change.by, change.after.digest) for change in again.changes] == [
        (change.by, change.after.digest) for change in trace.changes
    ]
    assert [change.by for change in trace.changes] == ["B", "person"]


def test_without_an_edit_is_what_would_have_come_of_it() -> None:
    """A person had B say no; B itself said yes."""
    trace = ran("A:v B:v", {"A": "allow", "B": "allow"}, point="plan-ready", control=denying("B"))
    assert trace.result is not None
    assert trace.result.decision == "deny"
    found = {each.words: each.result for each in reasons(trace, PLUGGABLE)}
    without = found["without the edit at B"]
    assert without is not None
    assert without.decision == "allow"


def test_who_can_change_nothing_leaves_no_question_open() -> None:
    """Behind a denial sit an observer and nobody else: without the denial it is allowed, whatever the observer does."""
    trace = ran("A:v B:o", {"A": "deny", "B": "ack"}, point="plan-ready")
    found = {each.words: each for each in reasons(trace, PLUGGABLE)}
    without = found["without A"]
    assert without.open_at == ""
    assert without.result is not None
    assert without.result.decision == "allow"
    for says in ("ack", "none", "hang", "garbage"):
        live = ran("B:o", {"B": says}, point="plan-ready")
        assert live.result is not None
        assert verdict(live.result) == verdict(without.result), says
    behind = ran("A:v B:v", {"A": "deny", "B": "allow"}, point="plan-ready")
    assert {each.words: each.open_at for each in reasons(behind, PLUGGABLE)}["without A"] == "B"


def denying(name: str) -> Scripted:
    """A control that has one subscriber say no, whatever it said."""
    return Scripted(**{f"after_{name}": Instead(Answered(DENY))})


@given(says=st.lists(st.sampled_from(["ack", "allow", "deny", "none", "hang"]), min_size=3, max_size=3))
def test_what_a_what_if_says_a_real_dispatch_does(says: list[str]) -> None:
    """Each alternative that is not open, run live: same ending, same decision."""
    does = dict(zip("ABC", says, strict=True))
    trace = ran("A:v B:o C:v", does, point="plan-ready")
    for step in range(3):
        other = alternative(trace, Without(step), PLUGGABLE)
        left = [seat for place, seat in enumerate(["A:v", "B:o", "C:v"]) if place != step]
        live = ran(" ".join(left), does, point="plan-ready")
        assert live.result is not None
        if other.result is not None:
            assert verdict(other.result) == verdict(live.result)


def test_a_fork_asks_only_those_whose_question_is_another_one() -> None:
    """Live subscribers under the change; the trace says who answered from the record."""

    ready = prepared(ran("A:o B:t C:t", {"A": "ack", "B": "+x", "C": "+y"}), Without(1), PLUGGABLE)

    async def body(clock: VirtualClock) -> tuple[Result, list[str]]:
        asked: list[str] = []

        class Live:
            def __init__(self, name: str, does: str) -> None:
                self._name, self._stub = name, stub(does)

            async def answer(self, call):  # type: ignore[no-untyped-def]
                asked.append(self._name)
                return await self._stub.answer(call)

        live = {"A": Live("A", "ack"), "C": Live("C", "+y")}
        result = await dispatch(
            ready.dialect, ready.chain, ready.payload, live, clock=clock, control=FromRecord(ready), probes=Probes()
        )  # fmt: skip
        return result, asked

    result, asked = on_virtual_time(body)
    assert asked == ["C"]
    assert result.payload == ran("A:o C:t", {"A": "ack", "C": "+y"}).payload


def test_the_order_lab_says_which_neighbours_commute_and_where_they_do_not() -> None:
    """Two appending transforms do not; the recorded answers alone cannot tell, a live result can."""
    trace = ran("A:o B:t C:t", {"A": "ack", "B": "+x", "C": "+y"})
    assert [swap.step for swap in swaps(trace)] == [0, 1]
    first, second = (pair(trace, swap, alternative(trace, swap, PLUGGABLE).result) for swap in swaps(trace))
    assert (first.commutes, second.commutes) == (None, None)
    live = ran("A:o C:t B:t", {"A": "ack", "B": "+x", "C": "+y"})
    tried = pair(trace, Swapped(1), live.result)
    assert tried.commutes is False
    assert tried.difference is not None
    assert {type(change).__name__ for change in tried.difference.changes} == {"Moved"}
    still = ran("A:v B:v", {"A": "allow", "B": "allow"}, point="plan-ready")
    [swap] = swaps(still)
    assert pair(still, swap, alternative(still, swap, PLUGGABLE).result).commutes is True


def test_seats_that_were_not_asked_are_not_tried() -> None:
    """Behind a denial nobody knows anything."""
    trace = ran("A:v B:v C:v", {"A": "deny", "B": "allow", "C": "allow"}, point="plan-ready")
    assert swaps(trace) == ()


def test_a_parallel_run_reruns_like_it_ran() -> None:
    """The walk's order is as good as any: records come in declaration order anyway."""
    trace = ran("A:o B:o C:o", {"A": "ack", "B": "none", "C": "hang"}, parallel=True)
    dialect = Pluggable(concurrent_observe=True)
    again = alternative(trace, Fired(trace.opened.payload), dialect)
    assert again.result == trace.result
    assert len(list(itertools.chain(again.rerun.facts))) == 5  # type: ignore[union-attr]
    assert chain("plan-ready", "A:v").subscriptions[0].name == "A"
