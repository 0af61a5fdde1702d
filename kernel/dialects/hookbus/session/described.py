"""A session as somebody described it: what people and models say, what tools give, what happens in between.

Nothing here decides anything. `load` is the only way in from outside; docs/sessions.md shows the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from kernel.describing import Reaction, converted
from kernel.dialects.hookbus.acting import MAX_TOOL_OUTPUT
from kernel.dialects.hookbus.events import MAX_HOOK_OUTPUT
from kernel.dialects.hookbus.kinds import KINDS
from kernel.dialects.hookbus.payload import HookEvent, from_view
from kernel.dialects.hookbus.wording import nearest
from kernel.errors import BadInput
from kernel.values import JSON

DEEPEST: Final = 32
"""Workers inside of each other that a description may have."""
TEARDOWN_MS: Final = 2000.0
"""What a host with somebody in front of it grants the end of a session, where the description does not say."""


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class HostKind(StrEnum):
    INTERACTIVE = "interactive"
    """Somebody sits in front of it, who can be asked."""
    HEADLESS = "headless"
    """Nobody can be asked, sessions end without a transcript, and their end is emitted to one after the other."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message that is there before the session begins."""

    text: str
    role: Role = Role.USER


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes, and what the tool gives if it runs."""

    tool: str
    """As the host knows it: `bash`; `<extension>:<tool>` is one that an extension brings, and is really called where no
    output is described."""
    input: Any = field(default_factory=dict)
    id: str = ""
    output: str | None = None
    fails: bool = False
    """Whether the output tells of a failure."""
    takes_ms: float = 0
    worker: Worker | None = None
    """A subagent that the tool has work; its last words are the output if none is described."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One answer of the model."""

    says: str = ""
    calls: tuple[Call, ...] = ()
    """Made one after the other."""
    takes_ms: float = 0


@dataclass(frozen=True, slots=True)
class Worker:
    """A subagent. Extensions see nothing of it but the outputs of its tools, and only those that may replace them."""

    task: str
    model: tuple[ModelAnswer, ...]


@dataclass(frozen=True, slots=True)
class Compaction:
    """The conversation is replaced by a summary, and goes on in a session of its own."""

    summary: str
    session: str
    """Id of the session that takes its place."""
    source: str = "manual"
    message_count: int | None = None
    """How many messages there were; counted if nothing is said."""
    data: Any = None
    """What the host tells beside that."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A delivery that the host starts and does not wait for."""

    events: tuple[dict[str, Any], ...] = ()
    """What its builder yields: events without their kind, or of another kind, which is then not sent."""
    kind: str = "notification"
    times: int = 1
    """How many such deliveries are started at once."""
    takes_ms: float = 0
    """For the builder to yield them."""
    error: str = ""
    """Its builder fails with this."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens in a session: exactly one of these."""

    user: str | None = None
    """What somebody says, which begins a turn."""
    model: tuple[ModelAnswer, ...] = ()
    """What the model answers in the turn, one for each request; one without calls ends it."""
    compaction: Compaction | None = None
    notify: Notice | None = None
    unload: str | None = None
    """An extension that is unloaded."""
    reload: str | None = None
    """An extension that is unloaded, if it is loaded, and loaded again."""
    wait_ms: float | None = None
    """Nothing happens for so long."""


@dataclass(frozen=True, slots=True)
class Described:
    """A whole session."""

    steps: tuple[Step, ...]
    session: str = "session"
    host: HostKind = HostKind.INTERACTIVE
    messages: tuple[Said, ...] = ()
    answers: tuple[Reaction, ...] = ()
    """Each is used once, the first that fits."""
    auto_approve: bool = False
    """Confirms are approved without a question."""
    latch: bool = True
    """Whether an answer can hold for the rest of the conversation."""
    tells_session_id: bool = True
    """False: tool and message events have none, as with SYNAPS_HOOK_SESSION_ID=off."""
    hook_output_limit: int = MAX_HOOK_OUTPUT
    """Bytes of an output that extensions see."""
    max_tool_output: int = MAX_TOOL_OUTPUT
    """Bytes of an output that the model reads."""
    teardown_ms: float | None = None
    """Milliseconds for everybody at the end; 2000 where the host is interactive and nothing is said, no end else."""

    @property
    def teardown_budget_ms(self) -> float | None:
        if self.teardown_ms is None and self.host is HostKind.INTERACTIVE:
            return TEARDOWN_MS
        return self.teardown_ms


_ONE_OF: Final = ("user", "compaction", "notify", "unload", "reload", "wait_ms")


