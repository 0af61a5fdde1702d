"""What is a difference, and how few changes tell it."""

from __future__ import annotations

from typing import Any

import pytest

from debugger.diff import (
    Added,
    Change,
    Diff,
    Moved,
    Path,
    Removed,
    Replaced,
    Subtle,
    diff,
    dotted,
    only_key_order_differs,
    pointer,
    without,
)

JSON = Any  # tests read payloads freely


def message(text: str, role: str = "user", **more: JSON) -> JSON:
    """A message as model requests have it."""
    return {"role": role, "content": [{"text": {"text": text}}], **more}


def edit(path: Path, before: JSON, after: JSON, path_before: Path | None = None) -> Replaced:
    """A replaced value, by default in the place where it was."""
    return Replaced(path, before, after, path if path_before is None else path_before)


TEXT = ("content", 0, "text", "text")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (1.0, True),
        (0.0, -0.0),
        (1, "1"),
        (None, ""),
        (None, False),
        (float("nan"), None),
        ([], {}),
        ("a", "a "),
        ("é", "e\u0301"),
        (2**64, float(2**64)),
        ("\ud800", "\ud801"),
    ],
)
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: {"k": v}, lambda v: [v], lambda v: [0, v, {"k": [v]}]])
def test_values_of_another_type_or_spelling_differ(before: JSON, after: JSON, wrap: Any) -> None:
    """What Python takes for equal, or an eye does, is a difference at any depth, in both directions."""
    assert diff(wrap(before), wrap(after))
    assert diff(wrap(after), wrap(before))
    assert not diff(wrap(before), wrap(before))


def test_an_absent_key_is_neither_null_nor_empty() -> None:
    """A key with null or an empty value is something that was added, and the diff says that it is subtle."""
    assert diff({}, {"a": None, "b": ""}).changes == (Added(("a",), None), Added(("b",), ""))
    assert [change.subtle for change in diff({}, {"a": None, "b": "", "c": 0}).changes] == [
        (Subtle.NULL,),
        (Subtle.EMPTY,),
        (),
    ]


def test_the_order_of_keys_is_no_difference_but_can_be_asked_for() -> None:
    """Payloads with sorted keys are equal, and there is a question that tells them from untouched ones."""
    before, after = {"b": {"y": 1, "x": [1]}, "a": 2}, {"a": 2, "b": {"x": [1], "y": 1}}
    assert not diff(before, after)
    assert not diff([before, 1], [after, 1])
    assert only_key_order_differs(before, after)
    assert not only_key_order_differs(before, before)
    assert not only_key_order_differs(before, {"a": 2})


