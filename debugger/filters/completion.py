"""What may be written at the cursor: fields, values that were seen, names of saved filters. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from debugger.filters.fields import ALIASES, FIELDS
from debugger.filters.lexer import Kind, Token, tokens
from debugger.filters.parser import parse
from debugger.filters.printer import quoted
from debugger.filters.problems import BadFilter
from debugger.filters.seen import Seen
from debugger.filters.syntax import Op, Term

MOST: Final = 50
_NAMES: Final = ("sub", "point", "rule", "category")
"""Fields whose values are worth offering before anybody has named the field."""


class Sort(StrEnum):
    """What a candidate is."""

    FIELD = "field"
    VALUE = "value"
    SAVED = "saved"
    QUANTIFIER = "quantifier"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that may be written."""

    text: str
    """As it is inserted, in quotes where it needs them."""
    sort: Sort
    detail: str = ""
    """What it means, or how often it was seen."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What may stand in the place of a stretch of the text."""

    start: int
    end: int
    candidates: tuple[Candidate, ...]
    """The likeliest first."""

    def taken(self, text: str, candidate: Candidate) -> tuple[str, int]:
        """The text with a candidate in it, and where the cursor is then."""
        return text[: self.start] + candidate.text + text[self.end :], self.start + len(candidate.text)


def completion(text: str, cursor: int, seen: Seen, saved: Mapping[str, str] | None = None) -> Completion:
    """What may be written at the cursor, a place between characters counted from 0."""
    saved = saved or {}
    cursor = max(0, min(cursor, len(text)))
    read = tokens(text)
    here = next((each for each in read if each.at.start < cursor <= each.at.end), None)
    if here is not None and here.kind is Kind.VALUE:
        head = _head_of(read, here)
        written = _written(here, text[here.at.start : cursor])
        return Completion(here.at.start, here.at.end, _listed(_values(head, seen), written))
    if here is not None and here.kind is Kind.SAVED:
        candidates = _listed(_saved(saved), text[here.at.start : cursor])
        return Completion(here.at.start, here.at.end, candidates)
    if here is not None and here.kind is Kind.WORD and not here.is_quoted:
        written = text[here.at.start : cursor]
        candidates = _listed([*_fields(), *_saved(saved)], written)
        return Completion(here.at.start, here.at.end, (*candidates, *_by_value(written, seen))[:MOST])
    if here is not None and here.kind is Kind.HEAD and cursor < here.at.end:
        return Completion(here.at.start, here.at.end, _listed(_fields(), text[here.at.start : cursor]))
    if here is not None and here.kind is Kind.WORD:
        return Completion(cursor, cursor, ())
    before = [each for each in read if each.at.end <= cursor]
    head_before = _head_awaiting(before)
    if head_before is not None:
        return Completion(cursor, cursor, _listed(_values(head_before, seen), ""))
    if before and before[-1].kind is Kind.VALUE and before[-1].at.end == cursor:
        return Completion(cursor, cursor, ())
    return Completion(cursor, cursor, _listed([*_fields(), *_saved(saved)], ""))


def _written(token: Token, part: str) -> str:
    """What is written of a value up to the cursor, without the quote in front."""
    return part[1:].removesuffix(part[0]) if token.is_quoted and len(part) > 1 else "" if token.is_quoted else part


def _head_of(read: tuple[Token, ...], value: Token) -> Token:
    """The field that a value belongs to."""
    heads = [each for each in read if each.kind is Kind.HEAD and each.at.end <= value.at.start]
    return heads[-1]


def _head_awaiting(before: list[Token]) -> Token | None:
    """The field that a value is missing of at the end of these tokens."""
    behind: list[Token] = []
    for token in reversed(before):
        if token.kind is Kind.HEAD:
            inside = list(reversed(behind))
            is_bare = not inside
            is_in_group = bool(inside) and inside[0].kind is Kind.OPEN and inside[-1].kind in (Kind.OPEN, Kind.OR)
            return token if is_bare or is_in_group else None
        if token.kind not in (Kind.VALUE, Kind.OR, Kind.OPEN):
            return None
        behind.append(token)
    return None


def _fields() -> Iterator[Candidate]:
    for field in FIELDS.values():
        yield Candidate(f"{field.name}:", Sort.FIELD, field.summary)
    yield Candidate("some(", Sort.QUANTIFIER, "some step of the dispatch fits")
    yield Candidate("every(", Sort.QUANTIFIER, "every step of the dispatch fits")


def _saved(saved: Mapping[str, str]) -> Iterator[Candidate]:
    for name in sorted(saved):
        yield Candidate(f"@{name}", Sort.SAVED, saved[name])


def _values(head: Token, seen: Seen) -> Iterator[Candidate]:
    name = ALIASES.get(head.text, head.text)
    field = FIELDS.get(name)
    if field is None or head.op is Op.MATCHES:
        return
    for value, count in seen.names(name):
        yield Candidate(_as_value(name, head.op, value), Sort.VALUE, f"seen {count}×")
    for value in field.kind.offered:
        if head.op is Op.HAS or value[0] not in "<>":
            yield Candidate(value, Sort.VALUE)


def _by_value(written: str, seen: Seen) -> Iterator[Candidate]:
    """Whole claims about what was seen, for whoever begins with the value."""
    wanted = written.casefold()
    for name in _NAMES:
        for value, count in seen.names(name):
            if wanted in value.casefold():
                yield Candidate(f"{name}:{_as_value(name, Op.HAS, value)}", Sort.VALUE, f"seen {count}×")


def _as_value(field: str, op: Op, value: str) -> str:
    """A value as it is written behind its field."""
    try:
        match parse(f"{field}{op}{value}"):
            case Term(_, read, (only,)) if read is op and only.text == value and not only.is_pattern:
                return value
    except BadFilter:
        pass
    return quoted(value)


def _listed(candidates: Iterable[Candidate], written: str) -> tuple[Candidate, ...]:
    """Those that go on with what is written, then those that have it in them; in either, as they come."""
    wanted = written.casefold()
    rated: list[list[Candidate]] = [[], []]
    for candidate in candidates:
        plain = candidate.text.strip("\"'").casefold()
        if plain.startswith(wanted):
            rated[0].append(candidate)
        elif wanted in plain:
            rated[1].append(candidate)
    return tuple(rated[0] + rated[1])[:MOST]
