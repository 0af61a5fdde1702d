"""How long a diff of two payloads takes, beside the plainest thing that could work.

Run it with `python -m bench.diff_bench`.
"""

from __future__ import annotations

import copy
import json
import random
import statistics
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from debugger.diff import diff
from debugger.views.diff_lines import unified

JSON: TypeAlias = Any
Row: TypeAlias = tuple[str, float, float, float]
"""Name, our milliseconds, the floor's, and the most we allow ourselves."""

_WORDS_PER_MESSAGE = 40
_SIZES = (("2 KB", 2_000, 2.0), ("100 KB", 100_000, 10.0), ("1 MB", 1_000_000, 150.0))


def rows(*, rounds: int = 15) -> list[Row]:
    """Medians for payloads with 1 % of their messages edited and one inserted in front."""
    measured: list[Row] = []
    for size, characters, target in _SIZES:
        for manner, with_ids in (("ids", True), ("no ids", False)):
            before = payload(characters, with_ids=with_ids)
            after = edited(before)
            ours, floor = _medians(rounds, lambda: diff(before, after), lambda: plain_diff(before, after))  # noqa: B023
            measured.append((f"diff {size}, {manner}", ours, floor, target))
        drawn, floor = _medians(
            rounds,
            lambda: unified(before, after, diff(before, after)),  # noqa: B023
            lambda: plain_diff(before, after),  # noqa: B023
        )
        measured.append((f"diff and draw {size}", drawn, floor, target))
    return measured


def payload(characters: int, *, with_ids: bool) -> JSON:
    """A model request of about so many characters."""
    rng = random.Random(characters)
    vocabulary = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(3000)]
    count = max(4, characters // 320)
    messages = [_message(number, " ".join(rng.choices(vocabulary, k=_WORDS_PER_MESSAGE))) for number in range(count)]
    if not with_ids:
        for message in messages:
            del message["id"]
    return {"messages": messages, "model": {"name": "some-model", "temperature": 0.7}}


def edited(before: JSON) -> JSON:
    """The same with a word exchanged in 1 % of the messages, and a message more."""
    after = copy.deepcopy(before)
    messages = after["messages"]
    for message in messages[:: max(1, min(100, len(messages) - 1))]:
        block = message["content"][0]["text"]
        words = block["text"].split(" ")
        words[len(words) // 2] = "[REDACTED]"
        block["text"] = " ".join(words)
    first = _message(-1, "Prefer British spelling.")
    if "id" not in messages[0]:
        del first["id"]
    messages.insert(0, first)
    return after


def plain_diff(before: JSON, after: JSON, path: tuple[str | int, ...] = ()) -> list[tuple[Any, ...]]:
    """The floor: equal ends trimmed, the rest of a list aligned by `difflib`, what it replaces paired by position."""
    if isinstance(before, dict) and isinstance(after, dict):
        found: list[tuple[Any, ...]] = [("-", (*path, key)) for key in before.keys() - after.keys()]
        found += [("+", (*path, key)) for key in after.keys() - before.keys()]
        for key in before.keys() & after.keys():
            found += plain_diff(before[key], after[key], (*path, key))
        return found
    if isinstance(before, list) and isinstance(after, list):
        return _plain_list_diff(before, after, path)
    return [] if before == after and type(before) is type(after) else [("~", path, before, after)]


def _plain_list_diff(before: list[JSON], after: list[JSON], path: tuple[str | int, ...]) -> list[tuple[Any, ...]]:
    old, new = ([json.dumps(item, sort_keys=True) for item in items] for items in (before, after))
    head, tail = 0, 0
    shorter = min(len(old), len(new))
    while head < shorter and old[head] == new[head]:
        head += 1
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    found: list[tuple[Any, ...]] = []
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        paired = min(i_end - i, j_end - j)
        for step in range(paired):
            found += plain_diff(before[head + i + step], after[head + j + step], (*path, head + j + step))
        found += [("-", (*path, head + at)) for at in range(i + paired, i_end)]
        found += [("+", (*path, head + at)) for at in range(j + paired, j_end)]
    return found


def _message(number: int, text: str) -> JSON:
    role = ("user", "assistant")[number % 2]
    return {"role": role, "content": [{"text": {"text": text}}], "id": f"m{number}"}


def _medians(rounds: int, ours: Callable[[], object], floor: Callable[[], object]) -> tuple[float, float]:
    """Both in milliseconds, taken in turn so that a busy moment falls on both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for act, taken in ((ours, times[0]), (floor, times[1])):
            start = time.perf_counter_ns()
            act()
            taken.append((time.perf_counter_ns() - start) / 1e6)
    return statistics.median(times[0]), statistics.median(times[1])


def main() -> None:
    """Print the rows as a table."""
    print(f"{'':24}{'ours ms':>10}{'floor ms':>10}{'ratio':>8}{'target ms':>11}")
    for name, value, floor, target in rows():
        print(f"{name:24}{value:10.3f}{floor:10.3f}{value / floor:8.2f}{target:11.0f}")


if __name__ == "__main__":
    main()
