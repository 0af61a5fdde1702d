"""The control that a scenario scripts: what is edited, answered, skipped or stopped, and what trouble befalls whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from msgspec import UNSET

from debugger import befalling
from debugger.scenario.document import Path
from debugger.scenario.load import Loaded, nearest
from debugger.scenario.model import Fire, Play, Steer
from debugger.scenario.parts import Which
from debugger.scenario.selection import Selector
from debugger.scenario.stubs import act_of
from debugger.session import Only, When
from kernel import faults
from kernel.control import PROCEED, Directive, Instead, Proceed, Seam, Skip, Stop
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.faults import Draw, Fault, FaultKind
from kernel.values import JSON, Chain, Payload

BY = "scenario"
"""Who steers, for the record."""


@dataclass(frozen=True, slots=True)
class _Planned:
    """Trouble, and for which of a subscriber's calls in a dispatch, with what chance."""

    at: str
    fault: Fault
    when: When
    kind: FaultKind
    drawn: Counter[str]
    """How often chance was asked; shared by what one entry comes to at several points."""

    def befalling(self, call: int) -> Fault | None:
        """The fault as it befalls this call, counted from 1: the same in every run; None where it does not."""
        when = self.when
        is_meant = {Only.EVERY: True, Only.FIRST: call <= when.number, Only.NTH: call == when.number}[when.only]
        if not is_meant:
            return None
        if when.chance >= 1:
            return self.kind.settled(self.fault, Draw(1, when.seed, call))
        self.drawn[self.at] += 1
        draw = Draw(when.chance, when.seed, self.drawn[self.at])
        return self.kind.settled(self.fault, draw) if draw.is_hit else None


@dataclass(frozen=True, slots=True)
class _Wish:
    """What happens at one seam."""

    at: str
    is_before: bool
    phase: str | None
    directive: Callable[[Seam], Directive]
    payload: Payload | None = None
    """What to go on with instead; such a wish leaves room for a fault."""

    def is_for(self, seam: Seam) -> bool:
        ask = seam.ask
        return (
            self.at == ask.subscription.name
            and self.is_before is (seam.outcome is None)
            and self.phase in (None, ask.phase)
        )


@dataclass(slots=True)
class Script:
    """A control. Of several wishes for one seam the first counts."""

    wishes: tuple[_Wish, ...]
    planned: tuple[_Planned, ...]
    calls: Counter[str] = field(default_factory=Counter)

    async def before(self, seam: Seam) -> Directive:
        name = seam.ask.subscription.name
        self.calls[name] += 1
        fault = self._fault_for(name)
        wish = self._wish_for(seam)
        if wish is not None and wish.payload is None:
            return wish.directive(seam)
        payload = None if wish is None else wish.payload
        return PROCEED if payload is None and fault is None else Proceed(payload, fault, BY)

    async def after(self, seam: Seam) -> Directive:
        wish = self._wish_for(seam)
        return PROCEED if wish is None else wish.directive(seam)

    def _wish_for(self, seam: Seam) -> _Wish | None:
        return next((wish for wish in self.wishes if wish.is_for(seam)), None)

    def _fault_for(self, name: str) -> Fault | None:
        mine = (planned for planned in self.planned if planned.at == name)
        found = (planned.befalling(self.calls[name]) for planned in mine)
        return next((fault for fault in found if fault is not None), None)


def script_of(fire: Fire, chain: Chain, dialect: Dialect, loaded: Loaded, path: Path) -> Script | None:
    """The control for one dispatch, None where nobody steers; raises BadInput with the place."""
    wishes = tuple(
        _wish(steer, chain, dialect, loaded, (*path, "steer", place)) for place, steer in enumerate(fire.steer)
    )
    planned = tuple(
        _planned(wanted, chain, dialect, loaded, (*path, "faults", place)) for place, wanted in enumerate(fire.faults)
    )
    return Script(wishes, planned) if wishes or planned else None


