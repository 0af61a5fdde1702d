"""A diff as JSON Patch: applied, it gives the payload after. And the way back: where a thing was before."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.diff import Diff, Moved, diff, outline, patch

JSON = Any  # the applier below pokes about in payloads

_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, -0.0, 1.0, float("nan"), 2**80, "\ud800", "a/b~c"])
    | st.text(alphabet="ab \n", max_size=5)
)
_keys = st.sampled_from(["id", "name", "role", "a", "b/c", "d~e", ""])
payloads = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=6) | st.dictionaries(_keys, inner, max_size=4), max_leaves=25
)
_items = st.fixed_dictionaries({"id": st.integers(1, 7), "x": payloads})
_groups = st.fixed_dictionaries({"id": st.integers(1, 7), "x": _scalars, "items": st.lists(_items, max_size=5)})
grouped = st.fixed_dictionaries({"groups": st.lists(_groups, max_size=7)})


def is_same(left: JSON, right: JSON) -> bool:
    """Equality as JSON sees it, written without any help from the code under test."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(is_same(*pair) for pair in zip(left, right, strict=True))
    return repr(left) == repr(right)


def applied(document: JSON, operations: list[dict[str, JSON]]) -> JSON:
    """RFC 6902, as far as add, remove, replace and move go. Fails where the standard says so."""
    document = {"": copy.deepcopy(document)}

    def place(pointer: str) -> tuple[JSON, str | int]:
        around: JSON = document
        *above, last = ["", *(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])]
        for step in above:
            around = around[int(step) if isinstance(around, list) else step]
        return around, int(last) if isinstance(around, list) else last

    def remove(pointer: str) -> JSON:
        around, step = place(pointer)
        return around.pop(step)

    def add(pointer: str, value: JSON) -> None:
        around, step = place(pointer)
        if isinstance(around, list):
            assert 0 <= step <= len(around), f"{pointer} is beyond the list"
            around.insert(step, value)
        else:
            around[step] = value

    for operation in operations:
        pointer = operation["path"]
        match operation["op"]:
            case "remove":
                remove(pointer)
            case "add":
                add(pointer, copy.deepcopy(operation["value"]))
            case "move":
                add(pointer, remove(operation["from"]))
            case "replace":
                around, step = place(pointer)
                assert isinstance(around, list) or step in around, f"nothing to replace at {pointer}"
                around[step] = copy.deepcopy(operation["value"])
            case other:
                raise AssertionError(other)
    return document[""]


def assert_patch_holds(before: JSON, after: JSON) -> Diff:
    """The promise, for one pair."""
    found = diff(before, after)
    assert is_same(applied(before, patch(found)), after)
    assert bool(found) is not is_same(before, after)
    return found


@given(payloads, payloads)
def test_a_patch_applied_gives_the_payload_after(before: JSON, after: JSON) -> None:
    """For any two payloads, types included; and a diff is empty only for equal ones."""
    assert_patch_holds(before, after)


@given(grouped, grouped)
def test_a_patch_holds_where_moves_are_nested_in_moves(before: JSON, after: JSON) -> None:
    """Items found again by id, moved and edited inside groups that moved and were edited themselves."""
    assert_patch_holds(before, after)


@given(st.lists(_scalars, max_size=9).flatmap(lambda items: st.tuples(st.just(items), st.permutations(items))))
def test_a_permutation_is_moves_only(lists: tuple[list[JSON], list[JSON]]) -> None:
    """Putting a list in another order adds and removes nothing, repeated items included."""
    found = assert_patch_holds(*lists)
    assert all(isinstance(change, Moved) for change in found.changes)


@pytest.mark.parametrize("size", [30, 1500])
def test_a_patch_holds_for_long_shuffled_lists(size: int) -> None:
    """Shuffled, cut and refilled at once."""
    rng = random.Random(size)
    before = list(range(size))
    after = rng.sample(before, size * 3 // 4) + [-number for number in range(1, size // 4)]
    rng.shuffle(after)
    assert_patch_holds(before, after)


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        (1, 1.0, [{"op": "replace", "path": "", "value": 1.0}]),
        ({"a": 1}, {"a": 1, "b/c": 2}, [{"op": "add", "path": "/b~1c", "value": 2}]),
        (["a", "b", "c"], ["c", "a", "b"], [{"op": "move", "from": "/2", "path": "/0"}]),
        (["a", "b", "c"], ["b", "c", "a"], [{"op": "move", "from": "/0", "path": "/2"}]),
        ([{"id": 1}, {"id": 2}], [{"id": 2}], [{"op": "remove", "path": "/0"}]),
        ({}, {}, []),
    ],
)
def test_a_patch_reads_like_what_was_done(before: JSON, after: JSON, operations: list[JSON]) -> None:
    """One operation for one change."""
    assert patch(diff(before, after)) == operations


@given(grouped, grouped)
def test_origins_lead_back_to_where_things_were(before: JSON, after: JSON) -> None:
    """Whatever was neither added nor changed is found in the payload before, at its origin."""
    found = diff(before, after)
    index = outline(found)
    changed = {change.path for change in found.changes}
    todo: list[tuple[tuple[str | int, ...], JSON]] = [((), after)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, dict):
            todo += [((*path, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            todo += [((*path, position), item) for position, item in enumerate(value)]
        elif not any(path[:length] in changed for length in range(len(path) + 1)):
            origin = index.origin(path)
            assert origin is not None
            old = before
            for step in origin:
                old = old[step]
            assert is_same(old, value)


def test_an_origin_sees_through_inserts_and_moves() -> None:
    """The last writer of a field is found by going back step by step."""
    a, b = {"id": 1, "t": "x"}, {"id": 2, "t": "y"}
    index = outline(diff({"m": [a, b]}, {"m": [{"id": 0}, b, {**a, "new": [1]}]}))
    assert index.origin(("m", 1, "t")) == ("m", 1, "t")
    assert index.origin(("m", 2, "t")) == ("m", 0, "t")
    assert index.origin(("m", 2, "new", 0)) is None
    assert index.origin(("m", 0)) is None
