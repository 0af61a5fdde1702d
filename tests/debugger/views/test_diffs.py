"""Which payloads a step or a chain is compared by, and what is said where there is nothing to compare."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from dispatch_runs import Scripted
from pluggable_answers import ANSWERS
from pluggable_payloads import VIEWS
from view_runs import LITERAL, hold, run

from debugger.blame import Blame
from debugger.breakpoints import Side
from debugger.diff import diff
from debugger.ignoring import ignored
from debugger.session import Hold
from debugger.trace import DispatchTrace
from debugger.views.diffs import DiffStyle, Scope, comparisons, lines, nothing_to_compare, pairs
from kernel.control import Instead, Proceed, Seam
from kernel.dialects.pluggable import Pluggable
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.faults import Fault
from kernel.values import Answered

SEATS = "audit:o redact:t inject:t"
STUBS = {"audit": "ack", "redact": "+x", "inject": "+y"}


def edited(word: str = "edited") -> HookPayload:
    """P0 with one message of one word."""
    view = VIEWS["pre-model-call"]
    assert isinstance(view, dict)
    message = {"role": "ROLE_USER", "content": [{"text": {"text": word}}], "id": "e"}
    return from_view("pre-model-call", {**view, "messages": [message]})  # type: ignore[dict-item]


def headings(trace: DispatchTrace, step: int | None, held: Hold | None = None) -> list[str]:
    """What the comparisons are called, with the summary of each."""
    found = comparisons(trace, step, Pluggable(), held)
    return [line.text for line in lines(found, DiffStyle.TREE, "") if "   " in line.text and line.segments[0].text]


def shown(trace: DispatchTrace, step: int | None, style: DiffStyle = DiffStyle.UNIFIED) -> list[str]:
    """The diff as text with its gutter."""
    nothing = "" if step is None else nothing_to_compare(trace, step)
    found = comparisons(trace, step, Pluggable(), None)
    return [f"{line.mark} {line.text}".rstrip() for line in lines(found, style, nothing)]


def test_a_step_is_compared_by_what_it_changed() -> None:
    """One comparison, headed by its name and the size of the change; the added message is one block."""
    trace = run(SEATS, STUBS)
    found = shown(trace, 1)
    assert found[0] == "  redact changed the payload   +1"
    added = [line for line in found if line.startswith("+")]
    assert len(added) == 11
    assert '+             "text": "x"' in added
    assert not [line for line in found if line.startswith("-")]


def test_a_chain_is_compared_from_first_to_last() -> None:
    """Everybody's changes in one, with their names."""
    found = shown(run(SEATS, STUBS), None)
    assert found[0] == "  First to last  changed by redact, inject   +2"
    assert len([line for line in found if line.startswith("+")]) == 22
    assert shown(run("audit:o", STUBS), None) == ["  First to last   no change", ""]


def test_the_list_of_paths_names_what_changed() -> None:
    """In the style for those who only want to know where."""
    found = shown(run(SEATS, STUBS), 1, DiffStyle.TREE)
    assert any("messages[2]" in line for line in found)


def test_side_by_side_has_before_on_the_left() -> None:
    """Pairs of lines; an added one has nothing on its left."""
    found = pairs(comparisons(run(SEATS, STUBS), 1, Pluggable(), None))
    added = [pair for pair in found if pair[1] is not None and pair[1].mark == "+"]
    assert len(added) == 11
    assert all(left is None for left, _ in added)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [(0, "audit changed nothing."), (2, "Never asked, because of redact: it had no chance to change anything.")],
)
def test_where_there_is_nothing_to_compare_that_is_said(step: int, sentence: str) -> None:
    """Changed nothing is not the same as never asked."""
    trace = run(SEATS, {**STUBS, "redact": "garbage"})
    assert shown(trace, step) == [f"  {sentence}"]


def test_before_its_answer_a_step_has_nothing_to_compare() -> None:
    """It may still change something."""
    assert shown(run(SEATS, STUBS, until="asked audit"), 0) == [
        "  It has not answered yet, and nothing has changed before it."
    ]


def test_an_observer_that_has_answered_has_answered() -> None:
    """Where somebody holds it before its answer is made anything of."""
    assert shown(run(SEATS, STUBS, until="audit answered"), 0) == ["  audit has answered, and proposes no change."]


