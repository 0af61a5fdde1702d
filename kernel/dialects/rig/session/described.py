"""A session as somebody described it: what comes to the loop, what models say, what tools do, what goes wrong.

Nothing here decides anything. docs/sessions-rig.md shows the format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernel.describing import Reaction
from kernel.dialects.rig.session.choices import (
    Access,
    Commit,
    Compacting,
    Decider,
    Dependency,
    Engine,
    Failing,
    Form,
    Middleware,
    Role,
)
from kernel.dialects.rig.session.errors import ErrorKind
from kernel.dialects.rig.session.texts import Refused


@dataclass(frozen=True, slots=True)
class Said:
    """A message that is there before the session begins."""

    text: str
    role: Role = Role.USER


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model is asked, and how."""

    provider: str = "tidal"
    name: str = "brook-2"
    max_tokens: int | None = None
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the loop."""

    name: str
    description: str = ""
    schema: Any = field(default_factory=lambda: {"type": "object"})
    serial: bool = False
    """Whether its calls run before all others, one after the other."""
    access: Access = Access.APPROVE
    access_note: str = ""
    """What evaluating access says beside its verdict; part of a refusal's text."""
    refused_as: Refused = Refused.NOT_AUTHORIZED
    has_preparation: bool = True
    """False: its calls cannot be prepared, and are therefore refused."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question that a tool asks while it runs."""

    question: str
    answer: str = "yes"
    """What somebody says who answers at all."""


@dataclass(frozen=True, slots=True)
class Spawned:
    """A loop of its own that a tool starts and waits for. It has one turn, and the hooks and tools of the session."""

    task: str
    steps: tuple[Step, ...] = ()
    """What the model answers in its turn; its last words are the tool's result unless one is described."""
    agent: str = "child"
    engine: Engine = Engine.NATIVE


@dataclass(frozen=True, slots=True)
class Gate:
    """What is odd about the gate of a call."""

    capture_fails: str = ""
    """Capturing the context for the review fails with this, and the gate never opens."""
    mismatch: bool = False
    """The reply that comes is one to another gate."""
    abandon_fails: str = ""
    """Abandoning the gate fails with this."""
    abandon_error_kind: ErrorKind = ErrorKind.PLAIN


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes, and what the tool does if it runs."""

    tool: str
    """One that the session does not have is unknown to the host as well."""
    args: Any = field(default_factory=dict)
    args_text: str | None = None
    """The arguments as they came, JSON or not, in the place of `args`."""
    id: str = ""
    summary: str = ""
    """The tool's redacted form of the call; its name if nothing is said."""
    result: str | None = None
    """What the tool gives; `ok` if nothing else is said."""
    error: str = ""
    """The tool returns this as its error."""
    error_kind: ErrorKind = ErrorKind.PLAIN
    empty: bool = False
    """The tool returns an empty result."""
    raises: str = ""
    asks: Asking | None = None
    """What the tool asks somebody before it goes on."""
    spawns: Spawned | None = None
    takes_ms: float = 0
    deaf: bool = False
    """The tool does not notice that it is cancelled."""
    access: Access | None = None
    """In the place of what evaluating the tool's access comes to."""
    minting_fails: str = ""
    """No id can be minted for the call, with this error."""
    preparation_fails: str = ""
    raises_in: Dependency | None = None
    gate: Gate = field(default_factory=Gate)


@dataclass(frozen=True, slots=True)
class Compaction:
    """One attempt to summarise, and what comes of it."""

    summary: str = "What was said so far."
    ends: Compacting = Compacting.SUMMARY
    error: str = ""
    takes_ms: float = 0
    hustle: bool = False
    """A hustle summarises, on a plane of its own: there are no operations of inference."""
    waiters: int | None = None
    """How many wait for its outcome; 1 for a command, 0 for an automatic one if nothing is said."""
    cancelled_after_ms: float | None = None
    """The wait for the compactor is cancelled after so long."""
    rejection_fails: str = ""
    """Appending the rejection fails with this."""
    scribbles: bool = False
    """The compactor changes the input that it was given."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request to the model, and the calls that it answers with."""

    says: str = ""
    thinks: str = ""
    calls: tuple[Call, ...] = ()
    """Made as one batch. A step without any ends the turn."""
    takes_ms: float = 0
    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int | None = None
    """What measuring the conversation before this request comes to; `input_tokens` of the step before if not said."""
    fails: Failing | None = None
    error: str = ""
    error_kind: ErrorKind = ErrorKind.PLAIN
    queued: tuple[str, ...] = ()
    """What somebody says meanwhile, which is folded into the conversation behind this step."""
    admission_raises: str = ""
    """Admitting the batch raises this."""
    tool_events_raise: str = ""
    """Every event about a call of this batch raises this."""
    commit: Commit = Commit.OK
    commit_error: str = ""
    compact: Compaction | None = None
    """A command to compact that comes meanwhile."""


