"""A session as somebody described it: what the model says, what the tools give, what a person answers.

Nothing here decides anything. `loading` is the only way in from outside; `docs/sessions.md` shows the format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta

from kernel.describing import Reaction
from kernel.dialects.pluggable.session.policy import Risk, ToolKind
from kernel.values import JSON

LONGEST_MS: Final = 1e9
Milliseconds: TypeAlias = Annotated[float, Meta(ge=0, le=LONGEST_MS)]
Tokens: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Dollars: TypeAlias = Annotated[float, Meta(ge=0, le=1e12)]


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Said:
    """A message that is there before the session begins."""

    text: str
    role: Role = Role.USER


@dataclass(frozen=True, slots=True)
class Model:
    """A model that could serve."""

    id: str
    provider: str
    context_window: Tokens = 0
    """In tokens; 0 is not known, and then everything fits."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its provider advertises it."""

    name: str
    """`<provider>.<tool>`, as the model calls it."""
    kind: ToolKind
    risk: Risk | None = None
    """Read-only unless it is a resource; then moderate if nothing is said."""
    description: str = ""
    safe: bool | None = None
    """Whether calls may run beside others of the provider; if nothing is said, data sources may."""
    key_fields: tuple[str, ...] = ()
    """Arguments in which calls that run beside each other have to differ."""
    terminates_turn: bool = False
    timeout_ms: Milliseconds | None = None
    file_fields: tuple[str, ...] = ()
    """Arguments that name files; those of calls that succeed are told to context providers."""

    @property
    def provider(self) -> str:
        return self.name.partition(".")[0]

    @property
    def operation(self) -> str:
        return self.name.partition(".")[2]

    @property
    def harm(self) -> Risk:
        return self.risk or (Risk.MODERATE if self.kind is ToolKind.RESOURCE else Risk.READ_ONLY)

    @property
    def is_safe(self) -> bool:
        return self.kind is ToolKind.DATA_SOURCE if self.safe is None else self.safe


_PREFIX = "TOOL_ERROR_CATEGORY_"


class Category(StrEnum):
    """What kind of failure it is (spec A.9): with or without the wire's prefix, in capitals or in small letters."""

    UNSPECIFIED = "UNSPECIFIED"
    INVALID_ARGUMENTS = "INVALID_ARGUMENTS"
    NOT_FOUND = "NOT_FOUND"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    EXECUTION_FAILED = "EXECUTION_FAILED"
    TIMEOUT = "TIMEOUT"
    CONCURRENCY_CONFLICT = "CONCURRENCY_CONFLICT"
    CANCELLED = "CANCELLED"
    PROCESS_CRASHED = "PROCESS_CRASHED"
    UNKNOWN = "UNKNOWN"

    @classmethod
    def _missing_(cls, value: object) -> Category | None:
        return next((each for each in cls if value in each.spellings), None)

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way to write it, the shortest capitals first."""
        return self.value, f"{_PREFIX}{self.value}", self.value.lower(), f"{_PREFIX}{self.value}".lower()


@dataclass(frozen=True, slots=True)
class CallError:
    """How a tool fails."""

    message: str
    category: Category = Category.EXECUTION_FAILED
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes, and what the tool gives if it is executed."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    result: dict[str, Any] | None = None
    error: CallError | None = None
    takes_ms: Milliseconds = 0
    preview: str | None = None
    preview_takes_ms: Milliseconds = 0
    session: SubSession | None = None
    """What the tool begins: a session of its own, whose last words are the result if none is described."""


def call_id(call: Call, turn: int, index: int) -> str:
    """The id of a call: its own, or one that says where it stands; both numbers count from 1."""
    return call.id or f"call-{turn}.{index}"


def session_id(around: str, call: str) -> str:
    """The id of a session that states none: that of the session around it, and the call that begins it."""
    return f"{around}/{call}"


class Trouble(StrEnum):
    """How a call of the model can fail."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    CONTEXT_LENGTH = "context_length"
    AUTH = "auth"
    INVALID_REQUEST = "invalid_request"

    @property
    def is_retried(self) -> bool:
        return self in (Trouble.RATE_LIMITED, Trouble.OVERLOADED)


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model."""

    says: str = ""
    calls: tuple[Call, ...] = ()
    takes_ms: Milliseconds = 0
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cost_usd: Dollars = 0
    fails: tuple[Trouble, ...] = ()
    """How the attempts before the one that succeeds fail."""
    cache_read_tokens: Tokens | None = None
    cache_write_tokens: Tokens | None = None

    @property
    def usage(self) -> dict[str, JSON]:
        """Its tokens, as far as they are known."""
        known: dict[str, JSON] = {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}
        cached = {"cache_read_tokens": self.cache_read_tokens, "cache_write_tokens": self.cache_write_tokens}
        return known | {key: value for key, value in cached.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Piece:
    """A section that a context provider adds."""

    label: str
    text: str | None = None
    content: tuple[dict[str, Any], ...] = ()
    """Content blocks as the wire has them, in the place of a text."""
    provider: str = ""
    """Whose section it claims to be, if not the provider's own; one of that label is then put in its place."""


@dataclass(frozen=True, slots=True)
class ContextProvider:
    """A context provider that adds the same sections to every turn."""

    name: str
    sections: tuple[Piece, ...] = ()
    token_budget: Tokens = 4000
    compactor: bool = False
    rewrites: tuple[Said, ...] = ()
    """What it makes of the conversation, said once: in the first turn. The host takes it from a compactor only."""
    takes_ms: Milliseconds = 0
    error: str = ""
    """Fails with this."""


@dataclass(frozen=True, slots=True)
class SubSession:
    """A session that a call of a tool begins. It has the tools and models of the one around it."""

    turns: tuple[Turn, ...]
    messages: tuple[Said, ...]
    session: str = ""
    """Its id; given one by the call that begins it where nothing is said."""
    profile: str = ""
    """Empty for that of the session around it."""
    context: tuple[ContextProvider, ...] = ()
    answers: tuple[Reaction, ...] = ()


@dataclass(frozen=True, slots=True)
class Described:
    """A whole session. Its turns are the model's answers, in order."""

    turns: tuple[Turn, ...]
    messages: tuple[Said, ...]
    tools: tuple[Tool, ...] = ()
    models: tuple[Model, ...] = ()
    """Those that there are; the profile says which are wanted, or else the first is. None for those of the profile."""
    context: tuple[ContextProvider, ...] = ()
    answers: tuple[Reaction, ...] = ()
    """Each is used once, the first that fits."""
    session: str = "session"
    profile: str = "default"
    parent: str | None = None
    working_directory: str = "/"
