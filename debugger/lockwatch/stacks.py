"""Reads what faulthandler writes of all threads, one dump after another. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

Stack: TypeAlias = tuple[str, ...]
"""`file:line in function`, outermost first."""
Dump: TypeAlias = Mapping[int, Stack]
"""Where each thread was, by its identity."""

_DUMP: Final = re.compile(r"^Timeout \(.*\)!$", re.MULTILINE)
_THREAD: Final = re.compile(r"^(?:Current thread|Thread) 0x(?P<thread>[0-9a-f]+).*$", re.MULTILINE)
_FRAME: Final = re.compile(r'^  File "(?P<file>.*)", line (?P<line>[0-9]+) in (?P<function>.*)$', re.MULTILINE)


def dumps(written: str) -> tuple[Dump, ...]:
    """Every dump in what was written; the last one may be cut short."""
    return tuple(_dump(each) for each in _DUMP.split(written)[1:])


def _dump(text: str) -> dict[int, Stack]:
    heads = list(_THREAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
    return {int(head["thread"], 16): _stack(text[head.end() : end]) for head, end in zip(heads, ends, strict=True)}


def _stack(text: str) -> Stack:
    frames = [f"{each['file']}:{each['line']} in {each['function']}" for each in _FRAME.finditer(text)]
    return tuple(reversed(frames))


def inside(stack: Stack, file: str) -> Stack:
    """The part of a stack that was called from a file; all of it where that is not in it."""
    last = max((place for place, frame in enumerate(stack) if frame.startswith(f"{file}:")), default=-1)
    return stack[last + 1 :]


def has_stood_still(seen: Sequence[Dump], thread: int) -> bool:
    """Whether a thread was at the same place in the last two dumps: one that is busy would have moved on."""
    if len(seen) < 2:
        return False
    before, now = (dump.get(thread) for dump in seen[-2:])
    return now is not None and before == now
