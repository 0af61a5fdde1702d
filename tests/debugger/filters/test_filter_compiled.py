"""What filters find: over traces of a plain dialect, three of them over and one under way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from filter_traces import (
    CALM,
    DENIED,
    EVERY,
    MS,
    RUNNING,
    TROUBLED,
    A,
    B,
    C,
    P,
    Q,
    body,
    dispatch,
    predicate,
    sight,
    step,
    waiting,
)
from hypothesis import given
from hypothesis import strategies as st
from test_filter_parser import EXPRESSIONS

from debugger.filters import FIELDS, BadFilter, Known, Sight, compiled, known_from, parse, printed, resolved
from debugger.filters.syntax import Everything, Expression, Op, Saved, Term, Value
from debugger.trace import StretchTrace
from kernel.facts import Decided, Entered, Left
from kernel.values import Answered, Ending, Result, Status

OVER = (DENIED, TROUBLED, CALM)


def found(text: str) -> set[int]:
    """Numbers of the finished dispatches that fit; whether they do is known of each."""
    asked = predicate(text)
    answers = {each.number: asked.matches(each) for each in OVER}
    assert None not in answers.values()
    return {number for number, truth in answers.items() if truth}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", {14, 15, 16}),
        # names: a part, smart case, stars, exact, expressions, others
        ("point:plan", {15}),
        ("point:PLAN", set()),
        ("point:=plan", set()),
        ("point:=plan-ready", {15}),
        ("point:pre*call", {14, 16}),
        ("point:pre*cal", set()),
        ("point:~'^p.*y$'", {15}),
        ("point:!plan-ready", {14, 16}),
        ("sub:redactor", {14}),
        ("sub:Redactor", {14}),
        ("sub:REDACTOR", set()),
        ("sub:red*|late", {14}),
        ("mode:veto", {14, 15, 16}),
        ("mode:transform", {14}),
        ("dialect:plain", {14, 15, 16}),
        ("id:d14", {14}),
        ("parent:turn-1", {14}),
        ("parent:*", {14}),
        ("!parent:*", {15, 16}),
        # words
        ("status:denied", {14}),
        ("status:deny", {14}),
        ("status:timeout", {15}),
        ("status:timed-out", {15}),
        ("status:'timed out'", {15}),
        ("status:not-reached", {14}),
        ("status:aborted", {15}),
        ("status:skipped", {16}),
        ("status:!ok", {14, 15, 16}),
        ("!status:ok", {15}),
        ("every(status:ok|skipped)", {16}),
        ("effect:stop|abort", {14, 15}),
        ("ending:aborted", {15}),
        ("outcome:answered", {14, 16}),
        ("outcome:timeout|failed", {15}),
        ("outcome:skipped", {16}),
        ("decision:deny", {14}),
        ("by:policy-bot", {14}),
        ("by:scenario", {15}),
        ("rule:PL-VETO", {14, 15}),
        ("rule:=PL-VETO", set()),
        ("category:timeout", {15}),
        ("error:refused", {15}),
        ("error:*", {15}),
        ("!error:*", {14, 16}),
        ("error:~'no (answer|verdict)'", {15}),
        ("why:hot", {14}),
        ("why:='too hot'", {14}),
        ("printed:'3 lines'", {14}),
        ("printed:3*written", {14}),
        ("fault:hang", {15}),
        ("steered:fault", {15}),
        # numbers
        ("dur:>100ms", {14}),
        ("dur:>=100ms", {14, 15}),
        ("dur:>0.1s", {14}),
        ("dur:<3ms", {14}),
        ("dur:12ms", {14}),
        ("dur:=12ms", {14}),
        ("dur:10..15ms", {14}),
        ("dur:..1ms", set()),
        ("every(dur:<1s)", {15, 16}),
        ("slow:>80%", {14, 15}),
        ("slow:>=100%", {15}),
        ("slow:85%", {14}),
        ("slow:>85", {15}),
        ("deadline:100ms", {14, 15, 16}),
        ("deadline:>100ms", set()),
        ("n:14", {14}),
        ("n:10..14|16", {14, 16}),
        ("n:!14", {15, 16}),
        ("n:>14", {15, 16}),
        ("step:3", {14}),
        # payloads
        ("changed:yes", {14}),
        ("changed:no", {15, 16}),
        ("edited:yes", set()),
        ("path:$.messages", {14}),
        ("path:messages", {14}),
        ("path:$.messages[*].text", {14}),
        ("path:=$.messages", set()),
        ("path:=$.messages[0].text", {14}),
        ("path:$.tags", set()),
        ("path:$..name", {14}),
        ("path:$.model.name=large", {14}),
        ("path:$.model.name=lar*", {14}),
        ("path:$.model.name=small", set()),
        ("path:!$.messages", {14}),
        ("path:!($.messages|$.model)", set()),
        ("in:\"messages[?role=='user']\"", {14, 15, 16}),
        ("in:\"model.name=='large'\"", {14}),
        ("in:\"model.heat > `0.4`\"", {14, 15, 16}),
        ("in:tags", set()),
        ("in:\"length(model.heat)\"", set()),
        ("in:!tags", {14, 15, 16}),
        ("in:messages[0:1:0]", set()),
        ("in:\"model.heat < 'x' || `1` < model.name\"", set()),
        ("out:deny.reason", {14}),
        ("out:\"deny.level > `2`\"", {14}),
        ("out:\"kind=='ack'\"", {14, 15, 16} - {15}),
        # text: names, payloads, answers, reasons, output, anywhere
        ("hello", {14, 15, 16}),
        ("HELLO", set()),
        ("Hello", {14, 15, 16}),
        ("budget", {14}),
        ("exceeded", {14}),
        ("audit 3", {14}),
        ("lines written", {14}),
        ("budget redactor", {14}),
        ("refused budget", set()),
        ("*****", {14, 15, 16}),
        ('"*****"', {14}),
        ("hel*re", {14, 15, 16}),
        ("0.5", {14, 15, 16}),
        ("!hello", set()),
        ("turn-1", set()),
        ("text:~'[Ee]xceed.d'", {14}),
        ("text:='too hot'", {14}),
        # together
        ("mode:veto status:denied", {14}),
        ("mode:transform status:denied", set()),
        ("mode:veto slow:>80%", {14, 15}),
        ("sub:audit status:ok", {14, 16}),
        ("sub:audit !status:ok", {15}),
        ("!sub:audit", set()),
        ("!sub:redactor !error:*", {16}),
        ("sub:redactor sub:policy", set()),
        ("some(sub:redactor) some(sub:policy)", {14}),
        ("sub:redactor some(sub:policy status:denied)", {14}),
        ("dur:>80ms !sub:policy", set()),
        ("by:policy-bot decision:deny", {14}),
        ("decision:unspecified status:aborted", {15}),
        ("point:pre (status:denied | outcome:skipped)", {14, 16}),
        ("sub:policy hello", {14, 15, 16}),
        ("sub:redactor changed:yes path:$.model", {14}),
        ("sub:audit changed:no", {14, 15, 16}),
        ("sub:redactor changed:no", set()),
        ("!(mode:veto slow:>80%)", {16}),
        ("every(mode:veto)", set()),
        ("every(some(mode:veto))", {14, 15, 16}),
        ("!some(status:!ok)", set()),
    ],
)  # fmt: skip
def test_a_filter_finds(text: str, numbers: set[int]) -> None:
    """Field by field, and claims put together."""
    assert found(text) == numbers


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", {0, 1, 2, 3}),
        ("point:pre-model", {0, 1, 2, 3}),
        ("decision:deny", {0, 1, 2, 3}),
        ("mode:veto", {2, 3}),
        ("!mode:veto", {0, 1}),
        ("status:denied", {2}),
        ("!status:ok", {1, 2, 3}),
        ("hello", {0, 1, 2}),
        ("budget", {2}),
        ("dur:>10ms", {1, 2}),
        ("by:policy-bot", {2, 3}),
        ("some(mode:transform) mode:veto", {2, 3}),
        ("every(dur:<1s)", set()),
        ("n:14 step:1", {1}),
        ("in:\"model.name=='large'\"", {2}),
        ("path:model.name", {1}),
        ("changed:no", {0, 2, 3}),
    ],
)
def test_a_filter_finds_steps(text: str, steps: set[int]) -> None:
    """The same language, about one step at a time; what only a dispatch has is its dispatch's."""
    asked = predicate(text)
    assert {each.step for each in DENIED.steps if asked.matches_step(DENIED, each)} == steps


