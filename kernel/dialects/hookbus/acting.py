"""What a host does with what the bus returned (spec 2.7): values in, values out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kernel.asking import THIS_ONE, Answer, Question, ReplyWord
from kernel.dialects.hookbus.answers import Block, Confirm, Continue, HookResult, Inject, Modify, Replace
from kernel.dialects.hookbus.events import prefix
from kernel.dialects.hookbus.manifest.values import WHITE_SPACE
from kernel.dialects.hookbus.outcome import hook_result
from kernel.dialects.hookbus.payload import HookEvent
from kernel.facts import Decided
from kernel.values import JSON, Ending, Result

MAX_REPLACE_OUTPUT = 1_048_576
"""Bytes of a replacement that the host takes."""
MAX_TOOL_OUTPUT = 30_000
"""Bytes of a tool's output that the model reads, where the caller does not say."""
BLOCKED = "Tool call blocked by extension: "
NO_PROMPT = "Tool call requires confirmation but no interactive prompt is available: "
DENIED = "Tool call confirmation denied: "
NOBODY = "nobody"
"""Who answers where nobody can be asked (`kernel.asking.Nobody`)."""


@dataclass(frozen=True, slots=True)
class Run:
    """The tool runs."""

    input: JSON
    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class NotRun:
    """The tool does not run."""

    reason: str
    rule: str
    why: str

    @property
    def told(self) -> str:
        """The error result that the model reads."""
        return BLOCKED + self.reason


ToolVerdict: TypeAlias = Run | NotRun


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a tool that enters the history. Whether the tool had failed stays as it was."""

    text: str
    rule: str
    why: str


def is_yes(text: str) -> bool:
    """Whether what somebody typed at a prompt approves."""
    return text.strip(WHITE_SPACE).lower() in ("y", "yes")


def tool_verdict(
    result: HookResult,
    original: JSON,
    *,
    is_auto_approved: bool = False,
    is_latched: bool = False,
    answer: Answer | None = None,
) -> ToolVerdict:
    """What becomes of a tool call. `answer` is to a confirm; None, or nobody's, means that none was to be had."""
    match result:
        case Modify(value):
            return Run(value, "HB-RUN-MODIFIED", "it runs with the modified input")
        case Block(reason):
            return NotRun(reason, "HB-TOOL-BLOCKED", f"{BLOCKED}{reason}")
        case Confirm(message):
            confirmed = result.modified_input if result.modified_by else original
            if is_auto_approved:
                return Run(confirmed, "HB-CONFIRM-AUTO", "confirms are approved automatically")
            if is_latched:
                who = ", ".join(dict.fromkeys(result.sources))
                return Run(confirmed, "HB-CONFIRM-LATCHED", f"{who} may go on for this conversation")
            if answer is None or answer.by == NOBODY:
                return NotRun(f"{NO_PROMPT}{message}", "HB-CONFIRM-NO-PROMPT", f"{NO_PROMPT}{message}")
            if not answer.allows:
                return NotRun(f"{DENIED}{message}", "HB-CONFIRM-DENIED", f"{DENIED}{message}")
            with_input = "modified" if result.modified_by else "original"
            return Run(confirmed, "HB-CONFIRM-APPROVED", f"it was approved and runs with the {with_input} input")
        case _:
            return Run(original, "HB-RUN", "it runs with the original input")


def final_output(result: HookResult, original: str, max_tool_output: int = MAX_TOOL_OUTPUT) -> Output:
    """What enters the history after a tool call. `original` is the whole output, not the one that hooks see."""
    match result:
        case Replace(output):
            whole = output.encode()
            cut = prefix(prefix(whole, MAX_REPLACE_OUTPUT).encode(), max_tool_output)
            if len(whole) > MAX_REPLACE_OUTPUT:
                why = f"a replacement of {len(whole)} bytes is cut to {MAX_REPLACE_OUTPUT}"
                clamped = prefix(whole, MAX_REPLACE_OUTPUT).encode()
                return Output(cut, "HB-OUTPUT-CLAMPED", _cut(why, cut, clamped))
            return Output(cut, "HB-OUTPUT-REPLACED", _cut("the replacement counts", cut, whole))
        case _:
            whole = original.encode()
            cut = prefix(whole, max_tool_output)
            why = "the original counts"
            if not isinstance(result, Continue):
                why = f"{result.action} is nothing to do with an output: the original counts"
            return Output(cut, "HB-OUTPUT-KEPT", _cut(why, cut, whole))


