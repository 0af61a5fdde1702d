"""The Why of a step shows the stack of whoever is stuck in it, and nobody else's."""

from __future__ import annotations

from dataclasses import replace

from view_runs import run

from debugger.stuck import NS_PER_S
from debugger.trace import DispatchTrace, StepTrace
from debugger.views.diffs import DiffStyle
from debugger.views.lens import Lens, OneColumn, Subject, draw
from debugger.views.stuck import stack_lines
from kernel.dialects.pluggable import PLUGGABLE
from kernel.transports.callback_threads import Stuck

STACK = ("/me/a.py:3 in ask: go()", "/me/a.py:12 in go: x = '\x1b[31m'")


def running() -> tuple[DispatchTrace, Stuck]:
    """A dispatch in which A is being asked, and A, stuck."""
    trace = run("A:o B:o", {"A": "ack", "B": "ack"}, until="asked A")
    return trace, Stuck("A", trace.steps[0].phase, trace.id, 1, 65 * NS_PER_S, False, STACK)


def text(trace: DispatchTrace, step: int | None, *stuck: Stuck) -> list[str]:
    return [each.text for each in stack_lines(trace, step, stuck)]


def test_a_running_step_shows_its_whole_stack_and_since_when() -> None:
    """Outermost first, literally."""
    trace, stuck = running()
    assert text(trace, 0, stuck) == [
        "",
        "stuck for 1:05, since 0 ms after the dispatch began",
        "its stack, where it is now last:",
        "  /me/a.py:3 in ask: go()",
        "  /me/a.py:12 in go: x = '␛[31m'",
    ]


def test_other_steps_and_other_dispatches_show_nothing_of_it() -> None:
    """Nor does the same step once it is over; the dispatch as a whole says it in a line."""
    trace, stuck = running()
    assert text(trace, 1, stuck) == []
    assert text(trace, 0, replace(stuck, dispatch="other")) == []
    assert text(trace, 0, replace(stuck, phase="finish")) == []
    assert text(trace, None, stuck) == ["", "A stuck 1:05 in a.py:12"]
    over = replace(trace, steps=(replace(trace.steps[0], replied_at_ns=5), *trace.steps[1:]))
    assert text(over, 0, stuck) == []


def test_whoever_was_given_up_on_is_still_shown() -> None:
    """Its thread is there for as long as it does not come back."""
    trace, stuck = running()
    step: StepTrace = replace(trace.steps[0], replied_at_ns=5)
    over = replace(trace, steps=(step, *trace.steps[1:]))
    assert "The dispatch has given up on it; its thread is still there." in text(
        over, 0, replace(stuck, is_abandoned=True)
    )


def test_the_lens_draws_it_below_the_reasons() -> None:
    """Only where the reader looks at the reasons."""
    trace, stuck = running()
    subject = Subject(trace, 0, None, Lens.WHY, DiffStyle.UNIFIED, False, stuck=(stuck,))
    drawn = draw(subject, PLUGGABLE, None)
    assert isinstance(drawn, OneColumn)
    lines = [each.text for each in drawn.lines]
    assert lines.index("It is being asked right now.") < lines.index("  /me/a.py:3 in ask: go()")
