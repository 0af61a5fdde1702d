"""From one place of a trace to the next one that is wanted, round its ends. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from debugger.traces.hooks import Hook
from debugger.traces.skeleton import Skeleton


def next_error(skeleton: Skeleton, place: int, *, is_forward: bool) -> int | None:
    """The next span with an error; None where there is none at all."""
    errors = skeleton.errors
    found = errors.find(1, place + 1) if is_forward else errors.rfind(1, 0, max(0, place))
    if found < 0:
        found = errors.find(1) if is_forward else errors.rfind(1)
    return None if found < 0 else found


def next_match(
    skeleton: Skeleton, hooks: Mapping[int, Hook], needle: str, place: int, *, is_forward: bool
) -> int | None:
    """The next span that has a text in its name, its service, or in what it says of a hook chain; in small letters or
    large ones. `place` itself comes last; -1 is before the first.
    """
    wanted = needle.casefold()
    words = {word for word in {*skeleton.names, *skeleton.services} if wanted in word.casefold()}
    count = len(skeleton)
    for step in range(1, count + 1):
        at = (place + step) % count if is_forward else (place - step) % count
        if skeleton.names[at] in words or skeleton.services[at] in words:
            return at
        hook = hooks.get(at) if hooks else None
        if hook is not None and wanted in f"{hook.subscriber}\0{hook.point}\0{hook.word}".casefold():
            return at
    return None
