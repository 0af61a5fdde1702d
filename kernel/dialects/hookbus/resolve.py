"""What one outcome means in a sequential emit (spec 2.4, 2.5) and what it says at all (4.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from kernel.dialects.hookbus.answers import (
    CONTINUE,
    CONTINUE_BODY,
    Block,
    Confirm,
    ContextPhase,
    Continue,
    HookResult,
    Inject,
    Invalid,
    Modify,
    Replace,
    read,
)
from kernel.dialects.hookbus.json_text import decoded
from kernel.dialects.hookbus.kinds import Kind
from kernel.dialects.hookbus.matching import PERMISSIONS
from kernel.dialects.hookbus.permissions import TOOLS_TRANSFORM_OUTPUT
from kernel.dialects.hookbus.traits import Traits
from kernel.errors import BadInput
from kernel.reach import InProcess
from kernel.values import (
    JSON,
    Answered,
    Cancelled,
    Crashed,
    Effect,
    Empty,
    Failed,
    Outcome,
    Skipped,
    Status,
    Subscription,
    TimedOut,
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that the host warns of."""

    category: str
    """Name of the log entry of spec 2.11, without its prefix."""
    message: str
    rule: str


@dataclass(frozen=True, slots=True)
class Said:
    """What an outcome says, whatever the kind."""

    result: HookResult
    """`CONTINUE` where it says nothing usable."""
    verdict: Verdict | None = None
    """Set where nothing else is to be decided: nothing was answered, or nothing that can be read."""
    trouble: Trouble | None = None
    """Set where the answer could not be read and still says something."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one outcome."""

    status: Status
    effect: Effect
    rule: str
    why: str
    result: HookResult = CONTINUE
    """What counts of the answer; `CONTINUE` where nothing does."""
    troubles: tuple[Trouble, ...] = ()


_CONTINUED = Verdict(Status.OK, Effect.CONTINUE, "HB-CONTINUE", "it answered continue")
_SAID_CONTINUE = Said(CONTINUE, _CONTINUED)


def resolve(
    kind: Kind, traits: Traits, subscription: Subscription, outcome: Outcome, *, is_confirm_pending: bool
) -> Verdict:
    """Say what one outcome means for the rest of a chain whose handlers are called one after the other."""
    told = said(subscription, traits, outcome)
    if told.verdict is not None:
        return told.verdict
    verdict = _judged(kind, traits, subscription.options, told.result, is_confirm_pending=is_confirm_pending)
    if told.trouble is None:
        return verdict
    verdict = replace(verdict, troubles=(told.trouble, *verdict.troubles))
    if verdict.effect is not Effect.STOP:
        return verdict
    why = f"{told.trouble.message}; that counts as block"
    return replace(verdict, status=Status.ERROR, rule="HB-MALFORMED-MODIFY", why=why)


def said(subscription: Subscription, traits: Traits, outcome: Outcome) -> Said:
    """What an outcome says. A handler that gives nothing usable is taken to have said continue, with one exception."""
    match outcome:
        case Answered(body):
            if body == CONTINUE_BODY:
                return _SAID_CONTINUE
            try:
                reply = decoded(body)
            except BadInput as error:
                why = f"its reply cannot be read ({error.message}), so the call failed"
                return _nothing("call_failed", "HB-CALL-FAILED", why)
            return _read(reply)
        case Empty():
            return _read(None)
        case TimedOut(after_ms):
            return _nothing("timeout", "HB-TIMEOUT", f"no answer after {after_ms:.0f} ms", Status.TIMED_OUT)
        case Crashed(message):
            return _nothing("call_failed", "HB-CRASHED", f"its process is gone: {message}")
        case Failed(code, message) if is_panic(subscription, code):
            if traits.panics_propagate:
                why = f"it raised {code}: {message}"
                trouble = Trouble("panic", why, "HB-PANIC-PROPAGATES")
                return Said(
                    CONTINUE, Verdict(Status.ERROR, Effect.ABORT, trouble.rule, why, troubles=(trouble,)), trouble
                )
            return _nothing("panic", "HB-PANIC", f"it raised {code}: {message}")
        case Failed(code, message):
            return _nothing("call_failed", "HB-CALL-FAILED", f"the call failed with {code}: {message}")
        case Skipped(by):
            return Said(CONTINUE, Verdict(Status.SKIPPED, Effect.CONTINUE, "HB-SKIPPED", f"left out by {by}"))
        case Cancelled(reason):
            why = f"the caller gave up: {reason}"
            return Said(CONTINUE, Verdict(Status.CANCELLED, Effect.ABORT, "HB-CANCELLED", why))
        case _:
            assert_never(outcome)


