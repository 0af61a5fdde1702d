"""Callables that do not come back: who, where and for how long, in words, and a watch over them. Decides nothing."""

from __future__ import annotations

import asyncio
import os
import re
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Final, TypeAlias

import kernel
from kernel.transports.callback_threads import Stuck

NS_PER_S: Final = 1_000_000_000
_FRAME: Final = re.compile(r"(?P<file>.+?):(?P<line>[0-9]+) in (?P<function>[^:]*)(?:: (?P<text>.*))?", re.DOTALL)
_OTHERS: Final = ("<frozen ", *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")))
"""How files begin that nobody who is stuck has written."""
_KERNEL: Final = f"{PurePath(kernel.__file__).parent}{os.sep}"
LONG_NS: Final = 3 * NS_PER_S
"""Who has been running for longer counts as stuck."""
VERY_LONG_NS: Final = 30 * NS_PER_S
"""After which it is said again, where nobody sees a screen."""
LOOK_S: Final = 0.5
"""How often it is looked."""

Look: TypeAlias = Callable[[int], tuple[Stuck, ...]]
"""Gives who has been running for longer than so many nanoseconds: `Host.stuck`."""
_Call: TypeAlias = tuple[str, str, str, int]


def clock(ns: int) -> str:
    """Minutes and seconds."""
    seconds = max(0, ns) // NS_PER_S
    return f"{seconds // 60}:{seconds % 60:02}"


def own_part(stack: Sequence[str]) -> tuple[str, ...]:
    """A stack without the way through our kernel by which the callable was called; whole where that is all of it."""
    first = next((place for place, each in enumerate(stack) if not each.startswith(_KERNEL)), 0)
    return tuple(stack[first:])


def place_of(stack: Sequence[str]) -> str:
    """`budget.py:12`: the innermost line of a stack that is not of a library, or the innermost one; empty for none."""
    frames = [found for each in stack if (found := _FRAME.fullmatch(each)) is not None]
    own = [each for each in frames if not each["file"].startswith(_OTHERS)]
    if not frames:
        return ""
    innermost = (own or frames)[-1]
    return f"{PurePath(innermost['file']).name}:{innermost['line']}"


def where_of(stuck: Stuck) -> str:
    """` in budget.py:12`, as far as that is known."""
    place = place_of(stuck.stack)
    return f" in {place}" if place else ""


def in_short(stuck: Stuck) -> str:
    """`budget stuck 0:05 in budget.py:12`; literally, to be made visible."""
    return f"{stuck.subscriber} stuck {clock(stuck.for_ns)}{where_of(stuck)}"


def sentence(stuck: Stuck) -> str:
    """The same for people who read line by line; literally, to be made visible."""
    asked = f" ({stuck.phase})" if stuck.phase else ""
    still = ", although its dispatch has given up on it" if stuck.is_abandoned else ""
    return f"{stuck.subscriber}{asked} has been stuck for {clock(stuck.for_ns)}{where_of(stuck)}{still}"


class Once:
    """Keeps what was said of whom, so that each thing is said once."""

    def __init__(self) -> None:
        self._said: set[tuple[_Call, int]] = set()

    def news(self, stuck: Iterable[Stuck], *after_ns: int) -> Iterator[Stuck]:
        """Those that have passed one of these durations since it was last asked; each once for each."""
        now = {(_call(each), limit): each for each in stuck for limit in after_ns if each.for_ns >= limit}
        fresh = {call: each for (call, limit), each in now.items() if (call, limit) not in self._said}
        self._said = set(now)  # who came back is forgotten
        yield from fresh.values()


def _call(stuck: Stuck) -> _Call:
    return stuck.subscriber, stuck.phase, stuck.dispatch, stuck.since_ns


async def narrate(look: Look, tell: Callable[[str], None]) -> None:
    """Tell of everybody who is stuck, and again when it has lasted very long. Until it is cancelled."""
    once = Once()
    while True:
        for each in once.news(look(LONG_NS), LONG_NS, VERY_LONG_NS):
            tell(sentence(each))
        await asyncio.sleep(LOOK_S)
