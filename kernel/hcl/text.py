"""What can be said about HCL text before anybody parses it: positions, quoting, comments, heredocs, brackets.

python-hcl2's grammar is more generous than HCL here and there, and points at odd places when it is not. This
module looks at the characters first, and hands on a text of the same length in which everything that could
mislead the grammar is masked. No grammar and no tree in here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from kernel.errors import BadInput
from kernel.values import Place

MAX_BYTES = 1 << 20
"""Far above any configuration written by a person, and still parsed in seconds."""
MAX_DEPTH = 64
"""Brackets within brackets; keeps everything that recurses over a configuration far from Python's limit."""

BOM = "\ufeff"

_CODE = re.compile(r'["(){}\[\]#]|//|/\*|\r(?!\n)|<<-?([A-Za-z][A-Za-z0-9._-]*)\r?\n')
_QUOTED = re.compile(r'["\\\r\n]|\$\$\{|%%\{|\$\{|%\{')
_ESCAPE = re.compile(r'\\(?:[nrt"\\]|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))')
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([nrt\"\\]))|\$(\$\{)|%(%\{)")
_TEMPLATE = re.compile(r"\$\$\{|%%\{|(\$\{|%\{)")
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
_CLOSES = {")": ("(",), "]": ("[",), "}": ("{", "${", "%{")}


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


@dataclass(frozen=True, slots=True)
class _Opener:
    mark: str
    offset: int


def mask(source: Source) -> str:
    """The same text for the grammar: as long, with line breaks where HCL sees them, and nothing in disguise.

    Comments become blanks (a line break inside of one does not end a line in HCL), `$${` and `%%{` become
    plain characters, heredoc bodies become dots. Raises BadInput for wrong quoting and unbalanced brackets.
    """
    return _Masker(source).run()


class _Masker:
    """One pass over a text, with the brackets and quotes that are open at this moment."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._open: list[_Opener] = []
        self._pieces: list[str] = []
        self._kept = 0  # everything before is in the pieces

    def run(self) -> str:
        position = 0
        while True:
            is_quoted = bool(self._open) and self._open[-1].mark == '"'
            found = (_QUOTED if is_quoted else _CODE).search(self._text, position)
            if found is None:
                break
            position = self._quoted(found) if is_quoted else self._code(found)
        if self._open:
            opener = self._open[-1]
            message, fix = _unclosed(opener.mark)
            raise self._source.error(message, opener.offset, fix=fix)
        return "".join((*self._pieces, self._text[self._kept :]))

    def _quoted(self, found: re.Match[str]) -> int:
        mark, start = found.group(), found.start()
        match mark:
            case '"':
                self._open.pop()
            case "\r" | "\n":
                opener = self._open[-1].offset
                raise self._source.error(
                    "a quoted string ends on the line where it begins",
                    opener,
                    fix="write \\n for a line break, or a heredoc",
                )
            case "\\":
                return self._escape(start)
            case "$${" | "%%{":
                self._replace(start, found.end(), "___")
            case _:
                self._push(mark, start)
        return found.end()

    def _escape(self, start: int) -> int:
        escape = _ESCAPE.match(self._text, start)
        if escape is None:
            shown = self._text[start : start + 2].strip()
            known = r"\n \r \t \" \\ \uXXXX and \UXXXXXXXX"
            raise self._source.error(f"unknown escape `{shown}`", start, fix=f"there are {known}")
        code = int(escape[1] or escape[2] or "0", 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise self._source.error(f"`{escape.group()}` is not a character", start)
        return escape.end()

    def _code(self, found: re.Match[str]) -> int:
        mark, start = found.group(), found.start()
        match mark:
            case '"' | "(" | "[" | "{":
                self._push(mark, start)
            case ")" | "]" | "}":
                self._close(mark, start)
            case "#" | "//":
                end = self._text.find("\n", start)
                end = len(self._text) if end < 0 else end
                self._replace(start, end, " " * (end - start))
                return end
            case "\r":
                raise self._source.error("a carriage return without a line feed is no end of a line", start)
            case "/*":
                end = self._text.find("*/", start + 2) + 2
                if end < 2:
                    raise self._source.error("this comment has no end", start, fix="close it with */")
                self._replace(start, end, " " * (end - start))
                return end
            case _:
                return self._heredoc(found)
        return found.end()

    def _heredoc(self, found: re.Match[str]) -> int:
        marker, body = found[1], found.end()
        line = body
        while line < len(self._text):
            end = self._text.find("\n", line)
            is_last = end < 0
            end = len(self._text) if is_last else end
            if self._text[line:end].removesuffix("\r").strip(" \t") == marker:
                if is_last:
                    raise self._source.error("a new line has to follow after the end of a heredoc", line)
                if line > body:
                    self._replace(body, line, "." * (line - body - 1) + "\n")
                self._replace(line, end, marker.rjust(end - line))
                return end
            line = end + 1
        fix = f"end it with a line that holds just {marker}"
        raise self._source.error("this heredoc has no end", found.start(), fix=fix)

    def _push(self, mark: str, offset: int) -> None:
        if len(self._open) == MAX_DEPTH:
            raise self._source.error(f"nested more than {MAX_DEPTH} levels deep", offset)
        self._open.append(_Opener(mark, offset))

    def _close(self, mark: str, offset: int) -> None:
        if not self._open:
            raise self._source.error(f"this `{mark}` closes nothing", offset)
        opener = self._open.pop()
        if opener.mark not in _CLOSES[mark]:
            where = self._source.place(opener.offset)
            raise self._source.error(
                f"this `{mark}` does not close the `{opener.mark}` of line {where.line}, column {where.column}", offset
            )

    def _replace(self, start: int, end: int, masked: str) -> None:
        self._pieces += (self._text[self._kept : start], masked)
        self._kept = end


def _unclosed(mark: str) -> tuple[str, str]:
    """What is wrong, and the way out."""
    match mark:
        case '"':
            return "this string has no end", 'close it with "'
        case "{":
            return "this `{` is never closed", "add the missing `}`"
        case "(" | "[":
            return f"this `{mark}` is never closed", f"add the missing `{')' if mark == '(' else ']'}`"
        case _:
            fix = f"close it with `}}`, or write `{mark[0]}{mark}` for the characters"
            return f"this `{mark}` is never closed", fix


def unquoted(inner: str) -> str:
    """The value of a quoted string, from what stands between its quotes; `mask` has found its escapes legal."""
    return _ESCAPED.sub(_character, inner)


def _character(escape: re.Match[str]) -> str:
    short, long, plain, dollar, percent = escape.groups()
    if plain is not None:
        return _PLAIN[plain]
    return dollar or percent or chr(int(short or long, 16))


def heredoc(token: str) -> str | None:
    """The value of a heredoc with its last line break, from `<<` to the end marker; None if it holds a template."""
    head, _, rest = token.partition("\n")
    lines = re.findall(r"[^\n]*\n|[^\n]+", rest)
    body = lines[: max(index for index, line in enumerate(lines) if line.strip())]  # the last one is the end marker
    if any(found[1] for found in _TEMPLATE.finditer("".join(body))):
        return None
    text = "".join(_flush(body) if head.startswith("<<-") else body)
    return text.replace("$${", "${").replace("%%{", "%{")


def _flush(lines: list[str]) -> list[str]:
    """Lines without the indentation that they have in common; blank lines neither count nor change."""
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    common = min(indents, default=0)
    return [line[common:] if line.strip() else line for line in lines]
