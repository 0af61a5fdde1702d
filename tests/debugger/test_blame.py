"""Claims about blame: every leaf has one last writer, and its history is what the chain really did to it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from debugger.blame import FIRED, Blame, Outlines, _at_a_look, _is_written, at, touches
from debugger.diff import diff, outline
from debugger.trace import DispatchTrace, Trace
from debugger.views.blame import blame
from kernel.facts import Asked, Changed, Event, Fact, Opened
from kernel.values import JSON, Chain, Subscription

TREES = st.recursive(
    st.sampled_from([None, True, 1, 1.0, "x", "y"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "id"]), inner, max_size=3),
    max_leaves=8,
)


@dataclass(frozen=True)
class Plain:
    """A payload that is nothing but its view."""

    view: JSON
    body: bytes = b""
    digest: str = field(default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", repr(self.view))


def traced(*views: JSON, dispatch: str = "d") -> DispatchTrace:
    """A dispatch fired with the first view and changed to each of the others in turn by A, B, C ..."""
    seats = tuple(Subscription(name, "p", "m") for name in "ABCDEFGH"[: len(views) - 1])
    facts: list[Fact] = [Opened("x", Chain("p", seats), Plain(views[0]), 0)]
    for step, (before, after) in enumerate(itertools.pairwise(views)):
        facts.append(Asked(step, seats[step], Plain(before), b"", None))
        facts.append(Changed(step, seats[step].name, Plain(before), Plain(after), "R"))
    trace = Trace()
    for number, fact in enumerate(facts):
        trace.take(Event(dispatch, number, number, fact))
    [found] = trace.dispatches
    return found


def test_the_last_writer_of_a_leaf_is_whoever_put_its_value_there() -> None:
    """A replaces one member, B adds another; what neither touched is as it was fired."""
    found = Blame(traced({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 2, "b": 1, "c": {"d": 3}}))
    assert found.writer(("a",)).by == "A"
    assert found.writer(("b",)) == FIRED
    assert found.writer(("c",)).by == "B"
    assert found.writer(("c", "d")).by == "B"
    assert found.writer(()).by == "B"


def test_items_keep_their_writer_when_others_are_put_in_front() -> None:
    """The list position is another one, the item is not."""
    first, second = {"id": "m1", "text": "one"}, {"id": "m2", "text": "two"}
    changed = {"id": "m2", "text": "TWO"}
    found = Blame(traced([first, second], [first, changed], [{"id": "m0", "text": "zero"}, first, changed]))
    assert [found.writer((place, "text")).by for place in range(3)] == ["B", "", "A"]
    assert [(each.writer.by, each.path, each.value) for each in found.history((2, "text"))] == [
        ("", (1, "text"), "two"),
        ("A", (1, "text"), "TWO"),
    ]


def test_what_is_written_back_has_a_history_and_its_last_writer() -> None:
    """Equal to what was fired in the end, and yet not by whoever fired it."""
    found = Blame(traced({"a": 1}, {"a": 2}, {"a": 1}))
    assert found.writer(("a",)).by == "B"
    assert [each.value for each in found.history(("a",))] == [1, 2, 1]


def test_what_was_removed_and_added_again_begins_anew() -> None:
    """The history of a place begins where the thing in it does."""
    found = Blame(traced({"a": 1, "b": 0}, {"b": 0}, {"a": 1, "b": 0}))
    assert [(each.writer.by, each.value) for each in found.history(("a",))] == [("B", 1)]


def test_touches_tell_over_many_dispatches_who_wrote_to_a_field() -> None:
    """Below the field, the field itself, or all around it; a dispatch that left it alone is not named."""
    traces = [
        traced({"m": [{"t": 1}], "x": 1}, {"m": [{"t": 2}], "x": 1}, dispatch="below"),
        traced({"m": [], "x": 1}, {"m": [], "x": 2}, dispatch="beside"),
        traced({"x": 1}, {"x": 1, "m": []}, dispatch="added"),
        traced({"m": [1]}, {}, dispatch="removed"),
        traced({"m": [1]}, [], dispatch="around"),
    ]
    assert [each.dispatch for each in touches(traces, ("m",))] == ["below", "added", "removed", "around"]


def test_the_lens_names_a_writer_once_for_lines_in_a_row() -> None:
    """Name, bar, line; nobody is told where nobody changed anything."""
    lines = [each.text for each in blame(traced({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}))]
    assert lines[0] == "Last written by  A"
    assert [text.split("│")[0].strip() for text in lines[1:]] == ["A", "as fired", "A", "as fired", "A", "", ""]
    assert blame(traced({"a": 1}))[0].text == "Nobody changed the payload: it is as it was fired."


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def leaves(value: JSON, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Paths of everything that is no container."""
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in leaves(inner, (*path, key))]
    if isinstance(value, list):
        return [found for place, inner in enumerate(value) for found in leaves(inner, (*path, place))]
    return [path]


@given(st.lists(JSONS, min_size=1, max_size=4))
def test_every_leaf_has_a_history_that_ends_in_its_value(views: list[JSON]) -> None:
    """The last state is the present one; each state really stood where the history says it did."""
    found = Blame(traced(*views))
    for path in leaves(views[-1]):
        history = found.history(path)
        assert history[-1].value == at(views[-1], path)
        assert history[-1].writer == found.writer(path)
        for each in history:
            stage = 0 if each.writer.step is None else each.writer.step + 1
            assert at(views[stage], each.path) == each.value


@given(st.lists(JSONS, min_size=1, max_size=4))
def test_both_halves_of_a_history_follow_the_same_thing(views: list[JSON]) -> None:
    """Whoever is in the history of what stands at a place is among those who wrote there, and nobody else."""
    trace = traced(*views)
    found = Blame(trace)
    for path in leaves(views[-1]):
        writers = [each.writer for each in found.history(path) if each.writer != FIRED]
        assert [each.writer for each in touches([trace], path)] == writers


def test_something_that_was_pushed_down_is_followed() -> None:
    """One message is put in front of another, which somebody had edited before: its place is another one now."""
    before: JSON = {"m": [{"id": "a", "text": "one"}]}
    edited: JSON = {"m": [{"id": "a", "text": "two"}]}
    pushed: JSON = {"m": [{"id": "n", "text": "new"}, {"id": "a", "text": "two"}]}
    trace = traced(before, edited, pushed)
    assert [each.writer.by for each in touches([trace], ("m", 1, "text"))] == ["A"]
    assert [each.writer.by for each in touches([trace], ("m", 0, "text"))] == ["B"]
    assert [each.writer.by for each in touches([trace], ("m", 2))] == []


@given(before=TREES, after=TREES, path=st.lists(st.sampled_from(["a", "b", 0, 1]), max_size=3).map(tuple))
def test_a_look_at_the_place_tells_the_same_as_comparing_everything(
    before: JSON, after: JSON, path: tuple[str | int, ...]
) -> None:
    """Wherever it tells anything at all: moves, subtle differences and what is not there included."""
    for first, second in ((before, after), (before, before), ({"a": before, "b": 1}, {"a": after, "b": 1})):
        told = _at_a_look(first, second, path)
        if told is not None:
            assert told is _is_written(outline(diff(first, second)), path)


def test_what_was_compared_is_known_again_up_to_a_number() -> None:
    """The same two payloads are compared once, and no more are kept than is said."""
    outlines = Outlines(2)
    changes = [change for each in ([1], [2], [3]) for change in traced([0], each).changes]
    first = outlines.of(changes[0])
    assert outlines.of(changes[0]) is first
    for change in changes:
        outlines.of(change)
    assert outlines.of(changes[0]) is not first
