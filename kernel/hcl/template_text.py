"""Templates as they are written: quoted strings and heredocs, with the expressions inside of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from kernel.hcl import templates
from kernel.hcl.templates import Directive, Interpolation, Part, Text
from kernel.hcl.text import escape_end, name_end, unquoted
from kernel.hcl.tokens import Token, Tokens
from kernel.hcl.values import Expression

_QUOTED_PIECE = re.compile(r'"|\r|\n|\\|\$\$\{|%%\{|\$\{~?|%\{~?|\$|%|[^"\r\n\\$%]+')
_HEREDOC_PIECE = re.compile(r"\$\{~?|%\{~?|(?:\$\$\{|%%\{|\$(?!\{)|%(?!\{)|[^\n$%])*\n?")
_PIECES = re.compile(r"[$%](?!\{|[$%]\{)|(?:\$\$\{|%%\{)~?|(?:\\.|[^$%\\])+", re.DOTALL)
"""The pieces into which HashiCorp's scanner cuts the text of a quoted string."""


class TemplateReader:
    """Reads templates from tokens; `expression` reads what stands between their braces."""

    def __init__(self, tokens: Tokens, expression: Callable[[], Expression]) -> None:
        self._tokens = tokens
        self._expression = expression
        self._text = tokens.source.text

    def quoted(self, opener: Token) -> Expression:
        """A quoted string, of which the opening quote is taken."""
        parts: list[Part] = []
        trims_next = False
        start = position = self._tokens.end
        while True:
            piece = _QUOTED_PIECE.match(self._text, position)
            if piece is None:
                raise self._tokens.error("this string has no end", opener.start, fix='close it with "')
            mark = piece.group()
            if mark[:2] in ("${", "%{") or mark in ('"', "\r", "\n"):
                if position > start:
                    trims_next = self._add_text(parts, start, position, trims_next)
                if mark in ("\r", "\n"):
                    fix = "write \\n for a line break, or a heredoc"
                    raise self._tokens.error("a quoted string ends on the line where it begins", opener.start, fix=fix)
                self._tokens.end = piece.end()
                if mark == '"':
                    return templates.assembled(parts, self._tokens.source, opener.start, is_flush=False)
                trims_next = self._sequence(parts, mark, position)
                start = position = self._tokens.end
            else:
                position = escape_end(self._tokens.source, position) if mark == "\\" else piece.end()

    def _add_text(self, parts: list[Part], start: int, stop: int, trims: bool) -> bool:
        """Add what stands there as text; the scanner's pieces matter, for a trim mark eats blanks of one of them."""
        for piece in _PIECES.finditer(self._text, start, stop):
            text = unquoted(piece.group())
            parts.append(Text(text.lstrip() if trims else text, piece.start()))
            trims = False
        return False

    def heredoc(self, opener: Token) -> Expression:
        """A heredoc, of which nothing is taken yet."""
        stop = name_end(self._text, opener.stop)
        marker = self._text[opener.stop : stop]
        line = re.compile(r"\r?\n").match(self._text, stop)
        if not marker or line is None:
            raise self._tokens.unexpected(opener, "a value")
        parts: list[Part] = []
        trims_next = False
        position, is_line_start = line.end(), True
        while True:
            if is_line_start:
                end = self._text.find("\n", position)
                found = self._text[position : end if end >= 0 else len(self._text)]
                if found.strip() == marker:
                    if end < 0:
                        raise self._tokens.error("a new line has to follow after the end of a heredoc", position)
                    self._tokens.end = position + len(found.removesuffix("\r"))
                    return templates.assembled(parts, self._tokens.source, opener.start, is_flush=opener.text == "<<-")
                if end < 0:
                    fix = f"end it with a line that holds just {marker}"
                    raise self._tokens.error("this heredoc has no end", opener.start, fix=fix)
            piece = _HEREDOC_PIECE.match(self._text, position)
            assert piece is not None, "the pattern matches nothing as well"
            mark = piece.group()
            if mark[:2] in ("${", "%{"):
                self._tokens.end = piece.end()
                trims_next = self._sequence(parts, mark, position)
                position, is_line_start = self._tokens.end, False
            elif not mark:
                fix = f"end it with a line that holds just {marker}"
                raise self._tokens.error("this heredoc has no end", opener.start, fix=fix)
            else:
                text = mark.replace("$${", "${").replace("%%{", "%{")
                parts.append(Text(text.lstrip() if trims_next else text, position))
                trims_next = False
                position, is_line_start = piece.end(), mark.endswith("\n")

    def _sequence(self, parts: list[Part], mark: str, offset: int) -> bool:
        """`${...}` or `%{...}`, of which the beginning is taken; whether it trims what follows."""
        if mark.endswith("~") and parts and isinstance(last := parts[-1], Text):
            last.text = last.text.rstrip()
        before = self._tokens.push(Token(mark[:2], mark[:2], offset, self._tokens.end))
        if mark.startswith("$"):
            part: Part = Interpolation(self._expression(), offset)
        else:
            part = self._directive(offset)
        closer = self._tokens.pop(before, "}", "~}")
        parts.append(part)
        return closer.kind == "~}"

    def _directive(self, offset: int) -> Directive:
        token = self._tokens.peek()
        word = self._tokens.name("`if`, `else`, `endif`, `for` or `endfor`")
        match word:
            case "if":
                return Directive(word, offset, self._expression())
            case "for":
                names = [self._tokens.name("a name")]
                if self._tokens.takes(","):
                    names.append(self._tokens.name("a name"))
                self._tokens.expect_word("in")
                return Directive(word, offset, self._expression(), tuple(names))
            case "else" | "endif" | "endfor":
                return Directive(word, offset)
            case _:
                raise self._tokens.unexpected(token, "`if`, `else`, `endif`, `for` or `endfor`")
