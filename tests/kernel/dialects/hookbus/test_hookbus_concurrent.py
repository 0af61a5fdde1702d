"""Claims about concurrent emits: who starts when, which answer counts, what is refused (spec 2.9)."""

from __future__ import annotations

import pytest
from dispatch_runs import Scripted
from hookbus_runs import CRASH, EVENTS, HANG, PANIC, H, Raw, run, se
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.control import Instead, Proceed, Skip
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.answers import Block, to_body
from kernel.dialects.hookbus.concurrent import FORBIDDEN
from kernel.errors import BadInput
from kernel.values import Answered, Ending, Status

CONCURRENT = HOOKBUS.switched("concurrent", True)


def test_everybody_is_called_at_once() -> None:
    """Each under its own five seconds, so the whole takes about five."""
    ran = run(se(), H("A", "continue", after_ms=3000), H("B", HANG), H("C", "continue", after_ms=4000))
    assert ran.took_ms == 5000
    assert ran.story[1:4] == ["asked A", "asked B", "asked C"]


def test_the_order_of_registration_decides_and_not_that_of_answers() -> None:
    """B answers first; A counts."""
    ran = run(se(), H("A", {"confirm": "m"}, after_ms=10), H("B", {"block": "r"}))
    assert (ran.came_to.decision, ran.came_to.decided_by) == ("confirm", "A")
    assert ran.came_to.extras == {
        "message": "m", "sources": ["A"], "generations": [0], "tool": None, "modified_input": None, "modified_by": [],
    }  # fmt: skip
    assert {name: verdict.rule for name, verdict in ran.verdicts.items()} == {
        "A": "HB-CONC-FIRST",
        "B": "HB-CONC-DROPPED",
    }
    assert ran.verdicts["B"].why == "it answered block, which is dropped: A comes first"


def test_verdicts_that_depend_on_the_others_come_last() -> None:
    """A timeout is told when it happens, a block when everybody is done."""
    ran = run(se(), H("A", {"block": "r"}), H("B", HANG), H("C"))
    assert ran.story[-4:] == ["B is timed out", "B raised timeout_conc", "A is denied", "ended finished"]
    assert ran.raised == ["B timeout_conc"]


@pytest.mark.parametrize("kind", sorted(FORBIDDEN))
def test_kinds_whose_handlers_build_on_one_another_are_refused(kind: str) -> None:
    """Naming the kind, and before anybody is called."""
    ran = run(EVENTS[kind](), H("A"), dialect=CONCURRENT)
    assert (ran.came_to.ending, ran.calls) == (Ending.REFUSED, [])
    assert kind in ran.came_to.error
    assert ran.came_to.status is Status.ERROR


@pytest.mark.parametrize("kind", sorted(set(EVENTS) - FORBIDDEN - {"notification"}))
def test_all_other_kinds_can_be_emitted_concurrently(kind: str) -> None:
    """With results as they are said."""
    ran = run(EVENTS[kind](), H("A", {"replace": "x"}), H("B"), dialect=CONCURRENT)
    assert (ran.came_to.decision, ran.raised) == ("replace", [])
    assert "not looked at here" in ran.verdicts["A"].why


def test_nobody_and_nobody_who_wants_it() -> None:
    """Over at once."""
    assert run(se()).came_to.rule == "HB-EMPTY"
    ran = run(se(), H("A", "continue", {"match": {"input_contains": "zz"}}))
    assert (ran.came_to.decision, ran.came_to.rule, ran.missed) == ("continue", "HB-END", ["A HB-MATCHER"])


def test_what_cannot_be_read_and_what_fails_is_ignored() -> None:
    """The others go on."""
    ran = run(se(), H("A", Raw({})), H("B", CRASH), H("C", PANIC), H("D", {"inject": "x"}))
    assert ran.raised == ["A invalid_result", "B call_failed", "C panic"]
    assert ran.came_to.extras == {"content": "x"}


def test_a_panic_that_propagates_ends_it_once_all_are_done() -> None:
    """Whatever they said."""
    dialect = HOOKBUS.switched("panics_propagate", True)
    ran = run(se(), H("A", PANIC), H("B", {"block": "x"}, after_ms=5), dialect=dialect)
    assert (ran.came_to.ending, ran.calls) == (Ending.ABORTED, ["A", "B"])


def test_whoever_steers_has_every_seam() -> None:
    """An edit is for one handler: the others have their events already."""
    edited = se("other")
    control = Scripted(before_A=Proceed(edited), before_B=Skip(), after_C=Instead(Answered(to_body(Block("hand")))))
    ran = run(se(), H("A"), H("B", {"block": "b"}), H("C"), control=control)
    assert [handler.seen for handler in ran.handlers.values()] == [[edited], [], [se()]]
    assert ran.came_to.extras == {"reason": "hand"}
    assert ran.verdicts["B"].status is Status.SKIPPED
    options, changed = {"match": {"input_contains": "null"}}, se().having(tool_input={})
    with pytest.raises(BadInput, match="is not called for such an event"):
        run(se(), H("A", "continue", options), H("B"), control=Scripted(before_A=Proceed(changed)))


def test_a_caller_that_gives_up() -> None:
    """Everybody is done at once, and there is no result."""
    ran = run(se(), H("A", HANG), H("B"), gives_up=True)
    assert (ran.came_to.ending, ran.calls) == (Ending.CANCELLED, [])


SAID = ["continue", {"block": "x"}, {"confirm": "x"}, {"modify": "x"}, {"replace": "x"}, {"inject": "x"}, HANG]
ENDS = ("block", "confirm", "modify", "replace")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SAID), st.integers(0, 30)), max_size=6))
def test_any_answers_at_any_time(answers: list[tuple[object, int]]) -> None:
    """The first that ends it in order of registration, or everything that is injected."""
    ran = run(se(), *(H(f"H{place}", said, after_ms=ms) for place, (said, ms) in enumerate(answers)))
    words = [next(iter(said)) if isinstance(said, dict) else "continue" for said, _ in answers]
    first = next((place for place, word in enumerate(words) if word in ENDS), None)
    assert len(ran.calls) == len(answers)
    if first is not None:
        assert (ran.came_to.decision, ran.came_to.decided_by) == (words[first], f"H{first}")
    elif "inject" in words:
        assert ran.came_to.extras == {"content": "\n\n".join("x" for word in words if word == "inject")}
    else:
        assert ran.came_to.decision == "continue"
    assert len(ran.verdicts) == len(answers)
