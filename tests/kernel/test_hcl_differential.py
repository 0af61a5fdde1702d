"""Our reading of HCL against HashiCorp's own parser: the same texts are accepted, and they have the same values.

What differs on purpose is in DIFFERENCES, each with a reason and an example that is checked to differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hcl2json import VERSION, Hcl2Json, Unavailable
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pluggable_cases import CASES
from plugin_runs import ROOT

from kernel import hcl
from kernel.errors import BadInput
from kernel.hcl import Block, Body, Expression, ListOf, ObjectOf, Scalar
from kernel.hcl.values import Template
from kernel.values import Place

DIFFERENCES = {
    "numbers have a sensible size": ("a = 1e9999", None),
    "nesting has a bound": ("a = " + "[" * 65 + "]" * 65, None),
}
"""What we refuse though HCL has it, because no configuration needs it; and how slips of the keyboard come to it."""


@pytest.fixture(scope="module")
def oracle(request: pytest.FixtureRequest) -> Iterator[Hcl2Json]:
    """HashiCorp's parser; without it the tests say that they were skipped, and why."""
    cache = request.config.cache
    assert cache is not None
    try:
        parser = Hcl2Json(cache.mkdir(f"hcl2json-{VERSION}"))
    except Unavailable as why:
        pytest.skip(str(why))
    yield parser
    parser.close()


def ours(text: str) -> Body | BadInput:
    try:
        return hcl.parse(text, "f")
    except BadInput as error:
        return error


def compare(text: str, oracle: Hcl2Json) -> None:
    """Fail where the two do not agree."""
    body = ours(text)
    is_accepted, value = oracle.parse(text)
    assert isinstance(body, Body) == is_accepted, (text, str(body))
    if isinstance(body, Body) and value is not None:
        assert_body(body, value, text)


def assert_body(body: Body, value: Any, text: str) -> None:
    """Compare with the form as JSON: attributes by name, blocks by type and then by label after label."""
    names = [*(attribute.name for attribute in body.attributes), *{block.type for block in body.blocks}]
    if len(set(names)) < len(names):
        return  # the JSON has room for one of them only
    assert set(value) == set(names), text
    for attribute in body.attributes:
        assert is_same(attribute.expression, value[attribute.name]), (text, attribute, value)
    for block in body.blocks:
        same = [each for each in body.blocks if header(each) == header(block)]
        found = value[block.type]
        for label in block.labels:
            found = found[label.text]
        assert len(found) == len(same), text
        assert_body(block.body, found[same.index(block)], text)


def header(block: Block) -> tuple[str, ...]:
    return (block.type, *(label.text for label in block.labels))


def is_same(expression: Expression, value: Any) -> bool:
    """Whether a value is what the oracle makes of it, which evaluates literals and keeps the rest as `${...}`."""
    if isinstance(value, str) and value.startswith("${"):
        return not isinstance(expression, Scalar | ListOf | ObjectOf)
    match expression:
        case Scalar(str() as text):
            return bool(value == escaped(text))
        case Scalar(bool() | None as constant):
            return value is constant
        case Scalar(int() | Fraction() as number):
            return number > 1e308 or (isinstance(value, int | float) and math.isclose(number, value))
        case ListOf(items):
            return isinstance(value, list) and len(items) == len(value) and all(map(is_same, items, value))
        case ObjectOf(entries):
            if not all(isinstance(entry.key, Scalar) for entry in entries):
                return isinstance(value, dict)
            found = hcl.evaluate(ObjectOf(tuple(replace(e, value=e.key) for e in entries), expression.place), ignore)
            assert isinstance(found, ObjectOf)
            keys = [escaped(str(entry.key.value)) for entry in found.entries if isinstance(entry.key, Scalar)]
            members = dict(zip(keys, (entry.value for entry in entries), strict=True))
            return members.keys() == value.keys() and all(is_same(members[key], value[key]) for key in members)
        case Template(parts) if all(isinstance(part, Scalar) for part in parts):
            constant_text = hcl.evaluate(expression, ignore)
            return isinstance(constant_text, Scalar) and is_same(constant_text, value)
        case _:
            return True  # the oracle writes what it can evaluate of it


def ignore(message: str, place: Place, fix: str) -> None:
    """Nobody asks here what has no value."""


def escaped(text: str) -> str:
    """Text as the oracle writes it, for which every string is a template."""
    return text.replace("${", "$${").replace("%{", "%%{")


# -- texts -------------------------------------------------------------------------------------------------------

