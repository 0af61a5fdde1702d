"""From python-hcl2's parse tree to values, refusing what HCL forbids and that grammar lets through.

Needs the parser to be imported, so `kernel.hcl` imports this module with its first parse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from lark import Token, Tree

from kernel.errors import BadInput
from kernel.hcl import text as hcl_text
from kernel.hcl.text import Source
from kernel.hcl.values import Attribute, Block, Body, Call, Entry, Expression, Label, ListOf, ObjectOf, Other, Scalar
from kernel.values import Place

Node: TypeAlias = Tree[Token] | Token
"""One piece of a parse tree."""

MAX_DIGITS: Final = 400
"""Of one number; more do not fit into a float, and Python refuses to read some thousands."""


def body_of(tree: Tree[Token], source: Source, masked: str) -> Body:
    """The body of a whole file; raises BadInput at the first thing that HCL forbids."""
    (body,) = _trees(tree)
    return _Reader(source, masked).body(body)


class _Reader:
    """Turns parse trees of one text into values. Recursion is bounded by the depth that `hcl_text` allows."""

    def __init__(self, source: Source, masked: str) -> None:
        self._source = source
        self._masked = masked

    def body(self, tree: Tree[Token], opened: int | None = None, closed: int | None = None) -> Body:
        """A body's items; `opened` and `closed` are where its braces stand, if it has any."""
        items = _trees(tree)
        is_one_line = opened is not None and closed is not None and self._is_one_line(opened, closed, items)
        if not is_one_line:
            self._check_lines(items, closed)
        attributes: dict[str, Attribute] = {}
        for item in items:
            if item.data != "attribute":
                continue
            attribute = self._attribute(item)
            first = attributes.setdefault(attribute.name, attribute)
            if first is not attribute:
                raise BadInput(
                    f"{attribute.name!r} is already set in line {first.place.line}",
                    place=attribute.place,
                    fix="a block sets an argument once",
                )
        blocks = tuple(self._block(item) for item in items if item.data == "block")
        return Body(tuple(attributes.values()), blocks)

    def _is_one_line(self, opened: int, closed: int, items: list[Tree[Token]]) -> bool:
        """Whether the body begins on the line of its opening brace; then it may hold one attribute and no more."""
        if self._breaks(opened, _start(items[0]) if items else closed):
            return False
        for item in items:
            if item.data == "block":
                raise self._error(
                    "a block written on one line cannot hold another block", item, fix="give it lines of its own"
                )
        if len(items) > 1:
            raise self._error(
                "a block written on one line holds one argument at most", items[1], fix="give each its own line"
            )
        if items and self._breaks(self._end(items[0]), closed):
            raise self._error("a block whose argument is on its first line has to end on that line", items[0])
        return True

    def _check_lines(self, items: list[Tree[Token]], closed: int | None) -> None:
        """Every argument and every block ends its line."""
        starts = [_start(item) for item in items[1:]] + ([] if closed is None else [closed])
        for item, following in zip(items, starts, strict=False):
            if not self._breaks(self._end(item), following):
                kind = "argument" if item.data == "attribute" else "block"
                raise self._source.error(f"a new line has to follow after the {kind}", following)

    def _attribute(self, tree: Tree[Token]) -> Attribute:
        name, _, expression = tree.children
        return Attribute(self._text(name), self._expression(expression), self._place(tree))

    def _block(self, tree: Tree[Token]) -> Block:
        children = list(_significant(tree))
        brace = next(index for index, child in enumerate(children) if _kind(child) == "LBRACE")
        header, labels = children[0], children[1:brace]
        opened, closed = _start(children[brace]), _start(children[-1])
        if self._breaks(_start(header), opened):
            raise self._source.error("the `{` of a block stands on the line of its type and labels", opened)
        inner = next((child for child in _subtrees(children) if child.data == "body"), None)
        return Block(
            self._text(header),
            tuple(self._label(label) for label in labels),
            Body() if inner is None else self.body(inner, opened + 1, closed),
            self._place(tree),
            self._source.byte_offset(_start(tree)),
        )

    def _label(self, node: Node) -> Label:
        if _kind(node) != "string":
            return Label(self._text(node), self._place(node))
        text = self._quoted(node)
        if text is None:
            raise self._error("a label is plain text, and not a template", node, fix="write `$${` for the characters")
        return Label(text, self._place(node))

    def _expression(self, node: Node) -> Expression:
        match _kind(node), list(_significant(node)):
            case "expr_term", [inner]:
                return self._expression(inner)
            case "expr_term", [_, inner, _]:  # in parentheses
                return self._expression(inner)
            case "int_lit" | "float_lit", _:
                return Scalar(self._number(node), self._place(node))
            case "unary_op", [sign, operand] if str(sign) == "-":
                return self._negative(node, self._expression(operand))
            case "literal_value", _:
                return Scalar({"true": True, "false": False}.get(self._text(node)), self._place(node))
            case "string", _:
                text = self._quoted(node)
                return self._other("template", node) if text is None else Scalar(text, self._place(node))
            case "heredoc_template" | "heredoc_template_trim", _:
                text = hcl_text.heredoc(self._source.text[_start(node) : _stop(node)])
                return self._other("template", node) if text is None else Scalar(text, self._place(node))
            case "tuple", children:
                return ListOf(tuple(self._expression(child) for child in _subtrees(children)), self._place(node))
            case "object", children:
                return self._object(node, children)
            case "function_call", [name, _, *given, _] if _are_plain(given):
                arguments = tuple(self._expression(child) for tree in _subtrees(given) for child in _trees(tree))
                return Call(self._text(name), arguments, self._text(node), self._place(node))
            case "index_expr_term", [operand, index] if _kind(index) == "short_index" and _ends_in_number(operand):
                raise self._source.error("a number has one point at most", _start(index))
            case "identifier" | "get_attr_expr_term" | "index_expr_term", _:
                return self._other("variable", node)
            case _:
                return self._other("operation", node)

    def _object(self, node: Node, children: list[Node]) -> ObjectOf:
        entries: list[Entry] = []
        end: int | None = None  # of an entry that nothing separates from the next one yet
        for child in children:
            if _kind(child) == "COMMA":
                if end is not None and self._breaks(end, _start(child)):
                    raise self._error("the entry before this comma has ended with its line", child, fix="remove one")
                end = None
            elif _kind(child) == "object_elem":
                if end is not None and not self._breaks(end, _start(child)):
                    raise self._error("a comma or a new line has to follow after the entry of an object", child)
                key, value = _subtrees(_significant(child))
                entries.append(Entry(self._key(key), self._expression(value), self._place(child)))
                end = self._end(child)
        return ObjectOf(tuple(entries), self._place(node))

    def _key(self, node: Node) -> str:
        """An object's key: a bare word means itself here, whatever it means as a value."""
        inner = node
        while _kind(inner) in ("object_elem_key", "expr_term") and len(children := list(_significant(inner))) == 1:
            inner = children[0]
        if _kind(inner) in ("identifier", "keyword", "literal_value", "int_lit"):
            return self._text(inner)
        text = self._quoted(inner) if _kind(inner) == "string" else None
        if text is None:
            raise self._error("the key of an object is a name or a quoted string", node)
        return text

    def _number(self, node: Node) -> int | float:
        text = self._text(node)
        if len(text) > MAX_DIGITS:
            raise self._error(f"a number of {len(text)} characters is too long", node)
        if _kind(node) == "int_lit":
            return int(text)
        number = float(text)
        if not math.isfinite(number):
            raise self._error(f"{text} is too large a number", node)
        return number

    def _negative(self, node: Node, operand: Expression) -> Expression:
        match operand:
            case Scalar(bool()):
                return self._other("operation", node)
            case Scalar(int() | float() as number):
                return Scalar(-number, self._place(node))
            case _:
                return self._other("operation", node)

    def _quoted(self, node: Node) -> str | None:
        """The value of a quoted string; None if it holds a template."""
        parts = [part for child in _subtrees(_significant(node)) for part in _significant(child)]
        if any(True for _ in _subtrees(parts)):
            return None
        return hcl_text.unquoted(self._source.text[_start(node) + 1 : _stop(node) - 1])

    def _other(self, kind: str, node: Node) -> Other:
        text = self._text(node)
        if kind != "template" and text.startswith("<<"):  # the grammar goes on behind it, HCL does not
            raise self._error("a value that is a heredoc ends with it", node, fix="let it stand alone")
        return Other(kind, text, self._place(node))

    def _text(self, node: Node) -> str:
        return self._source.text[_start(node) : self._end(node)]

    def _place(self, node: Node) -> Place:
        return self._source.place(_start(node))

    def _end(self, node: Node) -> int:
        """Where a node ends for its reader: the tree counts a line break after some nodes as theirs."""
        start = _start(node)
        return start + len(self._masked[start : _stop(node)].rstrip())

    def _breaks(self, start: int, end: int) -> bool:
        return "\n" in self._masked[start:end]

    def _error(self, message: str, node: Node, *, fix: str = "") -> BadInput:
        return BadInput(message, place=self._place(node), fix=fix)


