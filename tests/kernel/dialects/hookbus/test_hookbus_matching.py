"""Claims about filters and matchers (spec 2.3)."""

from __future__ import annotations

import pytest
from hookbus_runs import bm, bt

from kernel.dialects.hookbus.matching import input_text, missed
from kernel.values import JSON

NEITHER = object()


@pytest.mark.parametrize(
    ("api", "runtime", "tool", "wanted"),
    [
        ("plug_do", "plug:do", "plug_do", True),
        ("plug_do", "plug:do", "plug:do", True),
        ("plug_do", "plug:do", "plug-do", False),
        ("bash", None, "bash", True),
        ("bash", None, "Bash", False),
        ("bash", None, "bas", False),
        ("bash", None, " bash", False),
        (None, "plug:do", "plug:do", True),
        (None, None, "bash", False),
        (None, None, None, True),
        ("bash", None, None, True),
    ],
)
def test_a_filter_equals_either_name(api: str | None, runtime: str | None, tool: str | None, wanted: bool) -> None:
    """Exactly, in any kind of event; without a filter everything is wanted."""
    event = bt().having(tool_name=api, tool_runtime_name=runtime)
    why = missed({} if tool is None else {"tool": tool}, event)
    assert (why is None) is wanted
    if why is not None:
        assert (why.rule, why.because_of) == ("HB-FILTER", f"its filter @{tool}")


def test_a_filter_where_there_are_no_tools_wants_nothing() -> None:
    """The bus takes such a record, and never calls it."""
    assert missed({"tool": "bash"}, bm()) is not None


@pytest.mark.parametrize(
    ("matcher", "given", "wanted"),
    [
        ({}, {"a": 1}, True),
        ({"input_equals": None}, {"a": 1}, True),
        ({"input_contains": None}, {"a": 1}, True),
        ({"input_equals": {"a": 1}}, {"a": 1}, True),
        ({"input_equals": {"a": 1}}, {"a": 1, "b": 2}, False),
        ({"input_equals": {"a": 1, "b": 2}}, {"b": 2, "a": 1}, True),
        ({"input_equals": {"a": 1}}, {"a": 1.0}, False),
        ({"input_equals": {"a": 1}}, {"a": True}, False),
        ({"input_equals": [1, 2]}, [2, 1], False),
        ({"input_equals": False}, None, False),
        ({"input_contains": "rm -rf"}, {"command": "rm -rf /"}, True),
        ({"input_contains": ""}, None, True),
        ({"input_contains": "null"}, None, True),
        ({"input_contains": "NULL"}, None, False),
        ({"input_contains": '"a":1'}, {"a": 1}, True),
        ({"input_contains": '"a": 1'}, {"a": 1}, False),
        ({"input_contains": 'say \\"hi\\"'}, {"command": 'say "hi"'}, True),
        ({"input_contains": 'say "hi"'}, {"command": 'say "hi"'}, False),
        ({"input_contains": "\\n"}, {"command": "a\nb"}, True),
        ({"input_contains": "\\u00e9"}, {"t": "é"}, False),
        ({"input_contains": "é"}, {"t": "é"}, True),
        ({"input_contains": "\\u001b"}, {"t": "\x1b"}, True),
        ({"input_contains": "\\u001B"}, {"t": "\x1b"}, False),
        ({"input_contains": "1e16"}, {"n": 1e16}, True),
        ({"input_contains": "1e+16"}, {"n": 1e16}, False),
        ({"input_contains": "1.0}"}, {"n": 1.0}, True),
        ({"input_contains": '"a":1,"b"'}, {"b": 2, "a": 1}, True),
        ({"input_contains": "rm", "input_equals": {"command": "rm x"}}, {"command": "rm x"}, True),
        ({"input_contains": "zz", "input_equals": {"command": "rm x"}}, {"command": "rm x"}, False),
        ({"input_contains": "rm", "input_equals": {"command": "rm y"}}, {"command": "rm x"}, False),
    ],
)
def test_a_matcher_wants_what_fits_both_of_its_conditions(matcher: dict[str, JSON], given: JSON, wanted: bool) -> None:
    """Deep strict equality, and a substring of the exact compact text."""
    why = missed({"match": matcher}, bt("t", given))
    assert (why is None) is wanted
    assert why is None or why.rule == "HB-MATCHER"


def test_the_filter_comes_before_the_matcher() -> None:
    """Only one of them is named."""
    why = missed({"tool": "x", "match": {"input_contains": "zz"}}, bt())
    assert why is not None
    assert why.rule == "HB-FILTER"


def test_the_text_of_an_absent_input() -> None:
    """Null, as for an input that is null."""
    assert input_text(bm()) == input_text(bt("t", None)) == "null"
