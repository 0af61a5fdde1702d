"""Everything that is wrong with a set file, at once. The checks are those of loading; nobody's code is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from kernel.dialects.rig.codes import problem
from kernel.dialects.rig.config import chains, file_of
from kernel.dialects.rig.operation import Operation, is_operation
from kernel.dialects.rig.seats import AROUND
from kernel.dialects.rig.set_file import Entry, SetFile, check, read, text_of
from kernel.errors import BadInput
from kernel.problems import Problem, Report
from kernel.values import JSON


def check_setup(path: Path, options: Mapping[str, JSON] = MappingProxyType({})) -> Report:
    """The report on a set file, or on the one of a folder; raises BadInput when there is nothing to look at."""
    for name in options:
        raise BadInput(f"no option {name!r}: a set file is read in one way")
    file = file_of(path)
    text = text_of(file)
    problems: list[Problem] = []
    found = read(text, str(file), problems.append)
    is_read = not problems
    check(found, file.parent, problems.append)
    if is_read:
        problems += _advice(found)
    lines = text.split("\n")
    told = sorted((_told(each, lines) for each in problems), key=_order)
    shown = {
        (each.place.file, each.place.line): lines[each.place.line - 1].rstrip("\r")
        for each in told
        if each.place is not None and each.place.line <= len(lines)
    }
    return Report(tuple(dict.fromkeys(told)), chains(found, file.parent), shown)


def _advice(found: SetFile) -> Iterator[Problem]:
    if not found.entries:
        yield problem("empty", "this set does nothing: it has neither guards nor arounds", found.revision_place)
    seen: dict[tuple[str, int, str], Entry] = {}
    for entry in found.entries:
        key = (entry.mode, entry.operation, entry.target)
        is_known = is_operation(entry.operation)  # two names of nothing are not the same operation
        if entry.target and is_known and key in seen:
            first = seen[key].place.line
            said = f"{entry.target} takes part in {Operation(entry.operation).label} twice"
            yield problem("twice", said, entry.place, fix=f"see line {first}")
        seen.setdefault(key, entry)
        if entry.mode == AROUND and entry.operation == Operation.JOURNAL_APPEND:
            said = "with an around on JournalAppend the host no longer sees that its journal can append idempotently"
            yield problem("journal", said, entry.operation_place)


def _told(each: Problem, lines: list[str]) -> Problem:
    """A problem that knows how much of its line is meant."""
    if each.place is None or each.length > 1 or each.place.line > len(lines):
        return each
    rest = lines[each.place.line - 1][each.place.column - 1 :].rstrip()
    return replace(each, length=max(1, len(rest)))


def _order(each: Problem) -> tuple[int, int]:
    return (0, 0) if each.place is None else (each.place.line, each.place.column)
