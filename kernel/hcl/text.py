"""What can be said about HCL text before the grammar sees it: positions, quoting, comments, braces.

python-hcl2's grammar is more generous than HCL here and there, and points at odd places when it is not. This
module looks at the characters first, and hands on a text of the same length in which everything that could
mislead the grammar is masked. No grammar and no tree in here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from kernel.errors import BadInput
from kernel.hcl.values import Expression
from kernel.values import Place

MAX_BYTES = 1 << 20
"""Far above any configuration written by a person, and still parsed in seconds."""
MAX_DEPTH = 64
"""Brackets within brackets; keeps everything that recurses over a configuration far from Python's limit."""

BOM = "\ufeff"

_CODE = re.compile(r'["{}=#]|//|/\*|\r(?!\n)|[^\x00-\x7f]')
_QUOTED = re.compile(r'"|[\r\n]|\\|\$\$\{|%%\{|\$\{|%\{')
_ESCAPE = re.compile(r'\\(?:[nrt"\\]|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))')
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([nrt\"\\]))|\$(\$\{)|%(%\{)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_EXTENT = re.compile(
    r"""
    [\w-]+ (?: [ \t]+ (?: "[^"\n]*" | [\w-]+ ) )* (?= [ \t]*\{ )  # the header of a block
    | " (?: \\. | [^"\\\n] )* "?
    | -?[\w.-]+ (?: \( [^()\n]* \) )?
    | \{ [^{}\n]* \} | \[ [^\[\]\n]* \]
    """,
    re.VERBOSE,
)


class Source:
    """A text that knows where each of its characters stands. Offsets into `text` count characters."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = text.removeprefix(BOM)
        lines = self.text.split("\n")
        self._line_starts = [0, *accumulate(len(line) + 1 for line in lines)]
        mark = len(BOM.encode()) if text.startswith(BOM) else 0
        self._byte_starts = [mark, *accumulate((_byte_length(line) + 1 for line in lines), initial=mark)][1:]

    def place(self, offset: int) -> Place:
        """Line and column of a character."""
        line = bisect_right(self._line_starts, offset) - 1
        return Place(self.file, line + 1, offset - self._line_starts[line] + 1)

    def byte_offset(self, offset: int) -> int:
        """Bytes before a character in the file, a byte-order mark included."""
        line = bisect_right(self._line_starts, offset) - 1
        return self._byte_starts[line] + _byte_length(self.text[self._line_starts[line] : offset])

    def error(self, message: str, offset: int, *, fix: str = "") -> BadInput:
        """The complaint about a character, to be raised."""
        return BadInput(message, place=self.place(offset), fix=fix)

    def line(self, number: int) -> str:
        """A line without its end."""
        start = self._line_starts[number - 1]
        return self.text[start:].partition("\n")[0].removesuffix("\r")

    def length_at(self, place: Place) -> int:
        """How much of its line the word, string, bracket, call or block header takes that begins at a place."""
        found = _EXTENT.match(self.line(place.line), place.column - 1)
        return len(found.group()) if found else 1


def _byte_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def decode(data: bytes, file: str) -> str:
    """Bytes of a file as text; raises BadInput at the first byte that is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        read = Source(data[: error.start].decode(), file)
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise read.error(message, len(read.text), fix="save the file as UTF-8") from error


def name_end(text: str, start: int) -> int:
    """Where the name ends that begins at a place: the same place if none does."""
    found = _NAME.match(text, start)
    end = found.end() if found else start
    while end < len(text) and (_continues(text[end]) if end > start else text[end].isidentifier()):
        end += 1
    return end


def _continues(character: str) -> bool:
    return character == "-" or ("_" + character).isidentifier()


ReadExpression: TypeAlias = "Callable[[Source, int], tuple[Expression, int]]"


@dataclass(frozen=True, slots=True)
class Masked:
    """A text for the grammar, and what it does not see of it."""

    text: str
    """As long as the original, with line breaks where HCL sees them: no comments, no expressions, ASCII names."""
    expressions: Mapping[int, tuple[Expression, int]]
    """What stands behind each `=`, by the offset of the zero in its place, and where it ends."""


def mask(source: Source, read_expression: ReadExpression) -> Masked:
    """Take out what the grammar would misread; raises BadInput for what is wrong in there, and for braces amiss."""
    return _Masker(source, read_expression).run()


class _Masker:
    """One pass over the blocks of a text, with the braces that are open at this moment."""

    def __init__(self, source: Source, read_expression: ReadExpression) -> None:
        self._source = source
        self._text = source.text
        self._read_expression = read_expression
        self._open: list[int] = []
        self._pieces: list[str] = []
        self._expressions: dict[int, tuple[Expression, int]] = {}
        self._kept = 0  # everything before is in the pieces

    def run(self) -> Masked:
        position = 0
        while (found := _CODE.search(self._text, position)) is not None:
            position = self._code(found.group(), found.start())
        if self._open:
            raise self._source.error("this `{` is never closed", self._open[-1], fix="add the missing `}`")
        return Masked("".join((*self._pieces, self._text[self._kept :])), self._expressions)

    def _code(self, mark: str, start: int) -> int:
        """Where to go on behind a mark."""
        match mark:
            case "=":
                return self._expression(start + 1)
            case '"':
                return self._label(start)
            case "{":
                if len(self._open) == MAX_DEPTH:
                    raise self._source.error(f"nested more than {MAX_DEPTH} levels deep", start)
                self._open.append(start)
                return start + 1
            case "}":
                if not self._open:
                    raise self._source.error("this `}` closes nothing", start)
                self._open.pop()
                return start + 1
            case "#" | "//":
                end = self._text.find("\n", start)
                end = len(self._text) if end < 0 else end
                self._replace(start, end, " " * (end - start))
                return end
            case "/*":
                end = self._text.find("*/", start + 2) + 2
                if end < 2:
                    raise self._source.error("this comment has no end", start, fix="close it with */")
                self._replace(start, end, " " * (end - start))
                return end
            case "\r":
                raise self._source.error("a carriage return without a line feed is no end of a line", start)
            case _:
                return self._foreign(start)

    def _expression(self, start: int) -> int:
        expression, end = self._read_expression(self._source, start)
        self._expressions[start] = (expression, end)
        self._replace(start, end, "0".ljust(end - start))
        return end

    def _foreign(self, start: int) -> int:
        """A name with other letters than the grammar knows; a character that is none of a name stays."""
        found = start
        while start > self._kept and _continues(self._text[start - 1]):
            start -= 1
        end = name_end(self._text, start)
        if end <= found:
            return found + 1
        self._replace(start, end, "".join(each if each.isascii() else "_" for each in self._text[start:end]))
        return end

    def _label(self, start: int) -> int:
        """A label in quotes: plain text, whatever it looks like."""
        position = start + 1
        while (found := _QUOTED.search(self._text, position)) is not None:
            match found.group():
                case '"':
                    self._replace(start + 1, found.start(), "_" * (found.start() - start - 1))
                    return found.end()
                case "\r" | "\n":
                    raise self._source.error("a quoted string ends on the line where it begins", start)
                case "\\":
                    position = escape_end(self._source, found.start())
                case "$${" | "%%{":
                    position = found.end()
                case mark:
                    fix = f"write `{mark[0]}{mark}` for the characters"
                    raise self._source.error("a label is plain text, and not a template", start, fix=fix)
        raise self._source.error("this string has no end", start, fix='close it with "')

    def _replace(self, start: int, end: int, masked: str) -> None:
        self._pieces += (self._text[self._kept : start], masked)
        self._kept = end


def escape_end(source: Source, start: int) -> int:
    """Where an escape ends; raises BadInput if it is none."""
    escape = _ESCAPE.match(source.text, start)
    if escape is None:
        shown = source.text[start : start + 2].strip()
        known = r"\n \r \t \" \\ \uXXXX and \UXXXXXXXX"
        raise source.error(f"unknown escape `{shown}`", start, fix=f"there are {known}")
    code = int(escape[1] or escape[2] or "0", 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise source.error(f"`{escape.group()}` is not a character", start)
    return escape.end()


def unquoted(inner: str) -> str:
    """The value of text between quotes, whose escapes have been found legal."""
    return _ESCAPED.sub(_character, inner)


def _character(escape: re.Match[str]) -> str:
    short, long, plain, dollar, percent = escape.groups()
    if plain is not None:
        return _PLAIN[plain]
    return dollar or percent or chr(int(short or long, 16))
