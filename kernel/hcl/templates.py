"""The parts of a template put together: what trim marks eat, what a heredoc's indentation is, where directives end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kernel.hcl.text import Source
from kernel.hcl.values import Conditional, Expression, For, Joined, Scalar, Template
from kernel.values import Place


@dataclass(slots=True)
class Text:
    """A piece of text as the scanner cuts it: in a heredoc it ends with its line."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class Interpolation:
    """`${...}`"""

    expression: Expression
    offset: int


@dataclass(frozen=True, slots=True)
class Directive:
    """`%{ word ... }`, with the condition of an `if`, or the names and the collection of a `for`."""

    word: str
    offset: int
    expression: Expression | None = None
    names: tuple[str, ...] = ()


Part: TypeAlias = Text | Interpolation | Directive

CLOSERS = {"if": "endif", "for": "endfor"}


def assembled(parts: list[Part], source: Source, offset: int, *, is_flush: bool) -> Expression:
    """The expression that a template is: text where it is nothing else; raises BadInput for directives amiss."""
    if is_flush:
        _flush(parts)
    place = source.place(offset)
    if len(parts) == 1 and isinstance(parts[0], Interpolation):
        return Template((parts[0].expression,), True, place)
    nodes = _Assembler(parts, source).all()
    if all(isinstance(node, Scalar) and isinstance(part, Text) for node, part in zip(nodes, parts, strict=False)):
        return Scalar("".join(part.text for part in parts if isinstance(part, Text)), place)
    return Template(tuple(nodes), False, place)


def _flush(parts: list[Part]) -> None:
    """Take off the indentation that the lines of a `<<-` heredoc have in common; blank lines do not count."""
    adjusted: list[tuple[Text, int]] = []
    common: int | None = None
    is_line_start = True
    for part in parts:
        if is_line_start:
            is_line_start = False
            spaces: int | None = 0
            if isinstance(part, Text):
                bare = part.text.lstrip()
                spaces = None if not bare and part.text.endswith("\n") else len(part.text) - len(bare)
                if spaces is not None:
                    adjusted.append((part, spaces))
            if spaces is not None:
                common = spaces if common is None else min(common, spaces)
        if isinstance(part, Text) and part.text.endswith("\n"):
            is_line_start = True
    for text, _ in adjusted:
        text.text = text.text[common or 0 :]


class _Assembler:
    """Nests what stands between directives. Depth is bounded by the number of brackets that the parser allows."""

    def __init__(self, parts: list[Part], source: Source) -> None:
        self._parts = parts
        self._source = source
        self._next = 0

    def all(self) -> list[Expression]:
        nodes, stray = self._until_directive()
        if stray is not None:
            raise self._source.error(f"this `%{{ {stray.word} }}` belongs to nothing", stray.offset)
        return nodes

    def _until_directive(self) -> tuple[list[Expression], Directive | None]:
        """What stands before a directive that opens nothing, and the directive; None at the end."""
        nodes: list[Expression] = []
        while self._next < len(self._parts):
            part = self._parts[self._next]
            self._next += 1
            match part:
                case Text(text, offset):
                    nodes.append(Scalar(text, self._source.place(offset)))
                case Interpolation(expression):
                    nodes.append(expression)
                case Directive("if"):
                    nodes.append(self._conditional(part))
                case Directive("for"):
                    nodes.append(self._loop(part))
                case _:
                    return nodes, part
        return nodes, None

    def _conditional(self, start: Directive) -> Expression:
        assert start.expression is not None, "an if has a condition"
        place = self._source.place(start.offset)
        yes, end = self._until_directive()
        no: list[Expression] = []
        if end is not None and end.word == "else":
            no, end = self._until_directive()
        self._check_end(start, end)
        return Conditional(start.expression, _template(yes, place), _template(no, place), place)

    def _loop(self, start: Directive) -> Expression:
        assert start.expression is not None, "a for has a collection"
        place = self._source.place(start.offset)
        inner, end = self._until_directive()
        self._check_end(start, end)
        texts = For(start.names, start.expression, None, _template(inner, place), False, None, place)
        return Joined(texts, place)

    def _check_end(self, start: Directive, end: Directive | None) -> None:
        closer = CLOSERS[start.word]
        if end is None:
            raise self._source.error(
                f"this `%{{ {start.word} }}` is never closed", start.offset, fix=f"add `%{{ {closer} }}`"
            )
        if end.word != closer:
            where = self._source.place(start.offset)
            message = f"this `%{{ {end.word} }}` does not close the `%{{ {start.word} }}` of line {where.line}"
            raise self._source.error(message, end.offset)


def _template(nodes: list[Expression], place: Place) -> Expression:
    return Template(tuple(nodes), False, place)