def test_a_rejected_payload_is_shown_as_wanted() -> None:
    """What the transform would have changed, and that it was not taken."""
    found = shown(run(SEATS, {**STUBS, "redact": "change model"}), 1)
    assert found[0] == "  redact wanted this, and it was rejected   ~1"
    assert any(line.startswith("+") and "another" in line for line in found)


def test_a_hold_before_shows_what_has_changed_so_far() -> None:
    """Unless nothing has."""
    trace = run(SEATS, STUBS, until="changed by redact")
    assert headings(trace, 2, hold(trace, 2)) == ["So far, before inject   +1"]
    fresh = run(SEATS, STUBS, until="opened")
    assert headings(fresh, 0, hold(fresh, 0)) == []


def test_an_edit_is_shown_before_it_is_sent_and_afterwards() -> None:
    """While held as not yet sent; later as the person's, apart from what the subscriber made of it."""
    trace = run(SEATS, STUBS, until="changed by redact")
    assert headings(trace, 2, hold(trace, 2, edited=edited())) == ["✎ Your edit, not yet sent   +1 -3"]
    sent = run(SEATS, STUBS, control=Scripted(before_inject=Proceed(edited())))
    assert headings(sent, 2) == [
        "✎ Edited by the person before it was asked   +1 -3",
        "inject changed the payload   +1",
    ]


def test_a_hold_after_shows_what_was_answered() -> None:
    """It is not yet accepted, and that is said."""
    trace = run(SEATS, STUBS, until="redact answered")
    assert headings(trace, 1, hold(trace, 1, Side.AFTER)) == ["redact answered with this; it is not yet accepted   +1"]


def test_a_fault_on_the_way_shows_in_the_diff() -> None:
    """The answer as it was sent is compared, not the one the subscriber meant."""
    control = Scripted(before_redact=Proceed(fault=Fault("mutate_immutable")))
    found = shown(run(SEATS, STUBS, control=control), 1)
    assert any("-tampered" in line for line in found)


def test_every_style_follows_another_and_comes_round() -> None:
    """One key goes through all of them."""
    seen = [DiffStyle.UNIFIED]
    while (style := seen[-1].following) not in seen:
        seen.append(style)
    assert set(seen) == set(DiffStyle)
    assert style is DiffStyle.UNIFIED


@pytest.mark.parametrize("style", [DiffStyle.UNIFIED, DiffStyle.INLINE, DiffStyle.TREE])
@pytest.mark.parametrize("word", LITERAL)
def test_odd_text_is_literal_in_every_style(word: str, style: DiffStyle) -> None:
    """In what changed, in names, and in the sentence where nothing did."""
    trace = run(SEATS, STUBS, control=Scripted(before_inject=Proceed(edited(word))))
    seat = trace.steps[2]
    renamed = replace(seat, subscription=replace(seat.subscription, name=word))
    odd = replace(trace, steps=(*trace.steps[:2], renamed))
    text = "\n".join(shown(odd, 2, style))
    assert not set("\x1b\u202e\t") & set(text)
    literal = word.replace("\x1b", "␛").replace("\u202e", "\\u202e").replace("\t", "␉")
    assert f"{literal} changed the payload" in text
    still = replace(renamed, changed=None, edited=None)
    assert shown(replace(odd, steps=(*trace.steps[:2], still)), 2, style) == [f"  {literal} changed nothing."]


def test_a_patch_is_whole_json_that_makes_the_one_of_the_other() -> None:
    """Nothing stands beside it, so that what is copied can be used; nothing changed is an empty patch."""
    trace = run(SEATS, STUBS)
    found = json.loads("".join(line.lstrip() for line in shown(trace, 1, DiffStyle.PATCH)))
    assert [(each["op"], each["path"]) for each in found] == [("add", "/messages/2")]
    assert shown(run("audit:o", STUBS), None, DiffStyle.PATCH) == ["  []"]


