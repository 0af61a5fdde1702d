"""The line on top: what is open, how it stands, what is held and for how long, what is armed. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from debugger.choosing import Choosing
from debugger.scrubbing import Scrub, in_words
from debugger.session import SessionView
from debugger.store.origin import Origin
from debugger.store.recording import Standing
from debugger.views.states import AGAIN
from debugger.views.text import Emphasis

NS_PER_S = 1_000_000_000
RECORDED = "RECORDED"


@dataclass(frozen=True, slots=True)
class HeaderView:
    """What the header says."""

    title: str
    state: str
    state_emphasis: Emphasis
    clock: str = ""
    alarm: str = ""
    """Something that must not be overlooked."""


def header_view(title: str, seen: SessionView, choosing: Choosing, now_ns: int, gone: int = 0) -> HeaderView:
    """The header at a moment on the session's clock. `gone` dispatches are not in the recording any more."""
    if not seen.is_started:
        return HeaderView(title, "starting the subscribers ...", Emphasis.RUNNING)
    held = choosing.hold(seen) or (seen.holds[0] if seen.holds else None)
    armed = len(seen.armed)
    alarm = f"↯ {armed} fault{'s' if armed > 1 else ''} armed" if armed else ""
    if gone:
        alarm += f"{'  ' if alarm else ''}{gone:,} gone from the recording"
    if held is not None:
        elsewhere = len({hold.dispatch for hold in seen.holds}) - 1
        state = f"‖ PAUSED {held.side} {held.subscriber}" + (f" (+{elsewhere} held)" if elsewhere else "")
        seconds = (now_ns - held.since_ns) // NS_PER_S
        word = "time runs" if seen.does_time_run else "clock held"
        return HeaderView(title, state, Emphasis.HELD, f"{word} {seconds // 60}:{seconds % 60:02}", alarm)
    if seen.askings:
        subject = seen.askings[0].question.subject
        return HeaderView(title, f"? asks: may {subject} run", Emphasis.HELD, "a answers", alarm)
    if seen.is_playing:
        return HeaderView(title, "▶ playing the session", Emphasis.RUNNING, alarm=alarm)
    if seen.states:
        return HeaderView(title, "▶ running", Emphasis.RUNNING, alarm=alarm)
    return HeaderView(title, *_standing(seen), alarm=alarm)


def _standing(seen: SessionView) -> tuple[str, Emphasis]:
    """How those who are asked are, in a host's own words where it starts them again by itself."""
    gone = [each.name for each in seen.health if not each.is_alive]
    again = [f"{each.name} {each.state} ({each.restart_count}{AGAIN})" for each in seen.health if each.restart_count]
    if not gone:
        return (", ".join(again), Emphasis.HELD) if again else ("ready", Emphasis.DIM)
    words = [f"✗ not running: {', '.join(gone)}", *again]
    return "; ".join(words), Emphasis.ERROR


@dataclass(frozen=True, slots=True)
class RecordedState:
    """What there is to say of a recording that is open."""

    title: str
    standing: Standing | None
    """None while it is being read."""
    scrub: Scrub | None = None
    """Where one stands inside the chosen dispatch, if one does."""
    origin: Origin = field(default_factory=Origin)
    is_growing: bool = False
    """Whether somebody is still writing it."""


def recorded_view(state: RecordedState) -> HeaderView:
    """The header over a recording: that nobody runs, where one stands, what has changed since, what is not there."""
    if state.standing is None:
        return HeaderView(state.title, "reading the recording ...", Emphasis.RUNNING)
    words = f"{RECORDED}, being written" if state.is_growing else RECORDED
    clock, scrub = "", state.scrub
    if scrub is not None and (scrub.is_playing or not scrub.is_at_end):
        words = f"{RECORDED} {'▶' if scrub.is_playing else '‖'} {in_words(scrub.last.fact)}"
        clock = f"fact {scrub.told}/{len(scrub.events)} ×{scrub.speed:g}"
    alarms = []
    if state.origin.differences:
        alarms.append(f"{len(state.origin.differences)} changed since: N")
    if state.standing.dropped:
        alarms.append(f"{state.standing.dropped} dropped by a cap")
    return HeaderView(state.title, words, Emphasis.ACCENT, clock, "  ".join(alarms))
