"""A session as somebody described it: what the model says, what the tools give, what a person answers.

Nothing here decides anything. `load` is the only way in from outside; `docs/sessions.md` shows the format.
"""

from __future__ import annotations

import dataclasses
import difflib
import typing
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec

from kernel.asking import Answer, Scope
from kernel.dialects.pluggable.policy import Risk, ToolKind
from kernel.errors import BadInput
from kernel.values import JSON

DEEPEST = 32
"""Sessions inside of each other that a description may have."""


class Reply(StrEnum):
    """What can be answered when a call is to be asked about."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    DENY = "deny"

    def as_answer(self, by: str) -> Answer:
        return Answer(False, Scope.ONCE, by) if self is Reply.DENY else Answer(True, Scope(self.value), by)


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
    context_window: int = 0
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
    timeout_ms: float | None = None
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


@dataclass(frozen=True, slots=True)
class CallError:
    """How a tool fails."""

    message: str
    category: str = "EXECUTION_FAILED"
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes, and what the tool gives if it is executed."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    result: dict[str, Any] | None = None
    error: CallError | None = None
    takes_ms: float = 0
    preview: str | None = None
    preview_takes_ms: float = 0
    session: SubSession | None = None
    """What the tool begins: a session of its own, whose last words are the result if none is described."""


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
    takes_ms: float = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0
    fails: tuple[Trouble, ...] = ()
    """How the attempts before the one that succeeds fail."""
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None

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
    token_budget: int = 4000
    compactor: bool = False
    rewrites: tuple[Said, ...] = ()
    """What a compactor makes of the conversation, in its first turn."""
    takes_ms: float = 0
    error: str = ""
    """Fails with this."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """What a person answers when asked."""

    answer: Reply
    about: str = ""
    """`<provider>.<tool>`; empty is anything."""
    by: str = "person"
    takes_ms: float = 0


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
    """Those that there are; the profile says which are wanted, or else the first is."""
    context: tuple[ContextProvider, ...] = ()
    answers: tuple[Reaction, ...] = ()
    """Each is used once, the first that fits."""
    session: str = "session"
    profile: str = "default"
    parent: str | None = None
    working_directory: str = "/"


def load(view: JSON, name: str) -> Described:
    """The session that a JSON or YAML document describes; raises BadInput with `name` and the path inside."""
    if isinstance(view, dict) and isinstance(view.get("$schema"), str):  # for editors; says nothing of the session
        view = {key: value for key, value in view.items() if key != "$schema"}
    try:
        _check_keys(Described, view, "$")
        described = msgspec.convert(view, Described)
    except RecursionError:
        raise BadInput(f"{name}: sessions are nested too deeply in each other") from None
    except msgspec.ValidationError as error:
        raise BadInput(f"{name}: {error}") from error
    except BadInput as error:
        raise BadInput(f"{name}: {error.message}") from error
    for problem in _problems(described):
        raise BadInput(f"{name}: {problem}")
    return described


def _problems(described: Described) -> Iterator[str]:
    names = [tool.name for tool in described.tools]
    for name, count in Counter(names).items():
        if count > 1:
            yield f"$.tools: {name!r} is there {count} times"
    for index, tool in enumerate(described.tools):
        yield from _problems_of(tool, f"$.tools[{index}]")
    yield from _problems_of_session(described, "$")


def _problems_of_session(described: Described | SubSession, path: str, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        yield f"sessions are nested too deeply in each other: {depth} levels, {DEEPEST} are enough for any host"
        return
    for name, count in Counter(provider.name for provider in described.context).items():
        if count > 1:
            yield f"{path}.context: {name!r} is there {count} times"
    for place, provider in enumerate(described.context):
        for index, piece in enumerate(provider.sections):
            if (piece.text is None) is not bool(piece.content):
                yield f"{path}.context[{place}].sections[{index}]: a section has either a text or content"
    ids = Counter(call.id for turn in described.turns for call in turn.calls if call.id)
    for call_id, count in ids.items():
        if count > 1:
            yield f"{path}.turns: the call id {call_id!r} is used {count} times; leave ids out, or make them differ"
    for number, turn in enumerate(described.turns):
        for index, call in enumerate(turn.calls):
            yield from _problems_of_call(call, f"{path}.turns[{number}].calls[{index}]", depth)


def _problems_of_call(call: Call, path: str, depth: int) -> Iterator[str]:
    if call.result is not None and call.error is not None:
        yield f"{path}: it has a result and an error; a call ends with one of them"
    if call.session is not None:
        if call.error is not None or call.takes_ms:
            yield f"{path}: it begins a session, which says how the call ends and how long it takes"
        yield from _problems_of_session(call.session, f"{path}.session", depth + 1)


def _problems_of(tool: Tool, path: str) -> Iterator[str]:
    if not tool.provider or not tool.operation:
        yield f"{path}.name: {tool.name!r} is not <provider>.<tool>"
    if (tool.kind is ToolKind.RESOURCE) is (tool.harm is Risk.READ_ONLY):
        rule = "changes something" if tool.kind is ToolKind.RESOURCE else "changes nothing"
        yield f"{path}.risk: a {tool.kind} tool {rule}, so its risk cannot be {tool.harm}"
    if tool.terminates_turn and tool.kind is not ToolKind.RESOURCE:
        yield f"{path}.terminates_turn: only resource tools may end a turn"


def _check_keys(kind: Any, view: JSON, path: str) -> None:
    """Refuse keys that mean nothing: a typo must not be silent. What the values are is checked elsewhere."""
    if typing.get_origin(kind) is tuple and isinstance(view, list):
        for index, item in enumerate(view):
            _check_keys(typing.get_args(kind)[0], item, f"{path}[{index}]")
    elif dataclasses.is_dataclass(kind) and isinstance(view, dict):
        hints = typing.get_type_hints(kind)
        for key, value in view.items():
            if key not in hints:
                near = difflib.get_close_matches(key, list(hints), 1)
                raise BadInput(f"{path}: no key {key!r}{f'; did you mean {near[0]!r}?' if near else ''}")
            _check_keys(hints[key], value, f"{path}.{key}")
    else:
        for option in typing.get_args(kind):
            if dataclasses.is_dataclass(option):
                _check_keys(option, view, path)
