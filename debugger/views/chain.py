"""The chain strip: every seat of one dispatch with its state, from left to right. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.session import SessionView, key_of
from debugger.trace import DispatchTrace, StepTrace
from debugger.views import forks
from debugger.views.states import AGAIN, LOOKS, SeatState, Verdict, duration, duty_of, state_of, verdict_of
from debugger.views.text import Emphasis, Kind, Line, Segment, fit, visible, wrap
from kernel.clock import NS_PER_MS
from kernel.values import Chain

MIN_CELL, MAX_CELL = 15, 26
RESULT_CELL = 14


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat as it is drawn."""

    name: str
    mode: str
    state: SeatState
    note: str
    """How long it took, what is left of its deadline, or because of whom it is not reached."""
    has_breakpoint: bool = False
    is_armed: bool = False
    is_selected: bool = False
    joins_next: bool = False
    """Whether it is asked together with the next one."""
    is_edited: bool = False
    """Whether somebody edited what it was asked or what it answered, or is about to."""
    is_delivered_again: bool = False
    """Whether it was asked more than once, since it had to be started again."""
    is_left_out: bool = False
    """Whether it is skipped in every dispatch to come."""


@dataclass(frozen=True, slots=True)
class ChainView:
    """A chain strip. Compares by content, so an unchanged strip is not drawn again."""

    title: str
    seats: tuple[SeatView, ...]
    verdict: Verdict | None
    detail: str = ""
    """What the verdict rests on: who decided, what went wrong."""


def chain_view(trace: DispatchTrace, session: SessionView, now_ns: int | None, selected: int | None) -> ChainView:
    """The strip of a dispatch; `now_ns` is the present on its clock while it is under way."""
    overlapping = _overlaps(trace)
    seats = tuple(
        _seat(trace, step, session, now_ns, is_selected=step.step == selected, joins=step.step in overlapping)
        for step in trace.steps
    )
    is_held = session.hold_of(trace.id) is not None
    result = trace.result
    detail = "" if result is None else result.error or (f"by {result.decided_by}" if result.decided_by else "")
    title = " ".join(filter(None, (f"{trace.point} #{trace.number}", forks.in_short(trace), forks.back(trace))))
    return ChainView(title, seats, verdict_of(trace, is_held), detail)


def idle_view(chain: Chain, session: SessionView, selected: int | None) -> ChainView:
    """The strip of a chain that nothing was fired at yet."""
    seats = tuple(
        SeatView(
            seat.name,
            seat.mode,
            SeatState.WAITING,
            "" if seat.timeout_ms is None else f"{seat.timeout_ms} ms",
            session.has_breakpoint(seat),
            any(each.befalls(seat) for each in session.armed),
            place == selected,
            is_left_out=key_of(seat) in session.skipping,
        )
        for place, seat in enumerate(chain.subscriptions)
    )
    return ChainView(chain.point, seats, None)


def _overlaps(trace: DispatchTrace) -> frozenset[int]:
    """Steps that were still being asked when the next one was."""
    found = set()
    for step, late in zip(trace.steps, trace.steps[1:], strict=False):
        if step.asked_at_ns is None or late.asked_at_ns is None:
            continue
        if step.replied_at_ns is None or late.asked_at_ns < step.replied_at_ns:
            found.add(step.step)
    return frozenset(found)


def _seat(
    trace: DispatchTrace, step: StepTrace, session: SessionView, now_ns: int | None, *, is_selected: bool, joins: bool
) -> SeatView:
    hold = session.hold_of(trace.id, step.step)
    state = state_of(step, hold)
    name = step.subscription.name
    is_hit = any(steered.what == "fault" for steered in step.steered)
    return SeatView(
        name,
        _duty(trace, step),
        state,
        f"{hold.side}" if hold is not None else _note(step, state, now_ns),
        session.has_breakpoint(step.subscription),
        is_hit or any(each.befalls(step.subscription) for each in session.armed),
        is_selected,
        joins,
        step.is_edited or (hold is not None and hold.is_edited),
        bool(step.deliveries),
        key_of(step.subscription) in session.skipping,
    )


def _duty(trace: DispatchTrace, step: StepTrace) -> str:
    """The mode, and what exactly is asked for where that says more; of a further question that alone."""
    duty = duty_of(trace, step)
    return f"{duty} · {step.phase}" if step.phase and step.phase != duty else duty


