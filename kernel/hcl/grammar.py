"""python-hcl2's parser, built once with a cache of our own, and its complaints in our words.

The package compiles its grammar into a file inside its installed folder: two to three seconds at every start where
that folder cannot be written. The same grammar is built here with the same public parts, and its compiled form is
kept in the user's cache folder. `kernel.hcl` imports this module with its first parse.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import LarkError, UnexpectedCharacters, UnexpectedToken

from kernel.errors import BadInput
from kernel.hcl.text import Source

_FOUND = re.compile(r"[^\W\d][\w-]*|[\d.]+\w*|\$\{|==|.", re.DOTALL)
_ARGUMENT = re.compile(r"[ \t]*[A-Za-z_][\w-]*[ \t]*=(?!=)")
_LAST_WORD = re.compile(r"[A-Za-z_][\w-]*\Z")
_HINTS = {
    ",": "arguments stand on lines of their own, without commas",
    "'": "strings are written in double quotes",
    ";": "arguments end with their line",
    "${": "a template has its place inside of double quotes",
    ":": "an argument is written with `=`",
}


def tree_of(source: Source, masked: str) -> Tree[Token]:
    """The parse tree; its offsets fit the source's text. Raises BadInput for the first thing that is not HCL."""
    try:
        return parser().parse(masked + "\n")  # the grammar knows line ends, but no end of file
    except UnexpectedToken as error:
        offset = len(masked) if error.token.type == "$END" else error.pos_in_stream or 0
        raise _complaint(source, masked, offset, frozenset(error.accepts or error.expected)) from None
    except UnexpectedCharacters as error:
        raise _complaint(source, masked, error.pos_in_stream or 0, frozenset()) from None
    except (LarkError, RecursionError) as error:
        raise BadInput(f"{source.file} cannot be read as HCL: {type(error).__name__}") from error


def cache_file() -> Path | None:
    """Where the compiled grammar is kept; None where no folder can be had."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = (Path(home) if os.path.isabs(home) else Path.home() / ".cache") / "hookscope"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    python = "".join(map(str, sys.version_info[:2]))
    return folder / f"hcl-{version('python-hcl2')}-lark-{version('lark')}-py{python}.bin"


@functools.cache
def parser() -> Lark:
    """The parser; takes some seconds where its compiled form is not in the cache yet."""
    cache = cache_file()
    return Lark(
        files("hcl2").joinpath("hcl2.lark").read_text("utf-8"),
        parser="lalr",
        propagate_positions=True,
        cache=False if cache is None else str(cache),  # lark checks that it fits grammar and version, or rebuilds it
    )


def _complaint(source: Source, masked: str, offset: int, accepts: frozenset[str]) -> BadInput:
    offset = _skip_blanks(masked, offset)
    if "LBRACE" in accepts and "INT_LITERAL" not in accepts:
        return _header_complaint(source, masked, offset)
    found, hint = _found(masked, offset)
    wanted = "a new line" if _is_after_item(masked, offset, accepts) else _wanted(accepts)
    return source.error(_sentence(found, wanted), offset, fix=hint)


def _header_complaint(source: Source, masked: str, offset: int) -> BadInput:
    """The parser has read a name and perhaps labels, and no brace: not all of that was meant as a block's header."""
    end = len(masked[:offset].rstrip())
    offset = end if "\n" in masked[end:offset] else offset  # the line is where it went wrong, not the next token
    line = masked.rfind("\n", 0, end) + 1
    if _ARGUMENT.match(masked, line, end):
        second_value = _LAST_WORD.search(masked, line, end)
        if second_value is not None:
            return source.error("a new line has to follow after the argument", second_value.start())
    is_one_word = len(masked[line:end].rpartition("{")[2].split()) == 1
    found, hint = _found(masked + "\n", offset)
    wanted = "a block label, `{` or `=`" if is_one_word else "a block label or `{`"
    return source.error(_sentence(found, wanted), offset, fix=hint)


def _sentence(found: str, wanted: str) -> str:
    return f"found {found}" + (f" where {wanted} is expected" if wanted else ", which has no place here")


def _skip_blanks(masked: str, offset: int) -> int:
    while masked[offset : offset + 1] in (" ", "\t", "\r"):
        offset += 1
    return offset


def _is_after_item(masked: str, offset: int, accepts: frozenset[str]) -> bool:
    """Whether an argument or a block is complete, so that only its line can end."""
    before = masked[masked.rfind("\n", 0, offset) + 1 : offset].rstrip()
    return {"NAME", "NL_OR_COMMENT"} <= accepts and "LBRACE" not in accepts and before[-1:] not in ("", "{")


def _found(masked: str, offset: int) -> tuple[str, str]:
    """What stands there, and what may be meant by it."""
    text = _FOUND.match(masked, offset)
    if text is None:
        return "the end of the file", ""
    word = text.group()
    if word == "\n":
        return "the end of the line", ""
    if word == '"':
        return "a quoted string", ""
    shown = f"`{word}`" if word.isprintable() else f"the character U+{ord(word[0]):04X}"
    return shown, _HINTS.get(word, "")


def _wanted(accepts: frozenset[str]) -> str:
    """What could stand there instead, in the words of somebody who writes a configuration."""
    closers = [word for terminal, word in (("EQ", "`=`"), ("RBRACE", "`}`")) if terminal in accepts]
    if "QMARK" in accepts:  # a value is complete
        wanted = ["a new line"]
    elif "NAME" in accepts:
        wanted = ["an argument", "a block", *closers]
    else:
        wanted = closers
    return " or ".join(filter(None, (", ".join(wanted[:-1]), *wanted[-1:])))
