"""Claims about YAML as values with places: what is read, where it stands, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_texts import refusal

from debugger.scenario import document
from debugger.scenario.document import MAX_BYTES, MAX_DEPTH, Path, read
from kernel.errors import BadInput
from kernel.values import JSON


def value(text: str) -> JSON:
    [node] = read(text.encode(), "f")
    return node.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", {"a": 1}),
        ("- 1.5\n- -2e3\n- .5\n- 0x1F\n- +7", [1.5, -2000.0, 0.5, 31, 7]),
        ("[true, False, null, ~, '', ]", [True, False, None, None, ""]),
        ("[on, off, yes, no, 12:30, 2024-01-01, .inf, .nan, 1_000]",
         ["on", "off", "yes", "no", "12:30", "2024-01-01", ".inf", ".nan", "1_000"]),
        ("['1', \"true\", 'null', ! 3]", ["1", "true", "null", "3"]),
        ("on: {1: x, null: y, true: z}", {"on": {"1": "x", "null": "y", "true": "z"}}),
        ("a: |\n  two\n  lines\nb: >-\n  one\n  line", {"a": "two\nlines\n", "b": "one line"}),
        ("a: &x {b: [1]}\nc: *x\nd: [*x, *x]", {"a": {"b": [1]}, "c": {"b": [1]}, "d": [{"b": [1]}, {"b": [1]}]}),
        ("{}", {}),
        ("a:\nb: ", {"a": None, "b": None}),
        ("\ufeffa: é😀", {"a": "é😀"}),
    ],
)  # fmt: skip
def test_scalars_are_those_of_yaml_1_2(text: str, expected: JSON) -> None:
    """What JSON can say is what is read; everything that looks odd is text."""
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("a: [1, 2\nb: 3", "2:2", "not YAML"),
        ("a: 1\n b: 2", "2:3", "not YAML"),
        ("a: 1\na: 2", "2:1", "the key 'a' is there twice, first in line 1"),
        ("x:\n  <<: {a: 1}", "2:3", "merge keys are not read"),
        ("? [a]\n: 1", "1:3", "a key is text, not a list or a mapping"),
        ("a: &x 1\n? *x\n: 2", "2:3", "a key is text, not an alias"),
        ("a: !!python/object/apply:os.system [x]", "1:4", "tags such as 'tag:yaml.org,2002:python/object"),
        ("a: !thing x", "1:4", "tags such as '!thing' are not read"),
        ("a: *nobody", "1:4", "no anchor 'nobody' stands before this alias"),
        ("a: &x [*x]", "1:8", "no anchor 'x' stands before this alias"),
        ("--- &x 1\n--- *x", "2:5", "no anchor 'x'"),
        ("a: " + "1" * 500, "1:4", "a number this long"),
        ("a: 1e999", "1:4", "out of range"),
        ("a:\n  - b\x07", "2:6", "U+0007 cannot stand in YAML"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text: str, place: str, problem: str) -> None:
    """Line and column count from 1."""
    with pytest.raises(BadInput) as raised:
        value(text)
    assert str(raised.value).startswith(f"f:{place}: ")
    assert problem in raised.value.message


def test_bytes_that_are_no_text_are_said_with_their_place() -> None:
    """The column is that of the first wrong byte."""
    with pytest.raises(BadInput, match="f:2:4: not UTF-8 here"):
        read("a: é\nb: ".encode() + b"\xff", "f")


BOMBS = {
    "deep": "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    "very deep": "[" * 200_000,
    "deep mappings": "".join(f"{' ' * depth}a:\n" for depth in range(MAX_DEPTH + 5)),
    "a billion laughs": "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)),
    "deep by aliases": "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 200)),
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused_before_they_go_off(text: str) -> None:
    """A few lines can stand for more than any machine holds."""
    with pytest.raises(BadInput, match=r"nested deeper than|nesting depth|more than .* values"):
        value(text)


def test_a_file_has_a_bound() -> None:
    """Nobody writes eight megabytes of scenario."""
    with pytest.raises(BadInput, match="scenario files have at most"):
        read(b" " * (MAX_BYTES + 1), "f")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)),
        (("a",), (1, 1)),
        (("a", 1), (3, 5)),
        (("a", 1, "c"), (4, 5)),
        (("a", 1, "nowhere"), (3, 5)),
        (("a", 7), (1, 1)),
        (("b", "d"), (5, 5)),
    ],
)
def test_every_value_knows_where_it_stands(path: Path, place: tuple[int, int]) -> None:
    """A member by its key, an item by its start, and what is not there by what is around it."""
    [node] = read(b"a:\n  - 1\n  - b: 2\n    c: 3\nb: {d: 4}\n", "f")
    found = node.place_of(path)
    assert (found.line, found.column) == place


def test_a_value_is_found_by_its_path() -> None:
    """Where there is nothing, nothing is found."""
    [node] = read(b"a: [1, {b: 2}]", "f")
    assert node.at(("a", 1, "b")) == 2
    assert node.at(()) == {"a": [1, {"b": 2}]}
    assert node.at(("a", 2)) is None
    assert node.at(("a", "b")) is None


def test_documents_come_one_by_one() -> None:
    """Each has anchors of its own."""
    assert [node.value for node in read(b"--- &x 1\n--- [2]\n--- {a: &x 3, b: *x}", "f")] == [1, [2], {"a": 3, "b": 3}]


@given(st.text())
def test_no_text_gives_a_traceback(text: str) -> None:
    """It is read, or refused with a sentence."""
    error = refusal(lambda: read(text.encode("utf-8", "surrogatepass"), "f"))
    assert error is None or error.message


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@`,? \n\t01.~", max_size=60))
def test_no_heap_of_yaml_signs_gives_a_traceback(text: str) -> None:
    """The same for text that gets further into the parser."""
    error = refusal(lambda: read(text.encode(), "f"))
    assert error is None or error.message


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON)
def test_json_is_read_as_json(data: JSON) -> None:
    """Every JSON text with escapes is YAML, except where it has half a character."""
    text = json.dumps(data)
    if (error := refusal(lambda: read(text.encode(), "f"))) is not None:
        assert "surrogate" in error.message or "not YAML" in error.message
        assert "\\u" in text or len(text) > 100
    else:
        [node] = read(text.encode(), "f")
        assert node.value == data


def test_the_loader_is_a_safe_one() -> None:
    """Only events are used, but nothing of it could make objects either."""
    assert "Safe" in document._LOADER.__name__
