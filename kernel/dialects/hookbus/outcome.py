"""What an emit returns: the host's HookResult, as the kernel's Result and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from kernel.dialects.hookbus.answers import (
    CONTINUE,
    Block,
    Confirm,
    ContextPhase,
    Continue,
    HookResult,
    Inject,
    Modify,
    Replace,
)
from kernel.dialects.hookbus.kinds import Action
from kernel.dialects.hookbus.matching import GENERATION
from kernel.dialects.hookbus.payload import HookPayload
from kernel.values import JSON, Ending, Result, Status, Subscription

UNSPECIFIED = "unspecified"
_STATUS = {Action.BLOCK: Status.DENIED, Action.MODIFY: Status.CHANGED, Action.REPLACE: Status.CHANGED}


def result_of(
    result: HookResult, payload: HookPayload, *, by: Iterable[str], rule: str, observed_len: int = 0
) -> Result:
    """The kernel's word for what the bus returns: the action is the decision, its members are the extras.

    `observed_len` is that of the output that a replace is about, in bytes.
    """
    decided_by = ", ".join(dict.fromkeys(by))
    extras, status = _extras(result, observed_len), _STATUS.get(result.action, Status.OK)
    return Result(Ending.FINISHED, payload, result.action.value, decided_by, "", rule, extras, status)


def broken(ending: Ending, payload: HookPayload | None, error: str, rule: str) -> Result:
    """The result of a dispatch that came to no end of its own."""
    status = Status.CANCELLED if ending is Ending.CANCELLED else Status.ERROR
    return Result(ending, payload, UNSPECIFIED, "", error, rule, status=status)


def hook_result(result: Result) -> HookResult:
    """What the bus returned, out of a Result; Continue for a dispatch that gave nothing."""
    extras = result.extras
    match result.decision:
        case "block":
            return Block(str(extras["reason"]))
        case "modify":
            return Modify(extras["input"])
        case "replace":
            return Replace(str(extras["output"]))
        case "inject":
            return Inject(str(extras["content"]))
        case "confirm":
            tool = extras.get("tool")
            return Confirm(
                str(extras["message"]),
                _texts(extras.get("sources")),
                tuple(int(str(each)) for each in _items(extras.get("generations"))),
                tool if isinstance(tool, str) else None,
                extras.get("modified_input"),
                _texts(extras.get("modified_by")),
            )
        case _:
            return CONTINUE


def generation_of(seat: Subscription) -> int:
    """How often the extension was unloaded before this record was made."""
    generation = seat.options.get(GENERATION, 0)
    return generation if isinstance(generation, int) else 0


def _extras(result: HookResult, observed_len: int) -> dict[str, JSON]:
    match result:
        case Continue():
            return {}
        case Block(reason):
            return {"reason": reason}
        case Confirm():
            return {
                "message": result.message,
                "sources": list(result.sources),
                "generations": list(result.generations),
                "tool": result.tool,
                "modified_input": result.modified_input,
                "modified_by": list(result.modified_by),
            }
        case Modify(value):
            return {"input": value}
        case Replace(output):
            return {"output": output, "observed_len": observed_len, "replacement_len": len(output.encode())}
        case Inject(content):
            return {"content": content}
        case ContextPhase(phase):
            return {"phase": phase}
        case _:
            assert_never(result)


def _items(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _texts(value: JSON) -> tuple[str, ...]:
    return tuple(str(each) for each in _items(value))
