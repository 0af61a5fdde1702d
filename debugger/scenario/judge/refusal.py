"""A configuration that is refused beside the refusal that is expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import UNSET

from debugger.scenario.document import Path
from debugger.scenario.judge.claims import Miss, miss
from debugger.scenario.load import Loaded
from debugger.scenario.refused import Refused
from kernel.values import Place


def misses(loaded: Loaded, refusals: Sequence[Refused]) -> Iterable[Miss]:
    """What of the expected refusal does not hold; of several, the first with the expected code is judged."""
    expected = loaded.scenario.config_error
    assert expected is not UNSET
    here: Path = ("config_error",)
    if not refusals:
        yield miss(loaded, here, loaded.written(here), "it was accepted")
        return
    refusal = next((each for each in refusals if each.code == expected.code), refusals[0])
    if expected.code is not UNSET and expected.code != refusal.code:
        yield miss(loaded, (*here, "code"), expected.code, f"{refusal.code or 'no code'} ({refusal.sentence})")
    if expected.message is not UNSET and expected.message not in refusal.sentence:
        yield miss(loaded, (*here, "message"), expected.message, refusal.sentence)
    if expected.at is not UNSET and not _is_at(str(expected.at), refusal.place):
        yield miss(loaded, (*here, "at"), expected.at, refusal.sentence)


def _is_at(at: str, place: Place | None) -> bool:
    """Whether `line`, `line:column`, `file:line` or `file:line:column` is the place."""
    parts = re.fullmatch(r"(?:(.*[^0-9:].*?):)?([0-9]+)(?::([0-9]+))?", at)
    if place is None or parts is None:
        return False
    file, line, column = parts.groups()
    is_file = file is None or place.file == file or place.file.endswith(f"/{file}")
    return is_file and int(line) == place.line and column in (None, str(place.column))
