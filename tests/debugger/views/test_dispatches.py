"""The list of dispatches, compared as lines: each tells its story."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dispatch_runs import Scripted, chain, stub
from pluggable_payloads import VIEWS
from rich.cells import cell_len
from view_runs import LITERAL, as_text, held, run

from debugger.session import SessionView
from debugger.trace import DispatchTrace
from debugger.views.dispatches import row
from kernel.control import Proceed, Stop
from kernel.dialects.pluggable.payload import from_view
from kernel.faults import Fault

FREE = SessionView()
GATE = "gate:v audit:o"
PLAN = "plan-ready"


def line(trace: DispatchTrace, session: SessionView = FREE, width: int = 46) -> str:
    """The row as text."""
    [text] = as_text([row(trace, session, width)])
    return text


def gate(does: str, **options: object) -> DispatchTrace:
    """A dispatch of a veto and an observer."""
    return run(GATE, {"gate": does, "audit": "ack"}, point=PLAN, **options)  # type: ignore[arg-type]


def test_rows_tell_the_verdict_and_how_long_it_took() -> None:
    """One line for each way in which a dispatch can stand."""
    under_way = gate("allow", until="asked gate")
    aborted = run("a:t", {"a": "change model"})
    stopped = gate("allow", control=Scripted(before_gate=Stop()))
    assert [line(each) for each in (gate("allow"), gate("deny"), gate("hang"), aborted, stopped, under_way)] == [
        "#1   plan-ready        ✓ allow          0.0 ms",
        "#1   plan-ready        ⊘ DENY           0.0 ms",
        "#1   plan-ready        ⊘ DENY          1000 ms",
        "#1   pre-model-call    ✗ ABORTED        0.0 ms",
        "#1   plan-ready        × cancelled      0.0 ms",
        "#1   plan-ready        ▶ running",
    ]
    assert line(under_way, held(under_way, 0)) == "#1   plan-ready        ‖ held"


def test_a_row_counts_changes_and_marks_what_people_did() -> None:
    """How often the payload changed; a sign for a fault that struck, another for an edit."""
    changed = run("a:t b:t", {"a": stub("+x", 7), "b": "+y"})
    assert line(changed) == "#1   pre-model-call    ✓ allow      ±2  7.0 ms"
    view = VIEWS["pre-model-call"]
    assert isinstance(view, dict)
    edit = from_view("pre-model-call", {**view, "messages": []})
    control = Scripted(before_a=Proceed(edit), before_b=Proceed(fault=Fault("delay", {"ms": 10})))
    both = run("a:t b:t", {"a": "same", "b": "same"}, control=control)
    assert line(both) == "#1   pre-model-call   ✓ allow    ↯✎ ±1   10 ms"


def test_numbers_count_the_dispatches() -> None:
    """They are what people call a dispatch by."""
    assert line(gate("allow", number=14)).startswith("#14  plan-ready")
    assert line(replace(gate("allow"), number=12345)).startswith("#12345 plan-ready")


def test_narrow_rows_leave_out_what_is_least_needed() -> None:
    """At 80 columns the list has about thirty cells: verdict and time stay."""
    assert line(gate("deny"), width=34) == "#1 plan-ready     ⊘ DENY    0.0 ms"
    assert line(run("a:t", {"a": "+x"}), width=34) == "#1 pre-model-call ✓ allow   0.0 ms"


@pytest.mark.parametrize("width", [24, 32, 46, 80])
@pytest.mark.parametrize("point", LITERAL)
def test_odd_points_are_literal_and_rows_fit(point: str, width: int) -> None:
    """Nothing that steers a terminal, and never wider than the list."""
    trace = gate("allow")
    opened = replace(trace.opened, chain=replace(chain(PLAN, GATE), point=point))
    shown = line(replace(trace, opened=opened), width=width)
    assert not set("\x1b\u202e\t") & set(shown)
    assert cell_len(shown) <= max(width, 31)