SPECIAL = [
    "a = -5", "a = - 5", "a = (5)", "a = 1 + 1", "a = [1,\n2]", "a = {x=1,\n}", "a = f( 1 )", "a = -1.5e3",
    'a = {"a":1}', "a={true=1}", "a = {5=1}", 'a="x" "y"', "a = <<X\na\nX # c\n", "a = [<<X\na\nX\n]", 'b "" {}',
    "a = /* x */ 1", "a = 1 // c\n", "a = 1 /* \n */\nb = 2", "b /* \n */ {}", "a =\n1", "a = {,}", "a = {a=1,,b=2}",
    "b { # c\n}", "b { x = 1 # c\n}", "a-b = 1", "-a = 1", "5a = 1", 'a = "\t"', 'a = "\u2028"', "\u2028a = 1",
    "a = 1\x0bb=2", 'a = "\x01"', "a = 5.", "a = 5.5.5", "a = 00.5", "a\t=\t1", "a = 1\rb = 2", "a = 1\r", 'a = "x\r"',
    "a = <<X\r\nfoo\r\nX\r\n", "a = <<-X\n\ta\n  b\nX\n", "a = <<-X\n\nX\n", "a = <<X\nX", "a = <<X\nX\n",
    "\ufeffa = 1", "a = {a=1\n,b=2}", "a = [1\n,2]", "a = 5.x", "a = x.5", "a = x.5.5",
    'a = "%{ if true }x"', 'a = "%{else}"', 'a = "%{endif}"', 'a = "%{ for a in b }"', "a = 1 +\n1",
    "a = true ?\n1 : 2",
    "a = {for = 1}", "a = { for : 1 }", "a = <<X\n${x\nX\n", "a = a.*.b.*.c", 'a = {(a)="b"}', 'a = {a.b="c"}',
    'a = {"${"x"}"=1}', "a = --1", "a = - - 1",
    'a = "${~ "a" ~}"', 'a = "${ "a"\n}"', "a = (a\n.b)", "a = 1e400",
    "a = 1 .5", 'a = "\0"', "a = a::b()", "a = a :: b()", "a = véto", "é = 1", "é {}", "a é {}", "a = 1\n+ 1",
    "# \0", "a = \0", "a = 1-25", "a = [x.\n0]", "a = [<<X\nX\n+1]", "a = <<X\n${${x}\nX\n", "a = 1\n? 2 : 3",
    'a = "x ${~ "a" ~} y"', 'a = "x ${1} ${true}"', 'a = <<-X\n  a\n    ${~ "b" ~}\n  c\n  X\n',
    "a = <<X\n$${a} %%{\nX\n",
    "a = {a=1,a=2}", 'a = "$${x} %%{y} $${"', 'a = "100% $5 $$ %"', "a = 123456789012345678901234567890", "a = 1\na {}",
    'a = "\\u00e9\\U0001F600"', 'a = "\\uD800"', "a = 0x10", "a = 1e", "a = 1e+5", "a = 1E-5", "if = 1\nfor x {}",
]  # fmt: skip
"""Small things that parsers tend to disagree about."""


@pytest.mark.parametrize("text", SPECIAL, ids=ascii)
def test_both_read_small_things_alike(oracle: Hcl2Json, text: str) -> None:
    """Each of these has been a difference somewhere once, or could be."""
    compare(text, oracle)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_that_is_meant_is_one(oracle: Hcl2Json, name: str) -> None:
    """The list would otherwise excuse what is not there any more."""
    text, _ = DIFFERENCES[name]
    assert isinstance(ours(text), BadInput)
    assert oracle.parse(text)[0]


TEXTS_OF_CASES = {f"{name}-{index}": text for name, case in CASES.items() for index, text in enumerate(case.texts)} | {
    path.name: path.read_text() for path in (ROOT / "sample_configs" / "first_chain").glob("*.hcl")
}


@pytest.mark.parametrize("name", TEXTS_OF_CASES)
def test_both_read_configurations_alike(oracle: Hcl2Json, name: str) -> None:
    """The cases of the specification, whatever is wrong with them, and a sample."""
    compare(TEXTS_OF_CASES[name], oracle)


NAMES = st.sampled_from(["a", "b", "hook", "x-y", "_z", "env", "true", "if", "for", "null", "in", "k9"])
BLANKS = st.sampled_from(["", " ", "  ", "\t", " /* c */ ", ""])
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\n\n", " # c\n", " // c\r\n", " /* d\n */\n", "\n # e\n"])
TEXTS = st.text(st.sampled_from("ab é😀$%{}'#/*\\\"\n\t=,[]()"), max_size=8)


