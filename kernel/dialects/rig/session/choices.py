"""Words that a description chooses among: each set is closed."""

from __future__ import annotations

from enum import StrEnum


class Engine(StrEnum):
    NATIVE = "native"
    FOREIGN = "foreign"
    """Somebody else's loop: hooks never learn of its turns."""


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class Access(StrEnum):
    """What evaluating a call's access comes to."""

    APPROVE = "approve"
    DENY = "deny"
    PROMPT = "prompt"
    """Somebody is asked, at a gate."""
    ERROR = "error"
    GATE_MISSING = "gate_missing"
    """Somebody would have to be asked, and there is no gate for it."""


class Dependency(StrEnum):
    """A part of the host that a call of a tool needs, by when it needs it."""

    INFO = "info"
    AUDIT = "audit"
    PREPARE = "prepare"
    WRITE_TARGET = "write_target"
    SEQUENTIAL = "sequential"
    ACCESS = "access"
    APPROVAL = "approval"


class Failing(StrEnum):
    """How a request to the model fails."""

    OPEN = "open"
    """The stream cannot be opened."""
    CUT = "cut"
    """The stream ends in the middle: what came until then is shown."""
    EMPTY = "empty"
    RAISES = "raises"
    """The provider raises."""
    ASSEMBLY = "assembly"
    """The stream ends cleanly, and what came cannot be put together."""
    LIMIT = "limit"
    """The reply is whole, and over a limit of the step."""
    OUTPUT_RULE = "output_rule"
    """The reply is whole, and breaks a rule for outputs."""


class Commit(StrEnum):
    """What becomes of a step's end when it is to be made durable."""

    OK = "ok"
    CANCELLED = "cancelled"
    REFUSED = "refused"
    RAISES = "raises"


class Compacting(StrEnum):
    """What the compactor reports."""

    SUMMARY = "summary"
    INVALID_OUTPUT = "invalid_output"
    COUNT_FAILED = "count_failed"
    ERROR = "error"
    RAISES = "raises"
    NOTHING = "nothing"
    """It never comes back; something has to cancel the wait."""


class Middleware(StrEnum):
    """What stands around the append of the fence when a session is opened."""

    CALLS_ONCE = "calls_once"
    NULL = "null"
    SKIPS = "skips"
    CALLS_TWICE = "calls_twice"


class Decider(StrEnum):
    """Who decides whether a session is restored under another policy."""

    DEFAULT = "default"
    """Any drift of severity warn rejects it."""
    ACCEPTS = "accepts"
    ALLOW_HOOK_POLICY_DRIFT = "allow_hook_policy_drift"


class Form(StrEnum):
    """How a record is handed to the journal."""

    VALUE = "value"
    REFERENCE = "reference"
    NULL = "null"
    TYPED_NULL = "typed_null"
    ZERO = "zero"
    """A record without an identity."""
