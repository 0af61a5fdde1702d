"""Start and finish of operation hooks, beside the same callbacks and copies by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from bench.measure import Absolute, Act, Row, Times, interleaved, row
from kernel.dialects.rig import BACKGROUND, Around, Call, Context, Guard, Operation, Result, Runner, Set, start
from kernel.dialects.rig.cloning import clone
from kernel.dialects.rig.content import RawJSON
from kernel.dialects.rig.snapshot import ToolCallPayload

ROUNDS: Final = 60
CALLS: Final = 2000
"""In a row, for one figure."""


def begin(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
    return context, finish


def check(context: Context, call: Call) -> None:
    return None


def finish(result: Result) -> None:
    return None


def nothing(context: Context, call: Call) -> None:
    return None


def rows() -> list[Row]:
    """What an operation costs that nobody takes part in, and one with an around and a guard."""
    raw = RawJSON(b'{"path":"README.md"}')
    call = Call(
        Operation.TOOL_CALL, tool_call=ToolCallPayload(tool_use_id="tool-use-1", tool_name="read", args_json=raw)
    )
    result = Result.of(call, outcome=1)
    idle = Runner(Set("", [], [Around(Operation.TURN, begin)]))
    busy = Runner(Set("v1", [Guard(Operation.TOOL_CALL, check)], [Around(Operation.TOOL_CALL, begin)]))

    def by_hand() -> None:
        """The callbacks, and the four copies that keep them apart: one at the start, one for each callback."""
        clone(call)
        begin(BACKGROUND, clone(call))
        check(BACKGROUND, clone(call))
        finish(clone(result))

    def through_the_runner() -> None:
        _, end, _ = busy.start(BACKGROUND, call)
        assert end is not None
        end(result)

    empty, nobody, unhandled, floor, figure = interleaved(
        ROUNDS,
        _repeated(lambda: nothing(BACKGROUND, call)),
        _repeated(lambda: start(None, BACKGROUND, call)),
        _repeated(lambda: idle.start(BACKGROUND, call)),
        _repeated(by_hand),
        _repeated(through_the_runner),
    )
    return [
        row("rig start without a runner, over an empty call", "us", _over(nobody, empty), empty, Absolute(1)),
        row("rig start without a callback, over an empty call", "us", _over(unhandled, empty), empty, Absolute(1)),
        row("rig start and finish, one around, one guard", "us", figure, floor, Times(3)),
    ]


def _over(figures: list[float], floors: list[float]) -> list[float]:
    return [figure - floor for figure, floor in zip(figures, floors, strict=True)]


def _repeated(act: Callable[[], object]) -> Act:
    """An act that says its microseconds of computing."""

    def repeated() -> float:
        started = time.thread_time_ns()
        for _ in range(CALLS):
            act()
        return (time.thread_time_ns() - started) / CALLS / 1e3

    return repeated
