"""From python-hcl2's parse tree to values, refusing what HCL forbids and that grammar lets through.

Needs the parser to be imported, so `kernel.hcl` imports this module with its first parse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from lark import Token, Tree

from kernel.errors import BadInput
from kernel.hcl.text import Masked, Source, unquoted
from kernel.hcl.values import Attribute, Block, Body, Label
from kernel.values import Place

Node: TypeAlias = Tree[Token] | Token
"""One piece of a parse tree."""


def body_of(tree: Tree[Token], source: Source, masked: Masked) -> Body:
    """The body of a whole file; raises BadInput at the first thing that HCL forbids."""
    (body,) = _trees(tree)
    return _Reader(source, masked).body(body)


class _Reader:
    """Turns parse trees of one text into values. Recursion is bounded by the depth that `hcl_text` allows."""

    def __init__(self, source: Source, masked: Masked) -> None:
        self._source = source
        self._masked = masked.text
        self._expressions = masked.expressions

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
        name, equals, zero = tree.children
        expression, end = self._expressions[_stop(equals)]
        if self._end(zero) > end and (surplus := self._masked[end : self._end(zero)].strip()):
            start = self._masked.index(surplus, end)
            raise self._source.error(f"found `{surplus[0]}` where a new line is expected", start)
        return Attribute(self._text(name), expression, self._place(tree))

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
        return Label(unquoted(self._source.text[_start(node) + 1 : _stop(node) - 1]), self._place(node))

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


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return list(_subtrees(_significant(tree)))
