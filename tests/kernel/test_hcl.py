"""The border between HCL text and our values: what comes out, and where each complaint points."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import hcl
from kernel.errors import BadInput
from kernel.hcl import Body, Call, Entry, Expression, ListOf, Name, ObjectOf, Scalar
from kernel.hcl import grammar as hcl_grammar
from kernel.values import Place

VALID = """\
# an agent
hook "plan-ready" {   // one of two
  provider   = "gate"
  timeout_ms = 1.5e2
  words      = ["a", env("B"), { c = 1, "d" : null }]
}
settings { telemetry = true } /* on
one line */
note = <<-END
    first $${x}

      second
    END
"""


def value(text: str) -> Expression:
    """The expression behind `a =`."""
    (attribute,) = hcl.parse(f"a = {text}\n", "f").attributes
    return attribute.expression


def at(line: int, column: int) -> Place:
    return Place("f", line, column)


def test_a_file_is_read_in_the_order_in_which_it_was_written() -> None:
    """Types, labels, arguments and blocks come out in order, each with its place."""
    body = hcl.parse(VALID, "f")
    assert [(block.type, block.place, block.offset) for block in body.blocks] == [
        ("hook", at(2, 1), VALID.index("hook")),
        ("settings", at(7, 1), VALID.index("settings")),
    ]
    hook, one_line = body.blocks
    assert [(label.text, label.place) for label in hook.labels] == [("plan-ready", at(2, 6))]
    assert [(each.name, each.place) for each in hook.body.attributes] == [
        ("provider", at(3, 3)),
        ("timeout_ms", at(4, 3)),
        ("words", at(5, 3)),
    ]
    assert hook.body.attributes[2].expression == ListOf(
        (
            Scalar("a", at(5, 17)),
            Call("env", (Scalar("B", at(5, 26)),), False, at(5, 22)),
            ObjectOf(
                (
                    Entry(Scalar("c", at(5, 34)), Scalar(1, at(5, 38)), at(5, 34)),
                    Entry(Scalar("d", at(5, 41)), Scalar(None, at(5, 47)), at(5, 41)),
                ),
                at(5, 32),
            ),
        ),
        at(5, 16),
    )
    assert one_line.body.attributes[0].expression == Scalar(True, at(7, 24))
    assert body.attributes[0].expression == Scalar("first ${x}\n\n  second\n", at(9, 8))


@pytest.mark.parametrize("text", ["", "\n", "# nothing", "/* nothing */", "\ufeff", "\ufeff# nothing\n", " \t\r\n"])
def test_a_file_with_nothing_in_it_is_an_empty_body(text: str) -> None:
    """Nothing, blanks, comments and a byte-order mark are all nothing."""
    assert hcl.parse(text, "f") == Body()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"x"', "x"),
        ('""', ""),
        ("0", 0),
        ("-5", -5),
        ("-50", -50),
        ("1.25", Fraction(5, 4)),
        ("-1.5", Fraction(-3, 2)),
        ("1e3", 1000),
        ("1.0", 1),
        ("true", True),
        ("false", False),
        ("null", None),
        ("(5)", 5),
        ("(\n(5)\n)", 5),
        (r'"\n\t\r\"\\"', '\n\t\r"\\'),
        (r'"\u00e9\U0001F600"', "é😀"),
        ('"é😀"', "é😀"),
        ('"$${x} %%{y}"', "${x} %{y}"),
        ('"$${"', "${"),
        ('"$${\\"}"', '${"}'),
        ('"100% $5 $$ %%"', "100% $5 $$ %%"),
        ('"a # b // c /* d */"', "a # b // c /* d */"),
        ('"{[("', "{[("),
        ("<<X\nX\n", ""),
        ("<<X\na\nX\n", "a\n"),
        ("<<X\n  a\n\n\nX\n", "  a\n\n\n"),
        ('<<X\n  "a" \\n $${b} # c\n  X\n', '  "a" \\n ${b} # c\n'),
        ("<<-X\n    a\n      b\n\n    c\n  X\n", "a\n  b\n\nc\n"),
        ("<<-X\n\ta\n\tX\n", "a\n"),
        ("<<E\r\na\r\nE\r\n", "a\r\n"),
        ("<<E_x-y\nE\nE_x-y\n", "E\n"),
    ],
)
def test_a_literal_means_what_it_means_in_hcl(text: str, expected: object) -> None:
    """Escapes are resolved, heredocs keep their last line break, numbers are numbers."""
    expression = value(text)
    told: list[str] = []
    expression = hcl.evaluate(expression, lambda message, place, fix: told.append(message))
    assert isinstance(expression, Scalar)
    assert not told
    assert expression.value == expected
    assert type(expression.value) is type(expected)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [("f()", ()), ("f(1)", (1,)), ('f("a", 2,)', ("a", 2)), ("f(\n1\n)", (1,))],
)
def test_a_call_is_kept_with_its_arguments(text: str, arguments: tuple[object, ...]) -> None:
    """A call is not made; its name, arguments and text are there for whoever may make it."""
    call = value(text)
    assert isinstance(call, Call)
    assert call.name == "f"
    assert tuple(each.value for each in call.arguments if isinstance(each, Scalar)) == arguments


def test_an_object_may_use_lines_or_commas_and_any_kind_of_key() -> None:
    """A bare word is a key and not a variable; keywords and numbers are keys as well."""
    expression = value('{ a = 1, "b c" : 2\n if = 3\n true = 4, 5 = 6,\n}')
    assert isinstance(expression, ObjectOf)
    keys = [entry.key.value for entry in expression.entries if isinstance(entry.key, Scalar)]
    assert keys == ["a", "b c", "if", "true", 5]


def test_keywords_may_be_names() -> None:
    """HCL reserves no words for itself where a name is expected."""
    body = hcl.parse('if = 1\nfor "x" {}\nnull in {}\n', "f")
    assert body.attribute("if") is not None
    assert [(block.type, [label.text for label in block.labels]) for block in body.blocks] == [
        ("for", ["x"]),
        ("null", ["in"]),
    ]


@pytest.mark.parametrize(
    ("text", "offset", "place"),
    [
        ("a {}", 0, at(1, 1)),
        ("\ufeffa {}", 3, at(1, 1)),
        ("\n\na {}", 2, at(3, 1)),
        ("# é😀\n  a {}", 11, at(2, 3)),
        ('x = "é"\r\na {}', 10, at(2, 1)),
        ("/* é */ a {}", 9, at(1, 9)),
    ],
)
def test_a_block_knows_how_many_bytes_come_before_it(text: str, offset: int, place: Place) -> None:
    """Offsets count bytes of the file, columns count characters, lines count line feeds."""
    (block,) = hcl.parse(text, "f").blocks
    assert (block.offset, block.place) == (offset, place)


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        # one thing a line
        ("b { x = 1 y = 2 }", 1, 11, "one argument at most"),
        ("b {\n c { x = 1 y = 2 }\n}", 2, 12, "one argument at most"),
        ("b { c {} }", 1, 5, "cannot hold another block"),
        ("b { x = 1\n}", 1, 5, "has to end on that line"),
        ("b { x = <<E\nE\n}", 1, 5, "has to end on that line"),
        ("b {\n x = 1 }", 2, 8, "a new line has to follow"),
        ("a = 1 b = 2", 1, 7, "a new line has to follow"),
        ("a = 1 /*\n*/ b = 2", 2, 4, "a new line has to follow"),
        ("b {} c {}", 1, 6, "a new line has to follow"),
        ("b {} a = 1", 1, 6, "a new line has to follow"),
        ("m = veto observe", 1, 10, "a new line has to follow"),
        ("b {\n m = true false\n}", 2, 11, "a new line has to follow"),
        ("a = 5 5", 1, 7, "`5` where a new line is expected"),
        ("a = 1, b = 2", 1, 6, "without commas"),
        ("b {\n x = 1,\n}", 2, 7, "without commas"),
        ("a = {b = 1 c = 2}", 1, 12, "a comma or a new line"),
        ("a = {b = 1\n, c = 2}", 2, 1, "has ended with its line"),
        ("a = 5.5.5", 1, 5, "one point and one exponent"),
        ("a = x.5.5", 1, 8, "one point at most"),
        ("a = 1\rb = 2", 1, 6, "no end of a line"),
        ('a = "x\r"', 1, 5, "ends on the line"),
        # twice
        ("a = 1\na = 2", 2, 1, "already set in line 1"),
        ("b {\n x = 1\n y = 2\n x = 1\n}", 4, 2, "already set in line 2"),
        # braces
        ("b\n{\n}", 2, 1, "stands on the line"),
        ('b "c" /* d */\n\n {\n}', 3, 2, "stands on the line"),
        ('hook "x" {\n a = 1\n', 1, 10, "never closed"),
        ("b {\n c {\n }\n", 1, 3, "never closed"),
        ("a = [1,\n", 1, 5, "add the missing `]`"),
        ("a = f(1", 1, 6, "add the missing `)`"),
        ("}", 1, 1, "closes nothing"),
        ("a = [}", 1, 6, "does not close the `[` of line 1, column 5"),
        ("a = " + "[" * 65, 1, 69, "64 levels"),
        # strings
        (r'a = "\q"', 1, 6, r"unknown escape `\q`"),
        (r'a = "ok\u12"', 1, 8, "unknown escape"),
        (r'a = "\uD800"', 1, 6, "not a character"),
        (r'a = "\U00110000"', 1, 6, "not a character"),
        (r'a = f("${g("\q")}")', 1, 13, "unknown escape"),
        ('a = "x\ny"', 1, 5, "ends on the line"),
        ('hook "plan {\n a = "x"\n}', 1, 6, "ends on the line"),
        ('a = "x', 1, 5, "has no end"),
        ('a = "${x"', 1, 9, "a quoted string where `}`"),
        ('a = "${x', 1, 6, "never closed"),
        ("a = 'x'", 1, 5, "double quotes"),
        ('b "${x}" {}', 1, 3, "a label is plain text"),
        # heredocs and comments
        ("a = <<X\nfoo", 1, 5, "a line that holds just X"),
        ("a = <<X\nfoo\nX", 3, 1, "after the end of a heredoc"),
        ("a = <<X\nfoo\nX\n / 5", 4, 2, "`/` where an argument or a block"),
        ("a = 1\n/* x", 2, 1, "has no end"),
        # other syntax
        ("a", 1, 2, "where a block label, `{` or `=` is expected"),
        ("a\n\n}", 3, 1, "closes nothing"),
        ("b {\n a\n}", 2, 3, "the end of the line where a block label, `{` or `=`"),
        ('b {\n a "x"\n}', 2, 7, "the end of the line where a block label or `{`"),
        ("b { a }", 1, 7, "`}` where a block label, `{` or `=`"),
        ('hook "x" = 1', 1, 10, "`=` where a block label or `{`"),
        ("hook x: {}", 1, 7, "`:` where a block label or `{`"),
        ("a := 1", 1, 3, "written with `=`"),
        ("a =", 1, 4, "the end of the file where a value"),
        ("a =\nb = 1", 1, 4, "the end of the line where a value"),
        ("a = ${x}", 1, 5, "inside of double quotes"),
        ("a = [1 2]", 1, 8, "`2` where `,` or `]`"),
        ("a = f(1 2)", 1, 9, "`2` where `,` or `)`"),
        ("a = {b}", 1, 7, "`}` where `=`"),
        ("= 1", 1, 1, "`=` where an argument or a block"),
        ('"x" {}', 1, 1, "a quoted string where an argument or a block"),
        ("b { = 1 }", 1, 5, "an argument, a block or `}`"),
        ("a = 1 +\n1", 1, 8, "the end of the line where a value"),
        ("a = true ?\n1 : 2", 1, 11, "the end of the line where a value"),
        ("a = 1\n+ 1", 2, 1, "`+` where an argument or a block"),
        ("a = true\n? 1 : 2", 2, 1, "`?` where an argument or a block"),
        ("a = {for = 1}", 1, 10, "`=` where a name"),
        ("a = { for : 1 }", 1, 11, "`:` where a name"),
        ("a = a.*.b.*.c", 1, 11, "`*` where a name"),
        ("a = [for x in y : k => x]", 1, 21, "makes an object"),
        ("a = [for x in y : x...]", 1, 20, "makes an object"),
        ("a = {for x in y : x}", 1, 20, "a key for each value"),
        ('a = "%{ if true }x"', 1, 6, "`%{ if }` is never closed"),
        ('a = "%{else}"', 1, 6, "`%{ else }` belongs to nothing"),
        ('a = "%{endif}"', 1, 6, "`%{ endif }` belongs to nothing"),
        ('a = "%{ for a in b }"', 1, 6, "`%{ for }` is never closed"),
        ('a = "%{ for a in b }%{ endif }"', 1, 21, "does not close the `%{ for }`"),
        ('a = "%{ if a }%{ else }%{ else }%{ endif }"', 1, 24, "does not close the `%{ if }`"),
        ('a = "%{ while a }"', 1, 9, "`while` where `if`"),
        ("a = <<X\n${x\nX\n", 3, 1, "`X` where `}`"),
        ("a = <<X\n${${x}\nX\n", 2, 3, "`$` where a value"),
        ("a = \\", 1, 5, "where a value is expected"),
        ("a = 1\0", 1, 6, "U+0000 where a new line"),
        ("a = 1e9999", 1, 5, "too large"),
        ("a = " + "9" * 5000, 1, 5, "too long"),
    ],
)
def test_what_is_not_hcl_is_refused_at_its_place(text: str, line: int, column: int, part: str) -> None:
    """Each complaint says in our words what is wrong, at the line and column where a person should look."""
    with pytest.raises(BadInput) as caught:
        hcl.parse(text, "f")
    assert caught.value.place == at(line, column)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "1+" * 20_000 + "1",
        "a = x" + ".y" * 20_000,
        "a = <<X\n" + "\n" * 50_000 + "y\n" + "\n" * 50_000 + "X\n",
        '/* "' + "x" * 500_000 + "*/",
    ],
    ids=["operators", "members", "heredoc", "comment"],
)
def test_long_text_is_read_without_recursion(text: str) -> None:
    """What is long rather than nested is only slow, and not very."""
    assert len(hcl.parse(text, "f").attributes) <= 1


@pytest.mark.parametrize("text", ["x ? y : " * 10_000 + "z", "-" * 10_000 + "1", "!" * 200 + "true"])
def test_what_is_nested_without_brackets_is_bounded_as_well(text: str) -> None:
    """Everything that recurses over a value stays far from Python's limit."""
    with pytest.raises(BadInput, match="nested too deeply"):
        value(text)


