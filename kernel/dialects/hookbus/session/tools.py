"""One call of a tool: emitted before, judged by the host, made, emitted after (spec 1.2, 2.7, 4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from kernel.asking import Resolver
from kernel.clock import NS_PER_MS, Limit
from kernel.dialects.hookbus.acting import NotRun, Output, Run, final_output, tool_verdict
from kernel.dialects.hookbus.answers import Confirm, Continue, Replace
from kernel.dialects.hookbus.events import after_tool_call, api_safe, before_tool_call
from kernel.dialects.hookbus.gate import confirmed
from kernel.dialects.hookbus.json_text import compact, decoded
from kernel.dialects.hookbus.latch import ConfirmLatch
from kernel.dialects.hookbus.outcome import hook_result
from kernel.dialects.hookbus.payload import HookEvent
from kernel.dialects.hookbus.session.described import Call, Worker
from kernel.dialects.hookbus.session.ground import Ground
from kernel.dialects.hookbus.session.history import ToolResult
from kernel.errors import BadInput
from kernel.stretch import Stretch
from kernel.subscriber import Call as Asking
from kernel.subscriber import Subscriber
from kernel.values import JSON, Answered, Cancelled, Crashed, Empty, Failed, Outcome, Result, Skipped, TimedOut

TOOL_CALL: Final = "tool.call"
"""Where a tool of an extension is asked to run."""
TOOL_TIMEOUT_MS: Final = 120_000
MOST_LINES: Final = 200
"""Of what an extension prints while its tool runs, that are kept."""

Work: TypeAlias = Callable[[Stretch, Worker], Awaitable[str]]
"""Has a worker work, inside of a stretch; gives its last words."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a tool gave, all of it."""

    text: str
    is_error: bool = False


