"""What a description cannot mean, beyond what its shape says. Pure."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Final
from uuid import UUID

from kernel.dialects.rig.session.choices import Compacting, Dependency
from kernel.dialects.rig.session.described import AppendTrouble, Call, Compaction, Described, Input, Record, Step, Tool

FAMILIES: Final = ("event", "command", "gate_prepared", "fence")
EVENTS: Final = (
    "SessionStarted",
    "LoopStarted",
    "RestoreStarted",
    "ConfigurationAdopted",
    "CrashClosed",
    "RestoreDone",
    "RestoreErrored",
    "TurnStarted",
    "SessionActive",
    "ContextMeasured",
    "TurnRejected",
    "InputCancelled",
    "GateOpened",
    "PermissionRequested",
    "PermissionDecided",
    "GateResolved",
    "GateClosed",
    "StepDone",
    "InputFolded",
    "CompactionCommitted",
    "CompactionRejected",
    "CompactionWaiterDone",
    "CompactionWaiterRejected",
    "TurnDone",
    "TurnFailed",
    "TurnInterrupted",
    "LoopIdle",
    "SessionIdle",
)
"""Every event that is appended to the log."""
_ONE_OF: Final = ("user", "compact", "append", "wait_ms")


def problems(described: Described) -> Iterator[str]:
    """Every problem, each with its path."""
    yield from _problems_of_tools(described.tools)
    if described.parallel < 1:
        yield "$.parallel: at least one call has to be able to run"
    if described.epoch < 0:
        yield "$.epoch: a number from 0 is needed"
    if not described.agent:
        yield "$.agent: the loop needs a name"
    if described.limits.hard and described.limits.hard < described.limits.compact_at:
        yield "$.limits.hard: less than compact_at, so nothing would ever be compacted"
    if described.restored is not None and described.restored.turns < 0:
        yield "$.restored.turns: a number from 0 is needed"
    for place, compaction in enumerate(described.compactions):
        yield from _problems_of_compaction(compaction, f"$.compactions[{place}]")
    for place, trouble in enumerate(described.journal):
        yield from _problems_of_trouble(trouble, f"$.journal[{place}]")
    for place, each in enumerate(described.inputs):
        yield from _problems_of_input(each, f"$.inputs[{place}]")


def _problems_of_tools(tools: tuple[Tool, ...]) -> Iterator[str]:
    for name, times in Counter(tool.name for tool in tools).items():
        if times > 1:
            yield f"$.tools: {name!r} is there {times} times"
    for place, tool in enumerate(tools):
        if not tool.name:
            yield f"$.tools[{place}].name: a tool needs a name"


def _problems_of_input(each: Input, path: str) -> Iterator[str]:
    given = [key for key in _ONE_OF if getattr(each, key) is not None]
    if len(given) != 1:
        yield f"{path}: one of {', '.join(_ONE_OF)} is needed, not {' and '.join(given) or 'none'}"
        return
    if each.user is None:
        for key in ("steps", "is_delegated", "unstampable", "terminal_fails", "boundary_fails"):
            if getattr(each, key):
                yield f"{path}.{key}: only an input of a user is a turn"
    for key in ("interrupted_after_ms", "killed_after_ms", "deadline_ms"):
        after = getattr(each, key)
        if after is not None and (each.user is None or after < 0):
            yield f"{path}.{key}: a number of milliseconds from 0, of a turn, is needed"
    if each.wait_ms is not None and each.wait_ms < 0:
        yield f"{path}.wait_ms: a number of milliseconds from 0 is needed"
    if each.compact is not None:
        yield from _problems_of_compaction(each.compact, f"{path}.compact")
    if each.append is not None:
        yield from _problems_of_record(each.append, f"{path}.append")
    yield from _problems_of_steps(each.steps, path)


def _problems_of_steps(steps: tuple[Step, ...], path: str) -> Iterator[str]:
    for place, step in enumerate(steps):
        yield from _problems_of_step(step, f"{path}.steps[{place}]", is_last=place + 1 == len(steps))


def _problems_of_step(step: Step, path: str, *, is_last: bool) -> Iterator[str]:
    goes_on = step.calls or step.queued or step.compact is not None
    if not is_last and (step.fails is not None or not goes_on):
        why = "it fails" if step.fails is not None else "it has neither calls nor something queued"
        yield f"{path}: the turn ends behind this step, since {why}; there are more"
    if step.takes_ms < 0:
        yield f"{path}.takes_ms: a number of milliseconds from 0 is needed"
    if step.compact is not None:
        yield from _problems_of_compaction(step.compact, f"{path}.compact")
    ids = Counter(call.id for call in step.calls if call.id)
    for call_id, times in ids.items():
        if times > 1:
            yield f"{path}.calls: the id {call_id!r} is there {times} times"
    for place, call in enumerate(step.calls):
        yield from _problems_of_call(call, f"{path}.calls[{place}]")


def _problems_of_call(call: Call, path: str) -> Iterator[str]:
    if not call.tool:
        yield f"{path}.tool: the model has to name a tool"
    if call.takes_ms < 0:
        yield f"{path}.takes_ms: a number of milliseconds from 0 is needed"
    ways = [key for key in ("result", "error", "raises") if getattr(call, key) not in (None, "")]
    ways += ["empty"] if call.empty else []
    if len(ways) > 1:
        yield f"{path}: the tool ends in one way, not with {' and '.join(ways)}"
    if call.spawns is not None:
        yield from _problems_of_steps(call.spawns.steps, f"{path}.spawns")
        if not call.spawns.agent:
            yield f"{path}.spawns.agent: a loop needs a name"
    if call.args_text is not None and call.args:
        yield f"{path}: args or args_text, not both"
    try:
        json.dumps(call.args, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"{path}.args: {error}"
    if call.raises_in is Dependency.APPROVAL and call.access is not None and call.access.value != "prompt":
        yield f"{path}.raises_in: approval is set up only where access is prompt"


def _problems_of_compaction(compaction: Compaction, path: str) -> Iterator[str]:
    if compaction.ends is Compacting.NOTHING and compaction.cancelled_after_ms is None:
        yield f"{path}: a compactor that never comes back needs cancelled_after_ms, or the session never ends"
    if compaction.takes_ms < 0 or (compaction.cancelled_after_ms or 0) < 0:
        yield f"{path}: milliseconds count from 0"
    if compaction.waiters is not None and compaction.waiters < 0:
        yield f"{path}.waiters: a number from 0 is needed"


def _problems_of_record(record: Record, path: str) -> Iterator[str]:
    if record.family not in FAMILIES:
        yield f"{path}.family: {record.family!r} is none; there are {', '.join(FAMILIES)}"
    if record.fails and record.raises:
        yield f"{path}: it fails or it raises, not both"
    if record.is_fallback and record.family != "command":
        yield f"{path}.is_fallback: only commands are queued"
    if record.id and record.family == "fence" and not record.id.isdecimal():
        yield f"{path}.id: a fence is known by the number of its epoch"
    if record.id and record.family != "fence" and not _is_uuid(record.id):
        yield f"{path}.id: a UUID is needed"


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False


def _problems_of_trouble(trouble: AppendTrouble, path: str) -> Iterator[str]:
    known = (*EVENTS, *FAMILIES)
    if trouble.record not in known:
        close = difflib.get_close_matches(trouble.record, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
        yield f"{path}.record: nothing {trouble.record!r} is appended; {hint}"
    if bool(trouble.fails) == bool(trouble.raises):
        yield f"{path}: fails or raises is needed, and only one of them"
    if trouble.nth < 0:
        yield f"{path}.nth: 0 for each, or a number from 1"