@pytest.mark.parametrize(
    ("text", "truths"),
    [  # of the step that is over, the one that is asked, the one that waits; and of the dispatch
        ("sub:policy", (False, False, True, True)),
        ("sub:nobody", (False, False, False, False)),
        ("point:plan", (False, False, False, False)),
        ("status:ok", (True, None, None, True)),
        ("status:denied", (False, None, None, None)),
        ("!status:denied", (True, None, None, None)),
        ("status:running", (False, True, None, True)),
        ("status:waiting", (False, None, True, True)),
        ("status:!ok", (False, None, None, None)),
        ("sub:policy status:denied", (False, False, None, None)),
        ("sub:nobody status:denied", (False, False, False, False)),
        ("sub:policy | status:denied", (False, None, True, True)),
        ("outcome:answered", (True, None, None, True)),
        ("dur:>1ms", (True, None, None, True)),
        ("dur:>1s", (False, None, None, None)),
        ("in:messages", (True, True, None, True)),
        ("in:tags", (False, False, None, None)),
        ("out:kind", (True, None, None, True)),
        ("decision:allow", (None, None, None, None)),
        ("changed:yes", (False, None, None, None)),
        ("changed:no", (True, None, None, None)),
        ("hello", (True, True, None, True)),
        ("nothing-such", (False, None, None, None)),
        ("!nothing-such", (True, None, None, None)),
        ("deadline:100ms", (True, True, True, True)),
        ("every(status:ok)", (None, None, None, None)),
        ("every(sub:audit)", (False, False, False, False)),
        ("every(deadline:100ms)", (True, True, True, True)),
        ("some(status:ok)", (True, True, True, True)),
        ("phase:finish", (False, False, None, None)),
    ],
)
def test_what_is_not_known_yet_is_neither_true_nor_false(text: str, truths: tuple[bool | None, ...]) -> None:
    """A breakpoint fires on what is known to be so."""
    asked = predicate(text)
    assert (*(asked.matches_step(RUNNING, each) for each in RUNNING.steps), asked.matches(RUNNING)) == truths


