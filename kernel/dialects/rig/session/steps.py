"""One step: a request to the model, the calls that it answers with, and making both durable (spec D.1, D.4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from kernel.dialects.rig.content import AssistantMessage, StreamResult, ToolResultMessage, Usage
from kernel.dialects.rig.context import Canceled
from kernel.dialects.rig.operation import Operation, Outcome
from kernel.dialects.rig.session.batch import Batch
from kernel.dialects.rig.session.choices import Commit, Failing
from kernel.dialects.rig.session.conversation import Conversation, reply, tool_result
from kernel.dialects.rig.session.described import Call, Step
from kernel.dialects.rig.session.errors import HostError, HostRaise, blocked_error, made, panicked
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.journal import AppendFailed, Journal
from kernel.dialects.rig.session.owner import Close, Inside
from kernel.dialects.rig.session.tools import CaptureFailed, Tools
from kernel.dialects.rig.session.waiting import slept
from kernel.dialects.rig.snapshot import InferencePayload, StepPayload
from kernel.dialects.rig.snapshot_view import to_view

REPLY_FAILS = (Failing.LIMIT, Failing.OUTPUT_RULE)
"""What is wrong with a reply that came whole: the request completed all the same."""


@dataclass(slots=True)
class Done:
    """What a step came to, for its turn."""

    error: BaseException | None = None
    """What it failed with; None where it was committed."""
    is_interrupted: bool = False
    """The turn ends as interrupted, whatever the step's own outcome is."""


@dataclass(slots=True)
class _Reply:
    """What the model answered with."""

    message: AssistantMessage | None = None
    error: BaseException | None = None


@dataclass(slots=True)
class _StepRun:
    """One step under way."""

    step: Step
    calls: list[tuple[Call, str]]
    done: Done = field(default_factory=Done)


