"""The chain strip, compared as lines: every state of a seat, at the widths that terminals have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from dispatch_runs import Scripted, chain, stub
from rich.cells import cell_len
from view_runs import LITERAL, as_text, held, run

from debugger.breakpoints import Side
from debugger.breakpoints.breakpoint import at_seat
from debugger.session import ArmedFault, SessionView, SetBreakpoint
from debugger.trace import DispatchTrace
from debugger.views.chain import SeatView, chain_view, idle_view, render
from debugger.views.states import LOOKS, SeatState, verdict_of
from kernel.clock import NS_PER_MS
from kernel.control import Proceed, Skip, Stop
from kernel.faults import Fault
from kernel.subscriber import Subscriber

FREE = SessionView()
FOUR: Mapping[str, Subscriber | str] = {
    "audit": stub("ack", 3), "count": stub("ack", 2), "redact": stub("+x", 1.5), "inject": "same",
}  # fmt: skip
SEATS = "audit:o count:o redact:t inject:t"
GATE = "gate:v audit:o"


def strip(trace: DispatchTrace, session: SessionView = FREE, now_ms: float | None = None, **options: int) -> list[str]:
    """The strip as text; `width` and `selected` as asked for."""
    now_ns = None if now_ms is None else round(now_ms * NS_PER_MS)
    view = chain_view(trace, session, now_ns, options.get("selected"))
    return as_text(render(view, options.get("width", 80)))


def test_a_finished_chain_at_80_columns() -> None:
    """Names, modes, states and how long each took; on the right what came of it."""
    assert strip(run(SEATS, FOUR)) == [
        " audit           count           redact          inject          │ result",
        " observe         observe         transform       transform       │ ✓ allow",
        " ✓ ok            ✓ ok            ± changed       ✓ ok            │",
        " 3.0 ms          2.0 ms          1.5 ms          0.0 ms          │",
    ]


def test_a_finished_chain_at_120_columns() -> None:
    """The same in wider cells."""
    assert strip(run(SEATS, FOUR), width=120) == [
        " audit                     count                     redact                    inject"
        "                    │ result",
        " observe                   observe                   transform                 transform"
        "                 │ ✓ allow",
        " ✓ ok                      ✓ ok                      ± changed                 ✓ ok"
        "                      │",
        " 3.0 ms                    2.0 ms                    1.5 ms                    0.0 ms"
        "                    │",
    ]  # fmt: skip


def test_a_running_subscriber_counts_its_deadline_and_the_rest_waits() -> None:
    """What is left of the deadline goes down with the clock; who waits shows the time it will have."""
    trace = run(SEATS, FOUR, until="asked count")
    assert strip(trace, now_ms=400)[1:] == [
        " observe         observe         transform       transform       │ ▶ running",
        " ✓ ok            ▶ running       ○ waiting       ○ waiting       │",
        " 3.0 ms          603 ms left     1000 ms         1000 ms         │",
    ]
    assert "0 ms left" in strip(trace, now_ms=2_000)[3].split("  "), "never below nothing"
    assert "603 ms left" not in strip(trace, now_ms=500)[3]


@pytest.mark.parametrize("side", Side)
def test_a_held_seat_says_on_which_side(side: Side) -> None:
    """The hold is the state; the verdict of the whole says held."""
    trace = run(SEATS, FOUR, until="count answered" if side is Side.AFTER else "audit is ok")
    assert strip(trace, held(trace, 1, side), selected=1) == [
        " audit          ▸count           redact          inject          │ result",
        " observe         observe         transform       transform       │ ‖ held",
        " ✓ ok            ‖ held          ○ waiting       ○ waiting       │",
        f" 3.0 ms          {side:<16}1000 ms         1000 ms         │",
    ]


@pytest.mark.parametrize(
    ("does", "state", "note"), [("deny", "⊘ denied", "0.0 ms"), ("hang", "◷ timed out", "1000 ms"),
                                ("garbage", "✗ error", "0.0 ms")],
)  # fmt: skip
def test_whoever_ends_a_chain_is_named_by_those_it_did_not_reach(does: str, state: str, note: str) -> None:
    """Denied, timed out and in error look different, and the rest of the chain says because of whom."""
    assert strip(run(GATE, {"gate": does, "audit": "ack"}, point="plan-ready")) == [
        " gate                      audit                     │ result",
        " veto                      observe                   │ ⊘ DENY",
        f" {state:<26}┄ not reached             │ by gate",
        f" {note:<26}by gate                   │",
    ]


def test_an_aborted_chain_says_what_went_wrong() -> None:
    """The error wraps into the two lines there are, at words where it can."""
    lines = strip(run("audit:o redact:t inject:t", {**FOUR, "redact": "change model"}), width=120)
    assert [line[:79] for line in lines] == [
        " audit                     redact                    inject                    ",
        " observe                   transform                 transform                 ",
        " ✓ ok                      ✗ error                   ┄ not reached             ",
        " 3.0 ms                    0.0 ms                    by redact                 ",
    ]
    assert [line[79:] for line in lines] == [
        "│ result",
        "│ ✗ ABORTED",
        "│ ErrTransformFailed: it changed model,",
        "│ and only messages may change; the chai…",
    ]


def test_a_skipped_and_a_stopped_subscriber() -> None:
    """Left out by a person, or ended with the whole dispatch: neither is anybody's mistake."""
    skipped = run(GATE, {"gate": "deny", "audit": "ack"}, point="plan-ready", control=Scripted(before_gate=Skip()))
    assert strip(skipped)[1:3] == [
        " veto                      observe                   │ ✓ allow",
        " » skipped                 ✓ ok                      │",
    ]
    stopped = run(GATE, {"gate": "deny", "audit": "ack"}, point="plan-ready", control=Scripted(before_gate=Stop()))
    lines = strip(stopped, width=120)
    assert lines[1].endswith("│ × cancelled")
    assert lines[2].startswith(" × cancelled               ┄ not reached")
    assert lines[3].startswith("                           by the caller")