class ToolCalls:
    """The calls of one session, of its foreground and of its workers."""

    def __init__(
        self,
        ground: Ground,
        resolver: Resolver | None,
        latch: ConfirmLatch | None,
        *,
        is_auto_approved: bool,
        work: Work,
    ) -> None:
        self._ground = ground
        self._resolver = resolver
        self._latch = latch
        self._is_auto_approved = is_auto_approved
        self._work = work
        self.counts: Counter[str] = Counter()
        """What came of the calls so far."""

    async def made(self, parent: Stretch, call: Call, call_id: str, *, is_of_worker: bool) -> ToolResult:
        """What the model reads of one call, whatever becomes of it."""
        extension, colon, _ = call.tool.partition(":")
        api_name, runtime_name = api_safe(call.tool), call.tool if colon else None
        session_id = None if is_of_worker else self._ground.shown_session
        known: dict[str, JSON] = {"call_id": call_id, "tool": call.tool}
        known |= {"extension": extension} if colon else {}
        self.counts["tool_calls"] += 1
        with self._ground.stretches.entered("tool.call", _subject(call, call_id), parent, known) as stretch:
            event = before_tool_call(api_name, call.input, runtime_name=runtime_name, session_id=session_id)
            verdict = await self._judged(stretch, _subject(call, call_id), event, is_of_worker=is_of_worker)
            if isinstance(verdict, NotRun):
                self.counts["not_run"] += 1
                stretch.note({"outcome": "not run", "result": {"text": verdict.told, "is_error": True}})
                return ToolResult(call_id, verdict.told, is_error=True)
            given = await self._given(stretch, call, verdict.input)
            after = after_tool_call(
                api_name,
                verdict.input,
                given.text,
                runtime_name=runtime_name,
                session_id=session_id,
                limit=self._ground.described.hook_output_limit,
            )
            result = await self._ground.emitted(stretch, after, is_of_worker=is_of_worker)
            output = final_output(hook_result(result), given.text, self._ground.described.max_tool_output)
            self._tell_output(stretch, _subject(call, call_id), result, given, output)
            outcome = "error" if given.is_error else "ok"
            stretch.note({"outcome": outcome, "result": {"text": output.text, "is_error": given.is_error}})
            return ToolResult(call_id, output.text, given.is_error)

    async def _judged(self, stretch: Stretch, subject: str, event: HookEvent, *, is_of_worker: bool) -> Run | NotRun:
        result = await self._ground.emitted(stretch, event, is_of_worker=is_of_worker)
        answer = hook_result(result)
        by = result.decided_by or "host"
        if isinstance(answer, Confirm):
            self.counts["confirms"] += 1
            assert isinstance(result.payload, HookEvent), "the event as it was confirmed"
            found = await confirmed(
                answer,
                result.payload,
                event.tool_input,
                stretch.id,
                resolver=self._resolver,
                latch=self._latch,
                is_auto_approved=self._is_auto_approved,
            )
            verdict, by = found.verdict, found.by
            stretch.decided(subject, _word(verdict), by=by, rule=verdict.rule, why=verdict.why)
            if found.is_latched_now:
                who = ", ".join(dict.fromkeys(answer.sources))
                why = f"{who} may go on without a question until it is loaded again"
                stretch.decided(who, "latched", by=by, rule="HB-LATCHED", why=why)
            return verdict
        verdict = tool_verdict(answer, event.tool_input)
        stretch.decided(subject, _word(verdict), by=by, rule=verdict.rule, why=verdict.why)
        return verdict

    def _tell_output(self, stretch: Stretch, subject: str, result: Result, given: Given, output: Output) -> None:
        answer = hook_result(result)
        if isinstance(answer, Continue) and output.text == given.text:
            return
        is_replaced = isinstance(answer, Replace)
        self.counts["replaced"] += is_replaced
        word = "replaced" if is_replaced else "kept" if output.text == given.text else "cut"
        stretch.decided(subject, word, by=result.decided_by or "host", rule=output.rule, why=output.why)

    async def _given(self, parent: Stretch, call: Call, value: JSON) -> Given:
        """What the tool gave for an input: as it is described, or really."""
        known: dict[str, JSON] = {"tool": call.tool}
        with self._ground.stretches.entered("tool.execute", call.tool, parent, known) as stretch:
            if call.worker is not None:
                last_words = await self._work(stretch, call.worker)
                return Given(last_words if call.output is None else call.output)
            if call.output is None:
                return await self._really_given(stretch, call, value)
            await self._ground.wait(call.takes_ms)
            return Given(call.output, call.fails)

    async def _really_given(self, stretch: Stretch, call: Call, value: JSON) -> Given:
        """What the tool of an extension gave. Its host waits so long, and has it run again where a call failed."""
        extension, _, tool = call.tool.partition(":")
        if extension in self._ground.loaded.missing:
            return _unknown(stretch, call.tool, f"{extension} is not loaded, and its tools went with it")
        subscriber = await self._ground.stage.bring(extension)
        registered: Collection[str] | None = getattr(subscriber, "tools", None)
        if registered is not None and tool not in registered:
            had = f"only {', '.join(sorted(registered))}" if registered else "none"
            return _unknown(stretch, call.tool, f"of the tools of {extension}, {had} was registered when it was loaded")
        outcome, lines = await self._asked(subscriber, tool, value)
        if lines:
            stretch.note({"printed": [*lines]})
        if isinstance(outcome, Answered | Failed | Crashed) and len(outcome.deliveries) > 1:
            why = f"{outcome.deliveries[-1].because}, so {extension} was started again and ran it once more"
            stretch.decided(call.tool, "ran twice", by="host", rule="HB-TOOL-TWICE", why=why)
        given = _read(outcome, call.tool)
        if given.is_error:
            rule = "HB-TOOL-TIMEOUT" if isinstance(outcome, TimedOut) else "HB-TOOL-FAILED"
            stretch.decided(call.tool, "failed", by=extension, rule=rule, why=given.text)
        return given

    async def _asked(self, subscriber: Subscriber, tool: str, value: JSON) -> tuple[Outcome, list[str]]:
        stage, lines = self._ground.stage, list[str]()

        def hear(stream: str, line: str) -> None:
            if len(lines) < MOST_LINES:
                lines.append(f"{stream}: {line}")

        deadline_ns = stage.clock.now_ns() + TOOL_TIMEOUT_MS * NS_PER_MS
        asking = Asking(TOOL_CALL, compact({"name": tool, "input": value}), deadline_ns, stage.clock, hear)
        with Limit(stage.clock, deadline_ns, stage.caller) as limit:
            return await subscriber.answer(asking), lines
        if limit.given_up:
            raise self._ground.cancelled()
        return TimedOut(TOOL_TIMEOUT_MS), lines


def _unknown(stretch: Stretch, tool: str, why: str) -> Given:
    stretch.decided(tool, "unknown", by="host", rule="HB-TOOL-UNKNOWN", why=why)
    return Given(f"Unknown tool: {tool}", is_error=True)


def _subject(call: Call, call_id: str) -> str:
    return f"{call.tool} ({call_id})"


def _word(verdict: Run | NotRun) -> str:
    return "run" if isinstance(verdict, Run) else "not run"


def _read(outcome: Outcome, tool: str) -> Given:
    """What the host makes of an outcome: a text, the content of an object that has one, or any JSON as it is."""
    match outcome:
        case Answered(body):
            try:
                said = decoded(body)
            except BadInput as error:
                return Given(f"{tool} failed: {error.message}", is_error=True)
            match said:
                case str(text) | {"content": str(text)}:
                    return Given(text)
                case _:
                    return Given(compact(said).decode())
        case Empty():
            return Given("null")
        case Failed(_, message) | Crashed(message):
            return Given(f"{tool} failed: {message}", is_error=True)
        case TimedOut(after_ms):
            return Given(f"{tool} failed: no result within {after_ms / 1000:g} s", is_error=True)
        case Cancelled(reason):
            return Given(f"{tool} failed: {reason}", is_error=True)
        case Skipped(by):
            return Given(f"{tool} failed: left out by {by}", is_error=True)
        case _:
            assert_never(outcome)