def is_panic(subscription: Subscription, code: str) -> bool:
    """Whether a failure is an exception of a handler in our own process: its code is then the name of a class."""
    return isinstance(subscription.reach, InProcess | None) and code[:1].isupper() and not code.isupper()


def _nothing(category: str, rule: str, why: str, status: Status = Status.ERROR) -> Said:
    trouble = Trouble(category, why, rule)
    verdict = Verdict(status, Effect.CONTINUE, rule, f"{why}; that counts as continue", troubles=(trouble,))
    return Said(CONTINUE, verdict, trouble)


def _read(reply: JSON) -> Said:
    match read(reply):
        case Invalid(error, Block() as block):
            return Said(block, None, Trouble("invalid_result", error, "HB-MALFORMED-MODIFY"))
        case Invalid(error):
            return _nothing("invalid_result", "HB-INVALID-RESULT", error)
        case Continue():
            return _SAID_CONTINUE
        case result:
            return Said(result)


def _judged(
    kind: Kind, traits: Traits, options: Mapping[str, JSON], result: HookResult, *, is_confirm_pending: bool
) -> Verdict:
    if not traits.accepts(kind, result.action):
        return _ignored("disallowed", "HB-DISALLOWED", f"{kind.name} accepts no {result.action}")
    match result:
        case Block(reason):
            return Verdict(Status.DENIED, Effect.STOP, "HB-BLOCK", f"it blocked: {reason}", result)
        case Confirm() | Modify() if traits.ends_on_first:
            status = Status.CHANGED if isinstance(result, Modify) else Status.OK
            why = f"it answered {result.action}, and the first such answer ends the chain here"
            return Verdict(status, Effect.STOP, "HB-FIRST-ENDS", why, result)
        case Confirm(message):
            return Verdict(Status.OK, Effect.CONTINUE, "HB-CONFIRM", f"it wants a confirmation: {message}", result)
        case Modify() if is_confirm_pending:
            return _ignored("modify_late", "HB-MODIFY-LATE", "it modified the input of a call that is to be confirmed")
        case Modify():
            return Verdict(Status.CHANGED, Effect.REPLACE, "HB-MODIFY", "it gave another input", result)
        case Replace() if not has_both_keys(options):
            why = f"it replaced the output without {TOOLS_TRANSFORM_OUTPUT}"
            return _ignored("replace_denied", "HB-REPLACE-DENIED", why)
        case Replace(output):
            why = f"it replaced the output by {len(output.encode())} bytes"
            return Verdict(Status.CHANGED, Effect.STOP, "HB-REPLACE", why, result)
        case Inject(content):
            why = f"it injects {len(content.encode())} bytes"
            return Verdict(Status.OK, Effect.CONTINUE, "HB-INJECT", why, result)
        case Continue() | ContextPhase():
            raise AssertionError(f"{result.action} is decided before")
        case _:
            assert_never(result)


def has_both_keys(options: Mapping[str, JSON]) -> bool:
    """Whether the record's extension may replace outputs, and sits in the view of workers."""
    held = options.get(PERMISSIONS)
    return isinstance(held, list | tuple) and TOOLS_TRANSFORM_OUTPUT in held


def _ignored(category: str, rule: str, why: str) -> Verdict:
    return Verdict(
        Status.ERROR, Effect.CONTINUE, rule, f"{why}; it is ignored", troubles=(Trouble(category, why, rule),)
    )