class Steps:
    """The steps of one session's turns."""

    def __init__(self, ground: Ground, journal: Journal, tools: Tools, conversation: Conversation) -> None:
        self._ground = ground
        self._journal = journal
        self._tools = tools
        self._conversation = conversation

    async def taken(self, step: Step, index: int, identity: Identity, inside: Inside) -> Done:
        """One step as an operation. Raises HostRaise where it raises, once its finishes are over."""
        calls = [(call, call.id or f"toolu_{self._ground.new_id('tool use').hex[:12]}") for call in step.calls]
        run = _StepRun(step, calls)

        async def act(here: Inside) -> Close:
            return await self._act(run, identity, here)

        begun = self._ground.call(Operation.STEP, identity, StepPayload(index))
        ended = await self._ground.operate(begun, inside, act)
        if ended.close is None and ended.error is not None:  # somebody else played it
            run.done.error = ended.error
        return run.done

    async def _act(self, run: _StepRun, identity: Identity, inside: Inside) -> Close:
        answered = await self._inferred(run, identity, inside)
        error = answered.error or self._wrong_with_reply(run.step)
        if error is not None or answered.message is None:
            run.done.error = error or HostError("loop: empty reply")
            return Close(run.done.error)
        results: list[ToolResultMessage] = []
        if run.calls:
            if run.step.admission_raises:
                raise HostRaise(run.step.admission_raises)
            batch = Batch(self._ground, self._tools, identity, inside, events_raise=run.step.tool_events_raise)
            try:
                given = await batch.run(run.calls)
            except CaptureFailed as failed:
                return self._not_captured(run, failed, inside)
            results = [
                tool_result(call_id, each.text, is_error=each.is_error)
                for (_, call_id), each in zip(run.calls, given, strict=True)
            ]
        close = await self._committed(run, inside)
        if close.error is None:
            self._conversation.add(answered.message)
            for result in results:
                self._conversation.add(result)
        return close

    def _wrong_with_reply(self, step: Step) -> BaseException | None:
        if step.fails in REPLY_FAILS:
            return made(step.error or _USUAL[step.fails], step.error_kind)
        return None

    def _not_captured(self, run: _StepRun, failed: CaptureFailed, inside: Inside) -> Close:
        """The context for a review could not be captured: the turn fails."""
        run.done.error = HostError(f"loop: review context could not be captured: {failed}")
        leaks = self._ground.leaks
        rule = "RG-CAPTURE-LEAK" if leaks else "RG-CAPTURE-FAILED"
        why = "the step and its calls are finished as failed"
        if leaks:
            why = "neither the step nor the calls that had begun are ever finished, as in the original"
        self._ground.decided(inside, "review context", "not captured", by="host", rule=rule, why=why)
        return Close(run.done.error, leaks=leaks)

    async def _committed(self, run: _StepRun, inside: Inside) -> Close:
        """Make the step durable; the handshake is with whoever runs the loop."""
        step = run.step
        error: BaseException | None = None
        match step.commit:
            case Commit.RAISES:
                raise HostRaise(step.commit_error or "commit raised")
            case Commit.CANCELLED:
                error = HostError(step.commit_error or "loop: commit cancelled")
                error.__cause__ = Canceled()
            case Commit.REFUSED:
                error = HostError(step.commit_error or "loop: commit refused")
            case Commit.OK:
                error = inside.context.err()
                if error is None:
                    try:
                        await self._journal.event("StepDone", inside, calls=len(run.calls))
                    except AppendFailed as failure:
                        error = failure.error
        if error is None:
            return Close()
        run.done.error, run.done.is_interrupted = error, True
        close = Close(error)
        if step.commit is Commit.REFUSED:
            why = "its commit was refused, so the step failed; the turn ends as interrupted all the same"
            self._ground.decided(inside, "step", "failed", by="host", rule="RG-COMMIT-REFUSED", why=why)
        return close

    # -- the request -----------------------------------------------------------------------------------------------

    async def _inferred(self, run: _StepRun, identity: Identity, inside: Inside) -> _Reply:
        """One streaming request, opened and read to its end."""
        answered = _Reply()

        async def act(here: Inside) -> Close:
            return await self._streamed(run, answered, here)

        begun = self._ground.call(Operation.INFERENCE, identity, InferencePayload(self._conversation.request()))
        ended = await self._ground.operate(begun, inside, act)
        self._ground.counts["requests"] += ended.block is None  # what was blocked was never sent
        if ended.block is not None:
            answered.error = blocked_error(Operation.INFERENCE, is_denied=ended.block.is_denied)
            rule = "RG-INFERENCE-BLOCKED"
            why = "the stream was never opened; the step and the turn around it fail, whoever blocked it and why"
            self._ground.decided(inside, "request", "not sent", by=ended.block.by, rule=rule, why=why)
        elif ended.close is None:  # somebody else played it
            shown = ended.call.inference
            answered.error = ended.error
            answered.message = shown.ai_message if shown is not None else None
            if answered.error is None and answered.message is None:
                answered.message = reply(run.step, run.calls, is_partial=False)
        elif ended.outcome == Outcome.CANCELED and inside.context.err() is None and answered.error is not None:
            why = (
                "its error holds a cancellation or a deadline, while no context had ended; the context is not looked at"
            )
            self._ground.decided(inside, "request", "canceled", by="host", rule="RG-ERROR-DECIDES", why=why)
        return answered

    async def _streamed(self, run: _StepRun, answered: _Reply, inside: Inside) -> Close:
        step = run.step
        if (ended := inside.context.err()) is not None:
            answered.error = ended
            return Close(ended)
        if step.fails is Failing.OPEN:
            answered.error = made(step.error or _USUAL[Failing.OPEN], step.error_kind)
            return Close(answered.error)
        ended = await slept(inside.context, self._ground.clock, step.takes_ms)
        is_cut = step.fails is Failing.CUT
        partial = reply(step, run.calls, is_partial=True)
        cut = to_view(InferencePayload(ai_message=partial)) if partial.blocks else {}
        if ended is not None:
            answered.error = ended
            return Close(ended, cut if step.takes_ms else {})
        match step.fails:
            case Failing.RAISES:
                answered.error = panicked(Operation.INFERENCE)
                return Close(answered.error)
            case Failing.CUT | Failing.ASSEMBLY | Failing.EMPTY:
                answered.error = made(step.error or _USUAL[step.fails], step.error_kind)
                return Close(answered.error, cut if is_cut else {})
            case _:
                pass
        answered.message = reply(step, run.calls, is_partial=False)
        self._conversation.tokens = step.input_tokens + step.output_tokens
        usage = Usage(step.input_tokens, step.output_tokens)
        reason = "tool_use" if run.calls else "length" if step.fails is Failing.LIMIT else "stop"
        result = StreamResult(usage, self._ground.described.model.name, reason, 1)
        return Close(terminal=to_view(InferencePayload(ai_message=answered.message, stream_result=result)))


_USUAL = {
    Failing.OPEN: "provider: the stream could not be opened",
    Failing.CUT: "provider: the stream was cut",
    Failing.EMPTY: "loop: empty reply",
    Failing.ASSEMBLY: "loop: the reply could not be assembled",
    Failing.LIMIT: "loop: the reply is over its limit",
    Failing.OUTPUT_RULE: "loop: the reply breaks an output rule",
}