def test_further_asks_of_a_seat_may_come_until_the_end() -> None:
    """A dispatch under way, all of whose seats have answered, may still ask one of them for something else."""
    begun = dispatch(step(0, A, phase="begin"), is_over=False)
    assert predicate("phase:finish").matches(begun) is None
    assert predicate("phase:finish sub:nobody").matches(begun) is False
    assert predicate("phase:begin").matches(begun) is True
    over = dispatch(step(0, A, phase="begin"))
    assert predicate("phase:finish").matches(over) is False


def test_who_decided_is_not_settled_by_a_verdict() -> None:
    """A subscriber that has answered may still turn out to be the one that the dispatch was decided by."""
    begun = dispatch(step(0, A, phase="begin"), is_over=False)
    [judged] = begun.steps
    assert judged.verdict is not None
    assert predicate("by:nobody").matches_step(begun, judged) is None
    assert predicate("by:!nobody").matches_step(begun, judged) is None


@given(EXPRESSIONS)
def test_a_finished_dispatch_leaves_nothing_unknown(expression: Expression) -> None:
    """Whatever the filter; and its negation is its opposite."""
    plain = resolved(expression, {"x": "sub:a", "slow-vetoes": "mode:veto slow:>80%", "a.b_c": "hello"})
    assert not isinstance(plain, Everything)
    text = printed(plain)
    asked, negated = predicate(text), predicate(f"!({text})")
    for each in OVER:
        assert asked.matches(each) is not None
        assert negated.matches(each) is not asked.matches(each)
        for one in each.steps:
            assert asked.matches_step(each, one) is not None
            assert negated.matches_step(each, one) is not asked.matches_step(each, one)


