"""Text to filter, with the place of whatever is wrong; and how far a text is that is still being typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from debugger.filters.fields import ALIASES, FIELDS
from debugger.filters.lexer import Kind, Token, tokens
from debugger.filters.problems import BadFilter, Unfit, nearest
from debugger.filters.syntax import (
    Every,
    Everything,
    Expression,
    Filter,
    Not,
    Op,
    Saved,
    Some,
    Span,
    Term,
    Value,
    conjunction,
    disjunction,
)

MOST_CHARACTERS: Final = 10_000
"""Of one filter. Nobody types more; a file may hold anything."""
DEEPEST: Final = 60
"""Parentheses and negations inside one another."""


@dataclass(frozen=True, slots=True)
class Complete:
    """A filter as it stands."""

    filter: Filter


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Not yet a filter; more text behind it can make it one."""

    error: BadFilter


@dataclass(frozen=True, slots=True)
class Bad:
    """No filter, whatever comes behind it."""

    error: BadFilter


Typed: TypeAlias = Complete | Unfinished | Bad
"""How far a text is. A closed set: matching it must be exhaustive."""


def typed(text: str) -> Typed:
    """How far a text is that somebody is typing."""
    try:
        return Complete(parse(text))
    except BadFilter as error:
        return Unfinished(error) if error.is_unfinished else Bad(error)


def parse(text: str) -> Filter:
    """The filter that a text says; raises BadFilter with the place and the way out."""
    if len(text) > MOST_CHARACTERS:
        at = Span(MOST_CHARACTERS, len(text))
        raise BadFilter(f"a filter of {len(text)} characters", text, at, fix=f"{MOST_CHARACTERS} are read")
    return _Parser(text).whole()


def takes_patterns(field: str, op: Op) -> bool:
    """Whether a star stands for any text in what this field is compared with."""
    known = FIELDS.get(field)
    return known is not None and known.kind.has_patterns and op is not Op.MATCHES


