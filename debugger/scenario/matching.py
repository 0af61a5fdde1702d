"""One JSON value beside what is expected of it. Pure."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from debugger.query import NoAnswer, NoQuery, query
from debugger.scenario.parts import Match, Matches
from kernel.errors import BadInput
from kernel.values import JSON


def is_equal(expected: JSON, actual: JSON) -> bool:
    """Whether two values say the same. A number is never true or false; 1 and 1.0 are one number."""
    match expected, actual:
        case bool(), bool():
            return expected == actual
        case (bool(), _) | (_, bool()):
            return False
        case dict(), dict():
            return expected.keys() == actual.keys() and all(is_equal(expected[key], actual[key]) for key in expected)
        case list(), list():
            return len(expected) == len(actual) and all(map(is_equal, expected, actual))
        case _:
            return expected == actual


def is_part(expected: JSON, actual: JSON) -> bool:
    """Whether a value has at least these members, and these items in this order; other values are equal."""
    match expected, actual:
        case dict(), dict():
            return all(key in actual and is_part(value, actual[key]) for key, value in expected.items())
        case list(), list():
            return is_subsequence(expected, actual, is_part)
        case _:
            return is_equal(expected, actual)


def is_subsequence(expected: list[JSON], actual: list[JSON], is_match: Callable[[JSON, JSON], bool]) -> bool:
    """Whether each of the expected has a match, in order."""
    rest = iter(actual)
    return all(any(is_match(each, found) for found in rest) for each in expected)


def contains(expected: JSON, actual: JSON) -> bool:
    """`is_part`, and text within text, and one item within a list."""
    if isinstance(expected, str) and isinstance(actual, str):
        return expected in actual
    if isinstance(actual, list) and not isinstance(expected, list):
        return any(is_part(expected, item) for item in actual)
    return is_part(expected, actual)


class Unfit(Exception):
    """An expression asks something of a value that it cannot be asked, such as the length of a number."""


def selected(match: Match, value: JSON) -> JSON:
    """The part of a value that a claim is about; raises BadInput for what is no expression, Unfit for no answer."""
    if not match.jmespath:
        return value
    try:
        return query(match.jmespath).of(value)
    except NoQuery as error:
        raise BadInput(f"not JMESPath: {error}") from None
    except NoAnswer as error:
        raise Unfit(str(error)) from None


def holds(match: Match, value: JSON) -> bool:
    """Whether a claim holds for the part of a value that it selected."""
    is_it = match.is_ is UNSET or is_equal(match.is_, value)
    return is_it and (match.contains is UNSET or contains(match.contains, value))


def all_hold(matches: Matches, value: JSON) -> bool:
    """Whether every claim holds; one that cannot be asked of the value does not. Raises BadInput as `selected` does."""
    try:
        return all(
            holds(match, selected(match, value)) for match in (matches if isinstance(matches, list) else [matches])
        )
    except Unfit:
        return False


def text_in(value: JSON) -> str:
    """Every text in a value, keys left out, a line each."""
    match value:
        case str():
            return value
        case dict():
            return "\n".join(filter(None, map(text_in, value.values())))
        case list():
            return "\n".join(filter(None, map(text_in, value)))
        case _:
            return ""