@pytest.mark.parametrize(
    "text",
    [
        "--1", "- - 1", "(a\n.b)", "a::b()", "a :: b()", "f(x...)", "véto", "x.é", '{(a) = "b"}', '{a.b = "c"}',
        '{"${"x"}" = 1}', "1e400", "1 .5", '"\0"', '"${~ "a" ~}"', '"${ "a"\n}"', "[<<X\nX\n+1]", "x[*].a[0].*.b",
        "1-25",
    ],
)  # fmt: skip
def test_what_hcl_takes_is_taken(text: str) -> None:
    """Whether it has a value is another question."""
    assert isinstance(value(text), Expression)


@pytest.mark.parametrize("name", ["é", "été-1", "aé", "名前"])
def test_names_have_the_letters_of_all_languages(name: str) -> None:
    """As arguments, blocks, labels and variables."""
    body = hcl.parse(f'{name} = {name}\n{name} {name} "é" {{\n{name} = 1\n}}', "f")
    (block,) = body.blocks
    assert body.attributes == (hcl.Attribute(name, Name(name, at(1, len(name) + 4)), at(1, 1)),)
    assert (block.type, [label.text for label in block.labels]) == (name, [name, "é"])
    assert block.body.attributes[0].name == name


def test_a_giant_text_is_refused() -> None:
    """Nobody writes a megabyte of configuration; it is refused before anything looks at it."""
    with pytest.raises(BadInput, match="too long"):
        hcl.parse("#" * (1 << 20) + "\n", "f")