class _Parser:
    """By descent, one method for each rule of the grammar in docs/filters.md."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._next = 0
        self._depth = 0

    def whole(self) -> Filter:
        if not self._tokens:
            return Everything()
        found = self._either()
        if (token := self._peek()) is not None:
            raise self._bad("there is no ( before this )", token.at, "leave it out")
        return found

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _is_next(self, *kinds: Kind) -> bool:
        token = self._peek()
        return token is not None and token.kind in kinds

    def _take(self) -> Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _either(self) -> Expression:
        found = [self._together()]
        while self._is_next(Kind.OR):
            self._take()
            found.append(self._together())
        return disjunction(found)

    def _together(self) -> Expression:
        found = [self._one()]
        while not self._is_next(Kind.OR, Kind.CLOSE) and self._peek() is not None:
            if self._is_next(Kind.AND):
                self._take()
            found.append(self._one())
        return conjunction(found)

    def _one(self) -> Expression:
        token = self._peek()
        if token is None:
            raise self._ended("something has to follow here")
        if token.kind in (Kind.OR, Kind.AND, Kind.CLOSE):
            shown = self._text[token.at.start : token.at.end]
            raise self._bad(
                f"something is missing in front of {shown}", token.at, 'quote it to look for it: "' + shown + '"'
            )
        self._take()
        match token.kind:
            case Kind.NOT:
                return Not(self._deeper(self._one))
            case Kind.OPEN:
                return self._enclosed(token)
            case Kind.SOME:
                return Some(self._enclosed(token))
            case Kind.EVERY:
                return Every(self._enclosed(token))
            case Kind.SAVED:
                return self._saved(token)
            case Kind.HEAD:
                return self._term(token)
            case _:
                return self._word(token)

    def _deeper(self, rule: object) -> Expression:
        self._depth += 1
        if self._depth > DEEPEST:
            token = self._tokens[min(self._next, len(self._tokens)) - 1]
            raise self._bad(f"nested deeper than {DEEPEST} levels", token.at, "give a part of it a name: @name")
        assert callable(rule)
        found: Expression = rule()
        self._depth -= 1
        return found

    def _enclosed(self, opening: Token) -> Expression:
        if self._is_next(Kind.CLOSE):
            raise self._bad("nothing stands in these parentheses", Span(opening.at.start, self._take().at.end))
        if self._peek() is None:
            raise self._ended("something has to follow here")
        found = self._deeper(self._either)
        if not self._is_next(Kind.CLOSE):
            raise BadFilter(
                "this ( is never closed", self._text, opening.at, fix="write ) behind it", is_unfinished=True
            )
        self._take()
        return found

    def _saved(self, token: Token) -> Saved:
        if not token.text:
            message, fix = "@ is followed by the name of a saved filter", 'quote it to look for it: "@"'
            raise BadFilter(message, self._text, token.at, fix=fix, is_unfinished=self._is_last(token.at))
        self._check_apart(token)
        return Saved(token.text, token.at)

    def _word(self, token: Token) -> Term:
        self._check_quotes(token)
        self._check_apart(token)
        value = self._value(token, "text", Op.HAS)
        self._check("text", Op.HAS, (value,), token.at)
        return Term("text", Op.HAS, (value,), token.at)

    def _term(self, head: Token) -> Term:
        name = ALIASES.get(head.text, head.text)
        if name not in FIELDS:
            raise self._unknown(head)
        values: tuple[Value, ...]
        if self._is_next(Kind.OPEN) and self._tokens[self._next].at.start >= head.at.end:
            values, end = self._values(name, head)
        else:
            read = [self._value_of(head, name)]
            while self._goes_on(read[-1].at.end):
                self._take()
                read.append(self._value_of(head, name))
            values, end = tuple(read), read[-1].at.end
        at = Span(head.at.start, end)
        self._check(name, head.op, values, Span(values[0].at.start, values[-1].at.end))
        return Term(name, head.op, values, at)

    def _goes_on(self, end: int) -> bool:
        """Whether another value of the same field stands behind a `|`: the lexer has read it as one."""
        behind = self._tokens[self._next : self._next + 2]
        return len(behind) == 2 and (behind[0].kind, behind[0].at.start, behind[1].kind) == (Kind.OR, end, Kind.VALUE)

    def _value_of(self, head: Token, name: str) -> Value:
        if self._peek() is None:
            raise self._ended(f"{head.text} has to be compared with something", head.at, self._examples(name))
        if not self._is_next(Kind.VALUE):
            fix = self._examples(name)
            raise self._bad(f"{head.text} has to be compared with something", head.at, fix)
        token = self._take()
        self._check_quotes(token)
        self._check_apart(token)
        return self._value(token, name, head.op)

    def _values(self, name: str, head: Token) -> tuple[tuple[Value, ...], int]:
        """Values in parentheses, and where the parentheses end."""
        opening = self._take()
        values: list[Value] = []
        while True:
            if self._peek() is None:
                fix = "write the values with | between them, and )"
                raise BadFilter("this ( is never closed", self._text, opening.at, fix=fix, is_unfinished=True)
            token = self._take()
            if token.kind is not Kind.VALUE:
                raise self._bad("a value has to stand here", token.at, f"such as {head.text}:(one | other)")
            self._check_quotes(token)
            values.append(self._value(token, name, head.op))
            if self._is_next(Kind.CLOSE):
                closing = self._take()
                return tuple(values), closing.at.end
            if self._is_next(Kind.OR):
                self._take()
            elif (wrong := self._peek()) is not None:
                raise self._bad(
                    "a | is missing in front of this value", wrong.at, "quote a value that has spaces in it"
                )

    def _value(self, token: Token, name: str, op: Op) -> Value:
        is_pattern = not token.is_quoted and "*" in token.text and takes_patterns(name, op)
        return Value(token.text, is_pattern, token.at)

    def _check(self, name: str, op: Op, values: tuple[Value, ...], at: Span) -> None:
        """Raises BadFilter for what the field cannot be compared with, at the value that is to blame if it is one."""
        kind = FIELDS[name].kind
        for value in values:
            try:
                kind.check(op, (value,))
            except Unfit as unfit:
                raise self._unfit(unfit, name, value.at) from None
        try:
            kind.check(op, values)
        except Unfit as unfit:
            raise self._unfit(unfit, name, at) from None

    def _unfit(self, unfit: Unfit, name: str, at: Span) -> BadFilter:
        is_open = self._is_last(at) and self._text[at.end - 1 : at.end] not in ("'", '"')
        is_unfinished = unfit.may_grow and is_open
        return BadFilter(f"{name}: {unfit.message}", self._text, at, fix=unfit.fix, is_unfinished=is_unfinished)

    def _check_quotes(self, token: Token) -> None:
        if token.bad_escape is not None:
            shown = self._text[token.bad_escape.start : token.bad_escape.end]
            fix = 'there are \\" \\\\ \\n \\t \\r \\u{1f600}; between single quotes nothing is escaped'
            is_unfinished = not token.is_closed and token.bad_escape.end == len(self._text)
            message = f"no escape {shown}"
            raise BadFilter(message, self._text, token.bad_escape, fix=fix, is_unfinished=is_unfinished)
        if not token.is_closed:
            at = Span(token.at.start, token.at.start + 1)
            raise BadFilter("this quote is never closed", self._text, at, fix="close it", is_unfinished=True)

    def _check_apart(self, token: Token) -> None:
        """Raises BadFilter where something stands right behind a word that cannot belong to it."""
        behind = self._peek()
        if behind is None or behind.at.start > token.at.end or behind.kind in (Kind.CLOSE, Kind.OR):
            return
        if behind.kind is Kind.OPEN and not token.is_quoted:
            if token.kind is Kind.WORD and token.text in ("any", "all", "no", "none"):
                raise self._bad(f"there is no {token.text}(", token.at, "there are some( ) and every( )")
            raise self._bad("a ( in the middle of a word", behind.at, "quote what has parentheses in it")
        raise self._bad("a space is missing in front of this", behind.at)

    def _unknown(self, head: Token) -> BadFilter:
        written = self._text[head.at.start : head.at.end]
        rest = self._tokens[self._next] if self._peek() is not None else None
        word = (
            written
            if rest is None or rest.at.start > head.at.end
            else written + self._text[rest.at.start : rest.at.end]
        )
        close = nearest(head.text, (*FIELDS, *ALIASES))
        close = f"{close} To" if close.startswith("did") else "to"
        at = Span(head.at.start, head.at.start + len(head.text))
        quote = "'" if '"' in word else '"'
        return self._bad(f"no field {head.text!r}", at, f"{close} look for it as text, write {quote}{word}{quote}")

    def _examples(self, name: str) -> str:
        offered = FIELDS[name].kind.offered[:3]
        return f"such as {', '.join(f'{name}:{each}' for each in offered)}" if offered else f"{FIELDS[name].summary}"

    def _is_last(self, at: Span) -> bool:
        return at.end == len(self._text)

    def _bad(self, message: str, at: Span, fix: str = "") -> BadFilter:
        return BadFilter(message, self._text, at, fix=fix)

    def _ended(self, message: str, at: Span | None = None, fix: str = "") -> BadFilter:
        """What is missing at the end of the text."""
        end = Span(len(self._text), len(self._text))
        return BadFilter(message, self._text, at or end, fix=fix, is_unfinished=True)


def named(name: str, text: str) -> Filter:
    """The filter that is saved under a name; raises BadFilter that names it."""
    try:
        found = parse(text)
    except BadFilter as error:
        raise BadFilter(f"in @{name}: {error.message}", error.text, error.at, fix=error.fix) from None
    if isinstance(found, Everything):
        raise BadFilter(f"@{name} is empty", text, Span(), fix="leave it out, or save a filter under the name")
    return found