A, B, C = message("alpha", id="m1"), message("beta", id="m2"), message("gamma", id="m3")


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        pytest.param([A, B], [C, A, B], [Added((0,), C)], id="insert in front"),
        pytest.param([A, B], [A, C, B], [Added((1,), C)], id="insert between"),
        pytest.param([A, B], [A, B, C], [Added((2,), C)], id="append"),
        pytest.param([A, B, C], [A, C], [Removed((1,), B)], id="remove"),
        pytest.param([A, B, C], [C, A, B], [Moved((2,), (0,), C)], id="move"),
        pytest.param(["a", "b", "c"], ["c", "a", "b"], [Moved((2,), (0,), "c")], id="move a scalar"),
        pytest.param(
            [A, B], [C, A, message("BETA", id="m2")],
            [Added((0,), C), edit((2, *TEXT), "beta", "BETA", (1, *TEXT))],
            id="insert and edit",
        ),
        pytest.param(
            [A, B], [B, message("changed", id="m1")],
            [Moved((0,), (1,), message("changed", id="m1")), edit((1, *TEXT), "alpha", "changed", (0, *TEXT))],
            id="move and edit",
        ),
        pytest.param(
            [message("alpha", id="m1")], [message("alpha", "system", id="m1")],
            [edit((0, "role"), "user", "system")],
            id="one item, another role",
        ),
        pytest.param([1, 1, 1], [1, 1, 1, 1], [Added((3,), 1)], id="one more of the same"),
        pytest.param([0, 1, 2], [0, 5, 2], [edit((1,), 1, 5)], id="edit a scalar"),
        pytest.param([1], [1.0], [edit((0,), 1, 1.0)], id="type of a scalar"),
        pytest.param([[1, 2], [3]], [[1, 2, 9], [3]], [Added((0, 2), 9)], id="list in a list"),
    ],
)  # fmt: skip
def test_a_list_tells_what_was_done_to_it(before: JSON, after: JSON, changes: list[Change]) -> None:
    """An insert is one change however many items follow; an edited item is edited, not exchanged."""
    assert diff(before, after).changes == tuple(changes)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        pytest.param(
            [message("hello world"), message("yes", "assistant")],
            [message("be kind", "system"), message("hello there world"), message("yes", "assistant")],
            [Added((0,), message("be kind", "system")),
             edit((1, *TEXT), "hello world", "hello there world", (0, *TEXT))],
            id="by role and words",
        ),
        pytest.param(
            [message("one")], [message("entirely different words")],
            [edit((0, *TEXT), "one", "entirely different words")],
            id="by role and shape alone",
        ),
        pytest.param(
            [message("x")], [{"kind": "note", "lines": 3}],
            [Removed((0,), message("x")), Added((0,), {"kind": "note", "lines": 3})],
            id="not when nothing fits",
        ),
        pytest.param(
            [{"id": 1, "text": "a b c"}, 0], [{"id": 2, "text": "x y z"}, 0],
            [Removed((0,), {"id": 1, "text": "a b c"}), Added((0,), {"id": 2, "text": "x y z"})],
            id="not against their ids",
        ),
        pytest.param(
            [{"tool_use": {"id": "c1", "input": 1}}, {"tool_use": {"id": "c2", "input": 2}}],
            [{"tool_use": {"id": "c0", "input": 2}}, {"tool_use": {"id": "c1", "input": 1}},
             {"tool_use": {"id": "c2", "input": 3}}],
            [Added((0,), {"tool_use": {"id": "c0", "input": 2}}),
             edit((2, "tool_use", "input"), 2, 3, (1, "tool_use", "input"))],
            id="by the id of the block inside",
        ),
        pytest.param(
            [{"name": "a", "v": 1}, {"name": "a", "v": 2}, {"name": "b", "v": 3}],
            [{"name": "a", "v": 1}, {"name": "a", "v": 5}, {"name": "b", "v": 3}],
            [edit((1, "v"), 2, 5)],
            id="a name that two items have is no identity",
        ),
    ],
)  # fmt: skip
def test_items_without_identity_are_recognised_by_likeness(before: JSON, after: JSON, changes: list[Change]) -> None:
    """An edited item is found again by its role, shape and words, but different ids keep items apart."""
    assert diff(before, after).changes == tuple(changes)


def test_changes_come_in_document_order() -> None:
    """The order after; what was removed stands where it used to be."""
    before = {"a": 1, "gone": 2, "b": [1, 2, 3], "c": 4}
    after = {"a": 9, "b": [1, 3, 4], "c": 5, "new": 6}
    assert [dotted(change.path) for change in diff(before, after).changes] == ["a", "gone", "b[1]", "b[2]", "c", "new"]


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        ({"m": [A]}, {"m": [A]}, "no change"),
        ([A, B], [C, A, message("b", id="m2")], "+1 ~1"),
        ([A, B, C], [C, A], "-1 >1"),
    ],
)
def test_the_summary_fits_into_a_row(before: JSON, after: JSON, summary: str) -> None:
    """Counts of what was added, changed, removed and moved, and only of what there was."""
    assert str(diff(before, after).summary) == summary


