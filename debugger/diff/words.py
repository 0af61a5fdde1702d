"""What changed inside a string, word by word, and which differences an eye slides over.

Nothing here knows of paths or payloads.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from debugger.diff.align import align
from kernel.values import JSON

WORDS_UP_TO = 20_000
"""Characters of changed text that are split into words; more is compared line by line first."""
_SUBTLE_UP_TO = 100_000
"""Characters of changed text that are searched for what is easy to overlook."""
_SUBTLE_AROUND = 200
"""Characters of unchanged text on each side that are looked at with it."""

_SINGLE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_SINGLE}]|(?:(?![{_SINGLE}])\w[\u0300-\u036f]*)+|\s+|.", re.DOTALL)
"""Words, runs of white space, single marks. Scripts without spaces go character by character."""


class PieceKind(StrEnum):
    """Which of the two strings a piece is from."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text. Same and added pieces make up the string after, same and removed the one before."""

    kind: PieceKind
    text: str


class Subtle(StrEnum):
    """Why a difference is easy to overlook, in words for people."""

    TYPE = "type only"
    """1 and 1.0, true and "true": the same characters, another type."""
    NULL = "null is not absent"
    EMPTY = "empty is not absent"
    LOOK_ALIKE = "look-alike characters"
    INVISIBLE = "invisible characters"
    TRAILING = "white space at line end"
    SPACING = "white space only"
    NAME = "a name that looks like one on the other side"


_Span = tuple[str, str]
"""What one stretch was and what it became; two equal strings where nothing changed."""


def words(before: str, after: str) -> tuple[Piece, ...]:
    """The two strings as pieces that are the same, removed and added, in reading order.

    Bounded: only what lies between the common ends is compared, and very long stretches by lines.
    """
    head = _common_head(before, after)
    tail = _common_tail(before[head:], after[head:])
    end_before, end_after = len(before) - tail, len(after) - tail
    spans = [
        (before[:head], after[:head]),
        *_spans(before[head:end_before], after[head:end_after]),
        (before[end_before:], after[end_after:]),
    ]
    return tuple(_pieces(_joined(spans)))


def _spans(before: str, after: str) -> list[_Span]:
    if not before or not after:
        return [(before, after)]
    if max(len(before), len(after)) <= WORDS_UP_TO:
        return _aligned(_TOKEN.findall(before), _TOKEN.findall(after))
    spans: list[_Span] = []
    for old, new in _aligned(before.splitlines(keepends=True), after.splitlines(keepends=True)):
        small = old != new and old and new and max(len(old), len(new)) <= WORDS_UP_TO
        spans += _aligned(_TOKEN.findall(old), _TOKEN.findall(new)) if small else [(old, new)]
    return spans


def _aligned(before: list[str], after: list[str]) -> list[_Span]:
    """Runs of tokens: those that both have, and what stands between them."""
    spans: list[_Span] = []
    at_before = at_after = 0
    for i, j in [*align(before, after), (len(before), len(after))]:
        spans.append(("".join(before[at_before:i]), "".join(after[at_after:j])))
        if i < len(before):
            spans.append((before[i], after[j]))
        at_before, at_after = i + 1, j + 1
    return spans


def _joined(spans: list[_Span]) -> list[_Span]:
    """Neighbours of one kind joined, and lone spaces between two changes counted as changed with them.

    A sentence that was rewritten then reads as one sentence out and one in, not as a rattle of words.
    """
    runs: list[_Span] = []
    for _, group in groupby((span for span in spans if any(span)), key=lambda span: span[0] == span[1]):
        run = list(group)
        runs.append(("".join(old for old, _ in run), "".join(new for _, new in run)))
    for here in range(1, len(runs) - 1):
        space, new = runs[here]
        left, right = runs[here - 1], runs[here + 1]
        if space == new and space.isspace() and "\n" not in space and all(left) and all(right):
            runs[here - 1] = runs[here] = ("", "")
            runs[here + 1] = (left[0] + space + right[0], left[1] + space + right[1])
    return [run for run in runs if any(run)]


def _pieces(spans: list[_Span]) -> Iterator[Piece]:
    for old, new in spans:
        if old == new:
            yield Piece(PieceKind.SAME, old)
            continue
        if old:
            yield Piece(PieceKind.REMOVED, old)
        if new:
            yield Piece(PieceKind.ADDED, new)


def _common_head(before: str, after: str) -> int:
    """Length of the common beginning, cut back to the start of a word."""
    low, high = 0, min(len(before), len(after))
    while low < high:  # halving compares whole slices: far quicker than one character at a time
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    if low == len(before) == len(after):
        return low
    while low and _is_inside_word(before, low, after):
        low -= 1
    return low


