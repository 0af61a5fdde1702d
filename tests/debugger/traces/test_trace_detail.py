"""Everything about one span, as lines."""

from __future__ import annotations

from dataclasses import replace

from otlp_made import START_NS, TRACE, identity, made
from traces_made import text, trace

from debugger.otlp.spans import Dropped, Pairs, Scope, Span, SpanEvent, SpanLink, Status, Value
from debugger.traces.detail import DetailLine, Subject, lines, plain_text, type_of
from debugger.traces.durations import Split
from debugger.traces.hooks import Hook
from debugger.views.text import Emphasis


def told(span: Span, unfolded: tuple[str, ...] = (), **beyond: object) -> tuple[DetailLine, ...]:
    skeleton = trace((1, 0, 0, 100))
    return lines(Subject(skeleton, 0, span, **beyond), unfolded)  # type: ignore[arg-type]


def said(found: tuple[DetailLine, ...]) -> str:
    return "\n".join(text(line.segments) for line in found)


def test_attributes_have_their_types() -> None:
    """`1`, `"1"` and `1.0` are three different values."""
    values: tuple[tuple[str, Value], ...] = (
        ("text", "1"),
        ("whole", 1),
        ("real", 1.0),
        ("yes", True),
        ("raw", b"\x01"),
        ("many", ("a", 1)),
        ("none", None),
    )
    found = said(told(made(1, attributes=values)))
    for line in (
        "text 1 string",
        "whole 1 int",
        "real 1.0 double",
        "yes true bool",
        'raw "01" bytes',
        'many ["a", 1] list of int and string',
        "none null empty",
        "Attributes (7)",
    ):
        assert line in found


def test_lists_of_pairs_are_shown_level_by_level() -> None:
    """Each with its path."""
    value = Pairs((("model", "m"), ("calls", (Pairs((("id", 1),)),))))
    found = told(made(1, attributes=(("request", value),)))
    paths = [line.path for line in found if line.path.startswith("attributes")]
    assert paths == [
        'attributes["request"]',
        'attributes["request"]["model"]',
        'attributes["request"]["calls"]',
        'attributes["request"]["calls"][0]',
        'attributes["request"]["calls"][0]["id"]',
    ]
    assert '{"model": "m", "calls": [{"id": 1}]}' in {line.copied for line in found}


def test_a_long_value_is_folded_until_somebody_wants_it() -> None:
    """A copy has all of it either way; a megabyte is a matter of milliseconds."""
    value = "x" * 1_000_000
    span = made(1, attributes=(("prompt", value),))
    [line] = [line for line in told(span) if line.folds]
    assert "1,000,000 characters, v unfolds" in text(line.segments)
    assert line.copied == value
    unfolded = [line for line in told(span, (line.path,)) if line.folds]
    assert len(unfolded) == 1 + 10_000
    assert {line.copied for line in unfolded} == {value}


def test_keys_that_are_there_twice_have_paths_of_their_own() -> None:
    """The protocol does not forbid them."""
    found = told(made(1, attributes=(("a", 1), ("a", 2))))
    assert [line.path for line in found if line.path.startswith("attributes")] == [
        'attributes["a"]',
        'attributes["a"]#2',
    ]


def test_thousands_of_attributes_are_thousands_of_lines() -> None:
    """Nothing is left out."""
    found = told(made(1, attributes=tuple((f"key {number}", number) for number in range(5_000))))
    assert sum(line.path.startswith("attributes[") for line in found) == 5_000


def test_events_and_links_are_told_with_what_they_have() -> None:
    """And what their maker left out."""
    span = made(
        1,
        events=(SpanEvent(START_NS + 2_000, "retry", (("attempt", 2),)),),
        links=(SpanLink(TRACE, identity(7), attributes=(("why", "cause"),)),),
        dropped=Dropped(3, 4, 0),
        scope=Scope("lib", "1.2"),
    )
    found = said(told(span))
    for line in (
        "Event 1 of 1: retry  +2 us",
        "attempt 2 int",
        f"trace {TRACE.hex()}  span {identity(7).hex()}",
        "why cause string",
        "and 3 that its maker left out",
        "and 4 events that its maker left out",
        "lib 1.2",
        "service.name shop string",
    ):
        assert line in found


def test_how_it_ended_is_in_the_words_of_whoever_ended_it() -> None:
    """Status and message; a code that nobody knows is a number."""
    found = told(made(1, is_error=True))
    assert "status    error" in said(found)
    assert "message no string" in said(found)
    assert "status    7" in said(told(replace(made(1), status=Status(7))))
    assert "status    unset" in said(told(made(1)))


def test_times_carry_their_zone_to_the_nanosecond() -> None:
    """A copy can be compared with anybody else's."""
    found = told(made(1, at=7))
    assert "2023-11-14T22:13:20.000000007Z" in {line.copied.split("  ")[0] for line in found}


def test_a_step_tells_verdict_deadline_and_split() -> None:
    """The share of the deadline that was used, in amber from 80 % on."""
    hook = Hook("plan-ready", "bot", "veto", "V", "denied", "⊘", Emphasis.DENIED, 125, "too risky", "PL-VETO-DENY")
    found = told(made(1), hook=hook, own_ns=40, split=Split(0, 30, 70, 100), lane="2 of 3 that were under way at once")
    words = said(found)
    for line in (
        "bot at plan-ready  V veto  ⊘ denied",
        "125 ns, 80% used",
        "PL-VETO-DENY",
        "too risky",
        "100 ns  own 40 ns  below 60 ns",
        "host -  transport 30 ns  subscriber 70 ns",
        "2 of 3 that were under way at once",
    ):
        assert line in words
    assert Emphasis.HELD in {segment.emphasis for line in found for segment in line.segments}


def test_a_missing_parent_has_nothing_but_its_id() -> None:
    """By which others name it."""
    skeleton = trace((2, 9, 0, 1))
    place = skeleton.ids.index(identity(9))
    assert identity(9).hex() in said(lines(Subject(skeleton, place, None)))


def test_text_of_others_is_made_visible() -> None:
    """Keys and values alike."""
    found = said(told(made(1, name="\x1b]0;x\x07", attributes=(("k\x1b", "v\u202e"),))))
    assert "\x1b" not in found
    assert "␛" in found
    assert "\\u202e" in found


def test_types_of_lists_say_what_is_in_them() -> None:
    """An empty one says that it is."""
    assert (type_of(()), type_of((1, 2)), type_of(Pairs())) == ("empty list", "list of int", "pairs")
    assert plain_text((b"\xff", Pairs((("a", None),)))) == '["ff", {"a": null}]'
