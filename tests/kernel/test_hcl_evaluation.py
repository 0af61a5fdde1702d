"""What constant expressions come to: the values are those that HashiCorp's evaluator gives."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import hcl
from kernel.errors import BadInput
from kernel.hcl import numbers
from kernel.hcl.unify import members
from kernel.hcl.values import Expression


def evaluated(text: str) -> tuple[object, list[str]]:
    """The value behind `a =` in Python's words, and what was told about it."""
    (attribute,) = hcl.parse(f"a = {text}\n", "f").attributes
    told: list[str] = []
    value = hcl.evaluate(attribute.expression, lambda message, place, fix: told.append(message))
    return plain(value), told


def plain(value: hcl.Value | Expression) -> object:
    match value:
        case hcl.Scalar(found):
            return found
        case hcl.ListOf(items):
            return [plain(item) for item in items]
        case hcl.ObjectOf():
            return {key: plain(each) for key, each in members(value).items()}
        case _:
            return ...


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # operators: precedence, association, types
        ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("10 - 2 - 3", 5), ("2 * 3 % 4", 2), ("-7 % 3", -1), ("7 % 0", 7),
        ("1 < 2 == true", True), ("true || false && false", True), ("!true == false", True), ("-46+5", -41),
        ('"5" + 1', 6), ('-"5"', -5), ('!"true"', False), ('"true" && true', True), ("1 == 1.0", True),
        ('1 == "1"', False), ("null == null", True), ("null != 1", True), ("[1] == [1.0]", True),
        ("{a = 1} == {a = 1}", True), ("1 / 2", Fraction(1, 2)), ("0.1 + 0.2 == 0.3", True), ("--1", 1),
        # numbers in text
        ('"${1 / 2}!"', "0.5!"), ('"${0.1 + 0.2}!"', "0.3!"), ('"${1.50}!"', "1.5!"), ('"${1e3}!"', "1000!"),
        ('"${10 / 3 * 3}!"', "10!"), ('"a${1}"', "a1"), ('"${true}!"', "true!"),
        # conditionals
        ("true ? 1 : x", 1), ('true ? 1 : "x"', "1"), ('false ? 1 : "x"', "x"), ("true ? null : 1", None),
        ('"true" ? 1 : 2', 1), ('true ? {a = 1} : {b = "x"}', {"a": "1"}), ('true ? [1] : ["x", 2]', ["1"]),
        ("false ? a : true ? 1 : 2", 1),
        # inside of things
        ("[5, 6][0]", 5), ('["x"]["0"]', "x"), ("{a = 1}.a", 1), ('{a = 1}["a"]', 1), ("[[1, 2]][0][1]", 2),
        ("[5, 6].1", 6), ("[{a = 1}, {a = 2}][*].a", [1, 2]), ("[{a = 1}].*.a", [1]), ("5[*]", [5]), ("null[*]", []),
        ("{(1) = 2}", {"1": 2}), ('{"${"x"}" = 1}', {"x": 1}), ("{(true) = 1}", {"true": 1}),
        ("{a = 1, a = 2}", {"a": 2}),
        # loops
        ('[for x in ["a", "b"] : "fs.${x}"]', ["fs.a", "fs.b"]), ("[for i, x in [5, 6] : i * x]", [0, 6]),
        ("[for k, v in {b = 1, a = 2} : k]", ["a", "b"]), ("[for x in [1, 2, 3] : x if x > 1]", [2, 3]),
        ("{for x in [1, 2] : x => x * 2}", {"1": 2, "2": 4}), ("{for x in [1, 1] : x => 5...}", {"1": [5, 5]}),
        ("[for x in [1] : [for x in [2] : x]]", [[2]]), ("[for x in [] : y]", []),
        # templates
        ('"%{ if true }info%{ endif }"', "info"), ('"%{ if false }a%{ else }b%{ endif }"', "b"),
        ('"%{ for x in [1, 2] }${x},%{ endfor }"', "1,2,"), ('"%{ for k, v in {a = 1} }${k}${v}%{ endfor }"', "a1"),
        ('" a ${~ "b" ~} c "', " abc "), ('"x %{~ if true ~} y %{~ endif ~} z"', "xyz"), ('"${5}"', 5),
        ('"${ "a"\n}"', "a"),
        ('"$${~ x}"', "${~ x}"), ('"$${a}${1}"', "${a}1"), ("<<X\n${1}\nX", "1\n"),
        ("<<-X\n  a\n    ${1}\n  X", "a\n  1\n"),
        ("<<X\na ${~ 1 ~}\n b\nX", "a1 b\n"), ("<<-X\n  ${1}\n    b\n  X", "1\n  b\n"),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_that_it_has_in_hcl(text: str, expected: object) -> None:
    """Operators with HCL's types and precedence, conditionals with a common type, loops, templates."""
    value, told = evaluated(text)
    assert (value, told) == (expected, [])
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x", "names a variable"), ("x.y[0]", "names a variable"), ("f()", "functions cannot be called"),
        ("a::b()", "functions cannot be called"), ("1 / 0", "divides by 0"), ('"a" + 1', "not a number"),
        ("true + 1", "where a number is needed"), ("1 && true", "where true or false is needed"), ("null + 1", "null"),
        ("-null", "null"), ("null ? 1 : 2", "null as a condition"), ("1 ? 1 : 2", "where true or false"),
        ("true ? 1 : false", "nothing in common"), ("true ? 1 : []", "nothing in common"), ("[1][1]", "not there"),
        ("[1][-1]", "not there"), ("[1][0.5]", "not there"), ("{a = 1}.b", "not there"), ("5[0]", "has none"),
        ("5.a", "has none"), ("[1].a", "has none"), ("[1][null]", "by null"), ("{a.b = 1}", "a name or an expression"),
        ("{(null) = 1}", "null as a key"), ("{([]) = 1}", "where text is needed"), ('"${null}!"', "null in a text"),
        ('"${[]}!"', "where text is needed"), ("[for x in 5 : x]", "no elements"),
        ("[for x in [] : x if 5]", "true or false"),
        ("[for x in [1] : x if null]", "null as a condition"), ("{for x in [1, 1] : x => x}", "two members of one key"),
        ("1e3000 * 1e3000", "too large"),
        ("[for a in [for b in [1,2,3,4,5,6,7,8,9,0] : b] : " * 6 + "1" + "]" * 6, "more than anybody"),
    ],
)  # fmt: skip
def test_what_has_no_value_is_told_once(text: str, part: str) -> None:
    """And nothing is made of it afterwards."""
    value, told = evaluated(text)
    assert len(told) == 1
    assert part in told[0]
    assert value is ...


@settings(deadline=None)
@given(st.fractions(-(10**9), 10**9, max_denominator=10**6))
def test_a_number_in_digits_is_the_same_number(number: Fraction) -> None:
    """As few digits as tell it from its neighbours."""
    kept = numbers.rounded(number)
    digits = numbers.text(kept)
    assert numbers.rounded(Fraction(digits)) == kept
    assert "e" not in digits.lower()


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "1",
                "+",
                "(",
                ")",
                "[",
                "]",
                '"',
                "${",
                "}",
                "x",
                "?",
                ":",
                "*",
                ".",
                "-",
                " ",
                "for",
                "in",
                "{",
                "=",
                "~",
            ]
        ),
        max_size=14,
    ).map("".join)
)
def test_any_expression_has_a_value_or_is_refused(text: str) -> None:
    """No text makes the evaluator stumble."""
    with contextlib.suppress(BadInput):
        body = hcl.parse(f"a = {text}\n", "f")
        for attribute in body.attributes:
            hcl.evaluate(attribute.expression, lambda message, place, fix: None)
