"""The shapes of calls and answers in the JSON of `snapshot_view.py` and `wire.py`, read off the records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kernel.dialects.rig.context_view import ContextKind
from kernel.dialects.rig.operation import BY_LABEL, Operation, Outcome
from kernel.dialects.rig.payload import BODY, CONTEXT
from kernel.dialects.rig.shape import Field, Kind, fields_of
from kernel.dialects.rig.snapshot import (
    Call,
    GateAnswerSource,
    JournalAppendPayload,
    ToolCallPayload,
    payload_class,
)
from kernel.dialects.rig.snapshot_view import ROLES, TYPES
from kernel.dialects.rig.wire import Phase
from kernel.errors import BadInput
from kernel.shapes import (
    ANYTHING,
    BASE64,
    NUMBER,
    TEXT,
    WHOLE,
    YES_OR_NO,
    Either,
    Listing,
    Member,
    Object,
    Plain,
    Shape,
    Word,
    one_of,
    record,
)

_ID: Final = Plain("UUID", "00000000-0000-0000-0000-000000000000")
_TIME: Final = Plain("time, such as 2026-03-01T09:00:00Z", "1970-01-01T00:00:00Z")
_PLAINS: Final[Mapping[type, Shape]] = {str: TEXT, bool: YES_OR_NO, int: WHOLE, float: NUMBER}
_TIMES: Final = frozenset({"started_at", "ended_at"})
_WORDS: Final[Mapping[tuple[type, str], tuple[str, ...]]] = {
    (ToolCallPayload, "permission_effect"): ("approve", "deny"),
    (GateAnswerSource, "kind"): ("user", "policy", "model", "classifier"),
    (JournalAppendPayload, "family"): ("event", "command", "gate_prepared", "fence"),
}
"""Texts of which a host knows some: others are taken as well."""

_VALUES: Final = record("values by key", is_open=True)
_CONTEXT: Final = record(
    "context",
    Member("values", _VALUES),
    Member("cancellable", YES_OR_NO),
    Member("deadline_ms", NUMBER, "after the dispatch began"),
    Member("cancelled", TEXT, "the text of its error"),
    Member("cause", TEXT),
)
_GIVEN: Final = record(
    "context",
    Member("kind", one_of([each.value for each in ContextKind], "kind"), is_needed=True),
    Member("values", _VALUES),
    Member("own_signal", YES_OR_NO, "it can be cancelled by itself"),
    Member("deadline_ms", NUMBER, "after the dispatch began"),
    Member("cancelled", TEXT, "the text of its error"),
)
_RAISED: Final = Member(
    "raised", Either((record("what it raised", Member("type", TEXT), Member("message", TEXT)), TEXT))
)
_NOW: Final = Member("now", _CONTEXT, "how the context is afterwards", is_nullable=True)
_DENIAL: Final = record("denial", Member("code", TEXT, is_needed=True), Member("reason", TEXT, is_needed=True))
_ERROR: Final[Object] = Object(
    "error",
    lambda: (
        Member("type", TEXT),
        Member("message", TEXT),
        Member("kind", one_of(["denial", "guard", "canceled", "deadline_exceeded", "no_error"], "kind")),
        Member("code", TEXT, only_with=("kind", "denial")),
        Member("reason", TEXT, only_with=("kind", "denial")),
        Member("operation", WHOLE, only_with=("kind", "guard")),
        Member("index", WHOLE, only_with=("kind", "guard")),
        Member("members", Listing("list of errors", lambda: _ERROR)),
        Member("cause", _ERROR),
        Member("context", _ERROR),
        Member("hostile", YES_OR_NO, "it raises when it is looked at"),
    ),
)
_SAID: Final = Either((_ERROR, TEXT))


def payload_shape(point: str) -> Shape:
    """A call of an operation."""
    if point not in BY_LABEL:
        raise BadInput(f"no operation {point!r}; there are {', '.join(BY_LABEL)}")
    others = {each.label for each in Operation} - {point}
    members = tuple(each for each in _members(Call) if each.name not in (*others, "Operation"))
    named = Member("Operation", Plain("operation", point, (Word(point),)))
    context = Member(CONTEXT, _CONTEXT, "the one that the call starts under")
    body = Member(BODY, ANYTHING, "what the operation itself does, in words")
    return record("call", named, *members, context, body)


def answer_shape(point: str, phase: str) -> Shape:
    """What is answered in a phase."""
    match phase:
        case Phase.BEGIN:
            given = Member("context", _GIVEN, "the same, where it is left out")
            return record("begin", given, Member("finish", YES_OR_NO, "it wants to be told the end"), _RAISED, _NOW)
        case Phase.GUARD:
            denial = Member("denial", _DENIAL, is_nullable=True, group="said")
            error = Member("error", _SAID, is_nullable=True, group="said")
            return record("guard", denial, error, _RAISED, _NOW)
        case Phase.FINISH:
            return record("finish", _RAISED, Member("note", ANYTHING))
    mine = payload_class(BY_LABEL[point]) if point in BY_LABEL else None
    result: Shape = record("result", is_open=True) if mine is None else _record(mine)
    return record(
        "operation",
        Member("outcome", one_of([each.word for each in Outcome], "outcome")),
        Member("error", _SAID, is_nullable=True),
        Member("result", result, "fields that are known at the end", is_nullable=True),
        Member("ended_at", _TIME, is_nullable=True),
        Member("finish", YES_OR_NO, "false: its owner never calls the finish"),
        _RAISED,
        _NOW,
    )


def _record(of: type) -> Shape:
    return Object(of.__name__, lambda: _members(of))


def _members(of: type) -> tuple[Member, ...]:
    return tuple(
        Member(each.key, _field(of, each), is_nullable=each.is_nullable)
        for each in fields_of(of)
        if each.kind is not Kind.ERROR
    )


def _field(of: type, field: Field) -> Shape:
    match field.kind:
        case Kind.ID:
            return _ID
        case Kind.BYTES:
            return BASE64
        case Kind.RAW:
            return ANYTHING
        case Kind.RECORD:
            words = TYPES if field.of in TYPES.values() else ROLES if field.of in ROLES.values() else None
            return _record(field.of) if words is None else _named({_word(words, field.of): field.of}, words)
        case Kind.RECORDS:
            return Listing(f"list of {field.of.__name__}", lambda: _record(field.of))
        case Kind.BLOCKS:
            return Listing("list of blocks", lambda: _named(TYPES, TYPES))
        case Kind.MESSAGES:
            return Listing("list of messages", lambda: _named(ROLES, ROLES))
        case Kind.PLAINS:
            return Listing("list", lambda: _PLAINS.get(field.of, TEXT))
        case Kind.MAP:
            return record("values by key", is_open=True)
        case _ if field.name in _TIMES:
            return _TIME
        case _ if (of, field.name) in _WORDS:
            return one_of(_WORDS[of, field.name])
        case _:
            return _PLAINS.get(field.of, TEXT)


def _named(options: Mapping[str, type], words: Mapping[str, type]) -> Shape:
    """A block or a message: which one decides what else it has."""
    key = "Type" if words is TYPES else "Role"

    def members() -> tuple[Member, ...]:
        named = Member(key, one_of(options, key.lower()), is_needed=True)
        return (named, *(_with(each, key, word) for word, of in options.items() for each in _members(of)))

    return Object("block" if words is TYPES else "message", members)


def _with(member: Member, key: str, word: str) -> Member:
    return Member(member.name, member.shape, member.detail, is_nullable=member.is_nullable, only_with=(key, word))


def _word(words: Mapping[str, type], of: type) -> str:
    return next(word for word, each in words.items() if each is of)
