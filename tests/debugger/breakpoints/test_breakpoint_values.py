"""Breakpoints as values: counts of hits, messages of log points, and where they are known to hold."""

from __future__ import annotations

import pytest
from dispatch_runs import chain
from hypothesis import given
from hypothesis import strategies as st
from view_runs import run

from debugger.breakpoints import Breakpoint, Side, compiled, side_for
from debugger.breakpoints.breakpoint import at_seat, in_mode
from debugger.breakpoints.compiled import seats
from debugger.breakpoints.counts import Count, How, parsed
from debugger.breakpoints.message import message
from debugger.breakpoints.ready import READY
from debugger.expressions import expression
from debugger.filters import BadFilter, Sight
from kernel.errors import BadInput


@pytest.mark.parametrize(
    ("text", "fits"),
    [("", "123456"), ("=3", "3"), (">=3", "3456"), ("%3", "36"), (" %  2 ", "246"), (">=1", "123456"), ("=1", "1")],
)
def test_a_count_says_which_hits_mean_anything(text: str, fits: str) -> None:
    """Hits are counted from 1."""
    assert "".join(str(hit) for hit in range(1, 7) if parsed(text).fits(hit)) == fits


@pytest.mark.parametrize("text", ["3", "=0", "<3", "%", "= x", "=3 =4", "%-1", "=1000000000"])
def test_another_count_is_refused_with_the_way_out(text: str) -> None:
    """Whatever is wrong with it."""
    with pytest.raises(BadInput, match="write =3, >=3 or %3"):
        parsed(text)


@given(st.sampled_from(How), st.integers(1, 10**8))
def test_a_count_reads_back_as_it_prints(how: How, number: int) -> None:
    """So that a project file keeps it."""
    assert parsed(str(Count(how, number))) == Count(how, number)


def test_a_message_says_fields_and_places() -> None:
    """Of the step at the seam; what is not there is a dash, doubled braces are braces."""
    trace = run("A:o B:t", {"A": "ack", "B": "+x"})
    say = message("{sub}/{mode} #{n} {status} {{x}} {$.messages[*].id} {fault}|{subscriber}")
    assert say(Sight(), trace, trace.step(1)).endswith("|B")
    assert say(Sight(), trace, trace.step(1)).startswith("B/transform #1 changed {x} ")
    assert '"x"' in say(Sight(), trace, trace.step(1)), "as the step leaves the payload"
    assert '"x"' not in say(Sight(), trace, trace.step(0))
    assert message("took {dur} of {deadline}, {slow}")(Sight(), trace, trace.step(0)).endswith("%")
    assert message("no braces")(Sight(), trace, trace.step(0)) == "no braces"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "a { by itself at character 1"),
        ("a } b", "a } by itself at character 3"),
        ("{statsu}", "did you mean status?"),
        ("{}", "is no field"),
        ("{$.a[}", "is no path"),
        ("{in}", "is no field"),
        ("{x{y}z}", "by itself"),
    ],
)
def test_a_message_that_says_nothing_is_refused(text: str, words: str) -> None:
    """With the nearest field, or the character."""
    with pytest.raises(BadInput) as refusal:
        message(text)
    assert words in str(refusal.value)


def test_a_breakpoint_at_a_seat_is_a_filter_that_can_be_read() -> None:
    """Whatever the names are."""
    for name in ("A", "policy-bot", 'odd "name"', "a b", "x|y", "*", "ü", "$(x)"):
        trace = run("A:o", {"A": "ack"})
        found = compiled(at_seat(name, trace.point), Sight())
        assert found.is_hit(trace, trace.step(0)) is (name == "A")
        compiled(Breakpoint(in_mode(name, "observe")), Sight())


def test_the_side_follows_from_what_the_filter_looks_at() -> None:
    """Seats, requests and payloads are known before, answers and verdicts after."""
    assert [side_for(text) for text in ("sub:a", 'in:"messages"', "point:x mode:veto")] == [Side.BEFORE] * 3
    assert [side_for(text) for text in ("status:denied", "dur:>1s", "sub:a path:$.x")] == [Side.AFTER] * 3
    assert {side_for(where) for _, where, _ in READY} == {Side.AFTER}
    with pytest.raises(BadFilter, match="nothing is written"):
        side_for(" ")


def test_seats_are_those_that_the_chain_alone_tells() -> None:
    """A filter about what comes of a step concerns nobody in particular."""
    chains = [chain("plan-ready", "A:v B:o"), chain("pre-model-call", "A:t")]

    def found(where: str) -> list[tuple[str, str]]:
        predicate = compiled(Breakpoint(where), Sight()).predicate
        return [(seat.name, seat.point) for seat in seats(predicate, "pluggable", chains)]

    assert found("sub:a") == [("A", "plan-ready"), ("A", "pre-model-call")]
    assert found("mode:observe | point:pre*") == [("B", "plan-ready"), ("A", "pre-model-call")]
    assert found("!sub:a") == [("B", "plan-ready")]
    assert found("sub:a status:denied") == []
    assert found("step:1") == [("B", "plan-ready")]


@pytest.mark.parametrize(
    ("text", "value", "read"),
    [
        ("$.a", {"a": 1}, (1,)),
        ("$.a", {"a": None}, (None,)),
        ("$.a", {}, ()),
        ("$.a[*].b", {"a": [{"b": 1}, {"b": 2}]}, (1, 2)),
        ("$..b", {"b": 1, "c": [{"b": 2}]}, (1, 2)),
        ("length(a)", {"a": [1, 2]}, (2,)),
        ("length(a)", {"a": 2}, ()),
        ("a < b", {"a": "x", "b": 1}, ()),
        ("a[?b=='x']", {"a": [{"b": "x"}]}, ([{"b": "x"}],)),
    ],
)
def test_an_expression_reads_a_value(text: str, value: object, read: tuple[object, ...]) -> None:
    """Nothing is not null."""
    assert expression(text).read(value) == read  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "  ", "$.", "$.a=1", "a[", "$[x]", "a ~ b"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    """In a sentence."""
    with pytest.raises(BadInput):
        expression(text)
