"""Whether a text can stand anywhere in compact JSON: what `input_contains` looks for has to (spec 2.3).

An automaton reads the text from every state in which a compact JSON text can be at some character. When no state is
left, the text is in no such JSON whatsoever; the other way round nothing is promised. Brackets are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kernel.dialects.hookbus.json_text import decoded
from kernel.errors import BadInput
from kernel.values import JSON

VALUE, FIRST_KEY, KEY, COLON, AFTER = "value", "first key", "key", "colon", "after"
FIRST_ITEM = "first item"
_LITERALS = ("true", "false", "null")
_NUMBERS: dict[str, tuple[str, str]] = {
    "-": ("", "int"),
    "int": (".e", "int"),
    ".": ("", "fraction"),
    "fraction": ("e", "fraction"),
    "e": ("-", "exponent"),
    "e-": ("", "exponent"),
    "exponent": ("", "exponent"),
}
"""States in a number: which marks may follow, and in which state a digit leaves it."""
_ENDS_NUMBER = frozenset({"int", "fraction", "exponent"})
_CONTROL = {"0": frozenset("01234567bef"), "1": frozenset("0123456789abcdef")}
"""Last digits of the escapes that a writer uses; the other control characters have letters of their own."""


def why_never(needle: str) -> str:
    """Why no compact JSON text holds the needle; empty where one may."""
    states = set(_STATES)
    for at, character in enumerate(needle):
        states = {following for state in states for following in _next(state, character)}
        if not states:
            return _reason(needle, at)
    return _unsorted(needle)


def _next(state: str, character: str) -> Iterator[str]:
    """The states that a character leads to; none where it cannot stand."""
    kind, _, rest = state.partition(":")
    match kind:
        case "text" | "escape" | "unicode":
            yield from _in_text(kind, rest, character)
        case "literal":
            yield from _in_literal(rest, character)
        case "number":
            yield from _in_number(rest, character)
        case _:
            yield from _between(state, character)


def _in_text(kind: str, rest: str, character: str) -> Iterator[str]:
    behind, _, digits = rest.partition(":")
    if kind == "unicode":
        fits = character in ("0", "0", "01")[len(digits)] if len(digits) < 3 else character in _CONTROL[digits[2]]
        if fits:
            yield f"unicode:{behind}:{digits}{character}" if len(digits) < 3 else f"text:{behind}"
    elif kind == "escape":
        if character == "u":
            yield f"unicode:{behind}:"
        elif character in '"\\bfnrt':
            yield f"text:{behind}"
    elif character == '"':
        yield behind
    elif character == "\\":
        yield f"escape:{behind}"
    elif character >= " ":
        yield f"text:{behind}"


def _in_literal(rest: str, character: str) -> Iterator[str]:
    if rest.startswith(character):
        yield f"literal:{rest[1:]}" if rest[1:] else AFTER


def _in_number(state: str, character: str) -> Iterator[str]:
    marks, digit = _NUMBERS[state]
    if character in "0123456789":
        yield f"number:{digit}"
    elif character in marks:
        yield "number:e-" if state == "e" else f"number:{character}"
    elif state in _ENDS_NUMBER:
        yield from _between(AFTER, character)


def _between(state: str, character: str) -> Iterator[str]:
    match state, character:
        case ("colon", ":"):
            yield VALUE
        case ("first key" | "key", '"'):
            yield f"text:{COLON}"
        case ("first key" | "after", "}") | ("first item" | "after", "]"):
            yield AFTER
        case ("after", ","):
            yield from (KEY, VALUE)
        case ("value" | "first item", _):
            yield from _begins(character)


def _begins(character: str) -> Iterator[str]:
    """The states after the first character of a value."""
    if character == '"':
        yield f"text:{AFTER}"
    elif character == "{":
        yield FIRST_KEY
    elif character == "[":
        yield FIRST_ITEM
    elif character == "-":
        yield "number:-"
    elif character in "0123456789":
        yield "number:int"
    yield from (f"literal:{word[1:]}" for word in _LITERALS if word[0] == character)


def _all_states() -> frozenset[str]:
    """Every state that can be reached, so every one in which the needle can begin."""
    alphabet = '{}[]:,"\\/ -.0123456789abcdefghijklmnopqrstuvwxyz'
    found, new = {VALUE}, {VALUE}
    while new:
        new = {following for state in new for character in alphabet for following in _next(state, character)} - found
        found |= new
    return frozenset(found)


_STATES = _all_states()


def _reason(needle: str, at: int) -> str:
    """What is wrong with the character at which no state was left."""
    character = needle[at]
    if character in " \t\n\r" and at and needle[at - 1] in ":,":
        return "there is no space after a colon or a comma in compact JSON"
    if character < " ":
        return f"the control character {character!r} is escaped in JSON text"
    before = needle[max(0, at - 12) : at]
    return f"{character!r} cannot follow {before!r} in compact JSON" if before else f"{character!r} is escaped there"


def _unsorted(needle: str) -> str:
    """The keys that stand in another order than that of compact JSON, if the needle is whole enough to say so."""
    for text in (needle, f"{{{needle}}}", f"[{needle}]"):
        try:
            value = decoded(text.encode())
        except (BadInput, UnicodeEncodeError):
            continue
        for first, second in _neighbours(value):
            if first.encode() > second.encode():
                return f"keys are sorted in compact JSON, so {second!r} stands before {first!r}"
    return ""


def _neighbours(value: JSON) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield from pairwise(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _neighbours(each)