def test_any_two_points_of_a_chain_are_compared() -> None:
    """From before one to behind another, in either order; whatever others did there is in it."""
    trace = run("a:t b:t c:t", {"a": "+x", "b": "+y", "c": "+x"})
    for since, step, size in ((0, 1, 2), (1, 0, 2), (1, 1, 1), (0, 2, 3), (2, 2, 1)):
        [found] = comparisons(trace, step, Pluggable(), None, Scope(since))
        assert str(diff(found.before, found.after).summary) == f"+{size}"
    [found] = comparisons(trace, 2, Pluggable(), None, Scope(1))
    assert "From before b to behind c" in "".join(each.text for each in found.heading)


def test_places_that_are_ignored_are_in_no_diff() -> None:
    """At the points that they are meant for, and the heading says so."""
    trace = run(SEATS, STUBS)
    for text, summary in (
        ("$.messages", "no change"), ("pre-model-call $.messages", "no change"), ("plan-ready $.messages", "+1")
    ):  # fmt: skip
        [found] = comparisons(trace, 1, Pluggable(), None, Scope(ignored=(ignored(text),)))
        assert str(diff(found.before, found.after).summary) == summary
        heading = "".join(each.text for each in found.heading)
        assert (f"less {text}" in heading) is (summary == "no change")


def answered_with(word: str) -> Scripted:
    """A control that has inject, once it has answered, answer with another message instead of its own."""

    async def instead(seam: Seam) -> Instead:
        body = ANSWERS[f"+{word}"](seam.ask.request)
        assert body is not None
        return Instead(Answered(body))

    return Scripted(after_inject=instead)


def test_an_edited_answer_stands_beside_what_the_subscriber_itself_made_of_the_payload() -> None:
    """Two changes at one step, each by whoever made it: in the diff, in the blame, in what is exported."""
    trace = run(SEATS, STUBS, control=answered_with("a"))
    assert headings(trace, 2) == [
        "inject changed the payload   +1",
        "✎ The answer of inject edited by the person   +1 -1",
    ]
    step = trace.step(2)
    assert [(change.by, change.rule) for change in step.changes] == [
        ("inject", "PL-TRANSFORM-CHANGED"),
        ("person", "PL-TRANSFORM-CHANGED"),
    ]
    found = Blame(trace)
    assert found.value == trace.payload.view
    last = len(trace.payload.view["messages"]) - 1  # type: ignore[call-overload, index, arg-type]
    assert found.writer(("messages", last)).by == "person"
    assert found.writer(("messages", last - 1)).by == "redact"
    assert headings(trace, None) == ["First to last  changed by redact, inject, person   +2"]


def test_an_edit_that_is_rejected_is_not_put_down_to_the_subscriber() -> None:
    """Its own answer, which would have been taken, is told apart from what was rejected."""

    async def illegal(seam: Seam) -> Instead:
        body = ANSWERS["change model"](seam.ask.request)
        assert body is not None
        return Instead(Answered(body))

    trace = run(SEATS, STUBS, control=Scripted(after_inject=illegal))
    assert trace.step(2).changes == ()
    own, rejected = headings(trace, 2)
    assert own == "inject itself answered with this; another answer was put in its place   +1"
    assert rejected.startswith("✎ The answer of inject edited by the person, and it was rejected   ")


def test_an_answer_on_behalf_is_the_work_of_whoever_answered() -> None:
    """The subscriber was not even called."""

    async def instead(seam: Seam) -> Instead:
        body = ANSWERS["+a"](seam.ask.request)
        assert body is not None
        return Instead(Answered(body))

    trace = run(SEATS, STUBS, control=Scripted(before_inject=instead))
    assert headings(trace, 2) == ["✎ inject answered for by the person   +1"]
    assert [change.by for change in trace.changes] == ["redact", "person"]


def test_an_edit_that_is_not_sent_yet_is_seen_at_once() -> None:
    """While it is held after its answer: its own, and what the person would rather have."""
    trace = run(SEATS, STUBS, until="inject answered")
    step = trace.step(2)
    assert step.given is not None
    body = ANSWERS["+a"](step.request)
    assert body is not None
    held = replace(hold(trace, 2, Side.AFTER), edited_answer=Answered(body))
    assert headings(trace, 2, held) == [
        "inject answered with this; it is not yet accepted   +1",
        "✎ Your edit of the answer, not yet sent   +1 -1",
    ]
