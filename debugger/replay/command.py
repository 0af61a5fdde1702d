"""`hookscope replay` and `hookscope diff`: recordings run again, and compared. Give the exit code."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import msgspec

from debugger.comparing import Comparison, compare
from debugger.covering import covered_events_of
from debugger.ignoring import ignored
from debugger.printing import print_lines, say
from debugger.project import PROJECT_FILE
from debugger.replay import told
from debugger.replay.exact import Divergence, replay
from debugger.replay.live import run_again
from debugger.starting import started
from debugger.store.provenance import Provenance, differences, from_rows, provenance
from debugger.store.recording import Recording, Row
from debugger.trace import DispatchTrace
from debugger.views import compared
from debugger.views.text import visible
from kernel.clock import Caller
from kernel.dialect import Dialect
from kernel.dialects import load_setup, named
from kernel.errors import BadInput
from kernel.host import Host
from kernel.setup import Setup
from kernel.subscriber import Call
from kernel.values import JSON, Chain, Crashed, Outcome


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    recording: Path
    version: str
    live: tuple[str, ...] = ()
    """Who is asked for real; nobody for an exact replay."""
    is_everybody_live: bool = False
    config: Path | None = None
    """Where the live subscribers come from; None for the configuration that was recorded."""
    is_json: bool = False
    options: Mapping[str, JSON] | None = None
    where: str = ""
    """A filter: only dispatches that fit are replayed; empty for all."""


def run(request: Request) -> int:
    """Replay; 0 if everything is as recorded, 1 otherwise. Raises BadInput."""
    with Recording(request.recording) as recording:
        if len(recording) == 0:
            raise BadInput(f"{request.recording} holds no finished dispatch")
        then = from_rows(recording.about, str(request.recording))
        selected = _selected(recording, request, then)
        if request.live or request.is_everybody_live:
            return asyncio.run(_live(recording, selected, then, request))
        return _exact(recording, selected, then, request)


def _rows(recording: Recording) -> Iterator[Row]:
    last = 0
    while page := recording.rows(after=last):
        yield from page
        last = page[-1].number


def _selected(recording: Recording, request: Request, then: Provenance) -> Iterator[Row]:
    """The dispatches that fit a filter; raises BadInput at once for one that cannot be read, or that none fits.

    Saved filters are those of the project of the configuration, as in the application.
    """
    if not request.where.strip():
        return _rows(recording)
    from debugger.filters import BadFilter, Sight, compiled, parse, resolved  # not needed for most replays
    from debugger.filters.keeping import load_filters

    config = request.config or Path(then.config)
    file = (config if config.is_dir() else config.parent) / PROJECT_FILE
    try:
        saved = load_filters(file) if file.exists() else {}
        fits = compiled(resolved(parse(request.where), saved, request.where), Sight()).matches
    except BadFilter as error:
        raise BadInput("\n".join(("--where: " + str(error), *(f"  {line}" for line in error.shown[1:])))) from None
    rows = (row for row in _rows(recording) if fits(_numbered(recording, row)) is True)
    first = next(rows, None)
    if first is None:
        fix = "hookscope open shows what there is, and / tries a filter on it"
        raise BadInput(f"--where {request.where!r} fits none of the {len(recording)} dispatches", fix=fix)
    return itertools.chain((first,), rows)


def _dialect(then: Provenance, row: Row) -> Dialect:
    """As it was: with the switches of that time, as far as it still has them."""
    dialect = named(row.dialect)
    for name, is_on in then.switches.items():
        if row.dialect == then.dialect and dialect.switches.get(name) is not None:
            dialect = dialect.switched(name, is_on)
    return dialect


def _exact(recording: Recording, selected: Iterator[Row], then: Provenance, request: Request) -> int:
    parted = count = 0
    if then.version != request.version:
        _tell(f"hookscope: recorded by hookscope {then.version}, this is {request.version}")
    for row in selected:
        again, found = replay(tuple(recording.events(row.id)), _dialect(then, row))
        count, parted = count + 1, parted + (found is not None)
        if request.is_json:
            say(_json(_exact_json(row, len(again), found)))
        else:
            print_lines(told.exactly(row.number, row.point, row.decision or row.ending, found))
    if not request.is_json:
        say(f"\n{count} dispatches, {count - parted} to the letter, {parted} not\n")
    return 1 if parted else 0


def _exact_json(row: Row, events: int, found: Divergence | None) -> dict[str, JSON]:
    head: dict[str, JSON] = {"dispatch": row.id, "number": row.number, "point": row.point, "events": events}
    if found is None:
        return head | {"is_same": True}
    return head | {"is_same": False, "parts_at": found.number, "recorded": found.recorded, "now": found.now}


async def _live(recording: Recording, selected: Iterator[Row], then: Provenance, request: Request) -> int:
    setup = load_setup(request.config or Path(then.config), request.options or {})
    if setup.dialect.name != then.dialect:
        raise BadInput(f"{request.recording} was recorded with {then.dialect}, {setup.path} is {setup.dialect.name}")
    for sentence in differences(then, provenance(setup, request.version)):
        _tell(f"hookscope: {sentence}")
    live = _live_names(setup, request)
    parted = count = 0
    covered = covered_events_of(setup)
    host = Host(_chains_of(setup, live), unseats_failures=setup.dialect.staging.unseats_failures)
    caller = Caller()
    async with started(host, caller):
        for sentence in host.told_failures:
            _tell(covered.covering.text(f"hookscope: {sentence}"))
        for row in selected:
            if caller.reason is not None:
                raise BadInput(f"{caller.reason} after {count} dispatches")
            trace = _numbered(recording, row)
            chain = setup.chains[row.point] if request.is_everybody_live else trace.opened.chain
            await _revive(host, chain)
            chain = host.seated(chain)
            absent = {seat.name for seat in chain.subscriptions} - host.subscribers.keys()
            subscribers = dict(host.subscribers) | dict.fromkeys(absent, _Recorded())
            again = await run_again(trace, _dialect(then, row), chain, subscribers, live, covered=covered)
            found = compare(trace, again)
            count, parted = count + 1, parted + (found.differs_in is not None)
            _say_comparison(found, request.is_json)
    if not request.is_json:
        say(f"\n{count} dispatches, {count - parted} as recorded, {parted} not\n")
    return 1 if parted else 0


async def _revive(host: Host, chain: Chain) -> None:
    """Start again whoever of a chain has died: the recording began each dispatch with everybody alive, too."""
    wanted = {seat.name for seat in chain.subscriptions} - {failure.subscriber for failure in host.failures}
    dead = [each.name for each in host.health if each.name in wanted and not each.is_alive]
    if dead:
        await host.restart(dead)


class _Recorded:
    """Stands in for somebody who is not here and answers from the record; what nobody recorded, nobody answers."""

    async def answer(self, call: Call) -> Outcome:
        return Crashed("it is not live, and what it would answer was not recorded")


def _live_names(setup: Setup, request: Request) -> frozenset[str]:
    names = {seat.name for chain in setup.chains.values() for seat in chain.subscriptions}
    for name in request.live:
        if name not in names:
            raise BadInput(f"nobody in {setup.path} is called {name!r}; there are {', '.join(sorted(names))}")
    return frozenset(names if request.is_everybody_live else request.live)


def _chains_of(setup: Setup, live: frozenset[str]) -> Iterator[Chain]:
    """The chains with nobody in them but the live: only those are started."""
    for chain in setup.chains.values():
        yield replace(chain, subscriptions=tuple(seat for seat in chain.subscriptions if seat.name in live))


def _say_comparison(found: Comparison, is_json: bool) -> None:
    if is_json:
        say(_json(_comparison_json(found)))
    else:
        lines = [compared.headline(found)]
        if found.differs_in is not None:
            lines += compared.comparison(found)
        print_lines(lines)


def _comparison_json(found: Comparison) -> dict[str, JSON]:
    return {
        "number": found.first.number,
        "point": found.first.point,
        "is_same": found.differs_in is None,
        "differs_in": found.differs_in,
        "at": None if found.at is None else found.at.name,
        "steps": [{"subscriber": each.name, "differs_in": each.differs_in} for each in found.pairings],
    }


def _json(told_: Mapping[str, JSON]) -> str:
    return msgspec.json.encode(told_).decode() + "\n"


def _tell(text: str) -> None:
    print(visible(text), file=sys.stderr)


# -- two recordings ----------------------------------------------------------------------------------------------


def compare_files(first: Path, second: Path, *, is_json: bool, ignore: Sequence[str] = ()) -> int:
    """Two recordings dispatch by dispatch, in order; 0 if they are alike, 1 otherwise. Raises BadInput."""
    places = tuple(map(ignored, ignore))
    parted = count = 0
    with Recording(first) as one, Recording(second) as other:
        for left, right in zip_longest(_rows(one), _rows(other)):
            count += 1
            if left is None or right is None:
                parted += 1
                here = left or right
                where = first if right is None else second
                if is_json:
                    say(_json({"number": here.number, "point": here.point, "is_same": False, "only_in": str(where)}))
                else:
                    print_lines([compared.alone(here.number, here.point, str(where))])
                continue
            found = compare(_numbered(one, left), _numbered(other, right), _dialect_of(left, right), places)
            parted += found.differs_in is not None
            _say_comparison(found, is_json)
    if not is_json:
        aside = f", but for {', '.join(each.text for each in places)}" if places else ""
        say(f"\n{visible(f'{count} dispatches, {count - parted} alike{aside}, {parted} not')}\n")
    return 1 if parted else 0


def _dialect_of(left: Row, right: Row) -> Dialect | None:
    """That of both, which knows what of them is only the host's clock; None for two of different ones."""
    return named(left.dialect) if left.dialect == right.dialect else None


def _numbered(recording: Recording, row: Row) -> DispatchTrace:
    return replace(recording.trace(row.id), number=row.number)