@dataclass(slots=True)
class _Chosen:
    """What is wished for at some dispatches of a session, by point: what it comes to depends on who sits there."""

    selector: Selector
    at: Mapping[str, _Wish | _Planned]


@dataclass(slots=True)
class SessionScript:
    """The controls for the dispatches of one session. Is shown each of them once, in order."""

    chosen: tuple[_Chosen, ...]

    def script_for(self, point: str, payload: Payload, label: str) -> Script | None:
        """The control for the next dispatch, None where nobody steers."""
        here = [
            each.at[point] for each in self.chosen if point in each.at and each.selector.takes(payload, point, label)
        ]
        wishes = tuple(each for each in here if isinstance(each, _Wish))
        planned = tuple(each for each in here if isinstance(each, _Planned))
        return Script(wishes, planned) if here else None

    @property
    def unused(self) -> tuple[Path, ...]:
        """Of everything for which there was no dispatch so far."""
        return tuple(each.selector.path for each in self.chosen if not each.selector.taken)


def session_script_of(
    play: Play, chains: Mapping[str, Chain], dialect: Dialect, loaded: Loaded, path: Path
) -> SessionScript:
    """The controls for a session; raises BadInput with the place."""
    chosen = []
    for place, steer in enumerate(play.steer):
        here: Path = (*path, "steer", place)
        which = None if steer.in_ is UNSET else steer.in_
        name, is_before = _seat_of(steer, loaded, here)
        _check_point(which, dialect, loaded, here)
        sat_at = _chains_of(name, which, chains, loaded, (*here, "before" if is_before else "after"))
        at = {chain.point: _wish(steer, chain, dialect, loaded, here) for chain in sat_at}
        chosen.append(_Chosen(Selector(which, loaded, (*here, "in") if which else here), at))
    for place, fault in enumerate(play.faults):
        here = (*path, "faults", place)
        wanted = dict(fault)
        which = loaded.converted((*here, "in"), Which) if "in" in wanted else None
        wanted.pop("in", None)
        name = str(wanted.get("at", ""))
        _check_point(which, dialect, loaded, here)
        sat_at = _chains_of(name, which, chains, loaded, (*here, "at"))
        drawn: Counter[str] = Counter()
        plans = {chain.point: _planned(wanted, chain, dialect, loaded, here, drawn) for chain in sat_at}
        chosen.append(_Chosen(Selector(which, loaded, (*here, "in") if which else here), plans))
    return SessionScript(tuple(chosen))


def _check_point(which: Which | None, dialect: Dialect, loaded: Loaded, path: Path) -> None:
    if which is not None and which.point and which.point not in dialect.points:
        raise loaded.wrong((*path, "in", "point"), dialect.staging.no_point(which.point))


def _chains_of(
    name: str, which: Which | None, chains: Mapping[str, Chain], loaded: Loaded, name_path: Path
) -> list[Chain]:
    """The chains that can be meant: the one of the point that is named, or all in which somebody of the name sits."""
    if which is not None and which.point:
        return [chains[which.point]]
    names = {seat.name for chain in chains.values() for seat in chain.subscriptions}
    if name not in names:
        raise loaded.wrong(name_path, f"nobody called {name!r} sits anywhere{nearest(name, sorted(names))}")
    return [chain for chain in chains.values() if any(seat.name == name for seat in chain.subscriptions)]


def _planned(
    wanted: dict[str, JSON],
    chain: Chain,
    dialect: Dialect,
    loaded: Loaded,
    path: Path,
    drawn: Counter[str] | None = None,
) -> _Planned:
    settings = dict(wanted)
    at, kind = (settings.pop(key, None) for key in ("at", "kind"))
    when = _when(settings, loaded, path)
    for key, value in (("at", at), ("kind", kind)):
        if not isinstance(value, str):
            raise loaded.wrong((*path, key), "text is needed here")
    _check_seat(str(at), chain, loaded, (*path, "at"))
    fault = Fault(str(kind), settings)
    kinds = [each.kind for each in dialect.faults]
    if kind not in kinds:
        raise loaded.wrong((*path, "kind"), f"no fault {kind!r}{nearest(str(kind), kinds)}")
    try:
        entry = faults.find(dialect.faults, fault.kind)
        entry.plan(fault)
    except BadInput as error:
        raise loaded.wrong(path, error) from None
    return _Planned(str(at), fault, when, entry, Counter() if drawn is None else drawn)


