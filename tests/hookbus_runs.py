"""What tests of the hookbus dialect share: chains in a line, events in two letters, and what a run came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dispatch_runs import Told, on_virtual_time

from kernel import Caller, Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.clock import NS_PER_MS
from kernel.control import Control
from kernel.dialects.hookbus import HOOKBUS, Hookbus
from kernel.dialects.hookbus import events as host
from kernel.dialects.hookbus.logs import LogBook, LogLine
from kernel.dialects.hookbus.payload import HookEvent, HookPayload, event, parse
from kernel.facts import Asked, Changed, NotReached, Raised, Resolved
from kernel.faults import Die, FarSide, Hang, Refuse
from kernel.subscriber import Call
from kernel.transports.stub import Stub
from kernel.values import JSON, Outcome, Result

I0: JSON = {"command": "ls"}
I1: JSON = {"command": "pwd"}
I2: JSON = {"command": "true"}
TI, TX, LC, SL = "tools.intercept", "tools.transform_output", "privacy.llm_content", "session.lifecycle"


def bt(tool: str = "bash", tool_input: JSON = I0, runtime: str | None = None) -> HookEvent:
    return host.before_tool_call(tool, tool_input, runtime_name=runtime)


def at(output: str = "raw", tool: str = "bash", tool_input: JSON = I0) -> HookEvent:
    return host.after_tool_call(tool, tool_input, output)


def bm(text: str = "hi") -> HookEvent:
    found = host.before_message([{"role": "user", "content": text}])
    assert found is not None
    return found


def mc(text: str = "done") -> HookEvent:
    return host.on_message_complete([{"type": "text", "text": text}])


def cp(summary: str = "summary") -> HookEvent:
    return host.on_compaction(summary, old_session_id="a", new_session_id="b", message_count=9, source="manual")


def ss(session: str = "s1") -> HookEvent:
    return host.on_session_start(session)


def se(session: str = "s1") -> HookEvent:
    return host.on_session_end(session)


def nk(message: str = "n") -> HookEvent:
    return event("notification", message=message)


EVENTS: Mapping[str, Callable[[], HookEvent]] = {
    "before_tool_call": bt,
    "after_tool_call": at,
    "before_message": bm,
    "on_message_complete": mc,
    "on_compaction": cp,
    "on_session_start": ss,
    "on_session_end": se,
    "notification": nk,
}


@dataclass(frozen=True)
class H:
    """One record and what its handler does: an answer in words, any JSON, `HANG`, or an outcome of the transport."""

    name: str
    does: object = "continue"
    options: Mapping[str, JSON] = field(default_factory=dict)
    after_ms: float = 0


HANG, CRASH, ERROR, PANIC = "(hangs)", "(crashes)", "(error reply)", "(raises)"
_TROUBLE: Mapping[str, FarSide] = {
    HANG: Hang(),
    CRASH: Die(),
    ERROR: Refuse("error_reply", "no"),
    PANIC: Refuse("ValueError", "boom"),
}


@dataclass(frozen=True)
class Raw:
    """A reply as JSON, whether or not a host could read it."""

    reply: JSON


@dataclass(frozen=True)
class Once:
    """What a transport gives, as it is."""

    outcome: Outcome


class Handler:
    """Does as it is told, and remembers the events that it got."""

    def __init__(self, does: object, after_ms: float = 0) -> None:
        self.seen: list[HookEvent] = []
        self.phases: list[str] = []
        self._given = does.outcome if isinstance(does, Once) else None
        self._stub = _stub("continue" if isinstance(does, Once) else does, after_ms)

    async def answer(self, call: Call) -> Outcome:
        self.seen.append(parse(call.request))
        self.phases.append(call.phase)
        if self._given is not None:
            return self._given
        return await self._stub.answer(call)


def _stub(does: object, after_ms: float) -> Stub:
    if isinstance(does, str) and does in _TROUBLE:
        return Stub(lambda request: b"", after_ms, _TROUBLE[does])
    if isinstance(does, bytes):
        return Stub(lambda request: does, after_ms)
    if isinstance(does, Raw):
        body = HOOKBUS.staging.answer_in_json(does.reply)
        return Stub(lambda request: body, after_ms)
    return Stub(HOOKBUS.staging.answer_in_words(does, "handle"), after_ms)  # type: ignore[arg-type]  # words are JSON


@dataclass
class Ran(Told):
    """A run, and everything that is claimed about runs."""

    handlers: dict[str, Handler] = field(default_factory=dict)
    logs: list[LogLine] = field(default_factory=list)
    took_ms: float = 0

    @property
    def came_to(self) -> Result:
        assert self.result is not None
        return self.result

    @property
    def calls(self) -> list[str]:
        return [fact.subscription.name for fact in self.facts if isinstance(fact, Asked)]

    @property
    def log(self) -> str:
        """`block A, disallowed B`: code and extension of every line above trace."""
        lines = (line for line in self.logs if line.code != "trace")
        return ", ".join(f"{line.code} {line.fields.get('extension', '')}".strip() for line in lines)

    @property
    def rules(self) -> set[str]:
        found = {rule for rule in (getattr(fact, "rule", "") for fact in self.facts) if rule}
        return found | {self.came_to.rule}

    @property
    def verdicts(self) -> dict[str, Resolved]:
        return {fact.subscription.name: fact for fact in self.facts if isinstance(fact, Resolved)}

    @property
    def raised(self) -> list[str]:
        return [f"{fact.subscription.name} {fact.category}" for fact in self.facts if isinstance(fact, Raised)]

    @property
    def missed(self) -> list[str]:
        return [f"{fact.subscription.name} {fact.rule}" for fact in self.facts if isinstance(fact, NotReached)]

    @property
    def changes(self) -> list[Changed]:
        return [fact for fact in self.facts if isinstance(fact, Changed)]


def chain_of(kind: str, *seats: H) -> Chain:
    chain = Chain(kind)
    for seat in seats:
        chain = HOOKBUS.staging.seated(chain, Subscription(seat.name, kind, ""), seat.options)
    return chain


def run(
    payload: HookPayload,
    *seats: H,
    dialect: Hookbus = HOOKBUS,
    control: Control | None = None,
    gives_up: bool = False,
    tracing: bool = False,
    kind: str = "",
) -> Ran:
    """One dispatch on virtual time."""

    async def body(clock: VirtualClock) -> Ran:
        ran, caller = Ran(), Caller()
        if gives_up:
            caller.cancel("enough")
        ran.handlers = {seat.name: Handler(seat.does, seat.after_ms) for seat in seats}
        started_ns = clock.now_ns()
        ran.result = await dispatch(
            dialect,
            chain_of(kind or (payload.kind), *seats),
            payload,
            ran.handlers,
            probes=Probes(ran, LogBook(ran.logs.append, traces=lambda: tracing)),
            control=control,
            clock=clock,
            caller=caller,
            dispatch_id="d",
        )
        ran.took_ms = (clock.now_ns() - started_ns) / NS_PER_MS
        return ran

    return on_virtual_time(body)
