"""The line on top: what is open, how it stands, what is held and for how long, what is armed. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.choosing import Choosing
from debugger.session import SessionView
from debugger.views.text import Emphasis

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class HeaderView:
    """What the header says."""

    title: str
    state: str
    state_emphasis: Emphasis
    clock: str = ""
    alarm: str = ""
    """Something that must not be overlooked."""


def header_view(title: str, seen: SessionView, choosing: Choosing, now_ns: int) -> HeaderView:
    """The header at a moment on the session's clock."""
    if not seen.is_started:
        return HeaderView(title, "starting the subscribers ...", Emphasis.RUNNING)
    held = choosing.hold(seen) or (seen.holds[0] if seen.holds else None)
    armed = len(seen.armed)
    alarm = f"↯ {armed} fault{'s' if armed > 1 else ''} armed" if armed else ""
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
    gone = [each.name for each in seen.health if not each.is_alive]
    state = f"✗ not running: {', '.join(gone)}" if gone else "ready"
    return HeaderView(title, state, Emphasis.ERROR if gone else Emphasis.DIM, alarm=alarm)