def _when(settings: dict[str, JSON], loaded: Loaded, path: Path) -> When:
    """For which calls, with what chance; takes out of the settings what says so."""
    said, chance, seed = (settings.pop(key, None) for key in ("when", "chance", "seed"))
    match said:
        case None | "always":
            text = "every"
        case "first":
            text = "next"
        case str():
            text = said
        case int() if not isinstance(said, bool):
            text = f"call {said}"
        case _:
            text = ""
    for key, value in (("chance", chance), ("seed", seed)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise loaded.wrong((*path, key), "a number is needed here")
    percent, root = str(100 if chance is None else chance), str(0 if seed is None else seed)
    try:
        befalling.when(text)
    except BadInput:
        fine = 'always, first, or a number from 1 on; "first 3" for several, "call 3" for the third'
        raise loaded.wrong((*path, "when"), fine) from None
    for key, given in (("chance", (text, percent)), ("seed", (text, percent, root))):
        try:
            when = befalling.when(*given)
        except BadInput as error:
            raise loaded.wrong((*path, key), error) from None
    return when


def _wish(steer: Steer, chain: Chain, dialect: Dialect, loaded: Loaded, path: Path) -> _Wish:
    at, is_before = _seat_of(steer, loaded, path)
    _check_seat(at, chain, loaded, (*path, "before" if is_before else "after"))
    phase = None if steer.phase is UNSET else steer.phase
    doings = [key for key in ("edit", "skip", "stop") if getattr(steer, key) is not UNSET]
    if not doings:
        mode = next(seat.mode for seat in chain.subscriptions if seat.name == at)
        act = act_of(steer, mode, dialect.staging, loaded, path, (*path, "answer"))
        return _Wish(at, is_before, phase, lambda seam: Instead(act.outcome(seam.ask.request), BY))
    others = [key for key in ("answer", "json", "bytes", "nothing", "status") if getattr(steer, key) is not UNSET]
    if len(doings) + len(others) > 1:
        raise loaded.wrong(path, f"one thing at a time, not {' and '.join(doings + others)}")
    if steer.edit is UNSET:
        if getattr(steer, doings[0]) is False:
            raise loaded.wrong((*path, doings[0]), "leave the key out where it is not meant")
        return _Wish(at, is_before, phase, lambda seam: Skip(BY) if steer.skip is not UNSET else Stop(BY))
    if not is_before:
        raise loaded.wrong((*path, "edit"), "a payload is edited before a subscriber is called")
    try:
        payload = dialect.payload_from_view(chain.point, steer.edit)
    except BadInput as error:
        raise loaded.wrong((*path, "edit"), error) from None
    return _Wish(at, is_before, phase, lambda seam: Proceed(payload, by=BY), payload)


def _seat_of(steer: Steer, loaded: Loaded, path: Path) -> tuple[str, bool]:
    """At whose seam, and whether at the one before."""
    if steer.before is not UNSET and steer.after is UNSET:
        return steer.before, True
    if steer.after is not UNSET and steer.before is UNSET:
        return steer.after, False
    raise loaded.wrong(path, "one of before and after is needed")


def _check_seat(name: str, chain: Chain, loaded: Loaded, path: Path) -> None:
    names = [seat.name for seat in chain.subscriptions]
    if name not in names:
        raise loaded.wrong(path, f"nobody called {name!r} sits at {chain.point}{nearest(name, names)}")
