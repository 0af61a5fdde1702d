"""HCL text as typed, positioned, frozen values. The border behind which nobody sees a parse tree.

    values       what comes out
    text         the characters: places, quoting, comments, braces
    expressions  what stands behind an equals sign; templates puts the parts of text together
    grammar      python-hcl2's parser for the blocks, its cache, its complaints in our words
    tree         parse tree to values, with what HCL forbids and the grammar lets through
    evaluation   from an expression to its value; numbers are as exact as HCL's, unify finds common types

`grammar` and `tree` import the parser (0.2 s) and are imported with the first parse.
"""

from pathlib import Path

from kernel.errors import BadInput
from kernel.hcl.evaluation import Function, Tell, evaluate
from kernel.hcl.expressions import read_expression
from kernel.hcl.text import MAX_BYTES, Source, decode, mask
from kernel.hcl.unify import EachType, NoConversion, Type, convert
from kernel.hcl.values import (
    Attribute,
    Block,
    Body,
    Call,
    Entry,
    Expression,
    Label,
    ListOf,
    Name,
    ObjectOf,
    Scalar,
    Unknown,
    Value,
)

__all__ = [
    "Attribute",
    "Block",
    "Body",
    "Call",
    "EachType",
    "Entry",
    "Expression",
    "Function",
    "Label",
    "ListOf",
    "Name",
    "NoConversion",
    "ObjectOf",
    "Scalar",
    "Source",
    "Tell",
    "Type",
    "Unknown",
    "Value",
    "convert",
    "evaluate",
    "parse",
    "read",
    "text_of",
    "warm",
]


def read(path: Path) -> Body:
    """The body of a file; raises BadInput with the place of the first thing that is wrong with it."""
    return parse(text_of(path), str(path))


def text_of(path: Path) -> str:
    """The text of a file; raises BadInput, without a place when there is no such text at all."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        raise BadInput(f"{path} cannot be read: {error}") from error
    return decode(data, str(path))


def parse(text: str, file: str) -> Body:
    """The body that a text describes; `file` is what places will say. Raises BadInput, and nothing else."""
    source = Source(text, file)
    if source.byte_offset(len(source.text)) > MAX_BYTES:
        raise source.error(f"too long for a configuration; at most {MAX_BYTES} bytes are read", 0)
    masked = mask(source, read_expression)

    from kernel.hcl.grammar import tree_of
    from kernel.hcl.tree import body_of

    return body_of(tree_of(source, masked.text), source, masked)


def warm() -> None:
    """Make the first parse fast, here and in later processes of this user; takes some seconds the first time."""
    from kernel.hcl.grammar import parser

    parser()