@pytest.mark.parametrize(
    ("data", "line", "column", "part"),
    [
        (b"a = 1\nb = \xff", 2, 5, "0xff is not UTF-8"),
        (b"\xef\xbb\xbfa = \xe9", 1, 5, "0xe9 is not UTF-8"),
        ("a = 1".encode("utf-16"), 1, 1, "0xff is not UTF-8"),
        (b"a = \x00", 1, 5, r"U\+0000"),
    ],
)
def test_bytes_that_are_no_text_are_refused_at_their_place(
    tmp_path: Path, data: bytes, line: int, column: int, part: str
) -> None:
    """The first byte that is not UTF-8 is named with its place."""
    path = tmp_path / "x.hcl"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=part) as caught:
        hcl.read(path)
    assert caught.value.place == Place(str(path), line, column)


@pytest.mark.parametrize("name", ["absent.hcl", ".", "x\0y"])
def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path, name: str) -> None:
    """A missing file, a folder and an impossible name are the reader's mistake and no traceback."""
    with pytest.raises(BadInput, match="cannot be read"):
        hcl.read(tmp_path / name)


def test_importing_costs_no_parser() -> None:
    """The parser comes with the first parse, in a fresh interpreter."""
    script = "import sys, kernel.hcl; assert not {'hcl2', 'lark'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[2])