def test_observers_that_were_asked_together_are_joined() -> None:
    """A double line goes on from one to the next."""
    parallel = run("A:o B:o C:t", {"A": stub("ack", 3), "B": stub("ack", 2), "C": "same"}, parallel=True)
    assert strip(parallel)[0] == " A                  ═ B                    C                    │ result"
    one_by_one = run("A:o B:o C:t", {"A": stub("ack", 3), "B": stub("ack", 2), "C": "same"})
    assert "═" not in strip(one_by_one)[0]


def test_breakpoints_and_armed_faults_have_marks() -> None:
    """On the seat that they are for; a fault that struck stays marked in its dispatch."""
    key = {name: (name, "pre-model-call", mode) for name, mode in (("count", "observe"), ("redact", "transform"))}
    fault = ArmedFault("sub:redact", Fault("hang"), seats=frozenset({key["redact"]}))
    at_count = SetBreakpoint(1, at_seat("count", "pre-model-call"), 0, frozenset({key["count"]}))
    session = SessionView(breakpoints=(at_count,), armed=(fault,))
    assert strip(run(SEATS, FOUR), session)[0] == (
        " audit           ● count         ↯ redact        inject          │ result"
    )
    both = replace(session, breakpoints=(replace(at_count, seats=frozenset({key["redact"]})),))
    assert " ●↯ redact " in strip(run(SEATS, FOUR), both)[0]
    off = replace(session, are_breakpoints_on=False, armed=())
    single = replace(session, breakpoints=(replace(at_count, breakpoint=replace(at_count.breakpoint, is_on=False)),))
    elsewhere = replace(FREE, breakpoints=(replace(at_count, seats=frozenset({("count", "plan-ready", "observe")})),))
    for none in (off, single, elsewhere):
        assert "●" not in strip(run(SEATS, FOUR), none)[0]
    left_out = replace(FREE, skipping=frozenset({key["count"]}))
    assert " » count " in strip(run(SEATS, FOUR), left_out)[0]
    struck = run(SEATS, FOUR, control=Scripted(before_count=Proceed(fault=Fault("garbage"))))
    assert " ↯ count " in strip(struck)[0]


