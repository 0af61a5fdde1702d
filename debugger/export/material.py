"""What is exported: some dispatches of a recording, and the stretches around them, redacted and folded."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from debugger.redaction import EventRedactor, Redactor
from debugger.store.notes import Remark
from debugger.store.provenance import Provenance, from_rows
from debugger.store.recording import Recording, Row
from debugger.trace import DispatchTrace, StretchTrace, Trace
from kernel.dialect import Dialect
from kernel.dialects import named
from kernel.errors import BadInput
from kernel.facts import Entered, Event, Opened

LEARN_FROM = 2_000
"""Dispatches of a recording up to which secrets are looked for in all of it, also where a few are exported."""
MOST = 20_000
"""Dispatches that are folded at once."""
_NUMBERS = re.compile(r"#?([0-9]{1,9})(?:-([0-9]{1,9}))?")


@dataclass(frozen=True)
class Material:
    """Everything that a format is made from."""

    path: Path
    """The recording."""
    version: str
    """Of hookscope, when it was recorded; empty where the recording does not say it."""
    config: str
    """What was recorded, as it was named."""
    switches: Mapping[str, Mapping[str, bool]]
    """Of dialects, as they stood."""
    events: tuple[Event, ...]
    numbers: Mapping[str, int]
    """By id of a dispatch: its place in the recording, from 1."""
    total: int
    """Dispatches of the whole recording."""
    is_chosen: bool = False
    """Whether somebody chose dispatches, rather than all of them."""
    remarks: Mapping[str, Remark] = field(default_factory=dict)
    """What readers said, by the id of the dispatch."""
    redactor: Redactor | None = None
    """None where nothing was redacted, on purpose."""
    seed: str = ""
    """Something that no other recording has."""

    @property
    def source(self) -> str:
        """Name of the recording, without its folder."""
        return self.path.name

    @cached_property
    def trace(self) -> Trace:
        """Everything folded."""
        trace = Trace(sys.maxsize)
        for event in self.events:
            trace.take(event)
        return trace

    @cached_property
    def dispatches(self) -> tuple[DispatchTrace, ...]:
        """Those that are exported, in order, numbered as in the recording."""
        return tuple(replace(each, number=self.numbers[each.id]) for each in self.trace.dispatches)

    @cached_property
    def stretches(self) -> Mapping[str, StretchTrace]:
        """By id."""
        return {each.id: each for each in self.trace.stretches}

    def dialect(self, trace: DispatchTrace) -> Dialect:
        """The dialect of a dispatch, its switches as they stood."""
        return dialect_of(trace.opened.dialect, self.switches)

    @property
    def redaction(self) -> str:
        """What was replaced, in a sentence."""
        if self.redactor is None:
            return "Nothing was redacted."
        secrets = self.redactor.secrets
        return (
            f"{secrets} {'secret was' if secrets == 1 else 'secrets were'} replaced."
            if secrets
            else ("Nothing looked like a secret.")
        )


def dialect_of(name: str, switches: Mapping[str, Mapping[str, bool]]) -> Dialect:
    """A dialect with its switches thrown, as far as it still has them."""
    dialect = named(name)
    for switch, is_on in switches.get(name, {}).items():
        if switch in dialect.switches:
            dialect = dialect.switched(switch, is_on)
    return dialect


def rows(recording: Recording) -> Iterator[Row]:
    """Every dispatch in short."""
    last = 0
    while page := recording.rows(after=last):
        yield from page
        last = page[-1].number


def chosen(recording: Recording, wanted: Sequence[str]) -> list[Row]:
    """The dispatches that are meant by number, range or id; all where nobody says. Raises BadInput."""
    every = list(rows(recording))
    if not every:
        raise BadInput(f"{recording.path} holds no finished dispatch")
    if not wanted:
        return every
    found: dict[str, Row] = {}
    for each in wanted:
        fitting = [row for row in every if _is_meant(row, each)]
        if not fitting:
            known = f"1 to {every[-1].number}" if every[0].number == 1 else f"{every[0].number} to {every[-1].number}"
            raise BadInput(f"no dispatch {each!r} in {recording.path}", fix=f"its numbers are {known}; 3-7 is a range")
        found |= {row.id: row for row in fitting}
    return sorted(found.values(), key=lambda row: row.number)


def _is_meant(row: Row, wanted: str) -> bool:
    if row.id == wanted:
        return True
    numbers = _NUMBERS.fullmatch(wanted)
    if numbers is None:
        return len(wanted) >= 6 and row.id.startswith(wanted)
    first = int(numbers[1])
    return first <= row.number <= int(numbers[2] or first)


def gathered(
    recording: Recording, wanted: Sequence[str], redactor: Redactor | None, *, takes_received: bool = False
) -> Material:
    """The material for an export; raises BadInput for dispatches that there are not.

    `takes_received`: whether the spans that the recording was sent are exported too. They may be all that it holds.
    """
    then = _provenance(recording)
    has_received = takes_received and not wanted and _learn_received(recording, redactor)
    meant = [] if has_received and not len(recording) else chosen(recording, wanted)
    total = len(recording)
    if len(meant) > MOST:
        raise BadInput(
            f"{len(meant)} dispatches are more than one file should hold",
            fix=f"choose up to {MOST} of them, such as --dispatch 1-{MOST}",
        )
    events = list(_events(recording, meant, is_all=len(meant) == total))
    about = {"version": then.version, "config": then.config}
    if redactor is not None:
        learnt = recording.events() if total <= LEARN_FROM else iter(events)
        events = _redacted(events, learnt, about, redactor)
    ids = {row.id for row in meant}
    remarks = {name: each for name, each in recording.remarks().items() if name in ids}
    if redactor is not None:
        remarks = {name: replace(each, text=redactor.text(each.text, "note")) for name, each in remarks.items()}
    return Material(
        recording.path,
        about["version"],
        about["config"],
        {then.dialect: then.switches},
        tuple(events),
        {row.id: row.number for row in meant},
        total,
        is_chosen=bool(wanted),
        remarks=remarks,
        redactor=redactor,
        seed=f"{meant[0].id} {meant[0].wall_ns}" if meant else "",
    )


def _learn_received(recording: Recording, redactor: Redactor | None) -> bool:
    """Let secrets be learnt from the spans that a recording was sent; whether there are any."""
    from debugger.otlp import redacting  # only for those who export spans
    from debugger.otlp.span_reader import SpanReader

    with SpanReader(recording.path) as reader:
        if redactor is not None:
            for _ in redacting.redacted(reader.spans(), redactor):
                pass
        return bool(len(reader))


def _redacted(
    events: Iterable[Event], learnt: Iterable[Event], about: dict[str, str], redactor: Redactor
) -> list[Event]:
    """The events without secrets, and what is told about the recording."""
    redacting = EventRedactor(redactor)
    for event in learnt:
        redacting.event(event)
    redacting.settle()
    for key, text in about.items():
        about[key] = redactor.text(text, "configuration")
    return [redacting.event(event) for event in events]


def _provenance(recording: Recording) -> Provenance:
    try:
        return from_rows(recording.about, str(recording.path))
    except BadInput:
        return Provenance("", "", "", {}, {})  # one that does not say where it comes from can be shown all the same


def _events(recording: Recording, meant: Sequence[Row], *, is_all: bool) -> Iterator[Event]:
    """Everything that was told of these dispatches, and of the stretches around them."""
    if is_all:
        yield from recording.events()
        return
    around: dict[str, None] = {}
    for row in meant:
        path, here = [], row.parent
        while here and here not in around and here not in path:
            first = next(recording.events(here), None)
            path.append(here)
            here = first.fact.parent if first is not None and isinstance(first.fact, Entered | Opened) else ""
        around |= dict.fromkeys(reversed(path))
    ids = {row.id for row in meant}
    for stretch in around:
        if stretch not in ids:
            told = list(recording.events(stretch))
            if told and isinstance(told[0].fact, Entered):
                yield from told
    for row in meant:
        yield from recording.events(row.id)
