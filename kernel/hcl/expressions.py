"""HCL's expressions, from their characters to values that are not evaluated yet.

python-hcl2's grammar reads expressions that HCL does not have and refuses ones that it has, and gives operators no
precedence that could be relied on; so they are read here, as HashiCorp's parser reads them, and the grammar sees the
blocks around them only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from kernel.errors import BadInput
from kernel.hcl import numbers, templates
from kernel.hcl.templates import Directive, Interpolation, Part, Text
from kernel.hcl.text import MAX_DEPTH, Source, escape_end, name_end, unquoted
from kernel.hcl.values import (
    Call,
    Conditional,
    Entry,
    Expression,
    For,
    Index,
    ListOf,
    Member,
    Name,
    ObjectOf,
    Operation,
    Parentheses,
    Path,
    Scalar,
    Splat,
    Step,
    Unary,
)
from kernel.values import Place

PRECEDENCE: Final = {
    **dict.fromkeys(("||",), 0),
    **dict.fromkeys(("&&",), 1),
    **dict.fromkeys(("==", "!="), 2),
    **dict.fromkeys(("<", ">", "<=", ">="), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "%"), 5),
}
"""Of the operators between two values; a larger one binds more tightly."""
TIGHTEST: Final = max(PRECEDENCE.values())

_BLANK = re.compile(r"(?:[ \t]|/\*(?s:.*?)\*/)*")
_LINE_END = re.compile(r"(?:(?:\#|//)[^\n]*)?(\r?\n|\Z)|(?:\#|//)[^\n]*\Z")
_NUMBER = re.compile(r"[0-9](?:(?:[0-9.]|[eE][+-]?[0-9])*(?:[0-9]|[eE][+-]?[0-9]))?")
_MARK = re.compile(r"::|\.\.\.|=>|==|!=|<=|>=|&&|\|\||~\}|<<-?(?=[^\W\d][\w-]*\r?\n)|[-+*/%!?:=<>.,()\[\]{}\"]")
_QUOTED_PIECE = re.compile(r'"|\r|\n|\\|\$\$\{|%%\{|\$\{~?|%\{~?|\$|%|[^"\r\n\\$%]+')
_HEREDOC_PIECE = re.compile(r"\$\{~?|%\{~?|(?:\$\$\{|%%\{|\$(?!\{)|%(?!\{)|[^\n$%])*\n?")
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
_LITERALS: Final = {"true": True, "false": False, "null": None}
_HINTS: Final = {"'": "strings are written in double quotes", "$": "a template has its place inside of double quotes"}


@dataclass(frozen=True, slots=True)
class Token:
    """What stands at a place: `number`, `name`, `line` (its end), `end` (of the text), `other`, or a mark itself."""

    kind: str
    text: str
    start: int
    stop: int


def read_expression(source: Source, offset: int) -> tuple[Expression, int]:
    """The expression that begins behind an offset, and where it ends; raises BadInput for what is none."""
    reader = _Reader(source, offset)
    try:
        return reader.expression(), reader.end
    except RecursionError:
        raise source.error("nested too deeply", reader.end) from None


class _Reader:
    """Reads on from a position. Line ends separate only where `lines` says so: in no brackets, and in objects."""

    def __init__(self, source: Source, offset: int) -> None:
        self._source = source
        self._text = source.text
        self._open: list[tuple[str, int]] = []
        self._depth = 0
        self._lines = True
        self.end = offset
        """Where the last token that was taken ends."""

    # -- tokens --------------------------------------------------------------------------------------------------

    def _peek(self) -> Token:
        position = self.end
        while True:
            position = self._skip_blank(position)
            line = _LINE_END.match(self._text, position)
            if line is None:
                return self._token(position)
            if self._lines or line.end() == len(self._text):
                kind = "line" if self._lines and position < len(self._text) else "end"
                return Token(kind, line.group(), line.start(1) if line[1] is not None else position, line.end())
            position = line.end()

    def _skip_blank(self, position: int) -> int:
        blank = _BLANK.match(self._text, position)
        position = blank.end() if blank else position
        if self._text.startswith("/*", position):
            raise self._source.error("this comment has no end", position, fix="close it with */")
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

    def _take(self) -> Token:
        token = self._peek()
        self.end = token.stop
        return token

    def _takes(self, kind: str) -> bool:
        """Whether such a token comes next; then it is taken."""
        if self._peek().kind != kind:
            return False
        self._take()
        return True

    def _is_word(self, word: str) -> bool:
        token = self._peek()
        return token.kind == "name" and token.text == word

    def _name(self, wanted: str) -> str:
        token = self._peek()
        if token.kind != "name":
            raise self._unexpected(token, wanted)
        return self._take().text

    def _expect_word(self, word: str) -> None:
        if not self._is_word(word):
            raise self._unexpected(self._peek(), f"`{word}`")
        self._take()

    def _push(self, opener: Token, *, lines: bool = False) -> bool:
        """Go into brackets; gives what to hand back when they close."""
        if len(self._open) == MAX_DEPTH:
            raise self._source.error(f"nested more than {MAX_DEPTH} levels deep", opener.start)
        self._open.append((opener.text, opener.start))
        before, self._lines = self._lines, lines
        return before

    def _pop(self, before: bool, *closers: str, wanted: str = "") -> Token:
        """Take the closing bracket."""
        token = self._peek()
        if token.kind not in closers:
            raise self._unexpected(token, wanted or f"`{closers[0]}`")
        self._take()
        self._open.pop()
        self._lines = before
        return token

    def _unexpected(self, token: Token, wanted: str) -> BadInput:
        if token.kind == "end" and self._open:
            mark, offset = self._open[-1]
            closer = _CLOSERS.get(mark, "}")
            fix = (
                f"add the missing `{closer}`" if mark in _CLOSERS else f"close it with `}}`, or write `{mark[0]}{mark}`"
            )
            return self._source.error(f"this `{mark}` is never closed", offset, fix=fix)
        if token.kind in _CLOSERS.values() and self._open:
            mark, offset = self._open[-1]
            if _CLOSERS.get(mark, "}") != token.kind:
                where = self._source.place(offset)
                message = f"this `{token.text}` does not close the `{mark}` of line {where.line}, column {where.column}"
                return self._source.error(message, token.start)
        fix = _HINTS.get(token.text, "")
        return self._source.error(f"found {_shown(token)} where {wanted} is expected", token.start, fix=fix)

    def _place(self, offset: int) -> Place:
        return self._source.place(offset)

    # -- expressions ---------------------------------------------------------------------------------------------

    def expression(self) -> Expression:
        start = self._peek()
        self._depth += 1
        if self._depth > 2 * MAX_DEPTH:
            raise self._source.error("nested too deeply", start.start)
        condition = self._operation(0)
        if self._takes("?"):
            yes = self.expression()
            if not self._takes(":"):
                raise self._unexpected(self._peek(), "`:`")
            condition = Conditional(condition, yes, self.expression(), self._place(start.start))
        self._depth -= 1
        return condition

    def _operation(self, lowest: int) -> Expression:
        """Operators that bind at least as tightly as `lowest`."""
        start = self._peek().start
        if lowest > TIGHTEST:
            return self._path()
        first = self._operation(lowest + 1)
        rest: list[tuple[str, Expression]] = []
        while PRECEDENCE.get((token := self._peek()).kind) == lowest:
            self._take()
            rest.append((token.kind, self._operation(lowest + 1)))
        return Operation(first, tuple(rest), self._place(start)) if rest else first

    def _path(self) -> Expression:
        start = self._peek().start
        root = self._term()
        steps = self._steps()
        return Path(root, steps, self._place(start)) if steps else root

    def _steps(self) -> tuple[Step, ...]:
        steps: list[Step] = []
        while (token := self._peek()).kind in (".", "["):
            self._take()
            after = self._peek()
            place = self._place(token.start)
            if token.kind == "[":
                steps.append(self._bracket(token, place))
            elif after.kind == "*":
                self._take()
                steps.append(Splat(self._members(), place))
            else:
                steps.append(self._member(place))
        return tuple(steps)

    def _members(self) -> tuple[Step, ...]:
        """What may follow after `.*`: members only, and no further star."""
        steps: list[Step] = []
        while (token := self._peek()).kind == ".":
            self._take()
            steps.append(self._member(self._place(token.start)))
        return tuple(steps)

    def _member(self, place: Place) -> Step:
        token = self._peek()
        if token.kind == "name":
            return Member(self._take().text, place)
        if token.kind != "number":
            raise self._unexpected(token, "a name")
        self._take()
        if "." in token.text:
            point = token.start + token.text.index(".")
            raise self._source.error("a number has one point at most", point, fix="write the index in brackets")
        return Index(self._number(token), place)

    def _bracket(self, opener: Token, place: Place) -> Step:
        if self._takes("*"):
            before = self._push(opener, lines=self._lines)
            self._pop(before, "]")
            return Splat(self._steps(), place)
        before = self._push(opener)
        key = self.expression()
        self._pop(before, "]")
        return Index(key, place)

    def _term(self) -> Expression:
        token = self._peek()
        place = self._place(token.start)
        match token.kind:
            case "number":
                self._take()
                return self._number(token)
            case "name":
                self._take()
                return self._named(token)
            case "(":
                before = self._push(self._take())
                inner = self.expression()
                self._pop(before, ")")
                return Parentheses(inner, place)
            case "[":
                return self._list(self._take())
            case "{":
                return self._object(self._take())
            case '"':
                self._take()
                return self._quoted(token)
            case "<<" | "<<-":
                return self._heredoc(token)
            case "-" | "!":
                self._take()
                self._depth += 1
                if self._depth > 2 * MAX_DEPTH:
                    raise self._source.error("nested too deeply", token.start)
                operand = self._path()
                self._depth -= 1
                return self._unary(token.kind, operand, place)
            case _:
                raise self._unexpected(token, "a value")

    def _unary(self, operator: str, operand: Expression, place: Place) -> Expression:
        match operand:
            case Scalar(bool()):
                return Unary(operator, operand, place)
            case Scalar(int() | Fraction() as number) if operator == "-" and number >= 0:
                return Scalar(-number, place)
            case _:
                return Unary(operator, operand, place)

    def _number(self, token: Token) -> Scalar:
        try:
            return Scalar(numbers.read(token.text), self._place(token.start))
        except numbers.NumberError as error:
            raise self._source.error(str(error), token.start) from None

    def _named(self, token: Token) -> Expression:
        place = self._place(token.start)
        if self._peek().kind in ("(", "::"):
            return self._call(token.text, place)
        if token.text in _LITERALS:
            return Scalar(_LITERALS[token.text], place)
        return Name(token.text, place)

    def _call(self, name: str, place: Place) -> Call:
        while self._takes("::"):
            name += "::" + self._name("a name")
        opener = self._peek()
        if opener.kind != "(":
            raise self._unexpected(opener, "`(`")
        self._take()
        before = self._push(opener)
        arguments: list[Expression] = []
        is_spread = False
        while self._peek().kind != ")":
            arguments.append(self.expression())
            if self._takes("..."):
                is_spread = True
                break
            if not self._takes(","):
                break
        self._pop(before, ")", wanted="`)`" if is_spread else "`,` or `)`")
        return Call(name, tuple(arguments), is_spread, place)

    def _list(self, opener: Token) -> Expression:
        before = self._push(opener)
        if self._is_word("for"):
            return self._for(opener, "]", before)
        items: list[Expression] = []
        while self._peek().kind != "]":
            items.append(self.expression())
            if not self._takes(","):
                break
        self._pop(before, "]", wanted="`,` or `]`")
        return ListOf(tuple(items), self._place(opener.start))

    def _object(self, opener: Token) -> Expression:
        before = self._push(opener)
        if self._is_word("for"):
            return self._for(opener, "}", before)
        self._lines = True
        entries: list[Entry] = []
        is_after_line = False
        while True:
            while self._takes("line"):
                is_after_line = bool(entries)
            token = self._peek()
            if token.kind == "}":
                break
            if token.kind == "," and is_after_line:
                message = "the entry before this comma has ended with its line"
                raise self._source.error(message, token.start, fix="remove one")
            entries.append(self._entry())
            is_after_line = False
            after = self._peek()
            if after.kind not in (",", "line", "}"):
                if after.kind in ("end", *_CLOSERS.values()):
                    raise self._unexpected(after, "`,`, a new line or `}`")
                message = "a comma or a new line has to follow after the entry of an object"
                raise self._source.error(message, after.start)
            if after.kind == ",":
                self._take()
        self._pop(before, "}")
        return ObjectOf(tuple(entries), self._place(opener.start))

    def _entry(self) -> Entry:
        start = self._peek().start
        key = self.expression()
        match key:
            case Name(name, place):
                key = Scalar(name, place)
            case Scalar(bool() | None as word, place):
                key = Scalar({True: "true", False: "false", None: "null"}[word], place)
            case _:
                pass
        token = self._peek()
        if token.kind not in ("=", ":"):
            raise self._unexpected(token, "`=`")
        self._take()
        return Entry(key, self.expression(), self._place(start))

    def _for(self, opener: Token, closer: str, before: bool) -> For:
        self._take()
        names = [self._name("a name")]
        if self._takes(","):
            names.append(self._name("a name"))
        self._expect_word("in")
        collection = self.expression()
        if not self._takes(":"):
            raise self._unexpected(self._peek(), "`:`")
        key, value = None, self.expression()
        arrow = self._peek()
        if self._takes("=>"):
            key, value = value, self.expression()
        dots = self._peek()
        is_grouped = self._takes("...")
        condition = None
        if self._is_word("if"):
            self._take()
            condition = self.expression()
        end = self._pop(before, closer)
        if closer == "]" and (key is not None or is_grouped):
            wrong = arrow if key is not None else dots
            raise self._source.error(f"`{wrong.text}` makes an object, and this is a list", wrong.start)
        if closer == "}" and key is None:
            raise self._source.error("an object needs a key for each value", end.start, fix="write `key => value`")
        return For(tuple(names), collection, key, value, is_grouped, condition, self._place(opener.start))

    # -- templates -----------------------------------------------------------------------------------------------

    def _quoted(self, opener: Token) -> Expression:
        """A quoted string, of which the opening quote is taken."""
        parts: list[Part] = []
        trims_next = False
        start = position = self.end
        while True:
            piece = _QUOTED_PIECE.match(self._text, position)
            if piece is None:
                raise self._source.error("this string has no end", opener.start, fix='close it with "')
            mark = piece.group()
            if mark[:2] in ("${", "%{") or mark in ('"', "\r", "\n"):
                if position > start:
                    trims_next = self._add_text(parts, start, position, trims_next)
                if mark in ("\r", "\n"):
                    fix = "write \\n for a line break, or a heredoc"
                    raise self._source.error("a quoted string ends on the line where it begins", opener.start, fix=fix)
                self.end = piece.end()
                if mark == '"':
                    return templates.assembled(parts, self._source, opener.start, is_flush=False)
                trims_next = self._sequence(parts, mark, position)
                start = position = self.end
            else:
                position = escape_end(self._source, position) if mark == "\\" else piece.end()

    def _add_text(self, parts: list[Part], start: int, stop: int, trims: bool) -> bool:
        """Add what stands there as text; the scanner's pieces matter, for a trim mark eats blanks of one of them."""
        for piece in _PIECES.finditer(self._text, start, stop):
            text = unquoted(piece.group())
            parts.append(Text(text.lstrip() if trims else text, piece.start()))
            trims = False
        return False

    def _heredoc(self, opener: Token) -> Expression:
        """A heredoc, of which nothing is taken yet."""
        stop = name_end(self._text, opener.stop)
        marker = self._text[opener.stop : stop]
        line = re.compile(r"\r?\n").match(self._text, stop)
        if not marker or line is None:
            raise self._unexpected(opener, "a value")
        parts: list[Part] = []
        trims_next = False
        position, is_line_start = line.end(), True
        while True:
            if is_line_start:
                end = self._text.find("\n", position)
                found = self._text[position : end if end >= 0 else len(self._text)]
                if found.strip() == marker:
                    if end < 0:
                        raise self._source.error("a new line has to follow after the end of a heredoc", position)
                    self.end = position + len(found.removesuffix("\r"))
                    return templates.assembled(parts, self._source, opener.start, is_flush=opener.text == "<<-")
                if end < 0:
                    fix = f"end it with a line that holds just {marker}"
                    raise self._source.error("this heredoc has no end", opener.start, fix=fix)
            piece = _HEREDOC_PIECE.match(self._text, position)
            assert piece is not None, "the pattern matches nothing as well"
            mark = piece.group()
            if mark[:2] in ("${", "%{"):
                self.end = piece.end()
                trims_next = self._sequence(parts, mark, position)
                position, is_line_start = self.end, False
            elif not mark:
                fix = f"end it with a line that holds just {marker}"
                raise self._source.error("this heredoc has no end", opener.start, fix=fix)
            else:
                text = mark.replace("$${", "${").replace("%%{", "%{")
                parts.append(Text(text.lstrip() if trims_next else text, position))
                trims_next = False
                position, is_line_start = piece.end(), mark.endswith("\n")

    def _sequence(self, parts: list[Part], mark: str, offset: int) -> bool:
        """`${...}` or `%{...}`, of which the beginning is taken; whether it trims what follows."""
        if mark.endswith("~") and parts and isinstance(last := parts[-1], Text):
            last.text = last.text.rstrip()
        before = self._push(Token(mark[:2], mark[:2], offset, self.end))
        if mark.startswith("$"):
            part: Part = Interpolation(self.expression(), offset)
        else:
            part = self._directive(offset)
        closer = self._pop(before, "}", "~}")
        parts.append(part)
        return closer.kind == "~}"

    def _directive(self, offset: int) -> Directive:
        token = self._peek()
        word = self._name("`if`, `else`, `endif`, `for` or `endfor`")
        match word:
            case "if":
                return Directive(word, offset, self.expression())
            case "for":
                names = [self._name("a name")]
                if self._takes(","):
                    names.append(self._name("a name"))
                self._expect_word("in")
                return Directive(word, offset, self.expression(), tuple(names))
            case "else" | "endif" | "endfor":
                return Directive(word, offset)
            case _:
                raise self._unexpected(token, "`if`, `else`, `endif`, `for` or `endfor`")


_PIECES = re.compile(r"[$%](?!\{|[$%]\{)|(?:\$\$\{|%%\{)~?|(?:\\.|[^$%\\])+", re.DOTALL)
"""The pieces into which HashiCorp's scanner cuts the text of a quoted string."""


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