@pytest.mark.parametrize(
    ("path", "as_pointer", "as_text"),
    [
        ((), "", "$"),
        (("messages", 1, "content", 0, "text"), "/messages/1/content/0/text", "messages[1].content[0].text"),
        (("a/b", "m~n"), "/a~1b/m~0n", "['a/b']['m~n']"),
        ((0, "x"), "/0/x", "[0].x"),
        (("", "0"), "//0", "['']['0']"),
    ],
)
def test_a_path_has_a_form_for_programs_and_one_for_people(path: Path, as_pointer: str, as_text: str) -> None:
    """RFC 6901 escapes what it must; the readable form quotes keys that would be misread."""
    assert pointer(path) == as_pointer
    assert dotted(path) == as_text


def test_ignored_paths_are_taken_out_before_comparing() -> None:
    """A star stands for any key or position; items of a list leave null behind and keep the others in place."""
    before = {"at": 1, "m": [{"id": 1, "t": "x"}, {"id": 2, "t": "y", "n": 0}]}
    after = {"m": [{"id": 8, "t": "x"}, {"id": 9, "n": 0}]}
    ignored: list[Path] = [("at",), ("m", "*", "id")]
    assert diff(without(before, ignored), without(after, ignored)).changes == (Removed(("m", 1, "t"), "y"),)
    assert without([1, 2, 3], [(1,)]) == [1, None, 3]
    assert without(before, [()]) == before


def nested(levels: int, leaf: JSON, *, in_list: bool) -> JSON:
    """A leaf under so many levels, with a neighbour on each."""
    for _ in range(levels):
        leaf = [{"n": 1}, leaf] if in_list else {"n": {"x": 1}, "inner": leaf}
    return leaf


@pytest.mark.parametrize("in_list", [True, False])
@pytest.mark.parametrize("levels", [1000, 5000])
def test_depth_breaks_nothing(levels: int, in_list: bool) -> None:
    """Payloads nested deeper than Python can recurse are compared all the same."""
    before, after = nested(levels, 1, in_list=in_list), nested(levels, 2, in_list=in_list)
    found = diff(before, after)
    assert len(found.changes) == 1
    assert not diff(before, nested(levels, 1, in_list=in_list))
    if levels == 1000:
        assert (found.changes[0].path[-1], len(found.changes[0].path)) == ((1 if in_list else "inner"), 1000)


LONG = 10_000


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        (list(range(LONG)), list(range(LONG, 2 * LONG)), f"~{LONG}"),
        ([{"id": f"a{n}"} for n in range(LONG)], [{"id": f"b{n}"} for n in range(LONG)], f"+{LONG} -{LONG}"),
        ([{"t": f"a{n}"} for n in range(LONG)], [{"t": f"b{n}"} for n in range(LONG)], f"~{LONG}"),
        (["x", "y"] * (LONG // 2), ["y", "x"] * (LONG // 2), f">{LONG // 2}"),
        (list(range(LONG)), [*range(1, LONG), 0], ">1"),
    ],
)
def test_long_lists_that_share_nothing_or_repeat_are_still_told(before: JSON, after: JSON, summary: str) -> None:
    """The worst lists get a plain diff, not a slow one."""
    assert str(diff(before, after).summary) == summary


def test_a_diff_is_a_value() -> None:
    """Two diffs of equal payloads are equal; an empty one is false."""
    assert diff({"a": 1}, {"a": 2}) == Diff((edit(("a",), 1, 2),))
    assert not Diff()


@pytest.mark.parametrize(
    ("before", "after", "flagged"),
    [
        ({"p\u0430y": 1}, {"pay": 1}, True),
        ({"a ": 1}, {"a": 1}, True),
        ({"User": 1}, {"user": 1}, True),
        ({"na\u200bme": 1}, {"name": 1}, True),
        ({"max_tokens": 1}, {"max-tokens": 1}, False),
        ({"pay": 1}, {"paid": 1}, False),
        ({"pay": 1, "p\u0430y": 1}, {"pay": 1}, False),  # the other one is still there: nothing took its place
    ],
)
def test_names_that_look_alike_are_flagged_on_both_sides(before: JSON, after: JSON, flagged: bool) -> None:
    """A member that became another one by a letter that looks the same, by white space, or by case."""
    changes = diff(before, after).changes
    assert changes
    assert all((Subtle.NAME in change.subtle) is flagged for change in changes)