def _common_tail(before: str, after: str) -> int:
    """Length of the common ending, cut back to the end of a word."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        if before[len(before) - middle : len(before) - low] == after[len(after) - middle : len(after) - low]:
            low = middle
        else:
            high = middle - 1
    while low and (_is_joint(before, len(before) - low) or _is_joint(after, len(after) - low)):
        low -= 1
    return low


def _is_inside_word(before: str, cut: int, after: str) -> bool:
    return _is_joint(before, cut) or _is_joint(after, cut)


def _is_joint(text: str, cut: int) -> bool:
    """Whether cutting here would part what reads as one word."""
    return 0 < cut < len(text) and _is_wordlike(text[cut - 1]) and _is_wordlike(text[cut])


def _is_wordlike(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character == "_"
    return (character.isalnum() and not _IS_SINGLE(character)) or bool(unicodedata.combining(character))


_IS_SINGLE = re.compile(f"[{_SINGLE}]").match

_LOOK_ALIKES: Final = str.maketrans(
    # Cyrillic, then Greek, then marks, then what ASCII itself confuses
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u04cf"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405"
    "\u03b1\u03bf\u03bd\u03c1\u03b9\u03ba"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u2018\u2019\u02bc\u2032`\u00b4\u201c\u201d\u2033\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2044\u2215\u2236"
    "I1|0",
    "aeopcyxijsdqwhl" "ABEKMHOPCTYXlJS" "aovpik" "ABEZHlKMNOPTYX" "''''''\"\"\"-------//:" "lllO",
)  # fmt: skip


def subtle(before: JSON, after: JSON) -> tuple[Subtle, ...]:
    """Why a reader may take the two for the same; empty when they plainly differ, or do not differ at all."""
    if isinstance(before, dict | list) or isinstance(after, dict | list):
        return ()
    if isinstance(before, str) and isinstance(after, str):
        return _subtle_text(before, after)
    if type(before) is type(after):
        return ()
    if {type(before), type(after)} <= {bool, int, float}:
        return (Subtle.TYPE,) if before == after else ()
    if "" in (before, after) and None in (before, after):
        return (Subtle.NULL,)
    return (Subtle.TYPE,) if _bare_text(before) == _bare_text(after) else ()


def subtle_presence(value: JSON) -> tuple[Subtle, ...]:
    """Why a reader may overlook that the value is there at all."""
    if value is None:
        return (Subtle.NULL,)
    return (Subtle.EMPTY,) if isinstance(value, str | list | dict) and not value else ()


def namesakes(before: dict[str, JSON], after: dict[str, JSON]) -> frozenset[str]:
    """Names of members that only one of two objects has, and that a reader may take for one that only the other has."""
    gone, come = ([key for key in here if key not in there] for here, there in ((before, after), (after, before)))
    if not gone or not come or max(map(len, (*gone, *come))) > _SUBTLE_AROUND:
        return frozenset()
    alike = {_skeleton(key).casefold() for key in gone} & {_skeleton(key).casefold() for key in come}
    return frozenset(key for key in (*gone, *come) if _skeleton(key).casefold() in alike)


def _is_invisible(character: str) -> bool:
    """Whether the character leaves no mark of its own: formats, controls, fillers, most variation selectors."""
    if character.isascii():
        return not character.isprintable() and character not in "\t\n\r"
    return (
        unicodedata.category(character) in {"Cf", "Cc", "Cs"}
        or character in "\u115f\u1160\u2800\u3164\uffa0"
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
    )


class _Seen(dict[int, str]):
    """What an eye sees of each character, filled in as characters turn up: `str.translate` does the rest."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        seen = self[code] = "" if _is_invisible(character) else character
        return seen


_SEEN = _Seen()


def _subtle_text(before: str, after: str) -> tuple[Subtle, ...]:
    if len(before) + len(after) > 4 * _SUBTLE_AROUND:
        before, after = _changed_part(before, after)
    if before == after or max(len(before), len(after)) > _SUBTLE_UP_TO or _skeleton(before) != _skeleton(after):
        return ()
    seen_before, seen_after = before.translate(_SEEN), after.translate(_SEEN)
    found: list[Subtle] = []
    if _invisible(before) != _invisible(after):
        found.append(Subtle.INVISIBLE)
    if "".join(seen_before.split()) != "".join(seen_after.split()):
        found.append(Subtle.LOOK_ALIKE)
    elif seen_before != seen_after:
        ends_only = _without_line_ends(seen_before) == _without_line_ends(seen_after)
        found.append(Subtle.TRAILING if ends_only else Subtle.SPACING)
    return tuple(found)


def _changed_part(before: str, after: str) -> tuple[str, str]:
    """What lies between the common ends, with enough around it to see whether a line ends there."""
    head = max(_common_head(before, after) - _SUBTLE_AROUND, 0)
    tail = max(_common_tail(before[head:], after[head:]) - _SUBTLE_AROUND, 0)
    return before[head : len(before) - tail], after[head : len(after) - tail]


def _skeleton(text: str) -> str:
    """What is left when all that an eye may slide over is taken out."""
    bare = "".join(text.translate(_SEEN).split())
    return (bare if bare.isascii() else unicodedata.normalize("NFKC", bare)).translate(_LOOK_ALIKES)


def _invisible(text: str) -> list[str]:
    return [character for character in text if not _SEEN[ord(character)]]


def _without_line_ends(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _bare_text(value: JSON) -> str:
    """The characters of a scalar, without what tells its type."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if value.bit_length() > 10_000:  # Python refuses to print these in decimal
            return hex(value)
        case _:
            return str(value)