@given(EXPRESSIONS, st.sampled_from(OVER), st.integers(0, 3))
def test_what_is_known_early_stays_so(expression: Expression, whole: object, at: int) -> None:
    """A dispatch that was stopped half way is not told anything that its end contradicts, passing words apart."""
    assert any(whole is each for each in OVER)
    text = printed(resolved(expression, {"x": "sub:a", "slow-vetoes": "slow:>80%", "a.b_c": "hello"}))
    if "running" in text or "waiting" in text:
        return
    assert isinstance(whole, type(DENIED))
    cut = tuple(each if place < at else waiting(each.step, each.subscription) for place, each in enumerate(whole.steps))
    half = replace(whole, steps=cut, result=None, ended_at_ns=None)
    asked = predicate(text)
    early = asked.matches(half)
    assert early is None or early is asked.matches(whole)
    for before, after in zip(half.steps, whole.steps, strict=True):
        early = asked.matches_step(half, before)
        assert early is None or early is asked.matches_step(whole, after)


def test_what_the_host_decided_counts_as_the_dispatch_itself() -> None:
    """Its decision, who, by which rule, and why."""
    decided = Decided("plan", "ask", "policy", "HB-ASK", "nobody was there to ask")
    asked = dispatch(step(0, A), decided=(decided,))
    for text in ("decision:ask", "by:policy", "rule:HB-ASK", "why:nobody", "plan", "by:policy decision:ask"):
        assert predicate(text).matches(asked) is True, text
    assert predicate("by:policy mode:observe").matches(asked) is False
    assert predicate("by:policy !status:error").matches(asked) is True


def test_a_dispatch_without_anybody_to_ask() -> None:
    """It has an ending, and no steps: nothing is true of some, everything of each."""
    refused = dispatch(result=Result(Ending.REFUSED, None, "unspecified", error="no such point", status=Status.ERROR))
    assert predicate("status:refused").matches(refused) is True
    assert predicate("error:such").matches(refused) is True
    assert predicate("every(status:ok)").matches(refused) is True
    assert predicate("some(status:ok)").matches(refused) is False
    assert predicate("!sub:a").matches(refused) is True


def test_stretches_are_asked_about_what_they_have() -> None:
    """Kind, name, duration, error, what was decided in it; what only steps have, they have not."""
    entered = Entered("plain", "turn", "turn 3", "session-1", 0, {"tool": "shell.run"})
    open_ = StretchTrace(
        "turn-1", entered, 0, ("d1", Decided("shell.run", "deny", "policy", "PL-POLICY", "not allowed"))
    )
    left = replace(open_, left=Left("the tool failed"), left_at_ns=30 * MS)
    eyes = sight(**{"session-1": ("session", "coding")})
    for text, early, late in (
        ("within:turn", True, True),
        ("within:session", True, True),
        ("within:tool", False, False),
        ("id:turn-1", True, True),
        ("decision:deny by:policy rule:PL-POLICY why:allowed", True, True),
        ("shell.run", True, True),
        ("error:failed", None, True),
        ("!error:*", None, False),
        ("dur:>20ms", None, True),
        ("dur:>20ms | error:x", None, True),
        ("status:ok", False, False),
        ("changed:no", True, True),
        ("some(sub:a) | every(sub:a)", True, True),
        ("", True, True),
    ):
        asked = predicate(text, eyes)
        assert (asked.matches_stretch(open_), asked.matches_stretch(left)) == (early, late), text
    assert predicate("within:coding", eyes).matches(dispatch(step(0, A), parent="session-1")) is True