def test_more_subscribers_than_fit_show_the_part_that_matters() -> None:
    """Around the chosen one, or the busy one, or from the start; arrows say that there is more."""
    names = [f"s{number}" for number in range(10)]
    seats = " ".join(f"{name}:o" for name in names)
    stubs: dict[str, Subscriber | str] = dict.fromkeys(names, "ack")
    trace = run(seats, stubs)
    assert strip(trace)[0] == " s0             s1             s2             s3           › │ result"
    assert strip(trace, selected=5)[0] == "‹s3             s4            ▸s5             s6           › │ result"
    assert strip(trace, selected=9)[0] == "‹s6             s7             s8            ▸s9             │ result"
    busy = run(seats, stubs, until="asked s7")
    assert strip(busy)[0] == "‹s5             s6             s7             s8           › │ result"


def test_a_chain_before_anything_was_fired() -> None:
    """Who would be asked, with which deadline; there is no result yet."""
    view = idle_view(chain("plan-ready", GATE), FREE, 1)
    assert view.title == "plan-ready"
    assert as_text(render(view, 80)) == [
        " gate                     ▸audit",
        " veto                      observe",
        " ○ waiting                 ○ waiting",
        " 1000 ms                   1000 ms",
    ]


def test_an_empty_chain_says_so() -> None:
    """Instead of an empty strip."""
    lines = strip(run("", {}))
    assert lines[0].startswith(" nobody subscribed: it passes as it is")
    assert lines[1].index("✓ allow") > lines[0].index("│ result"), "the verdict stands under its heading"


@pytest.mark.parametrize("width", [40, 80, 120, 200])
@pytest.mark.parametrize("name", LITERAL)
def test_odd_names_are_literal_and_never_wider_than_the_strip(name: str, width: int) -> None:
    """Wide characters count double, markup is text, and nothing that steers a terminal gets through."""
    trace = run("a:v b:o", {"a": "deny", "b": "ack"}, point="plan-ready")
    renamed = replace(trace.steps[0], subscription=replace(trace.steps[0].subscription, name=name))
    assert trace.result is not None
    blamed = replace(trace, steps=(renamed, trace.steps[1]), result=replace(trace.result, decided_by=name))
    lines = strip(blamed, width=width)
    assert all(cell_len(line) <= width for line in lines)
    assert not set("\x1b\u202e\t") & set("".join(lines))
    shown = {"[bold]x[/]": "[bold]x[/]", "\x1b[31mred": "␛[31mred", "日本語のなまえ": "日本語"}.get(name, "a\\u202eb␉c")
    assert shown in lines[0]
    if width >= 80:
        assert f"by {shown}" in lines[2]


def test_a_subscribers_words_in_the_result_are_literal() -> None:
    """Found by reading: a short error went to the screen as it came, escape sequences and all."""
    trace = run("a:t", {"a": "same"})
    assert trace.result is not None
    for error in ("no \x1b[31m way", "no \x1b[31m way at all, whatever you try, and this is why it is so"):
        lines = strip(replace(trace, result=replace(trace.result, error=error)), width=50)
        assert "no ␛[31m way" in " ".join(lines)
        assert "\x1b" not in "".join(lines)


def test_every_state_has_a_look_of_its_own() -> None:
    """Colour is never alone: glyphs differ as well as words."""
    assert LOOKS.keys() == set(SeatState)
    assert len({look.glyph for look in LOOKS.values()}) == len(SeatState)


def test_an_unchanged_view_is_equal() -> None:
    """So that it is not drawn again."""
    trace = run(SEATS, FOUR)
    assert chain_view(trace, FREE, None, 1) == chain_view(trace, FREE, 999, 1)
    assert chain_view(trace, FREE, None, 1) != chain_view(trace, FREE, None, 2)
    assert isinstance(chain_view(trace, FREE, None, 1).seats[0], SeatView)
    assert verdict_of(trace, is_held=False).word == "allow"
