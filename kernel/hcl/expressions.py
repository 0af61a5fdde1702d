"""HCL's expressions, from their characters to values that are not evaluated yet.

python-hcl2's grammar reads expressions that HCL does not have and refuses ones that it has, and gives operators no
precedence that could be relied on; so they are read here, as HashiCorp's parser reads them, and the grammar sees the
blocks around them only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from kernel.hcl import numbers
from kernel.hcl.template_text import TemplateReader
from kernel.hcl.text import Source
from kernel.hcl.tokens import CLOSERS, Token, Tokens
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

_LITERALS: Final = {"true": True, "false": False, "null": None}


def read_expression(source: Source, offset: int) -> tuple[Expression, int]:
    """The expression that begins behind an offset, and where it ends; raises BadInput for what is none."""
    tokens = Tokens(source, offset)
    try:
        return _Reader(tokens).expression(), tokens.end
    except RecursionError:
        raise source.error("nested too deeply", tokens.end) from None


class _Reader:
    """HCL's grammar of expressions, by recursive descent."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._templates = TemplateReader(tokens, self.expression)

    def expression(self) -> Expression:
        """What has a value, as far as it goes."""
        start = self._tokens.peek().start
        with self._tokens.deeper(start):
            condition = self._operation(0)
            if not self._tokens.takes("?"):
                return condition
            yes = self.expression()
            if not self._tokens.takes(":"):
                raise self._tokens.unexpected(self._tokens.peek(), "`:`")
            return Conditional(condition, yes, self.expression(), self._tokens.place(start))

    def _operation(self, lowest: int) -> Expression:
        """Operators that bind at least as tightly as `lowest`."""
        start = self._tokens.peek().start
        if lowest > TIGHTEST:
            return self._path()
        first = self._operation(lowest + 1)
        rest: list[tuple[str, Expression]] = []
        while PRECEDENCE.get((token := self._tokens.peek()).kind) == lowest:
            self._tokens.take()
            rest.append((token.kind, self._operation(lowest + 1)))
        return Operation(first, tuple(rest), self._tokens.place(start)) if rest else first

    def _path(self) -> Expression:
        start = self._tokens.peek().start
        root = self._term()
        steps = self._steps()
        return Path(root, steps, self._tokens.place(start)) if steps else root

    def _steps(self) -> tuple[Step, ...]:
        steps: list[Step] = []
        while (token := self._tokens.peek()).kind in (".", "["):
            self._tokens.take()
            after = self._tokens.peek()
            place = self._tokens.place(token.start)
            if token.kind == "[":
                steps.append(self._bracket(token, place))
            elif after.kind == "*":
                self._tokens.take()
                steps.append(Splat(self._members(), place))
            else:
                steps.append(self._member(place))
        return tuple(steps)

    def _members(self) -> tuple[Step, ...]:
        """What may follow after `.*`: members only, and no further star."""
        steps: list[Step] = []
        while (token := self._tokens.peek()).kind == ".":
            self._tokens.take()
            steps.append(self._member(self._tokens.place(token.start)))
        return tuple(steps)

    def _member(self, place: Place) -> Step:
        token = self._tokens.peek()
        if token.kind == "name":
            return Member(self._tokens.take().text, place)
        if token.kind != "number":
            raise self._tokens.unexpected(token, "a name")
        self._tokens.take()
        if "." in token.text:
            point = token.start + token.text.index(".")
            raise self._tokens.error("a number has one point at most", point, fix="write the index in brackets")
        return Index(self._number(token), place)

    def _bracket(self, opener: Token, place: Place) -> Step:
        if self._tokens.takes("*"):
            before = self._tokens.push(opener, lines=self._tokens.lines)
            self._tokens.pop(before, "]")
            return Splat(self._steps(), place)
        before = self._tokens.push(opener)
        key = self.expression()
        self._tokens.pop(before, "]")
        return Index(key, place)

    def _term(self) -> Expression:
        token = self._tokens.peek()
        place = self._tokens.place(token.start)
        match token.kind:
            case "number":
                self._tokens.take()
                return self._number(token)
            case "name":
                self._tokens.take()
                return self._named(token)
            case "(":
                before = self._tokens.push(self._tokens.take())
                inner = self.expression()
                self._tokens.pop(before, ")")
                return Parentheses(inner, place)
            case "[":
                return self._list(self._tokens.take())
            case "{":
                return self._object(self._tokens.take())
            case '"':
                self._tokens.take()
                return self._templates.quoted(token)
            case "<<" | "<<-":
                return self._templates.heredoc(token)
            case "-" | "!":
                self._tokens.take()
                with self._tokens.deeper(token.start):
                    operand = self._path()
                return self._unary(token.kind, operand, place)
            case _:
                raise self._tokens.unexpected(token, "a value")

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
            return Scalar(numbers.read(token.text), self._tokens.place(token.start))
        except numbers.NumberError as error:
            raise self._tokens.error(str(error), token.start) from None

    def _named(self, token: Token) -> Expression:
        place = self._tokens.place(token.start)
        if self._tokens.peek().kind in ("(", "::"):
            return self._call(token.text, place)
        if token.text in _LITERALS:
            return Scalar(_LITERALS[token.text], place)
        return Name(token.text, place)

    def _call(self, name: str, place: Place) -> Call:
        while self._tokens.takes("::"):
            name += "::" + self._tokens.name("a name")
        opener = self._tokens.peek()
        if opener.kind != "(":
            raise self._tokens.unexpected(opener, "`(`")
        self._tokens.take()
        before = self._tokens.push(opener)
        arguments: list[Expression] = []
        is_spread = False
        while self._tokens.peek().kind != ")":
            arguments.append(self.expression())
            if self._tokens.takes("..."):
                is_spread = True
                break
            if not self._tokens.takes(","):
                break
        self._tokens.pop(before, ")", wanted="`)`" if is_spread else "`,` or `)`")
        return Call(name, tuple(arguments), is_spread, place)

    def _list(self, opener: Token) -> Expression:
        before = self._tokens.push(opener)
        if self._tokens.is_word("for"):
            return self._for(opener, "]", before)
        items: list[Expression] = []
        while self._tokens.peek().kind != "]":
            items.append(self.expression())
            if not self._tokens.takes(","):
                break
        self._tokens.pop(before, "]", wanted="`,` or `]`")
        return ListOf(tuple(items), self._tokens.place(opener.start))

    def _object(self, opener: Token) -> Expression:
        before = self._tokens.push(opener)
        if self._tokens.is_word("for"):
            return self._for(opener, "}", before)
        self._tokens.lines = True
        entries: list[Entry] = []
        is_after_line = False
        while True:
            while self._tokens.takes("line"):
                is_after_line = bool(entries)
            token = self._tokens.peek()
            if token.kind == "}":
                break
            if token.kind == "," and is_after_line:
                message = "the entry before this comma has ended with its line"
                raise self._tokens.error(message, token.start, fix="remove one")
            entries.append(self._entry())
            is_after_line = False
            after = self._tokens.peek()
            if after.kind not in (",", "line", "}"):
                if after.kind in ("end", *CLOSERS.values()):
                    raise self._tokens.unexpected(after, "`,`, a new line or `}`")
                message = "a comma or a new line has to follow after the entry of an object"
                raise self._tokens.error(message, after.start)
            if after.kind == ",":
                self._tokens.take()
        self._tokens.pop(before, "}")
        return ObjectOf(tuple(entries), self._tokens.place(opener.start))

    def _entry(self) -> Entry:
        start = self._tokens.peek().start
        key = self.expression()
        match key:
            case Name(name, place):
                key = Scalar(name, place)
            case Scalar(bool() | None as word, place):
                key = Scalar({True: "true", False: "false", None: "null"}[word], place)
            case _:
                pass
        token = self._tokens.peek()
        if token.kind not in ("=", ":"):
            raise self._tokens.unexpected(token, "`=`")
        self._tokens.take()
        return Entry(key, self.expression(), self._tokens.place(start))

    def _for(self, opener: Token, closer: str, before: bool) -> For:
        self._tokens.take()
        names = [self._tokens.name("a name")]
        if self._tokens.takes(","):
            names.append(self._tokens.name("a name"))
        self._tokens.expect_word("in")
        collection = self.expression()
        if not self._tokens.takes(":"):
            raise self._tokens.unexpected(self._tokens.peek(), "`:`")
        key, value = None, self.expression()
        arrow = self._tokens.peek()
        if self._tokens.takes("=>"):
            key, value = value, self.expression()
        dots = self._tokens.peek()
        is_grouped = self._tokens.takes("...")
        condition = None
        if self._tokens.is_word("if"):
            self._tokens.take()
            condition = self.expression()
        end = self._tokens.pop(before, closer)
        if closer == "]" and (key is not None or is_grouped):
            wrong = arrow if key is not None else dots
            raise self._tokens.error(f"`{wrong.text}` makes an object, and this is a list", wrong.start)
        if closer == "}" and key is None:
            raise self._tokens.error("an object needs a key for each value", end.start, fix="write `key => value`")
        return For(tuple(names), collection, key, value, is_grouped, condition, self._tokens.place(opener.start))