def test_payloads_are_looked_at_only_when_nothing_cheaper_decides() -> None:
    """A view can cost a lot: it is not made for what a name already rules out."""
    fresh = body({"messages": [1]})
    other = dispatch(step(0, A, given=fresh), payload=fresh)
    assert predicate("in:messages sub:nobody hello path:$.messages").matches(other) is False
    assert predicate("in:messages point:nowhere").matches(other) is False
    assert not fresh.is_viewed
    assert predicate("in:messages sub:audit").matches(other) is True
    assert fresh.is_viewed


def test_text_of_a_finished_dispatch_is_found_as_in_one_under_way() -> None:
    """There is a faster way for the former; it finds the same, and nothing across two texts."""
    for text in (
        "hello",
        "audit",
        "Redactor",
        "budget",
        "PL-VETO-DENY",
        "too hot",
        "written",
        "log\0obs",
        "log obs",
        "deny",
    ):
        quick = predicate(f'"{text}"').matches(DENIED)
        slow = predicate(f"text:~'(?i){text}'").matches(DENIED)
        if text != "Redactor":
            assert quick is slow, text
    assert predicate("'audit-log\0observe'").matches(DENIED) is False


def test_an_expression_that_takes_too_long_leaves_it_open() -> None:
    """And says so, once and for all: a list is not held up by it."""
    eyes = Sight()
    hard = dispatch(*(step(number, A, given=body({"a": "ab" * 30_000 + str(number)})) for number in range(9)))
    asked = predicate("text:~'(.*a)+.*b.*c.*d'", eyes)
    assert [asked.matches_step(hard, each) for each in hard.steps] == [None] * 9
    assert eyes.slow == {"(.*a)+.*b.*c.*d"}
    assert asked.matches(hard) is None


def test_answers_of_an_unknown_dialect_are_text() -> None:
    """A recording may be of one that this program does not have."""
    strange = dispatch(step(0, A, outcome=Answered(b"plain words")))
    assert predicate("words", Sight()).matches(strange) is True
    assert predicate("out:@", Sight()).matches(strange) is True
    assert predicate("out:deny", Sight()).matches(strange) is False


def test_what_no_text_could_say_is_refused() -> None:
    """A filter may be made by hand, too."""
    for wrong, says in (
        (Term("nowhere", Op.HAS, (Value("a"),)), "no field"),
        (Term("status", Op.HAS, (Value("a"),)), "no status"),
        (Term("dur", Op.MATCHES, (Value("a"),)), "makes no sense"),
        (Saved("x"), "not resolved"),
    ):
        with pytest.raises(BadFilter, match=says):
            compiled(wrong, sight())


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("", Known.ALWAYS),
        ("sub:a point:b deadline:1s", Known.ALWAYS),
        ("in:a sub:b", Known.ASKED),
        ("out:a | dur:>1s", Known.ANSWERED),
        ("status:ok", Known.JUDGED),
        ("!decision:deny", Known.ENDED),
    ],
)
def test_it_is_known_from_when_on_a_filter_can_be_decided(text: str, known: Known) -> None:
    """So that whoever sets a breakpoint in front of a step is told that it will not fire there."""
    assert known_from(parse(text)) is known


def test_every_field_is_asked_about_somewhere_here() -> None:
    """A field that nobody tests is a field that nobody knows."""
    tables = (test_a_filter_finds, test_what_is_not_known_yet_is_neither_true_nor_false)
    texts = " ".join(text for test in tables for mark in test.pytestmark for text, _ in mark.args[1])
    assert [name for name in FIELDS if f"{name}:" not in texts and name != "within"] == []
    assert len(EVERY) == 4
    assert (B.name, C.name) == ("Redactor", "policy-bot")
    assert P.digest != Q.digest
