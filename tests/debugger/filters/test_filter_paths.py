"""JSON paths of changes: at a place, below it, around it, by identity of list items, and to a value."""

from __future__ import annotations

import pytest

from debugger.blame import at
from debugger.diff import diff
from debugger.filters.paths import is_changed, path_pattern, places, restricted, selected
from debugger.filters.problems import Unfit
from kernel.values import JSON

BEFORE: JSON = {
    "messages": [{"id": "a", "text": "one"}, {"id": "b", "text": "two"}],
    "model": {"name": "x", "heat": 1, "stop": None},
    "odd key": {"a.b": 1},
    "list": [1, 2, 3],
}


def changed(path: str, after: JSON, *, is_exact: bool = False) -> bool:
    """Whether the path changed on the way from BEFORE; the same is found when only its part is compared."""
    pattern = path_pattern(path)
    whole = is_changed(pattern, diff(BEFORE, after), after, is_exact=is_exact)
    part = diff(restricted(BEFORE, pattern.prefix), restricted(after, pattern.prefix))
    assert is_changed(pattern, part, after, is_exact=is_exact) is whole
    return whole


def with_(**members: JSON) -> JSON:
    assert isinstance(BEFORE, dict)
    return {**BEFORE, **members}


EDITED = with_(messages=[{"id": "a", "text": "one"}, {"id": "b", "text": "TWO"}])
IN_FRONT = with_(messages=[{"id": "n", "text": "new"}, {"id": "a", "text": "one"}, {"id": "b", "text": "two"}])
SWAPPED = with_(messages=[{"id": "b", "text": "two"}, {"id": "a", "text": "one"}])
COOLED = with_(model={"name": "x", "heat": 0, "stop": None})
REPLACED = with_(model="none")
GONE = {key: value for key, value in BEFORE.items() if key != "model"} if isinstance(BEFORE, dict) else None
MORE = with_(extra={"deep": [{"flag": True}]})


@pytest.mark.parametrize(
    ("path", "after", "is_it"),
    [
        ("$", BEFORE, False),
        ("$", EDITED, True),
        ("messages", EDITED, True),
        ("$.messages[1]", EDITED, True),
        ("$.messages[0]", EDITED, False),
        ("$.messages[*].text", EDITED, True),
        ("$.messages[*].id", EDITED, False),
        ("$..text", EDITED, True),
        ("$..id", EDITED, False),
        ("$.*", EDITED, True),
        ("$.*.heat", EDITED, False),
        ("$.messages[1].text.more", EDITED, False),
        ("$['messages'][1][\"text\"]", EDITED, True),
        ("$.messages[*]", IN_FRONT, True),
        ("$.messages[0]", IN_FRONT, True),
        ("$.messages[1]", IN_FRONT, False),
        ("$.messages[0].text", IN_FRONT, True),
        ("$.messages[*].text=new", IN_FRONT, True),
        ("$.messages[*].text=two", IN_FRONT, False),
        ("$.messages", SWAPPED, True),
        ("$.messages[*].text", SWAPPED, False),
        ("$.model.heat", COOLED, True),
        ("$.model.heat=0", COOLED, True),
        ("$.model.heat=0.0", COOLED, True),
        ("$.model.heat=false", COOLED, False),
        ("$.model.heat=1", COOLED, False),
        ('$.model={"name": "x", "heat": 0, "stop": null}', COOLED, True),
        ("$.model.name", COOLED, False),
        ("$.model=none", REPLACED, True),
        ('$.model="none"', REPLACED, True),
        ('$.model="no*"', REPLACED, False),
        ("$.model=no*", REPLACED, True),
        ("$.model.name", REPLACED, True),
        ("$.model.name=x", REPLACED, False),
        ("$.model.nothing", REPLACED, False),
        ("$.model", GONE, True),
        ("$.model.name", GONE, True),
        ("$.model=null", GONE, False),
        ("$.extra.deep[*].flag", MORE, True),
        ("$.extra.deep[0].flag=true", MORE, True),
        ("$.extra.deep[0].flag=1", MORE, False),
        ("$..flag=true", MORE, True),
        ("$.extra.other", MORE, False),
        ("$['odd key']['a.b']", with_(**{"odd key": {"a.b": 2}}), True),
        ("$.list[2]", with_(list=[1, 2, 4]), True),
        ("$.list", with_(list=[1, 2]), True),
        ("$.list=[1,2]", with_(list=[1, 2]), True),
        ("$.model.stop", with_(model={"name": "x", "heat": 1}), True),
        ("$.model.heat", with_(model={"name": "x", "heat": 1.0, "stop": None}), True),
    ],
)
def test_a_path_changed(path: str, after: JSON, is_it: bool) -> None:
    """What a data breakpoint means."""
    assert changed(path, after) is is_it


@pytest.mark.parametrize(
    ("path", "after", "is_it"),
    [
        ("$.messages", EDITED, False),
        ("$.messages[1].text", EDITED, True),
        ("$.messages[1].text=TWO", EDITED, True),
        ("$.model", GONE, True),
        ("$.model.name", GONE, False),
        ("$.extra", MORE, True),
        ("$.extra.deep", MORE, False),
        ("$.messages[*]", SWAPPED, True),
    ],
)
def test_exactly_this_path_changed(path: str, after: JSON, is_it: bool) -> None:
    """`:=` neither looks below nor around."""
    assert changed(path, after, is_exact=True) is is_it


def test_what_a_path_selects() -> None:
    """Every place it names, whatever is there."""
    assert sorted(map(str, selected(path_pattern("$..id").parts, BEFORE))) == ["a", "b"]
    assert list(selected(path_pattern("$").parts, BEFORE)) == [BEFORE]
    assert list(selected(path_pattern("list[1]").parts, BEFORE)) == [2]
    assert list(selected(path_pattern("list[7]").parts, BEFORE)) == []


def test_a_payload_as_deep_as_it_gets_does_not_run_out_of_stack() -> None:
    """Paths are followed without recursion."""
    deep: JSON = 1
    for _ in range(5000):
        deep = {"a": deep}
    assert is_changed(path_pattern("$..b"), diff({}, {"x": deep}), {"x": deep}, is_exact=False) is False


@pytest.mark.parametrize(
    "text", ["$.", "$..", "$[", "$[x]", "$['a]", "$.a b", "$a", "", "$.a..[0]", '$["\\x"]', "$.a="]
)
def test_what_is_no_path(text: str) -> None:
    """Said with an example of what is."""
    with pytest.raises(Unfit):
        path_pattern(text)


@pytest.mark.parametrize(
    "text", ["$", "$.messages[*].id", "$..id", "$.*", "$..text", "$['odd key']", "$.list[*]", "$.no"]
)
def test_places_are_those_of_what_is_selected(text: str) -> None:
    """Each with its path, in the order of the value."""
    parts = path_pattern(text).parts
    found = list(places(parts, BEFORE))
    assert sorted(map(str, selected(parts, BEFORE))) == sorted(str(value) for _, value in found)
    assert all(at(BEFORE, path) == value for path, value in found)
    assert [path for path, _ in found] == list(dict.fromkeys(path for path, _ in found))
