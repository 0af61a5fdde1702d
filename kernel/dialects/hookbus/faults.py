"""What an extension can answer wrongly. Every entry is performed on the far side: the bus sees what a host would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kernel.dialects.hookbus.answers import MEMBERS
from kernel.dialects.hookbus.json_text import checked, compact
from kernel.dialects.hookbus.kinds import KINDS, Action, Style
from kernel.dialects.hookbus.resolve import has_both_keys
from kernel.dialects.hookbus.traits import Traits
from kernel.errors import BadInput
from kernel.faults import COMMON, Alter, FarSide, FaultKind, Plan, Refuse, always, text
from kernel.frame_faults import FRAME_FAULTS, ONCE, error_reply
from kernel.reach import StdioExtension
from kernel.values import JSON, Ask, Subscription

_NEEDY = tuple(action for action, member in MEMBERS.items() if member is not None)


def _sends(reply: JSON) -> Plan:
    body = compact(reply)
    return always(Alter(lambda true_answer: body))


def _fixed(reply: JSON) -> Callable[[Mapping[str, JSON]], Plan]:
    return lambda params: _sends(reply)


def _action(params: Mapping[str, JSON]) -> Action:
    name = text(params, "action")
    if name not in _NEEDY:
        raise BadInput(f"no action {name!r} that needs a member; there are {', '.join(_NEEDY)}")
    return Action(name)


def _unknown_action(params: Mapping[str, JSON]) -> Plan:
    name = text(params, "action")
    if name in MEMBERS:
        raise BadInput(f"{name!r} is an action that every host knows")
    return _sends({"action": name})


def _no_member(params: Mapping[str, JSON]) -> Plan:
    return _sends({"action": _action(params).value})


def _wrong_type(params: Mapping[str, JSON]) -> Plan:
    action = _action(params)
    if action is Action.MODIFY:
        raise BadInput("an input can be any JSON, so none is of a wrong type")
    return _sends({"action": action.value, str(MEMBERS[action]): 7})


def _disallowed(params: Mapping[str, JSON]) -> Plan:
    def plan(ask: Ask) -> FarSide:
        kind = KINDS[ask.subscription.point]
        action = next(each for each in _NEEDY if each not in kind.actions)
        body = compact({"action": action.value, str(MEMBERS[action]): "injected"})
        return Alter(lambda true_answer: body)

    return plan


def _oversize(params: Mapping[str, JSON]) -> Plan:
    return _sends({"action": "replace", "output": "x" * _size(params, "bytes", 64 * 1024 * 1024)})


def _nested(params: Mapping[str, JSON]) -> Plan:
    depth = _size(params, "depth", 100_000)
    body = b'{"action":"modify","input":' + b"[" * depth + b"]" * depth + b"}"
    return always(Alter(lambda true_answer: body))


def _size(params: Mapping[str, JSON], key: str, most: int) -> int:
    value = params[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadInput(f"{key} must be a number from 0 to {most}, not {value!r}")
    return value


def _error_reply(params: Mapping[str, JSON]) -> Plan:
    on_the_wire, refused = error_reply(params), Refuse("error_reply", text(params, "message"))
    return lambda ask: on_the_wire(ask) if _is_process(ask.subscription) else refused


def _raw(params: Mapping[str, JSON]) -> Plan:
    return _sends(checked(params["result"], "result"))


FAULTS: tuple[FaultKind, ...] = (
    *COMMON,
    FaultKind(
        "error_reply",
        "replies with a JSON-RPC error",
        _error_reply,
        {"code": -32603, "message": "injected", **ONCE},
    ),
    FaultKind("unknown_action", "answers with an action that there is not", _unknown_action, {"action": "explode"}),
    FaultKind("no_action", "answers with an empty object", _fixed({})),
    FaultKind("no_member", "answers with an action, without what it needs", _no_member, {"action": "block"}),
    FaultKind("wrong_type", "answers with a number where text is needed", _wrong_type, {"action": "block"}),
    FaultKind("malformed_modify", "answers with modify and gives no input", _fixed({"action": "modify"})),
    FaultKind("disallowed_action", "answers with an action that the kind does not accept", _disallowed),
    FaultKind("not_an_object", "answers with text", _fixed("ok")),
    FaultKind("null_result", "answers with null", _fixed(None)),
    FaultKind("list_result", "answers with a list, which decoders take", _fixed(["block", "injected"])),
    FaultKind("not_json", "answers with bytes that are no JSON", lambda params: always(Alter(lambda answer: b"\xff{"))),
    FaultKind("oversize_replace", "replaces the output by a huge one", _oversize, {"bytes": 1_048_577}),
    FaultKind("deep_modify", "gives an input nested deeper than any host reads", _nested, {"depth": 200}),
    FaultKind("raw_result", "answers with this JSON", _raw, {"result": None}),
    *FRAME_FAULTS,
)
"""The catalogue. What happens to frames happens to real extensions only."""

_INVALID = frozenset(
    {
        "unknown_action",
        "no_action",
        "no_member",
        "wrong_type",
        "not_an_object",
        "null_result",
        "raw_result",
        "no_result",
        "flat_result",
    }
)
_UNREADABLE = frozenset({"not_json", "deep_modify", "error_reply"})
_SILENT = frozenset({"hang", "late_answer", "wrong_id", "array_message"})
_DEAD = frozenset({"crash", "keeps_crashing"})
_HARMLESS = frozenset({"delay", "noise", "duplicate_answer", "duplicate_member", "slow_drip"})
SLOW = frozenset({"slow_drip"})
"""What takes its time on the wire, whatever the deadline is."""
_HANDED_OVER_AGAIN = (
    frozenset(fault.kind for fault in FRAME_FAULTS) - _HARMLESS - _SILENT - _INVALID - {"keeps_crashing"}
)
"""What makes a host start a process anew and ask it once more."""
_SAYS: Mapping[str, Action] = MappingProxyType(
    {"malformed_modify": Action.BLOCK, "list_result": Action.BLOCK, "oversize_replace": Action.REPLACE}
)
"""What some answers come to once they are decoded."""
_LATE: Mapping[Style, str] = MappingProxyType(
    {
        Style.SEQUENTIAL: "HB-TIMEOUT",
        Style.CONCURRENT: "HB-CONC-TIMEOUT",
        Style.NOTIFY: "HB-NOTIFY-CUT",
    }
)


def exercises(kind: str, seat: Subscription, traits: Traits) -> frozenset[str]:
    """Rules of which one resolves a step with a fault of this kind in its usual settings.

    Empty for what nobody notices, and where the extension's process is started anew and asked again: then its answer
    counts, if it still comes in time.
    """
    if kind in _HARMLESS or kind in _HANDED_OVER_AGAIN or (_is_process(seat) and kind in _UNREADABLE | {"crash"}):
        return frozenset()
    style = traits.style_of(KINDS[seat.point])
    if kind in _SILENT:
        return frozenset({_LATE[style]})
    if style is Style.NOTIFY:
        return frozenset({"HB-NOTIFY-LOST" if kind in _DEAD or kind == "error_reply" else "HB-NOTIFY-IGNORED"})
    if kind in _DEAD:
        return frozenset({"HB-CRASHED"})
    if kind in _UNREADABLE:
        return frozenset({"HB-CALL-FAILED"})
    if kind in _INVALID:
        return frozenset({"HB-INVALID-RESULT"})
    return frozenset({"HB-CONC-FIRST", "HB-CONC-DROPPED"}) if style is Style.CONCURRENT else _taken(kind, seat, traits)


def is_handed_over_again(kind: str, seat: Subscription) -> bool:
    """Whether such a fault has the seat's process started anew before the step is over (spec 4.7)."""
    return _is_process(seat) and kind in _HANDED_OVER_AGAIN | _UNREADABLE | _DEAD


def _is_process(seat: Subscription) -> bool:
    return isinstance(seat.reach, StdioExtension)


def _taken(kind: str, seat: Subscription, traits: Traits) -> frozenset[str]:
    """The same for an answer that can be read, in a sequential emit."""
    event = KINDS[seat.point]
    if kind == "disallowed_action" or not traits.accepts(event, _SAYS[kind]):
        return frozenset({"HB-DISALLOWED"})
    if _SAYS[kind] is Action.REPLACE:
        return frozenset({"HB-REPLACE" if has_both_keys(seat.options) else "HB-REPLACE-DENIED"})
    return frozenset({"HB-MALFORMED-MODIFY" if kind == "malformed_modify" else "HB-BLOCK"})
