"""Traces operations: hands a span down in the context, so that whatever happens inside knows its parent."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from kernel.dialects.rig import Call, Context, Operation, Result, with_value

_numbers = itertools.count(1)
ENDED: list[str] = []
"""The last spans that ended, for whoever looks."""


def begin(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
    """Carry the span in the context; a stack would not do, since tool calls of one step overlap."""
    parent = context.value("span")
    span = f"{Operation(call.operation).label}#{next(_numbers)}"

    def finish(result: Result) -> None:
        ENDED.append(f"{span} under {parent or 'nothing'} ended with outcome {int(result.outcome)}")
        del ENDED[:-100]

    return with_value(context, "span", span), finish