def test_the_compiled_grammar_is_kept_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warming writes one file, and a parser built from it reads the same as the one that wrote it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    expected = hcl.parse(VALID, "f")
    for _ in range(2):
        hcl_grammar.parser.cache_clear()
        hcl.warm()
        assert [path.parent for path in tmp_path.rglob("*.bin")] == [tmp_path / "hookscope"]
        assert hcl.parse(VALID, "f") == expected


def test_without_a_cache_folder_text_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that cannot be had or is broken costs time and nothing else."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert hcl_grammar.cache_file() is None
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = hcl_grammar.cache_file()
    assert cache is not None
    cache.write_bytes(b"broken")
    hcl_grammar.parser.cache_clear()
    assert hcl.parse("a = 1", "f") == Body((hcl.Attribute("a", Scalar(1, at(1, 5)), at(1, 1)),))


def complaint(text: str) -> BadInput | None:
    """What is wrong with a text; any other exception is a failed test."""
    try:
        hcl.parse(text, "f")
    except BadInput as error:
        return error
    return None


def points_into(text: str, error: BadInput) -> bool:
    """Whether a complaint has a place, and that place is in the text or right behind it."""
    lines = text.split("\n")
    place = error.place
    return place is not None and 1 <= place.line <= len(lines) and 1 <= place.column <= len(lines[place.line - 1]) + 1