def _note(step: StepTrace, state: SeatState, now_ns: int | None) -> str:
    match state:
        case SeatState.RUNNING if now_ns is not None and step.asked_at_ns is not None:
            spent_ms = (now_ns - step.asked_at_ns) / NS_PER_MS
            if step.timeout_ms is None:
                return f"{spent_ms:.0f} ms"
            return f"{max(0.0, step.timeout_ms - spent_ms):.0f} ms left"
        case SeatState.WAITING:
            return "" if step.subscription.timeout_ms is None else f"{step.subscription.timeout_ms} ms"
        case SeatState.NOT_REACHED if step.not_reached is not None:
            return f"by {step.not_reached.because_of}"
        case _ if step.deliveries and step.took_ns is not None:
            return f"{duration(step.took_ns)}, asked {len(step.deliveries)}×"
        case _:
            return "" if step.took_ns is None else duration(step.took_ns)


def render(view: ChainView, width: int) -> tuple[tuple[Segment, ...], ...]:
    """The strip as four lines of cells: names, modes, states, notes. Shows the part around what matters."""
    cell = max(MIN_CELL, min(MAX_CELL, (width - RESULT_CELL - 2) // max(1, len(view.seats))))
    room = max(1, (width - RESULT_CELL - 2) // cell)
    first = _first_shown(view, room)
    shown = view.seats[first : first + room]
    lines: tuple[list[Segment], ...] = ([], [], [], [])
    for place, seat in enumerate(shown):
        more_left = place == 0 and first > 0
        more_right = place == len(shown) - 1 and first + room < len(view.seats)
        _draw(lines, seat, cell, more_left=more_left, more_right=more_right)
    if not view.seats:
        lines[0].append(Segment(fit(" nobody subscribed: it passes as it is", cell * 2), Emphasis.DIM))
        for line in lines[1:]:
            line.append(Segment(" " * cell * 2))
    if view.verdict is not None:
        used = len(shown) * cell if view.seats else cell * 2
        last = width - used - 2
        lines[0].append(Segment(" │ result", Emphasis.DIM))
        lines[1].append(Segment(" │ ", Emphasis.DIM))
        lines[1].append(Segment(fit(f"{view.verdict.glyph} {view.verdict.word}", last), view.verdict.emphasis))
        for line, words in zip(lines[2:], _wrapped(view.detail, last - 1), strict=True):
            line.append(Segment(" │ ", Emphasis.DIM))
            line.append(Segment(words, Emphasis.DIM))
    return tuple(tuple(line) for line in lines)


def _wrapped(words: str, width: int) -> tuple[str, str]:
    """The first two lines of a text."""
    first, *rest = wrap(Line(Kind.SAME, None, None, (Segment(visible(words)),)), width)
    return first.text, fit("".join(line.text for line in rest), width)


def _first_shown(view: ChainView, room: int) -> int:
    busy = [place for place, seat in enumerate(view.seats) if seat.state in (SeatState.HELD, SeatState.RUNNING)]
    chosen = [place for place, seat in enumerate(view.seats) if seat.is_selected]
    focus = (chosen or busy or [0])[0]
    return max(0, min(focus - room // 2, len(view.seats) - room))


def _draw(lines: tuple[list[Segment], ...], seat: SeatView, width: int, *, more_left: bool, more_right: bool) -> None:
    look = LOOKS[seat.state]
    signs = (
        ("●", seat.has_breakpoint),
        ("↯", seat.is_armed),
        ("✎", seat.is_edited),
        (AGAIN, seat.is_delivered_again),
        ("»", seat.is_left_out),
    )
    marks = "".join(sign for sign, is_there in signs if is_there)
    pointer = "‹" if more_left else "▸" if seat.is_selected else " "
    tail = " ›" if more_right else " ═" if seat.joins_next else "  "
    room = width - 1 - 2
    name = Emphasis.SELECTED if seat.is_selected else Emphasis.STRONG
    lines[0].append(Segment(pointer, Emphasis.STRONG))
    if marks:
        lines[0].append(Segment(marks + " ", Emphasis.ERROR))
        room -= len(marks) + 1
    lines[0].append(Segment(fit(seat.name, room), name))
    lines[0].append(Segment(tail, Emphasis.DIM))
    lines[1].append(Segment(" " + fit(seat.mode, width - 1), Emphasis.DIM))
    lines[2].append(Segment(" " + fit(f"{look.glyph} {seat.state}", width - 1), look.emphasis))
    lines[3].append(
        Segment(" " + fit(seat.note, width - 1), look.emphasis if seat.state is SeatState.HELD else Emphasis.DIM)
    )