@dataclass(frozen=True, slots=True)
class Record:
    """Something that is appended to the session's log directly."""

    family: str = "event"
    """`event`, `command`, `gate_prepared` or `fence`."""
    id: str = ""
    """A made-up one if nothing is said."""
    form: Form = Form.VALUE
    is_fallback: bool = False
    """A command whose delivery was queued as a fallback."""
    sequence: int | None = None
    """The number that the log gives; the next one if nothing is said."""
    fails: str = ""
    raises: str = ""
    is_cancelled: bool = False
    """The context that it is appended under is cancelled."""


@dataclass(frozen=True, slots=True)
class Input:
    """Something that comes to the loop: exactly one of user, compact, append and wait_ms."""

    user: str | None = None
    """What somebody says, which is a turn of its own."""
    steps: tuple[Step, ...] = ()
    """What the model answers in the turn."""
    is_delegated: bool = False
    """It was handed over by another loop, and is handed back where it is refused."""
    interrupted_after_ms: float | None = None
    killed_after_ms: float | None = None
    """The loop is shut down the hard way, so long after the turn began. Nothing comes to it after that."""
    deadline_ms: float | None = None
    """The loop's context ends so long after the turn began."""
    unstampable: str = ""
    """The event that opens the turn cannot be stamped, with this error."""
    terminal_fails: str = ""
    """The event that ends the turn cannot be made durable, with this error."""
    boundary_fails: str = ""
    """The event that ends the turn is durable, and the step behind it fails with this error."""
    boundary_error_kind: ErrorKind = ErrorKind.PLAIN
    """Of the error of either."""
    compact: Compaction | None = None
    """A command to compact while nothing else happens."""
    append: Record | None = None
    wait_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How many tokens a conversation may have; 0 is no limit."""

    compact_at: int = 0
    """It is compacted when it has so many."""
    hard: int = 0
    """Nothing is sent that has so many."""
    summary: int = 1024
    """A summary may have so many."""


@dataclass(frozen=True, slots=True)
class AppendTrouble:
    """An append of the session's own that goes wrong."""

    record: str
    """Name of an event (`StepDone`), or a family."""
    nth: int = 1
    """Which one of these, from 1; 0 is each."""
    fails: str = ""
    error_kind: ErrorKind = ErrorKind.PLAIN
    raises: str = ""


@dataclass(frozen=True, slots=True)
class Restored:
    """The session was there before, and is opened again."""

    policy_revision: str = ""
    """Of the hooks that it had."""
    turns: int = 1
    """Which are replayed, and dispatch nothing."""
    decider: Decider = Decider.DEFAULT


@dataclass(frozen=True, slots=True)
class Described:
    """A whole session."""

    inputs: tuple[Input, ...]
    session: str = "session"
    agent: str = "agent"
    """Name of the loop, for attribution."""
    engine: Engine = Engine.NATIVE
    model: ModelSettings = field(default_factory=ModelSettings)
    system: str = ""
    tools: tuple[Tool, ...] = ()
    messages: tuple[Said, ...] = ()
    answers: tuple[Reaction, ...] = ()
    """Each is used once, the first that fits. At a gate there is only yes and no: nothing keeps an answer for later."""
    limits: Limits = field(default_factory=Limits)
    compactions: tuple[Compaction, ...] = ()
    """What comes of automatic ones, each used once."""
    parallel: int = 8
    """Calls of a batch that run at once."""
    epoch: int = 1
    """Of the lease with which the log is fenced."""
    fence: Middleware = Middleware.CALLS_ONCE
    restored: Restored | None = None
    journal: tuple[AppendTrouble, ...] = ()
    loop_clock_ahead_ms: float = 0
    """How far the loop's own clock is ahead of the wall clock."""
    drain_ms: float = 5000
    """How long a loop that is shut down the hard way waits for a turn that does not end."""
