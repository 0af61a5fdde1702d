"""How long a diff of two payloads takes, beside the plainest thing that could work."""

from __future__ import annotations

import copy
import json
import random
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from bench.measure import Absolute, Row, interleaved, row, stopwatch
from debugger.diff import diff
from debugger.views.diff_lines import unified

JSON: TypeAlias = Any

_WORDS_PER_MESSAGE = 40
_SIZES = (("2 KB", 2_000, 2.0), ("100 KB", 100_000, 10.0), ("1 MB", 1_000_000, 150.0))


def rows(*, rounds: int = 15) -> list[Row]:
    """Milliseconds for payloads with 1 % of their messages edited and one inserted in front."""
    measured: list[Row] = []
    for size, characters, target in _SIZES:
        for manner, with_ids in (("ids", True), ("no ids", False)):
            before = payload(characters, with_ids=with_ids)
            after = edited(before)
            ours, floor = interleaved(
                rounds,
                stopwatch(lambda: diff(before, after)),  # noqa: B023
                stopwatch(lambda: plain_diff(before, after)),  # noqa: B023
            )
            measured.append(row(f"diff {size}, {manner}", "ms", ours, floor, Absolute(target)))
        drawn, floor = interleaved(
            rounds,
            stopwatch(lambda: unified(before, after, diff(before, after))),  # noqa: B023
            stopwatch(lambda: plain_diff(before, after)),  # noqa: B023
        )
        measured.append(row(f"diff and draw {size}", "ms", drawn, floor, Absolute(target)))
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
