"""What a handler answers: results as values, as JSON, and as the host decodes them (spec 1.5, 4.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias, assert_never

from kernel.dialects.hookbus.json_text import compact
from kernel.dialects.hookbus.kinds import Action
from kernel.values import JSON

MALFORMED_MODIFY = "Extension returned malformed modify result"
"""Reason of the block that a `modify` without input turns into: the one answer that fails closed."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Nothing to say; also what a handler is taken to have said that said nothing usable."""

    action = Action.CONTINUE


@dataclass(frozen=True, slots=True)
class Block:
    """The tool must not run."""

    action = Action.BLOCK
    reason: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """Somebody has to agree before the tool runs. All members but `message` are the bus's, never a handler's."""

    action = Action.CONFIRM
    message: str
    sources: tuple[str, ...] = ()
    """Ids of the extensions that asked for it, one for each confirm, in chain order."""
    generations: tuple[int, ...] = ()
    """Load generations of the sources."""
    tool: str | None = None
    modified_input: JSON = None
    """The input that the first confirm was about, where `modified_by` says that somebody had modified it."""
    modified_by: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[tuple[str, int], ...]:
        """What a latch knows the sources by."""
        return tuple(zip(self.sources, self.generations, strict=True))


@dataclass(frozen=True, slots=True)
class Modify:
    """The tool is to run with this input."""

    action = Action.MODIFY
    input: JSON


@dataclass(frozen=True, slots=True)
class Replace:
    """This is to be the tool's output."""

    action = Action.REPLACE
    output: str


@dataclass(frozen=True, slots=True)
class Inject:
    """This is to be added to what the model reads."""

    action = Action.INJECT
    content: str


@dataclass(frozen=True, slots=True)
class ContextPhase:
    """Its use is unknown: no kind accepts it."""

    action = Action.CONTEXT_PHASE
    phase: str


HookResult: TypeAlias = Continue | Block | Confirm | Modify | Replace | Inject | ContextPhase
"""A closed set: matching it must be exhaustive."""

CONTINUE = Continue()
CONTINUE_BODY = b'{"action":"continue"}'

MEMBERS: Mapping[Action, str | None] = MappingProxyType(
    {
        Action.CONTINUE: None,
        Action.BLOCK: "reason",
        Action.CONFIRM: "message",
        Action.MODIFY: "input",
        Action.REPLACE: "output",
        Action.INJECT: "content",
        Action.CONTEXT_PHASE: "phase",
    }
)
"""The member that each action needs: text, except that an input is any JSON."""
_ACTIONS = {action.value: action for action in Action}


@dataclass(frozen=True, slots=True)
class Invalid:
    """A reply that is no result, and what the host takes it for."""

    error: str
    taken_for: Continue | Block = CONTINUE


def read(reply: JSON) -> HookResult | Invalid:
    """The result in a reply, as the host's decoder has it: an object, or a list that begins with the action."""
    found = _read(reply)
    if isinstance(found, Invalid) and isinstance(reply, dict) and reply.get("action") == Action.MODIFY:
        return Invalid(found.error, Block(MALFORMED_MODIFY))
    return found


def _read(reply: JSON) -> HookResult | Invalid:
    match reply:
        case dict():
            if "action" not in reply:
                return Invalid("missing member 'action'")
            name, rest = reply["action"], None
        case [name, *rest]:
            pass
        case list():
            return Invalid("an empty list names no action")
        case _:
            return Invalid("a result is an object")
    if not isinstance(name, str) or name not in _ACTIONS:
        return Invalid(f"unknown action {_brief(name, 60)}")
    action = _ACTIONS[name]
    member = MEMBERS[action]
    if member is None:
        return CONTINUE
    if rest is None:
        assert isinstance(reply, dict), "a list has a rest"
        if member not in reply:
            return Invalid(f"{action} without {member!r}")
        value = reply[member]
    elif len(rest) != 1:
        return Invalid(f"{action} as a list needs {member!r} and nothing else")
    else:
        [value] = rest
    if action is Action.MODIFY:
        return Modify(value)
    if not isinstance(value, str):
        return Invalid(f"{member!r} of {action} must be text, not {_brief(value, 40)}")
    return _with_text(action, value)


def _brief(value: JSON, width: int) -> str:
    """As Python writes it; one can see where it was cut."""
    text = repr(value)
    return text if len(text) <= width else f"{text[:width]}…"


def _with_text(action: Action, text: str) -> HookResult:
    match action:
        case Action.BLOCK:
            return Block(text)
        case Action.CONFIRM:
            return Confirm(text)
        case Action.REPLACE:
            return Replace(text)
        case Action.INJECT:
            return Inject(text)
        case Action.CONTEXT_PHASE:
            return ContextPhase(text)
        case Action.CONTINUE | Action.MODIFY:
            raise AssertionError(f"{action} has no text")
        case _:
            assert_never(action)


def to_view(result: HookResult) -> dict[str, JSON]:
    """A result as a handler sends it: what only the bus adds to a confirm is left out."""
    match result:
        case Continue():
            return {"action": Action.CONTINUE.value}
        case Block(said) | Confirm(said) | Replace(said) | Inject(said) | ContextPhase(said):
            return {"action": result.action.value, str(MEMBERS[result.action]): said}
        case Modify(value):
            return {"action": Action.MODIFY.value, "input": value}
        case _:
            assert_never(result)


def to_body(result: HookResult) -> bytes:
    """The same in wire form."""
    return compact(to_view(result))
