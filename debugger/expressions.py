"""Expressions that read something from a payload: `$` paths of the filter language, or JMESPath. Pure, never code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

from debugger.filters.paths import path_pattern, selected
from debugger.filters.problems import Unfit
from debugger.query import NoAnswer, NoQuery, query
from kernel.errors import BadInput
from kernel.values import JSON

MOST: Final = 200
"""Places that one path is read from; what comes later is not looked at."""


class Expression:
    """Reads a value; compares by its text."""

    def __init__(self, text: str, read: Callable[[JSON], tuple[JSON, ...]]) -> None:
        self.text = text
        self.read = read
        """Everything that it names in a value: nothing where there is nothing, which is not null."""

    def shown(self, value: JSON, most: int = 120) -> str:
        """What it reads, on one line; a dash for nothing."""
        found = self.read(value)
        if not found:
            return "-"
        told = ", ".join(json.dumps(each, ensure_ascii=False) for each in found)
        return told if len(told) <= most else f"{told[: most - 1]}…"


def expression(text: str) -> Expression:
    """Read an expression; raises BadInput."""
    text = text.strip()
    if not text:
        raise BadInput("there is no expression", fix="such as $.messages[*].content, or length(messages)")
    return Expression(text, _path(text) if text.startswith("$") else _query(text))


def _path(text: str) -> Callable[[JSON], tuple[JSON, ...]]:
    try:
        pattern = path_pattern(text)
    except Unfit as error:
        raise BadInput(error.message, fix=error.fix) from None
    if pattern.wanted is not None:
        raise BadInput(f"{text!r} compares", fix="write the path alone")

    def read(value: JSON) -> tuple[JSON, ...]:
        found: list[JSON] = []
        for each in selected(pattern.parts, value):
            if len(found) == MOST:
                break
            found.append(each)
        return tuple(reversed(found))  # the walk over a value takes the last places first

    return read


def _query(text: str) -> Callable[[JSON], tuple[JSON, ...]]:
    try:
        found = query(text)
    except NoQuery as error:
        raise BadInput(f"not JMESPath: {error}", fix="see jmespath.org, or begin with $ for a path") from None

    def read(value: JSON) -> tuple[JSON, ...]:
        try:
            selected = found.of(value)
        except NoAnswer:
            return ()
        return () if selected is None else (selected,)

    return read
