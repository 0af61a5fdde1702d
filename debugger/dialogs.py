"""Questions to the reader in front of the desk: each opens what it needs, and gives a value or None."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from debugger import answering, json_text, payloads
from debugger.breakpoints.breakpoint import in_mode
from debugger.filters import BadFilter
from debugger.json_offers import offers
from debugger.lenses.asking import Asking
from debugger.lenses.editor import Editor
from debugger.lenses.fault_form import Arming, FaultForm
from debugger.lenses.filter_input import Complete
from debugger.lenses.picker import Choice, Picker
from debugger.session import ONCE, When
from kernel.asking import Answer, Question, ReplyWord
from kernel.errors import BadInput
from kernel.faults import Fault
from kernel.values import JSON, Payload, Subscription

if TYPE_CHECKING:
    from textual.app import App

    from kernel.dialect import Dialect
    from kernel.setup import Setup
    from kernel.shapes import Shape


@dataclass(frozen=True, slots=True)
class Firing:
    """What to fire."""

    point: str
    payload: Payload | None
    """None for the payload that was used last, or else the usual one."""


async def firing(app: App[int], setup: Setup) -> Firing | None:
    """A point and, where several are prepared, a payload; raises BadInput for a file that cannot be used."""
    prepared = {(each.point, each.name): each for each in payloads.samples(setup)}
    choices = []
    for point, chain in setup.chains.items():
        seats = ", ".join(seat.name for seat in chain.subscriptions) or "nobody subscribed"
        names = [name for of, name in prepared if of == point] or [""]
        choices += [Choice(f"{point}\n{name}", f"{point} {name}".rstrip(), seats) for name in names]
    picked = await app.push_screen_wait(Picker("Fire which point?", choices))
    if picked is None:
        return None
    point, _, name = picked.partition("\n")
    sample = prepared.get((point, name))
    return Firing(point, None if sample is None else payloads.read(setup.dialect, point, sample.path))


async def edited(
    app: App[int],
    title: str,
    start: JSON,
    check: Callable[[JSON], object],
    warn: Callable[[JSON], str] | None = None,
    *,
    shape: Shape | None = None,
) -> tuple[JSON] | None:
    """JSON that passes a check which raises BadInput; in a tuple, since null is JSON too.

    `warn` says what something that passes would meet, or nothing; of `shape` is what can be written.
    """

    def problem(text: str) -> str | None:
        try:
            check(json_text.decode(text.encode("utf-8", "surrogatepass"), "text"))
        except BadInput as error:
            return str(error)
        return None

    def warning(text: str) -> str:
        return "" if warn is None else warn(json_text.decode(text.encode(), "text"))

    offering = None if shape is None else partial(offers, shape=shape)
    text = await app.push_screen_wait(Editor(title, payloads.editable(start), problem, warning, offering))
    return None if text is None else (json_text.decode(text.encode(), "text"),)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault to arm; None = take away what is armed."""

    fault: Fault | None
    where: str = ""
    when: When = ONCE


async def trouble(
    app: App[int],
    seat: Subscription,
    dialect: Dialect,
    complete: Complete,
    read: Callable[[str], object],
    *,
    is_armed: bool,
) -> Trouble | None:
    """A fault for one subscriber, or for whoever fits a filter, with its settings.

    `complete` offers what may stand in a filter, `read` raises BadInput for what is none.
    """
    catalogue = {each.kind: each for each in dialect.faults if each.modes is None or seat.mode in each.modes}
    choices = [Choice(kind, kind, each.summary) for kind, each in catalogue.items()]
    if is_armed:
        choices.insert(0, Choice("", "none", "take away the fault that is armed"))
    picked = await app.push_screen_wait(Picker(f"What shall go wrong at {seat.name}?", choices))
    if not picked:
        return None if picked is None else Trouble(None)
    kind = catalogue[picked]

    def problem(arming: Arming) -> str | None:
        try:
            kind.plan(Fault(picked, arming.params))
            read(arming.where)
        except BadFilter as error:
            return "\n".join(error.shown)
        except BadInput as error:
            return str(error)
        return None

    form = FaultForm(
        f"{kind.kind}: {seat.name} {kind.summary}", kind.defaults, in_mode(seat.name, seat.mode), complete, problem
    )
    arming = await app.push_screen_wait(form)
    return None if arming is None else Trouble(Fault(picked, arming.params), arming.where, arming.when)


async def switch(app: App[int], dialect: Dialect) -> str | None:
    """The name of a switch to throw."""
    choices = [Choice(name, name, "is on" if is_on else "is off") for name, is_on in dialect.switches.items()]
    return await app.push_screen_wait(Picker("Throw which switch of the dialect?", choices))


async def reply(app: App[int], question: Question, *, can_wait: bool) -> Answer | None:
    """What a person says to a question; None where they leave it, which is a no to one that cannot wait."""
    choices = [Choice(word.value, label, reach) for word, label, reach in answering.choices(question)]
    title, *details = answering.told(question)
    escape = "leaves it" if can_wait else f"is {question.no}"
    picked = await app.push_screen_wait(Asking(title, details, choices, escape))
    if picked is None:
        return None
    return ReplyWord(picked).as_answer()


async def session_file(app: App[int], setup: Setup) -> Path | None:
    """A described session beside the configuration."""
    folder = setup.path if setup.path.is_dir() else setup.path.parent
    found = sorted(folder.glob("session*.json"))
    if not found:
        raise BadInput(f"there is no session*.json beside {setup.path}; docs/sessions.md says how to describe one")
    if len(found) == 1:
        return found[0]
    choices = [Choice(str(path), path.name, "") for path in found]
    picked = await app.push_screen_wait(Picker("Play which session?", choices))
    return None if picked is None else Path(picked)
