"""The kinds of events that extensions can hook, as one table (spec 1.1, 1.2, 2.10).

A kind that becomes known later is a row here: nothing else lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from kernel.dialects.hookbus.permissions import LLM_CONTENT, SESSION_LIFECYCLE, TOOLS_INTERCEPT


class Action(StrEnum):
    """What a handler can answer (spec 1.5)."""

    CONTINUE = "continue"
    BLOCK = "block"
    CONFIRM = "confirm"
    MODIFY = "modify"
    REPLACE = "replace"
    INJECT = "inject"
    CONTEXT_PHASE = "context_phase"
    """Can be decoded and is accepted by no kind: its use is unknown (spec Q6)."""


class Style(StrEnum):
    """How the handlers of an event are called."""

    SEQUENTIAL = "emit"
    """One after the other; each sees what the ones before it made of the event."""
    CONCURRENT = "emit_concurrent"
    """All at once; the first answer that says something counts, in order of registration."""
    NOTIFY = "notify"
    """All at once and nobody waits: what they answer is ignored."""


class Filled(StrEnum):
    """The members of an event that can hold something, beside its kind (spec 1.3)."""

    TOOL_NAME = "tool_name"
    TOOL_RUNTIME_NAME = "tool_runtime_name"
    TOOL_INPUT = "tool_input"
    TOOL_OUTPUT = "tool_output"
    MESSAGE = "message"
    SESSION_ID = "session_id"
    TRANSCRIPT = "transcript"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event."""

    name: str
    """The wire string."""
    permission: str
    """What an extension has to hold to subscribe; empty where none is asked for."""
    fired_when: str
    actions: frozenset[Action]
    """What a handler may answer in the newest version; `Action.CONTINUE` is always among them."""
    fields: frozenset[Filled]
    """Members that the host fills. A host may leave some of these null as well."""
    style: Style = Style.SEQUENTIAL
    allows_tool_filter: bool = False
    protocol: int = 1
    """The least protocol version of a manifest that may name it (spec Q11)."""
    is_stand_in: bool = False
    """Stands for kinds of which only the properties are published: no manifest can name it (spec Q1)."""

    @property
    def is_notification(self) -> bool:
        """Whether it is delivered by `notify` and `notify_with` only."""
        return self.style is Style.NOTIFY

    @property
    def is_observed_only(self) -> bool:
        """Whether no answer of a handler can change anything."""
        return self.actions == _CONTINUE


_CONTINUE = frozenset({Action.CONTINUE})
_TOOL = frozenset({Filled.TOOL_NAME, Filled.TOOL_RUNTIME_NAME, Filled.TOOL_INPUT, Filled.SESSION_ID})

_KINDS = (
    Kind(
        "on_session_start",
        SESSION_LIFECYCLE,
        "once per session, after extensions finished loading",
        frozenset({Action.CONTINUE, Action.INJECT}),
        frozenset({Filled.SESSION_ID}),
    ),
    Kind(
        "before_message",
        LLM_CONTENT,
        "a model request is about to be built and the newest user message has text",
        frozenset({Action.CONTINUE, Action.INJECT}),
        frozenset({Filled.MESSAGE, Filled.SESSION_ID}),
    ),
    Kind(
        "on_message_complete",
        LLM_CONTENT,
        "the assistant's response was appended to the history",
        _CONTINUE,
        frozenset({Filled.MESSAGE, Filled.SESSION_ID, Filled.DATA}),
    ),
    Kind(
        "before_tool_call",
        TOOLS_INTERCEPT,
        "a tool call passed the execution gate and is about to run",
        frozenset({Action.CONTINUE, Action.BLOCK, Action.CONFIRM, Action.MODIFY}),
        _TOOL,
        allows_tool_filter=True,
    ),
    Kind(
        "after_tool_call",
        TOOLS_INTERCEPT,
        "a tool returned or failed, before its output enters the history",
        frozenset({Action.CONTINUE, Action.REPLACE}),
        _TOOL | {Filled.TOOL_OUTPUT},
        allows_tool_filter=True,
    ),
    Kind(
        "on_compaction",
        LLM_CONTENT,
        "compaction produced and saved its replacement session",
        _CONTINUE,
        frozenset({Filled.MESSAGE, Filled.SESSION_ID, Filled.DATA}),
    ),
    Kind(
        "on_session_end",
        SESSION_LIFECYCLE,
        "the session is torn down, after it was saved",
        _CONTINUE,
        frozenset({Filled.SESSION_ID, Filled.TRANSCRIPT}),
        style=Style.CONCURRENT,
    ),
    Kind(
        "on_usage",
        LLM_CONTENT,
        "a model turn reported how many tokens it used (one fork only)",
        _CONTINUE,
        frozenset({Filled.SESSION_ID, Filled.DATA}),
        protocol=2,
    ),
    Kind(
        "notification",
        "",
        "something happened that extensions may want to know of (stands for the kinds that only notify)",
        _CONTINUE,
        frozenset({Filled.MESSAGE, Filled.SESSION_ID, Filled.DATA}),
        style=Style.NOTIFY,
        is_stand_in=True,
    ),
)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""Every kind by its wire string, in the order in which a session comes to them."""


def in_manifests(protocol_version: int = 1) -> Mapping[str, Kind]:
    """The kinds that a manifest of this protocol version can name."""
    return {name: kind for name, kind in KINDS.items() if kind.protocol <= protocol_version and not kind.is_stand_in}
