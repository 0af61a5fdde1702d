"""A configuration that is refused beside the refusal that is expected."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import UNSET

from debugger.scenario.document import Path
from debugger.scenario.judge.claims import Miss, miss
from debugger.scenario.load import Loaded
from kernel.errors import BadInput
from kernel.values import Place


def misses(loaded: Loaded, refusal: BadInput | None) -> Iterable[Miss]:
    """What of the expected refusal does not hold."""
    expected = loaded.scenario.config_error
    assert expected is not UNSET
    here: Path = ("config_error",)
    if refusal is None:
        yield miss(loaded, here, loaded.written(here), "it was accepted")
        return
    said = str(refusal)
    if expected.code is not UNSET and not re.search(rf"(?:\A|: ){re.escape(expected.code)}\b", said):
        yield miss(loaded, (*here, "code"), expected.code, said)
    if expected.message is not UNSET and expected.message not in said:
        yield miss(loaded, (*here, "message"), expected.message, said)
    if expected.at is not UNSET and not _is_at(str(expected.at), refusal.place):
        yield miss(loaded, (*here, "at"), expected.at, said)


def _is_at(at: str, place: Place | None) -> bool:
    """Whether `line`, `line:column`, `file:line` or `file:line:column` is the place."""
    parts = re.fullmatch(r"(?:(.*[^0-9:].*?):)?([0-9]+)(?::([0-9]+))?", at)
    if place is None or parts is None:
        return False
    file, line, column = parts.groups()
    is_file = file is None or place.file == file or place.file.endswith(f"/{file}")
    return is_file and int(line) == place.line and column in (None, str(place.column))
