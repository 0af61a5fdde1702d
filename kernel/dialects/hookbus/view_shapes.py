"""The shapes of events and results: what can be written in them (spec 1.3, 1.5)."""

from __future__ import annotations

from typing import Final

from kernel.dialects.hookbus.answers import MEMBERS
from kernel.dialects.hookbus.kinds import KINDS, Action, Filled, Kind
from kernel.errors import BadInput
from kernel.shapes import ANYTHING, TEXT, Either, Listing, Member, Plain, Shape, Word, one_of, record

_MESSAGES: Final = Listing("list of messages", lambda: record("message", is_open=True))
_SHAPES: Final[dict[Filled, Shape]] = {
    Filled.TOOL_INPUT: ANYTHING,
    Filled.TRANSCRIPT: _MESSAGES,
    Filled.DATA: ANYTHING,
}
"""Of members that are not text."""


def payload_shape(kind: str) -> Shape:
    """An event of a kind; where it is only notified, a list of events too."""
    if kind not in KINDS:
        raise BadInput(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    known = KINDS[kind]
    if not known.is_notification:
        return _event(known, [kind])
    event = _event(known, list(KINDS))
    return Either((event, Listing("list of events", lambda: event)))


def _event(kind: Kind, names: list[str]) -> Shape:
    members = (
        Member(
            each.value,
            _SHAPES.get(each, TEXT),
            "the host fills it" if each in kind.fields else "",
            is_nullable=True,
        )
        for each in Filled
    )
    return record("event", Member("kind", one_of(names, "kind")), *members)


def answer_shape(kind: str) -> Shape:
    """A result: the actions that a kind accepts first."""
    accepted = KINDS[kind].actions if kind in KINDS else frozenset()
    ordered = sorted(Action, key=lambda action: action not in accepted)
    words = tuple(Word(each.value, "" if each in accepted else "not accepted here") for each in ordered)
    members = (
        Member(name, ANYTHING if action is Action.MODIFY else TEXT, is_needed=True, only_with=("action", action.value))
        for action, name in MEMBERS.items()
        if name is not None
    )
    return record("result", Member("action", Plain("action", words[0].value, words), is_needed=True), *members)
