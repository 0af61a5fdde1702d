"""A filter's text, cut into tokens. Never fails: what makes no sense is told by the parser, which knows what it wanted.

What stands behind a field is a value and may hold nearly anything; where a word without a field stands, a few more
characters mean something. So the lexer knows whether it is behind a field, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from debugger.filters.syntax import Op, Span


class Kind(Enum):
    """What a token is."""

    HEAD = "a field and how it is compared"
    VALUE = "what a field is compared with"
    WORD = "a word without a field"
    SAVED = "a name of a saved filter, with its @"
    SOME = "some("
    EVERY = "every("
    OPEN = "("
    CLOSE = ")"
    OR = "|"
    AND = "AND"
    NOT = "!"


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    at: Span
    text: str = ""
    """What it says: without quotes, escapes resolved; of a head the name of the field."""
    op: Op = Op.HAS
    """Of a head."""
    is_quoted: bool = False
    is_closed: bool = True
    """False for a quoted text whose last quote is missing."""
    bad_escape: Span | None = None


_SPACE = re.compile(r"\s*")
_HEAD = re.compile(r"([A-Za-z][A-Za-z-]*)(:(?:>=|<=|[=~!><])?|>=|<=|[><])")
_BARE = re.compile(r"[^\s()|]+")
_SAVED = re.compile(r"@([^\s()|]*)")
_QUANTIFIER = re.compile(r"(some|every)\(")
_NO_ALTERNATIVE = re.compile(r"[\s|()!@]|\Z|(?:some|every)\(")
"""What may not follow a `|` that goes on with the values of a field."""
_ESCAPES: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_CODE = re.compile(r"u\{([0-9A-Fa-f]{1,6})\}")
KEYWORDS: Final = {"AND": Kind.AND, "&&": Kind.AND, "OR": Kind.OR, "NOT": Kind.NOT}


def tokens(text: str) -> tuple[Token, ...]:
    """Every token, in order."""
    return tuple(_Lexer(text).run())


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._wants_value = False
        self._wants_bar = False
        """Behind a value that another one of the same field follows."""
        self._is_in_values = False
        """Between the parentheses of `field:(one | other)`."""

    def run(self) -> Iterator[Token]:
        while True:
            before = self._at
            found = _SPACE.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            if self._at == len(self._text):
                return
            yield self._next(is_apart=self._at > before)

    def _next(self, *, is_apart: bool) -> Token:
        character = self._text[self._at]
        if self._is_in_values:
            if character == "(":
                return self._cut(Kind.OPEN, 1)
            return self._close_or_bar(character) or self._value()
        if self._wants_bar:
            self._wants_bar, self._wants_value = False, True
            return self._cut(Kind.OR, 1)
        if self._wants_value:
            self._wants_value = False
            if character == "(":
                self._is_in_values = True
                return self._cut(Kind.OPEN, 1)
            if character not in ")|" and not (is_apart and self._head() is not None):
                return self._value()
        return self._outside(character)

    def _outside(self, character: str) -> Token:
        if (token := self._close_or_bar(character)) is not None:
            return token
        if character == "(":
            return self._cut(Kind.OPEN, 1)
        if character == "!":
            return self._cut(Kind.NOT, 1)
        if character in "\"'":
            return self._quoted(Kind.WORD)
        if (saved := _SAVED.match(self._text, self._at)) is not None:
            return self._cut(Kind.SAVED, len(saved[0]), saved[1])
        if (quantifier := _QUANTIFIER.match(self._text, self._at)) is not None:
            return self._cut(Kind.SOME if quantifier[1] == "some" else Kind.EVERY, len(quantifier[0]))
        if (head := self._head()) is not None:
            self._wants_value = True
            sign = head[2]
            op = Op(sign if sign.startswith(":") else f":{sign}")
            token = self._cut(Kind.HEAD, len(head[0]), head[1].lower())
            return Token(token.kind, token.at, token.text, op)
        bare = self._bare()
        if (keyword := KEYWORDS.get(bare)) is not None:
            return self._cut(keyword, len(bare))
        return self._cut(Kind.WORD, len(bare), bare)

    def _head(self) -> re.Match[str] | None:
        found = _HEAD.match(self._text, self._at)
        if found is not None and not found[2].startswith(":") and found[1].lower() not in MEASURED:
            return None  # `a>b` is a word, unless a is something that can be more or less
        return found

    def _close_or_bar(self, character: str) -> Token | None:
        if character == ")":
            self._is_in_values = False
            return self._cut(Kind.CLOSE, 1)
        if character == "|":
            return self._cut(Kind.OR, 2 if self._text.startswith("||", self._at) else 1)
        return None

    def _value(self) -> Token:
        if self._text[self._at] in "\"'":
            token = self._quoted(Kind.VALUE)
        else:
            bare = self._bare()
            token = self._cut(Kind.VALUE, len(bare), bare)
        if not self._is_in_values and self._goes_on():
            self._wants_bar = True
        return token

    def _goes_on(self) -> bool:
        """Whether a `|` follows at once, and another value of the same field right behind it."""
        if not self._text.startswith("|", self._at) or _NO_ALTERNATIVE.match(self._text, self._at + 1):
            return False
        return _HEAD.match(self._text, self._at + 1) is None

    def _bare(self) -> str:
        found = _BARE.match(self._text, self._at)
        assert found is not None, "anything else was looked for before"
        return found[0]

    def _cut(self, kind: Kind, length: int, text: str = "") -> Token:
        at = Span(self._at, self._at + length)
        self._at += length
        return Token(kind, at, text)

    def _quoted(self, kind: Kind) -> Token:
        start, quote = self._at, self._text[self._at]
        said: list[str] = []
        bad: Span | None = None
        at = start + 1
        while at < len(self._text) and self._text[at] != quote:
            if quote == '"' and self._text[at] == "\\" and at + 1 < len(self._text):
                escape, length = _unescaped(self._text, at + 1)
                if escape is None and bad is None:
                    bad = Span(at, at + 1 + length)
                said.append(escape or "")
                at += 1 + length
            else:
                said.append(self._text[at])
                at += 1
        is_closed = at < len(self._text)
        self._at = at + 1 if is_closed else at
        return Token(
            kind, Span(start, self._at), "".join(said), is_quoted=True, is_closed=is_closed, bad_escape=bad
        )  # fmt: skip


MEASURED: Final = frozenset({"dur", "duration", "slow", "deadline", "n", "step"})
"""Fields that can be compared without a colon too: `dur>200ms`."""


def _unescaped(text: str, at: int) -> tuple[str | None, int]:
    """What an escape stands for, given where its backslash ends, and its length; None for no such escape."""
    if (plain := _ESCAPES.get(text[at])) is not None:
        return plain, 1
    if (code := _CODE.match(text, at)) is not None:
        number = int(code[1], 16)
        if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF:
            return chr(number), len(code[0])
        return None, len(code[0])
    return None, 1
