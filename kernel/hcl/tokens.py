"""The tokens of HCL's expressions, and the brackets that they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from kernel.errors import BadInput
from kernel.hcl.text import MAX_DEPTH, Source, name_end
from kernel.values import Place

_BLANK = re.compile(r"(?:[ \t]|/\*(?s:.*?)\*/)*")
_LINE_END = re.compile(r"(?:(?:\#|//)[^\n]*)?(\r?\n|\Z)|(?:\#|//)[^\n]*\Z")
_NUMBER = re.compile(r"[0-9](?:(?:[0-9.]|[eE][+-]?[0-9])*(?:[0-9]|[eE][+-]?[0-9]))?")
_MARK = re.compile(r"::|\.\.\.|=>|==|!=|<=|>=|&&|\|\||~\}|<<-?(?=[^\W\d][\w-]*\r?\n)|[-+*/%!?:=<>.,()\[\]{}\"]")
CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_HINTS: Final = {"'": "strings are written in double quotes", "$": "a template has its place inside of double quotes"}


@dataclass(frozen=True, slots=True)
class Token:
    """What stands at a place: `number`, `name`, `line` (its end), `end` (of the text), `other`, or a mark itself."""

    kind: str
    text: str
    start: int
    stop: int


class Tokens:
    """Gives one token after another from a position on.

    Line ends separate only where `lines` says so: in no brackets, and in objects.
    """

    def __init__(self, source: Source, offset: int) -> None:
        self.source = source
        self.lines = True
        self.end = offset
        """Where the last token that was taken ends."""
        self._text = source.text
        self._open: list[tuple[str, int]] = []
        self._depth = 0

    def peek(self) -> Token:
        """The token that comes next."""
        position = self.end
        while True:
            position = self._skip_blank(position)
            line = _LINE_END.match(self._text, position)
            if line is None:
                return self._token(position)
            if self.lines or line.end() == len(self._text):
                kind = "line" if self.lines and position < len(self._text) else "end"
                return Token(kind, line.group(), line.start(1) if line[1] is not None else position, line.end())
            position = line.end()

    def _skip_blank(self, position: int) -> int:
        blank = _BLANK.match(self._text, position)
        position = blank.end() if blank else position
        if self._text.startswith("/*", position):
            raise self.source.error("this comment has no end", position, fix="close it with */")
        return position

    def _token(self, position: int) -> Token:
        number = _NUMBER.match(self._text, position)
        if number is not None:
            return Token("number", number.group(), position, number.end())
        stop = name_end(self._text, position)
        if stop > position:
            return Token("name", self._text[position:stop], position, stop)
        mark = _MARK.match(self._text, position)
        if mark is not None:
            return Token(mark.group(), mark.group(), position, mark.end())
        return Token("other", self._text[position], position, position + 1)

    def take(self) -> Token:
        """Go past the token that comes next."""
        token = self.peek()
        self.end = token.stop
        return token

    def takes(self, kind: str) -> bool:
        """Whether such a token comes next; then it is taken."""
        if self.peek().kind != kind:
            return False
        self.take()
        return True

    def is_word(self, word: str) -> bool:
        """Whether this name comes next."""
        token = self.peek()
        return token.kind == "name" and token.text == word

    def name(self, wanted: str) -> str:
        """Take a name."""
        token = self.peek()
        if token.kind != "name":
            raise self.unexpected(token, wanted)
        return self.take().text

    def expect_word(self, word: str) -> None:
        """Take this name."""
        if not self.is_word(word):
            raise self.unexpected(self.peek(), f"`{word}`")
        self.take()

    def push(self, opener: Token, *, lines: bool = False) -> bool:
        """Go into brackets; gives what to hand back when they close."""
        if len(self._open) == MAX_DEPTH:
            raise self.source.error(f"nested more than {MAX_DEPTH} levels deep", opener.start)
        self._open.append((opener.text, opener.start))
        before, self.lines = self.lines, lines
        return before

    def pop(self, before: bool, *closers: str, wanted: str = "") -> Token:
        """Take the closing bracket."""
        token = self.peek()
        if token.kind not in closers:
            raise self.unexpected(token, wanted or f"`{closers[0]}`")
        self.take()
        self._open.pop()
        self.lines = before
        return token

    def unexpected(self, token: Token, wanted: str) -> BadInput:
        """What is wrong about a token, and the way out."""
        if token.kind == "end" and self._open:
            mark, offset = self._open[-1]
            closer = CLOSERS.get(mark, "}")
            fix = (
                f"add the missing `{closer}`" if mark in CLOSERS else f"close it with `}}`, or write `{mark[0]}{mark}`"
            )
            return self.source.error(f"this `{mark}` is never closed", offset, fix=fix)
        if token.kind in CLOSERS.values() and self._open:
            mark, offset = self._open[-1]
            if CLOSERS.get(mark, "}") != token.kind:
                where = self.source.place(offset)
                message = f"this `{token.text}` does not close the `{mark}` of line {where.line}, column {where.column}"
                return self.source.error(message, token.start)
        fix = _HINTS.get(token.text, "")
        return self.source.error(f"found {_shown(token)} where {wanted} is expected", token.start, fix=fix)

    def place(self, offset: int) -> Place:
        """Line and column of an offset."""
        return self.source.place(offset)

    def error(self, message: str, offset: int, fix: str = "") -> BadInput:
        """What is wrong at an offset, and the way out."""
        return self.source.error(message, offset, fix=fix)

    @contextmanager
    def deeper(self, offset: int) -> Iterator[None]:
        """Whatever is read inside is one level further down; raises BadInput where that is too deep."""
        self._depth += 1
        if self._depth > 2 * MAX_DEPTH:
            raise self.error("nested too deeply", offset)
        yield
        self._depth -= 1


def _shown(token: Token) -> str:
    match token.kind:
        case "line":
            return "the end of the line"
        case "end":
            return "the end of the file"
        case '"':
            return "a quoted string"
        case "other" if not token.text.isprintable():
            return f"the character U+{ord(token.text):04X}"
        case _:
            return f"`{token.text}`"
