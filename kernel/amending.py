"""Whose work a change of the payload is, where somebody gave an answer in a subscriber's place. Pure.

What the subscriber's own answer would have made of the payload stays its own change; from there on it is another one,
by whoever steers. Which of the two an answer made is not guessed: the walk is shown both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kernel.facts import Changed, Fact
from kernel.values import Ask, Outcome
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Amended:
    """Somebody gave an outcome in a subscriber's place."""

    by: str
    own: Outcome | None = None
    """What the subscriber itself came to; None where it was not called."""


def attributed(facts: tuple[Fact, ...], walk: Walk, ask: Ask, amended: Amended) -> tuple[Fact, ...]:
    """What a walk said of the outcome that counts, each change with whoever made it.

    `walk` is the one before that outcome. Where the subscriber's own answer would have changed the payload, that change
    comes first, and what whoever steers made of it second; nothing comes second where both come to the same.
    """
    given = _change(facts, ask)
    if given is None:
        return facts
    own = None if amended.own is None else _change(walk.after(ask, amended.own)[1], ask)
    theirs = replace(given, by=amended.by) if own is None else replace(given, by=amended.by, before=own.after)
    made = [each for each in (own, theirs) if each is not None and each.before != each.after]
    place = facts.index(given)
    return (*facts[:place], *made, *facts[place + 1 :])


def _change(facts: tuple[Fact, ...], ask: Ask) -> Changed | None:
    return next((fact for fact in facts if isinstance(fact, Changed) and fact.step == ask.step), None)
