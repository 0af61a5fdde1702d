"""The line on top, the help page, and what could not be used: as lines. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from debugger.traces.actions import ACTIONS, EVERYWHERE, MOVING, View, keys_of, shown_in
from debugger.traces.naming import plural
from debugger.traces.seam import Standing
from debugger.views.text import Emphasis, Kind, Line, Segment, fit, visible


def standing_line(
    title: str,
    standing: Standing,
    width: int,
    *,
    about: str = "",
    unseen: int | None = None,
    is_following: bool = False,
    listed: int = 0,
) -> tuple[Segment, ...]:
    """What is open and how it stands, exactly `width` cells; `unseen` is None unless the view is frozen."""
    state, emphasis = _state(standing, unseen, is_following=is_following)
    trouble = "  ".join(_troubles(standing))
    counted = about or _counted(standing, listed)
    right = (
        *((Segment(f"  {trouble}", Emphasis.ERROR),) if trouble else ()),
        *((Segment(f"  {state}", emphasis),) if state else ()),
        Segment(" "),
    )
    room = max(0, width - sum(cell_len(each.text) for each in right))
    left = fit(f" {title}  ", min(room, cell_len(visible(title)) + 3))
    middle = fit(counted + (f"  {standing.progress}" if standing.progress else ""), room - cell_len(left))
    return Segment(left, Emphasis.STRONG), Segment(middle), *right


def _state(standing: Standing, unseen: int | None, *, is_following: bool) -> tuple[str, Emphasis]:
    if unseen is not None:
        return f"FROZEN, {unseen:,} not seen", Emphasis.HELD
    if is_following and standing.is_growing:
        return "following", Emphasis.RUNNING
    return ("growing", Emphasis.RUNNING) if standing.is_growing else ("", Emphasis.NONE)


def _troubles(standing: Standing) -> list[str]:
    found: list[str] = []
    if standing.refused:
        found.append(f"{standing.refused:,} unusable (r)")
    if standing.dropped:
        found.append(f"{standing.dropped:,} dropped")
    if standing.trouble:
        found.append("TROUBLE")
    return found


def _counted(standing: Standing, listed: int) -> str:
    some = "" if listed in (0, standing.traces) else f"{listed:,} of "
    more = "+" if standing.is_least else ""
    return f"{some}{plural(standing.traces, 'trace')}, {standing.spans:,}{more} spans"


def help_lines(view: View) -> tuple[Line, ...]:
    """The keys, those of the view in front first."""
    found: list[Line] = []
    for each in sorted(View, key=lambda other: other is not view):
        found.append(line(Segment(each.value, Emphasis.STRONG)))
        found += [_key(keys_of(action), action.help) for action in shown_in(each)]
        found.append(line())
    found.append(line(Segment("Everywhere", Emphasis.STRONG)))
    found += [_key(keys_of(action), action.help) for action in ACTIONS if action.where == EVERYWHERE]
    found += [_key(keys, does) for keys, does in MOVING]
    return tuple(found)


def line(*segments: Segment) -> Line:
    """A line of a page."""
    return Line(Kind.SAME, None, None, segments)


def _key(keys: str, does: str) -> Line:
    return line(Segment(f"  {keys:<16}", Emphasis.ACCENT), Segment(does))


def refusal_lines(refused: Sequence[str]) -> tuple[Line, ...]:
    """What could not be used, one line each."""
    if not refused:
        return (line(Segment("Everything could be used.")),)
    return tuple(line(Segment("! ", Emphasis.ERROR), Segment(visible(each))) for each in refused)