def _kind(node: Node) -> str:
    return node.type if isinstance(node, Token) else str(node.data)


def _start(node: Node) -> int:
    return (node.start_pos or 0) if isinstance(node, Token) else node.meta.start_pos


def _stop(node: Node) -> int:
    return (node.end_pos or 0) if isinstance(node, Token) else node.meta.end_pos


def _significant(node: Node) -> Iterator[Node]:
    """A node's children without its line breaks."""
    if not isinstance(node, Token):
        yield from (child for child in node.children if _kind(child) != "new_line_or_comment")


def _subtrees(nodes: Iterable[Node]) -> Iterator[Tree[Token]]:
    yield from (node for node in nodes if not isinstance(node, Token))


def _are_plain(given: list[Node]) -> bool:
    """Whether arguments are a list of values: no namespace before them, no `...` behind them."""
    return all(
        _kind(node) == "arguments" and all(_kind(child) != "ELLIPSIS" for child in _significant(node)) for node in given
    )


def _ends_in_number(node: Node) -> bool:
    """Whether a value is a number, or a member that is called by its number: no second one can follow after a dot."""
    *_, last = _significant(node)
    return _kind(last) in ("int_lit", "float_lit", "short_index") or (
        _kind(last) == "index_expr_term" and _ends_in_number(last)
    )


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return list(_subtrees(_significant(tree)))
