"""What is drawn over a screen that cannot draw itself: a box, as bytes for the terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

from rich.cells import cell_len, set_cell_size

from debugger.stuck import clock, own_part, place_of
from debugger.views.text import visible
from kernel.transports.callback_threads import Stuck

MOST_WIDTH: Final = 76
MOST_FRAMES: Final = 5
MOST_NAMED: Final = 3
_COLOURS: Final = "\x1b[0;1;38;2;255;255;255;48;2;135;20;35m"
_PLAIN: Final = "\x1b[0;7m"
_TITLE: Final = " hookscope cannot draw "


def lines(suspects: Sequence[Stuck]) -> tuple[str, ...]:
    """What is in the box. One of several suspects holds the lock: which one cannot be seen from outside."""
    return tuple(map(visible, _lines(suspects)))


def _lines(suspects: Sequence[Stuck]) -> Iterator[str]:
    if len(suspects) > 1:
        yield f"One of {len(suspects)} callables holds Python's lock:"
    for each in suspects[:MOST_NAMED]:
        asked = f" ({each.phase})" if each.phase else ""
        place = place_of(each.stack)
        where = f" in {place}" if place else ""
        if len(suspects) == 1:
            yield f"{each.subscriber}{asked} has held Python's lock for {clock(each.for_ns)}{where}"
        else:
            yield f"{each.subscriber}{asked}, running for {clock(each.for_ns)}{where}"
    if len(suspects) == 1:
        for frame in own_part(suspects[0].stack)[-MOST_FRAMES:]:
            yield f"  {_short(frame)}"
    if len(suspects) > MOST_NAMED:
        yield f"and {len(suspects) - MOST_NAMED} more"
    yield ""
    yield "The screen goes on by itself once that comes back."
    yield "ctrl+c ends hookscope; what is recorded stays. No other key is kept."


def drawn(content: Sequence[str], width: int, height: int, *, has_colours: bool) -> bytes:
    """The box in the middle of a terminal of so many cells; the cursor stays where it was."""
    inner = min(MOST_WIDTH, max(cell_len(each) for each in (*content, _TITLE)), width - 4)
    if inner < 1 or height < 3:
        return b""
    shown = content[: height - 2]
    box = [
        "╭" + set_cell_size("─" + _TITLE + "─" * inner, inner + 2) + "╮",
        *(f"│ {set_cell_size(each, inner)} │" for each in shown),
        "╰" + "─" * (inner + 2) + "╯",
    ]
    top, left = (height - len(box)) // 2 + 1, (width - inner - 4) // 2 + 1
    style = _COLOURS if has_colours else _PLAIN
    rows = "".join(f"\x1b[{top + row};{left}H{style}{text}" for row, text in enumerate(box))
    return f"\x1b7{rows}\x1b[0m\x1b8".encode()


def _short(frame: str) -> str:
    file, colon, rest = frame.partition(":")
    return f"{PurePath(file).name}{colon}{rest}"
