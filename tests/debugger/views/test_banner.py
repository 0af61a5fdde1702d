"""The banner says everything that is held, armed, left out or turned off, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from view_runs import hold, run

from debugger.breakpoints import Breakpoint
from debugger.session import ArmedFault, SessionView, SetBreakpoint, When
from debugger.stuck import clock
from debugger.views.banner import banner
from debugger.views.breakpoints import armed_row, breakpoint_row
from debugger.views.text import Emphasis
from kernel.faults import Fault
from kernel.transports.callback_threads import Stuck

SECOND = 1_000_000_000
FREE = SessionView(is_started=True)


def test_with_nothing_to_say_there_is_no_banner() -> None:
    """One hold is in the header already."""
    assert banner(FREE, {}, 0) == ()


def test_every_hold_is_named_with_its_time() -> None:
    """The longest first; what lets go says when."""
    trace = run("A:o", {"A": "ack"}, until="asked A")
    one = replace(hold(trace, 0), since_ns=2 * SECOND)
    other = replace(one, dispatch="other", since_ns=0)
    both = replace(FREE, holds=(one, other))
    [line] = banner(both, {trace.id: 4, "other": 3}, 65 * SECOND)
    assert line.text == " ‖ held: #3 before A 1:05 · #4 before A 1:03 · A all, H one"
    [line] = banner(replace(FREE, holds=(one,), release_after_s=90), {trace.id: 4}, 65 * SECOND)
    assert line.text == " ‖ held: #4 before A 1:03 · lets go in 0:27"
    assert banner(replace(FREE, holds=(one,)), {trace.id: 4}, 0) == ()


def test_armed_faults_alarm_and_those_left_out_are_named() -> None:
    """With where, when and how often."""
    armed = ArmedFault("sub:a", Fault("hang"), When(chance=0.5, seed=3), hits=2, calls=5)
    lines = banner(replace(FREE, armed=(armed,), skipping=frozenset({("B", "plan-ready", "veto")})), {}, 0)
    assert [line.text for line in lines] == [
        " ↯ armed: hang at sub:a, every call, 50 %, seed 3, struck 2× · ctrl+x clears",
        " » left out: B at plan-ready · K takes the chosen one back in",
    ]
    assert lines[0].emphasis is Emphasis.ALARM
    off = replace(FREE, breakpoints=(SetBreakpoint(1, Breakpoint("sub:a")),), are_breakpoints_on=False)
    assert "1 breakpoints are off" in banner(off, {}, 0)[0].text
    assert armed_row(armed) == ("hang", "at sub:a · every call, 50 %, seed 3 · struck 2× of 5 calls")


def test_rows_of_breakpoints_tell_on_from_off_and_holds_from_log_points() -> None:
    """By a glyph, not by colour."""
    known = SetBreakpoint(1, Breakpoint("sub:a", log="x"), 3)
    assert breakpoint_row(known) == ("◆ before sub:a", "tells 'x' · hit 3×")
    off = replace(known, breakpoint=Breakpoint("sub:a", is_on=False))
    assert breakpoint_row(off) == ("○ before sub:a", "hit 3×")


def test_times_are_minutes_and_seconds() -> None:
    """Never negative."""
    assert [clock(ns) for ns in (-5, 0, 59 * SECOND, 61 * SECOND)] == ["0:00", "0:00", "0:59", "1:01"]


def test_whoever_is_stuck_is_named_with_place_and_duration() -> None:
    """But for those that nobody waits for any more."""
    stuck = Stuck("bud\x1bget", "guard", "d", 1, 5 * SECOND, False, ("/me/budget.py:12 in check: wait()",))
    importing = replace(stuck, subscriber="other", dispatch="", stack=())
    seen = replace(FREE, stuck=(stuck, importing, replace(stuck, is_abandoned=True)))
    [line] = banner(seen, {"d": 4}, 0)
    assert line.text == " ▶ #4 bud␛get stuck 0:05 in budget.py:12 · other stuck 0:05 · 5 shows the stack"
    assert line.emphasis is Emphasis.ALARM
    assert banner(replace(FREE, stuck=(replace(stuck, is_abandoned=True),)), {}, 0) == ()
