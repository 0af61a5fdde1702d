"""What a reader has written down: saved filters, the history of filters, watched expressions. And the file for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from debugger.blame import Outlines
from debugger.breakpoints import Breakpoint
from debugger.breakpoints.keeping import (
    load_breakpoints,
    load_ignored,
    load_watches,
    problem,
    save_breakpoints,
    save_ignored,
    save_watches,
)
from debugger.expressions import Expression, expression
from debugger.filters import Candidate, Completion, Seen, completion
from debugger.filters.completion import Sort
from debugger.filters.history import History, history_file
from debugger.filters.keeping import load_filters, problems, save_filters
from debugger.ignoring import Ignored, ignored
from debugger.project import PROJECT_FILE
from debugger.trace import DispatchTrace
from kernel.errors import BadInput

MOST_PAYLOADS = 40
"""Dispatches whose payloads are looked through for paths to offer, the newest."""

MOST_LEARNED = 300
"""Dispatches that are looked through for names to offer, the newest."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a project file holds that can be used, and what is wrong with the rest."""

    filters: Mapping[str, str]
    breakpoints: tuple[Breakpoint, ...]
    watches: tuple[str, ...]
    ignored: tuple[str, ...]
    unusable: tuple[Breakpoint, ...]
    problems: tuple[str, ...]


def read(file: Path) -> Kept:
    """Everything in a project file; never raises: a part that cannot be read is a problem, and the others are there."""
    found: list[str] = []
    filters: dict[str, str] = {}
    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[str, ...] = ()
    try:
        filters = load_filters(file)
        found += [f"{file}: {error}" for error in problems(filters).values()]
    except BadInput as error:
        found.append(str(error))
    try:
        breakpoints = load_breakpoints(file)
    except BadInput as error:
        found.append(str(error))
    try:
        watches = load_watches(file)
    except BadInput as error:
        found.append(str(error))
    places: tuple[str, ...] = ()
    try:
        places = load_ignored(file)
    except BadInput as error:
        found.append(str(error))
    usable, unusable = [], []
    for each in breakpoints:
        if wrong := problem(each, filters):
            unusable.append(each)
            found.append(f"{file}: the breakpoint {str(each)!r} is not set: {wrong}")
        else:
            usable.append(each)
    return Kept(filters, tuple(usable), watches, places, tuple(unusable), tuple(dict.fromkeys(found)))


class Book:
    """On the screen's loop. Reading and writing files is left to `read` and the `keep` methods, for a thread."""

    def __init__(self, configuration: Path) -> None:
        folder = configuration if configuration.is_dir() else configuration.parent
        self.file = folder / PROJECT_FILE
        self.saved: Mapping[str, str] = {}
        """Filters by name."""
        self.history = History(history_file(folder))
        """Filters that were used, in earlier runs too."""
        self.watches: tuple[Expression, ...] = ()
        self.ignored: tuple[Ignored, ...] = ()
        """Places that diffs do not look at."""
        self._unusable: tuple[Breakpoint, ...] = ()
        """In the file, broken, and not to be lost."""
        self.outlines = Outlines()
        """Of payloads that were compared to find who wrote a place."""
        self._seen = Seen()
        self._taken: set[str] = set()

    def take(self, kept: Kept) -> None:
        """Go on with what a file holds."""
        self.saved, self._unusable = kept.filters, kept.unusable
        self.watches = tuple(expression(text) for text in kept.watches)
        self.ignored = tuple(ignored(text) for text in kept.ignored)

    def learn(self, dispatches: Sequence[DispatchTrace]) -> None:
        """Look at what was seen since the last time, to have something to offer."""
        newest = dispatches[-MOST_LEARNED:]
        new = [each for each in newest if each.result is not None and each.id not in self._taken]
        for each in new:
            self._seen.take(each)
            self._taken.add(each.id)
        for each in new[-MOST_PAYLOADS:]:
            self._seen.take_payload(each.payload.view)

    def complete(self, text: str, cursor: int) -> Completion:
        """What may be written in a filter."""
        return completion(text, cursor, self._seen, self.saved)

    def complete_path(self, text: str, cursor: int) -> Completion:
        """Which places payloads had."""
        del cursor
        wanted = text.strip()
        paths = (Candidate(path, Sort.VALUE, f"seen {count}×") for path, count in self._seen.names("path"))
        return Completion(0, len(text), tuple(each for each in paths if each.text.startswith(wanted))[:50])

    def keep_filter(self, name: str, text: str) -> None:
        """Save a filter under a name, in the file too; raises BadInput."""
        filters = {**load_filters(self.file), name: text}
        save_filters(self.file, filters)
        self.saved = filters

    def keep_ignored(self) -> None:
        """Write the ignored places to the file; raises BadInput."""
        save_ignored(self.file, [each.text for each in self.ignored])

    def keep(self, breakpoints: Sequence[Breakpoint], watches: Sequence[Expression]) -> None:
        """Write breakpoints and watches to the file; raises BadInput. What was broken there stays there."""
        save_breakpoints(self.file, (*breakpoints, *self._unusable))
        save_watches(self.file, [each.text for each in watches])