@st.composite
def quoted(draw: st.DrawFn) -> str:
    """A quoted string, with escapes where they are needed and here and there elsewhere."""
    text = draw(TEXTS).translate({0x5C: "\\\\", 0x22: '\\"', 0x0A: "\\n", 0x09: draw(st.sampled_from(["\\t", "\t"]))})
    return '"' + text.replace("${", "$${").replace("%{", "%%{") + '"'


NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(-1e9, 1e9, allow_nan=False).map(repr),
    st.sampled_from(["0", "1e3", "1.5E-2", "007"]),
)
LITERALS = st.one_of(NUMBERS, quoted(), st.sampled_from(["true", "false", "null"]))
CALLS = st.builds("{}({})".format, st.sampled_from(["env", "f"]), LITERALS)
WORDS = st.sampled_from(["x", "veto", "x.y"])


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    comma = st.sampled_from([",", ", ", ",\n", " , "])
    items = draw(st.lists(inner, max_size=3))
    text = "".join(item + draw(comma) for item in items[:-1]) + "".join(items[-1:])
    return (
        "[" + draw(st.sampled_from(["", "\n"])) + text + (draw(st.sampled_from(["", ",", "\n"])) if items else "") + "]"
    )


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    keys = st.one_of(
        st.sampled_from(["a", "b-c", "true", "5"]), quoted().filter(lambda key: "$" not in key and "%" not in key)
    )
    entries = draw(st.lists(st.tuples(keys, st.sampled_from([" = ", "=", ": "]), inner), max_size=3))
    separator = draw(st.sampled_from([", ", ",\n", "\n", ","]))
    text = separator.join("".join(entry) for entry in entries)
    return "{" + draw(st.sampled_from([" ", "\n", ""])) + text + draw(st.sampled_from([" ", "\n", ""])) + "}"


VALUES = st.recursive(
    st.one_of(LITERALS, CALLS, WORDS), lambda inner: st.one_of(lists(inner), objects(inner)), max_leaves=6
)
HEREDOCS = st.builds(
    "<<{}E\n{}E".format,
    st.sampled_from(["", "-"]),
    st.lists(st.sampled_from(["a\n", "  b\n", "\n", "\tc # d\n", '"\n', "$${x}\n", " \n"]), max_size=3).map("".join),
)


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0) -> str:
    """The inside of a block or file, each item on lines of its own."""
    pieces = []
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        blank = draw(BLANKS)
        if depth < 2 and draw(st.booleans()):
            labels = "".join(" " + label for label in draw(st.lists(st.one_of(quoted(), NAMES), max_size=2)))
            pieces.append(f"{blank}{name}{labels} {{{draw(inside(depth))}}}{draw(ENDS)}")
        else:
            value = draw(HEREDOCS) + "\n" if draw(st.integers(0, 9)) == 0 else draw(VALUES) + draw(ENDS)
            pieces.append(f"{blank}{name}{draw(BLANKS)}={draw(BLANKS)}{value}")
    return "".join(pieces)


@st.composite
def inside(draw: st.DrawFn, depth: int) -> str:
    """What stands between the braces of a block: nothing, one argument, or lines."""
    shape = draw(st.integers(0, 3))
    if shape == 0:
        return draw(BLANKS)
    if shape == 1:
        return f" {draw(NAMES)} = {draw(LITERALS)} "
    return draw(ENDS) + draw(bodies(depth + 1))


# The same examples every time: a rare difference in some corner should be found by whoever raises the number and looks
# for it, and not by somebody who changes something else.
FAST = settings(
    deadline=None,
    max_examples=120,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@FAST
@given(text=bodies())
def test_both_read_generated_files_alike(oracle: Hcl2Json, text: str) -> None:
    """Files in the part of HCL that configurations use, in all the ways in which it can be written."""
    compare(text, oracle)


DAMAGE = st.sampled_from(
    ["a", "true", "5", "-", "1.5", '"', '"x"', "\\", "\\n", "$${", "}", "{", "[", "]", "=", ":", ",", "\n", " ", "#",
     "//", "/*", "*/", "<<X\n", "X\n", "\r\n", "\r", "\0", "=>", "null", "\u2028"]
)  # fmt: skip
"""What a slip of the keyboard puts into a file. No operators, templates and loops: configurations have none."""


@FAST
@given(text=bodies(), start=st.integers(0, 200), length=st.integers(0, 6), patch=DAMAGE)
def test_both_refuse_damaged_files_alike(oracle: Hcl2Json, text: str, start: int, length: int, patch: str) -> None:
    """Something cut out, something put in: either both sides see that it is wrong, or both read the same."""
    text = text[:start] + patch + text[start + length :]
    assume(not any(pattern and re.search(pattern, text) for _, pattern in DIFFERENCES.values()))
    compare(text, oracle)
