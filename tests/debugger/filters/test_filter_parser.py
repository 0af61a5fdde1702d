"""Texts and filters: what a text says, where it is wrong, and that writing and reading are each other's inverse."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debugger.filters import BadFilter, parse, printed, typed
from debugger.filters.fields import FIELDS
from debugger.filters.kinds import FLAG, MEASURING, PLACE, QUERY, TEXT, Text, Words
from debugger.filters.lexer import MEASURED, tokens
from debugger.filters.measures import DURATION, NUMBER, Measure
from debugger.filters.parser import Bad, Complete, Unfinished
from debugger.filters.syntax import (
    And,
    Every,
    Everything,
    Expression,
    Filter,
    Not,
    Op,
    Or,
    Saved,
    Some,
    Span,
    Term,
    Value,
    conjunction,
    disjunction,
    terms,
)


def has(field: str, *values: str, op: Op = Op.HAS) -> Term:
    return Term(field, op, tuple(Value(each) for each in values))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", Everything()),
        ("  \t", Everything()),
        ("hello", has("text", "hello")),
        ("point:pre-model", has("point", "pre-model")),
        ("POINT:pre", has("point", "pre")),
        ("subscriber:a", has("sub", "a")),
        ("sub: a", has("sub", "a")),
        ("sub:=a", has("sub", "a", op=Op.IS)),
        ("sub:~a.c", has("sub", "a.c", op=Op.MATCHES)),
        ("status:!ok", has("status", "ok", op=Op.OTHER)),
        ("dur:>200ms", has("dur", "200ms", op=Op.MORE)),
        ("dur>200ms", has("dur", "200ms", op=Op.MORE)),
        ("dur>=0.2s", has("dur", "0.2s", op=Op.AT_LEAST)),
        ("slow:<=80%", has("slow", "80%", op=Op.AT_MOST)),
        ("a>b", has("text", "a>b")),
        ("a b | c", Or((And((has("text", "a"), has("text", "b"))), has("text", "c")))),
        ("a OR b AND NOT c", Or((has("text", "a"), And((has("text", "b"), Not(has("text", "c"))))))),
        ("a || b && c", Or((has("text", "a"), And((has("text", "b"), has("text", "c")))))),
        ("a (b c)", And((has("text", "a"), has("text", "b"), has("text", "c")))),
        ("(a | b) c", And((Or((has("text", "a"), has("text", "b"))), has("text", "c")))),
        ("!!a", Not(Not(has("text", "a")))),
        ("!(a b)", Not(And((has("text", "a"), has("text", "b"))))),
        ("sub:a|b", has("sub", "a", "b")),
        ("sub:a|b|'c d' e", And((has("sub", "a", "b", "c d"), has("text", "e")))),
        ("sub:a | b", Or((has("sub", "a"), has("text", "b")))),
        ("sub:a|mode:veto", Or((has("sub", "a"), has("mode", "veto")))),
        ("sub:a|!b", Or((has("sub", "a"), Not(has("text", "b"))))),
        ("sub:a|some(b)", Or((has("sub", "a"), Some(has("text", "b"))))),
        ("sub:( a | \"b c\" )", has("sub", "a", "b c")),
        ("some(sub:a) every(status:ok)", And((Some(has("sub", "a")), Every(has("status", "ok"))))),
        ("some", has("text", "some")),
        ("@slow-vetoes !@x", And((Saved("slow-vetoes"), Not(Saved("x"))))),
        ('"point:x"', has("text", "point:x")),
        ('"a \\"b\\" \\\\ \\n \\u{e9}"', has("text", 'a "b" \\ \n é')),
        ("'a \\d \"'", has("text", 'a \\d "')),
        ("don't", has("text", "don't")),
        ("12:30", has("text", "12:30")),
        ("sub:a*", Term("sub", Op.HAS, (Value("a*", True),))),
        ('sub:"a*"', has("sub", "a*")),
        ("path:$.a[*].b", has("path", "$.a[*].b")),
        ("why:~x.*y", has("why", "x.*y", op=Op.MATCHES)),
        ("in:\"messages[?role=='ROLE_USER']\"", has("in", "messages[?role=='ROLE_USER']")),
        ("in:messages[?role=='ROLE_USER']", has("in", "messages[?role=='ROLE_USER']")),
        ("path:$.a.b=value", has("path", "$.a.b=value")),
        ("point:mode:x", has("point", "mode:x")),
        ("status:timeout", has("status", "timeout")),
        ("n:10..20 n:5..", And((has("n", "10..20"), has("n", "5..")))),
    ],
)  # fmt: skip
def test_a_text_says(text: str, says: Filter) -> None:
    """The grammar, form by form; and what is printed says the same again."""
    assert parse(text) == says
    assert parse(printed(says)) == says


@pytest.mark.parametrize(
    ("text", "blamed", "says"),
    [
        ("status:denyed sub:b", "denyed", "did you mean denied?"),
        ("sub:b stats:ok", "stats", "did you mean status?"),
        ("http://x.y", "http", '"http://x.y"'),
        ("a ) b", ")", "no ( before"),
        ("()", "()", "nothing stands"),
        ("a sub:() b", ")", "a value has to stand here"),
        ("| a", "|", "in front of |"),
        ("a | | b", "|", "in front of |"),
        ("point: mode:x", "point:", "compared with something"),
        ("point:) ", "point:", "compared with something"),
        ('"a"b', "b", "a space is missing"),
        ("foo(bar)", "(", "quote what has parentheses"),
        ("any(x)", "any", "some( ) and every( )"),
        ("dur:>200 x", "200", "no unit"),
        ("dur:>200lightyears x", "200lightyears", "no unit 'lightyears'"),
        ("dur:soon x", "soon", "no duration"),
        ("n:20..10 x", "20..10", "nothing lies in"),
        ("n:.. x", "..", "without bounds"),
        ("n:>1..2", "1..2", "write one bound"),
        ("n:>(1|2)", "1|2", "several values"),
        ("changed:perhaps", "perhaps", "yes or no"),
        ("changed:(yes|no)", "yes|no", "always so"),
        ("point:>x", "x", "makes no sense here"),
        ("in:=x", "x", "makes no sense here"),
        ('in:"a b"', '"a b"', "not JMESPath"),
        ("path:$.a[x]", "$.a[x]", "no path"),
        ("path:$..", "$..", "no path"),
        ("why:~'['", "'['", "no regular expression"),
        ("why:~'(a{999}){999}'", "'(a{999}){999}'", "repeats too much"),
        ('"a \\q"', "\\q", "no escape"),
        ('"\\u{d800}"', "\\u{d800}", "no escape"),
        ("sub:(a b)", "b", "a | is missing"),
        ("sub:''", "''", "write :="),
        ("status:!*", "*", "nothing is other than anything"),
        ("x AND", None, "has to follow"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_the_way_out(text: str, blamed: str | None, says: str) -> None:
    """The stretch that is to blame, exactly, and a sentence that helps."""
    with pytest.raises(BadFilter) as caught:
        parse(text)
    error = caught.value
    assert says in str(error)
    if blamed is not None:
        assert text[error.at.start : error.at.end] == blamed
    sentence, line, carets = error.shown
    assert sentence == str(error)
    assert line == text
    assert carets.strip(" ").strip("^") == ""
    assert len(carets) >= 1


def test_the_caret_stands_under_the_cells_of_a_wide_text() -> None:
    """Characters that take two cells push it on, combining ones do not, and a line break is shown as a space."""
    with pytest.raises(BadFilter) as caught:
        parse("漢字 e\u0301\nstatus:denyed")
    _, line, carets = caught.value.shown
    assert "\n" not in line
    assert carets == " " * (4 + 1 + 1 + 1 + 7) + "^" * 6


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("", Complete),
        ("poi", Complete),
        ("point:", Unfinished),
        ("point:p", Complete),
        ("status:", Unfinished),
        ("status:den", Unfinished),
        ("status:den ", Bad),
        ("status:denied", Complete),
        ("status:x", Bad),
        ("status:(ok", Unfinished),
        ("status:(ok|", Unfinished),
        ("status:ok|", Unfinished),
        ("!", Unfinished),
        ("(", Unfinished),
        ("(a", Unfinished),
        ("a | ", Unfinished),
        ('sub:"a b', Unfinished),
        ('"a \\', Unfinished),
        ("'a", Unfinished),
        ("dur:>", Unfinished),
        ("dur:>2", Unfinished),
        ("dur:>200m", Complete),
        ("dur:>200ms", Complete),
        ("n:..", Unfinished),
        ("n:5..1", Unfinished),
        ("changed:y", Unfinished),
        ("changed:q", Bad),
        ("in:a[", Unfinished),
        ('in:"a["', Bad),
        ("path:$.", Unfinished),
        ("path:$.a=", Unfinished),
        ("@", Unfinished),
        ("@ x", Bad),
        ("some(", Unfinished),
        ("some(sub:a", Unfinished),
        ("pint:", Bad),
        ("a)", Bad),
    ],
)
def test_how_far_a_text_is_while_it_is_typed(text: str, state: type) -> None:
    """Complete, or not yet, or no more."""
    assert type(typed(text)) is state


@given(st.text(alphabet="ab:|()!\"'\\@ ><=~*.$nd0s%pathsubin", max_size=40))
def test_any_text_is_a_filter_or_an_error_with_a_place(text: str) -> None:
    """Never anything else, and what is unfinished is not called bad by the part before it alone."""
    state = typed(text)
    if isinstance(state, Complete):
        assert parse(printed(state.filter)) == state.filter
        assert printed(parse(printed(state.filter))) == printed(state.filter)
    else:
        at = state.error.at
        assert 0 <= at.start <= at.end <= len(text)


@given(st.text(max_size=30))
def test_any_characters_can_be_looked_for(text: str) -> None:
    """Whatever a payload holds can be written down."""
    wanted = has("text", text, op=Op.IS)
    assert parse(printed(wanted)) == wanted


@given(st.text(max_size=60))
def test_tokens_stand_in_order_and_leave_out_only_spaces(text: str) -> None:
    """Whatever the text."""
    end = 0
    for token in tokens(text):
        assert text[end : token.at.start].isspace() or end == token.at.start
        assert token.at.start < token.at.end
        end = token.at.end
    assert not text[end:].strip()


_TEXTS = st.text(max_size=12) | st.sampled_from(
    ["a b", "AND", "some(", "@x", "!x", "=x", ">x", "~x", "x|y", "(", ")", "a*", "http://x", 'a"b', "it's", "\\d", "\n"]
)


def values(field: str, op: Op) -> st.SearchStrategy[tuple[Value, ...]]:
    """Values that this field takes with this operator."""
    kind = FIELDS[field].kind
    if kind is FLAG:
        return st.sampled_from(["yes", "no", "true", "false"]).map(lambda each: (Value(each),))
    if op is Op.MATCHES:
        one = st.sampled_from(["a.*b", r"\d+ ms", "(x|y)", "^a b$", '"', "*"[1:] + "."]).map(Value)
    elif isinstance(kind, Words):
        one = st.sampled_from([*kind.words, *kind.offered, *kind.aliases]).map(Value)
    elif isinstance(kind, Text):
        literal = _TEXTS if op is Op.IS else _TEXTS.filter(bool)
        pattern = st.text(alphabet="a*!=~>@.:'\"|() ", min_size=1, max_size=6).filter(is_bare_pattern)
        one = literal.map(Value) | pattern.filter(lambda each: op is not Op.OTHER or bool(each.strip("*"))).map(
            lambda each: Value(each, True)
        )
    elif isinstance(kind, Measure):
        unit = "" if kind is NUMBER else "ms" if kind is DURATION else "%"
        number = st.integers(0, 10**6).map(lambda each: f"{each}{unit}")
        ranges = st.tuples(st.integers(0, 99), st.integers(100, 200)).map(lambda two: f"{two[0]}..{two[1]}{unit}")
        one = (number if op in MEASURING else number | ranges).map(Value)
    elif kind is QUERY:
        one = st.sampled_from(["a", "a[?b=='c d']", "length(a) > `3`", '"x y".z', "a || b", "!a"]).map(Value)
    else:
        assert kind is PLACE
        one = st.sampled_from(["$", "$.a[*].b", "$..x", "$.a=b", "['a b'][0]", '$.a={"b": [1]}', "a.b.c"]).map(Value)
    most = 1 if op in MEASURING else 3
    return st.lists(one, min_size=1, max_size=most).map(tuple)


def is_bare_pattern(text: str) -> bool:
    """Whether it can be written without quotes, in some place, and is a pattern there."""
    return "*" in text and not set(text) & set(" ()|") and text[0] not in "\"'"


@st.composite
def claims(draw: st.DrawFn) -> Term:
    field = draw(st.sampled_from(sorted(FIELDS)))
    op = draw(st.sampled_from(FIELDS[field].kind.ops))
    return Term(field, op, draw(values(field, op)))


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    claims() | st.sampled_from(["x", "slow-vetoes", "a.b_c"]).map(Saved),
    lambda inner: (
        inner.map(Not)
        | inner.map(Some)
        | inner.map(Every)
        | st.lists(inner, min_size=2, max_size=3).map(conjunction)
        | st.lists(inner, min_size=2, max_size=3).map(disjunction)
    ),
    max_leaves=8,
)


@settings(max_examples=400)
@given(EXPRESSIONS)
@example(Term("text", Op.HAS, (Value("!a*", True),)))
@example(Term("text", Op.HAS, (Value("AND"),)))
@example(Term("sub", Op.HAS, (Value("=a"), Value("b"))))
@example(Term("sub", Op.HAS, (Value("=a*", True),)))
def test_reading_what_is_printed_gives_the_same_filter(expression: Expression) -> None:
    """And printing that again gives the same text: there is one way to write each."""
    text = printed(expression)
    assert parse(text) == expression
    assert printed(parse(text)) == text


@given(EXPRESSIONS)
def test_every_claim_knows_where_it_stands(expression: Expression) -> None:
    """The stretch of each claim, read by itself, is that claim."""
    text = printed(expression)
    for term in terms(parse(text)):
        assert parse(text[term.at.start : term.at.end]) == term
        for value in term.values:
            assert 0 <= value.at.start < value.at.end <= len(text)


def test_deep_and_long_texts_are_refused() -> None:
    """With a place, not by running out of stack or memory."""
    for text, says in (
        ("(" * 500 + "a" + ")" * 500, "nested deeper"),
        ("!" * 5000 + "a", "nested deeper"),
        ("a " * 10_000, "characters"),
        ("why:~" + "a" * 400, "characters"),
        ("in:" + "a" * 2000, "characters"),
    ):
        with pytest.raises(BadFilter, match=says):
            parse(text)
    assert parse(" ".join(["a"] * 1000)) is not None


def test_what_can_be_compared_without_a_colon_is_what_can_be_measured() -> None:
    """The lexer knows no fields but these, and these are all."""
    measured = {name for name, field in FIELDS.items() if isinstance(field.kind, Measure)}
    assert measured | {"duration"} == MEASURED


def test_a_span_is_of_the_text_and_not_of_the_filter() -> None:
    """Filters are equal wherever they stood."""
    here, there = parse("a"), parse("  a")
    assert here == there
    assert isinstance(there, Term)
    assert there.at == Span(2, 3)
    assert FIELDS["text"].kind is TEXT
