"""Counts what operations come to, and makes a mistake that is easy to make: its context is a detached one.

Deadline and cancellation survive that. Values do not: whatever the hooks before it put there is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kernel.dialects.rig import BACKGROUND, Call, Context, Operation, Outcome, Result, with_value

COUNTS: Counter[str] = Counter()


def begin(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
    """Start from BACKGROUND where it should have started from `context`."""

    def finish(result: Result) -> None:
        COUNTS[f"{Operation(result.operation).label} {Outcome(result.outcome).word}"] += 1

    return with_value(BACKGROUND, "metrics", "on"), finish
