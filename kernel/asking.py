"""Questions that a host cannot decide by itself: who asks, who answers, how far an answer reaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Protocol

from kernel.values import JSON


class Scope(StrEnum):
    """How far an answer reaches."""

    ONCE = "once"
    SESSION = "session"
    """Until the session ends."""
    ALWAYS = "always"
    """Beyond the session; hosts may have no place to keep such an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody decided."""

    allows: bool
    scope: Scope = Scope.ONCE
    by: str = "person"


class ReplyWord(StrEnum):
    """An answer in one word: what is decided, and how far that reaches."""

    ONCE = "once"
    """Allowed, this time."""
    SESSION = "session"
    """Allowed, until the session ends."""
    ALWAYS = "always"
    """Allowed, beyond the session."""
    DENY = "deny"
    """Not allowed, this time."""
    DENY_SESSION = "deny-session"
    """Not allowed, until the session ends."""
    DENY_ALWAYS = "deny-always"
    """Not allowed, beyond the session."""

    @staticmethod
    def of(answer: Answer) -> ReplyWord:
        """The word for an answer."""
        return _REPLIES[answer.allows, answer.scope]

    def as_answer(self, by: str = "person") -> Answer:
        allows, scope = _ANSWERS[self]
        return Answer(allows, scope, by)


_REPLIES: Final[Mapping[tuple[bool, Scope], ReplyWord]] = MappingProxyType(
    {
        (True, Scope.ONCE): ReplyWord.ONCE,
        (True, Scope.SESSION): ReplyWord.SESSION,
        (True, Scope.ALWAYS): ReplyWord.ALWAYS,
        (False, Scope.ONCE): ReplyWord.DENY,
        (False, Scope.SESSION): ReplyWord.DENY_SESSION,
        (False, Scope.ALWAYS): ReplyWord.DENY_ALWAYS,
    }
)
_ANSWERS: Final = MappingProxyType({reply: answer for answer, reply in _REPLIES.items()})
REPLIES: Final[Mapping[ReplyWord, str]] = MappingProxyType(
    {
        ReplyWord.ONCE: "this call only",
        ReplyWord.SESSION: "this and every later call of the same operation",
        ReplyWord.ALWAYS: "beyond the session, if the host can keep that",
        ReplyWord.DENY: "this call does not run",
        ReplyWord.DENY_SESSION: "neither this nor any later call of the same operation",
        ReplyWord.DENY_ALWAYS: "beyond the session, if the host can keep that",
    }
)
"""Of a host that keeps answers by operation."""
THIS_ONE: Final[Mapping[ReplyWord, str]] = MappingProxyType(
    {word: REPLIES[word] for word in (ReplyWord.ONCE, ReplyWord.DENY)}
)
"""Of a host that keeps none."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a person has to decide before the session goes on."""

    stretch: str
    """Id of the stretch in which it is asked, or of the dispatch whose result asks it."""
    subject: str
    """What it is about, such as `shell.run`."""
    details: Mapping[str, JSON]
    """Everything known of it, as JSON."""
    asked_by: str
    """Why it is asked at all, in the host's notation: `policy:default`."""
    wording: str = ""
    """What is asked; empty where it is whether the subject may run."""
    yes: str = "allow"
    no: str = "deny"
    """What either answer is called."""
    replies: Mapping[ReplyWord, str] = field(default_factory=lambda: REPLIES)
    """Every answer that can be given, and how far it reaches, in words. Another is taken for the one for this once."""


class Resolver(Protocol):
    """Somebody to ask. May take as long as it likes; cancelled when the session is."""

    async def resolve(self, question: Question) -> Answer: ...


class Nobody:
    """Denies whatever is asked: there is nobody to ask."""

    async def resolve(self, question: Question) -> Answer:
        return Answer(allows=False, by="nobody")