def attachment(result: HookResult) -> str | None:
    """What goes to the model with this request; None where there is nothing, or nothing but white space."""
    if isinstance(result, Inject) and result.content.strip(WHITE_SPACE):
        return result.content
    return None


def question(dispatch: str, result: Result, *, is_auto_approved: bool) -> Question | None:
    """What somebody has to be asked because of a confirm; None where there is none, or nobody is asked."""
    confirm = hook_result(result)
    if not isinstance(confirm, Confirm) or is_auto_approved:
        return None
    assert isinstance(result.payload, HookEvent), "confirms come of single events"
    return question_about(confirm, result.payload, dispatch, by=result.decided_by)


def question_about(
    confirm: Confirm, event: HookEvent, asked_in: str, *, by: str = "", has_latch: bool = False
) -> Question:
    """The question of a confirm. `event` holds the input that would run; `asked_in` is the stretch or dispatch.

    With a latch, a yes may hold for the rest of the conversation: for the extensions that asked, not for the tool, and
    never a no.
    """
    details: dict[str, JSON] = {
        "message": confirm.message,
        "sources": list(confirm.sources),
        "generations": list(confirm.generations),
        "tool": event.tool_name,
        "input": event.tool_input,
        "modified_by": list(confirm.modified_by),
    }
    sources = ", ".join(dict.fromkeys(confirm.sources)) or by
    latched = {ReplyWord.SESSION: f"this and whatever {sources} asks later, until it is reloaded"}
    replies = {
        ReplyWord.ONCE: THIS_ONE[ReplyWord.ONCE],
        **(latched if has_latch else {}),
        ReplyWord.DENY: THIS_ONE[ReplyWord.DENY],
    }
    return Question(asked_in, event.tool_name or event.kind, details, f"confirm:{sources}", replies=replies)


def settled(result: Result, answer: Answer | None, *, is_auto_approved: bool) -> Decided | None:
    """What the host then does, as the fact that tells it; None where a kind's result is discarded anyway."""
    event, returned = result.payload, hook_result(result)
    if result.ending is not Ending.FINISHED or not isinstance(event, HookEvent):
        return None
    match event.kind:
        case "before_tool_call":
            verdict = tool_verdict(returned, event.tool_input, is_auto_approved=is_auto_approved, answer=answer)
            by = result.decided_by or "host"
            if isinstance(returned, Confirm):
                by = "host" if is_auto_approved else NOBODY if answer is None else answer.by
            decision = "run" if isinstance(verdict, Run) else "not run"
            return Decided(event.tool_name, decision, by, verdict.rule, verdict.why)
        case "after_tool_call":
            output = final_output(returned, event.tool_output)
            decision = "replaced" if isinstance(returned, Replace) else "kept"
            return Decided(event.tool_name, decision, result.decided_by or "host", output.rule, output.why)
        case "before_message" if isinstance(returned, Inject):
            if attachment(returned) is None:
                why = "there is nothing but white space in it"
                return Decided("injection", "skipped", "host", "HB-INJECT-BLANK", why)
            why = f"{len(returned.content.encode())} bytes go with this request"
            return Decided("injection", "attached", result.decided_by, "HB-ATTACHED", why)
        case "on_session_start" if isinstance(returned, Inject):
            why = f"{len(returned.content.encode())} bytes are kept for session {event.session_id!r}"
            return Decided("injection", "stored", result.decided_by, "HB-SESSION-STORED", why)
        case _:
            return None


def _cut(why: str, cut: str, whole: bytes) -> str:
    kept = len(cut.encode())
    return why if kept == len(whole) else f"{why}; of {len(whole)} bytes {kept} are kept"