# fmt: off
TOKENS = st.sampled_from([
    "a", "b", "true", "for", "if", "5", "-", "1.5", '"', '"x"', "\\", "\\n", "${", "$${", "%{", "}", "{", "[", "]", "(",
    ")", "=", ":", ",", ".", "\n", " ", "#", "//", "/*", "*/", "<<X\n", "<<-X\n", "X\n", "\r\n", "\0", "é", "=>", "...",
    "?", "!", "&&", "*", "~", "::", "\ufeff", "\ud800", "\u2028",
])
# fmt: on


@settings(deadline=None)
@given(st.one_of(st.text(st.characters()), st.lists(TOKENS, max_size=30).map("".join)))
def test_any_text_gives_a_value_or_bad_input(text: str) -> None:
    """Whatever the text, there is a body or a complaint with a place inside of the text."""
    error = complaint(text)
    assert error is None or points_into(text, error)


@settings(deadline=None)
@given(st.integers(0, len(VALID)), st.integers(0, 12), TOKENS)
def test_a_damaged_file_gives_a_value_or_bad_input(start: int, length: int, patch: str) -> None:
    """The same for a valid file in which something was cut out and something put in."""
    text = VALID[:start] + patch + VALID[start + length :]
    error = complaint(text)
    assert error is None or points_into(text, error)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20))
@settings(deadline=None)
def test_any_text_survives_quoting(text: str) -> None:
    """Text that is escaped the way HCL says comes out as it was."""
    quoted = text.translate({ord(each): f"\\U{ord(each):08x}" for each in '"\\\n\r$%'})
    assert value(f'"{quoted}"') == Scalar(text, at(1, 5))