def load(view: JSON, name: str) -> Described:
    """The session that a JSON or YAML document describes; raises BadInput with `name` and the path inside."""
    described = converted(view, Described, name)
    for problem in _problems(described):
        raise BadInput(f"{name}: {problem}")
    return described


def built(notice: Notice, path: str = "$") -> tuple[HookEvent, ...]:
    """The events of a delivery; raises BadInput that names the path."""
    found = []
    for place, members in enumerate(notice.events):
        kind = members.get("kind", notice.kind)
        try:
            made = from_view(str(kind), members)
        except BadInput as error:
            raise BadInput(f"{path}.events[{place}]{error.message.removeprefix('$')}") from None
        assert isinstance(made, HookEvent), "an object is one event"
        found.append(made)
    return tuple(found)


def calls_of(described: Described) -> Iterator[tuple[str, Call]]:
    """Every call, with its path; those of workers come after the call that they do the work of."""
    for number, step in enumerate(described.steps):
        yield from _calls(step.model, f"$.steps[{number}].model")


def _calls(model: tuple[ModelAnswer, ...], path: str) -> Iterator[tuple[str, Call]]:
    for place, answer in enumerate(model):
        for index, call in enumerate(answer.calls):
            here = f"{path}[{place}].calls[{index}]"
            yield here, call
            if call.worker is not None:
                yield from _calls(call.worker.model, f"{here}.worker.model")


def _problems(described: Described) -> Iterator[str]:
    for number, step in enumerate(described.steps):
        yield from _problems_of_step(step, f"$.steps[{number}]")
    for count in Counter(call.id for _, call in calls_of(described) if call.id).items():
        if count[1] > 1:
            yield f"$.steps: the call id {count[0]!r} is used {count[1]} times; leave ids out, or make them differ"
    for path, call in calls_of(described):
        yield from _problems_of_call(call, path)
    for name in ("hook_output_limit", "max_tool_output"):
        if getattr(described, name) < 1:
            yield f"$.{name}: at least one byte is needed"
    if described.teardown_ms is not None and described.teardown_ms < 0:
        yield "$.teardown_ms: a number from 0 is needed"


def _problems_of_step(step: Step, path: str) -> Iterator[str]:
    there = [name for name in _ONE_OF if getattr(step, name) is not None]
    if len(there) != 1:
        yield f"{path}: a step is exactly one of {', '.join(_ONE_OF)}, not {' and '.join(there) or 'none of them'}"
    if step.model and step.user is None:
        yield f"{path}.model: the model answers what a user says"
    yield from _problems_of_model(step.model, f"{path}.model")
    if step.notify is not None:
        yield from _problems_of_notice(step.notify, f"{path}.notify")
    if step.wait_ms is not None and step.wait_ms < 0:
        yield f"{path}.wait_ms: a number from 0 is needed"


def _problems_of_model(model: tuple[ModelAnswer, ...], path: str, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        yield f"workers are nested too deeply in each other: {depth} levels, {DEEPEST} are enough for any host"
        return
    for place, answer in enumerate(model):
        if not answer.calls and place + 1 < len(model):
            yield f"{path}[{place}]: an answer without calls ends the turn, and there are more"
        for index, call in enumerate(answer.calls):
            if call.worker is not None:
                yield from _problems_of_model(call.worker.model, f"{path}[{place}].calls[{index}].worker", depth + 1)


def _problems_of_call(call: Call, path: str) -> Iterator[str]:
    extension, colon, tool = call.tool.partition(":")
    if not call.tool or (colon and not (extension and tool)):
        yield f"{path}.tool: a name is needed, or <extension>:<tool>, not {call.tool!r}"
    if call.worker is not None and (call.takes_ms or call.fails):
        yield f"{path}: its worker says how the call ends and how long it takes"
    if call.output is None and call.worker is None:
        if not colon:
            yield f"{path}: an output or a worker is needed; only tools of extensions are really called"
        elif call.fails or call.takes_ms:
            yield f"{path}: it is really called, which says how it ends and how long it takes"


def _problems_of_notice(notice: Notice, path: str) -> Iterator[str]:
    if notice.kind not in KINDS:
        yield f"{path}.kind: no kind {notice.kind!r}; {nearest(notice.kind, KINDS)}"
        return
    if notice.times < 1:
        yield f"{path}.times: at least one delivery is needed"
    if notice.error and notice.events:
        yield f"{path}: a builder that fails yields no events"
    try:
        built(notice, path)
    except BadInput as error:
        yield error.message
