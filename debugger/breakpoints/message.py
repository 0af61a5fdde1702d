"""What a log point says: a text with fields of the filter language and places of the payload in braces. Never code."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from debugger.expressions import expression
from debugger.filters.fields import ALIASES, FIELDS, Field
from debugger.filters.problems import nearest
from debugger.filters.sight import Sight
from debugger.trace import DispatchTrace, StepTrace
from kernel.clock import NS_PER_MS
from kernel.errors import BadInput
from kernel.values import JSON

_PIECE: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
READABLE: Final = tuple(name for name in FIELDS if name not in ("in", "out", "text", "path"))
"""Fields that have values of their own to say."""
MOST: Final = 200
"""Characters of one value."""

Say: TypeAlias = Callable[[Sight, DispatchTrace, StepTrace], str]
"""From a step at a seam to what is told of it."""


def message(text: str) -> Say:
    """Read a message; raises BadInput for braces that say nothing. `{{` and `}}` are braces."""
    parts: list[Say] = []
    end = 0
    for found in _PIECE.finditer(text):
        parts.append(_plain(text[end : found.start()]))
        parts.append(_piece(found))
        end = found.end()
    parts.append(_plain(text[end:]))
    return lambda sight, dispatch, step: "".join(part(sight, dispatch, step) for part in parts)


def _plain(text: str) -> Say:
    return lambda sight, dispatch, step: text


def _piece(found: re.Match[str]) -> Say:
    if found[0] in ("{{", "}}"):
        return _plain(found[0][0])
    if found[1] is None:
        raise BadInput(f"a {found[0]} by itself at character {found.start() + 1}", fix="write {{ or }} for a brace")
    name = found[1].strip()
    if name.startswith("$"):
        read = expression(name)
        return lambda sight, dispatch, step: read.shown(_at_hand(dispatch, step), MOST)
    if (known := ALIASES.get(name, name)) in READABLE:
        return _of_field(FIELDS[known])
    fix = f"{nearest(name, READABLE)}; a place in the payload begins with $"
    raise BadInput(f"{{{name}}} is no field", fix=fix)


def _of_field(field: Field) -> Say:
    def say(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> str:
        values = list(field.of_step(sight, dispatch, step)) if field.of_step is not None else []
        if not values and field.of_dispatch is not None:
            values = list(field.of_dispatch(sight, dispatch))
        return ", ".join(_shown(field, value) for value in values)[:MOST] or "-"

    return say


def _shown(field: Field, value: Any) -> str:
    if field.name in ("dur", "deadline"):
        return f"{value / NS_PER_MS:g} ms"
    if field.name == "slow":
        return f"{value / NS_PER_MS:.0f} %"  # kept in millionths of one per cent
    return str(value)


def _at_hand(dispatch: DispatchTrace, step: StepTrace) -> JSON:
    """The payload at the seam: as the step leaves it, or as it is asked about it."""
    return (step.made or step.given or dispatch.payload).view
