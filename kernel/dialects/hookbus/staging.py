"""Hook chains set up by hand: records without a manifest, programs, and stubs that answer in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from kernel.dialects.hookbus import permissions
from kernel.dialects.hookbus.answers import CONTINUE_BODY, MEMBERS
from kernel.dialects.hookbus.json_text import checked, compact
from kernel.dialects.hookbus.kinds import KINDS, Action
from kernel.dialects.hookbus.matching import CONTAINS, EQUALS, GENERATION, MATCH, PERMISSIONS, TOOL
from kernel.dialects.hookbus.payload import KEYS
from kernel.dialects.hookbus.walk import HANDLER_TIMEOUT_MS
from kernel.dialects.hookbus.wording import nearest
from kernel.errors import BadInput
from kernel.reach import StdioExtension
from kernel.values import JSON, Chain, Subscription

HANDLE = "handle"
"""The one mode: an extension is asked to handle an event, and its permissions and the kind say what it may answer."""
_OPTIONS = (TOOL, MATCH, PERMISSIONS, GENERATION)
_WORDS = (Action.CONTINUE, "pass")
_MEMBERS: Mapping[str, str | None] = {action.value: member for action, member in MEMBERS.items()}
_USUAL: Mapping[Action, JSON] = {
    Action.CONTINUE: "continue",
    Action.BLOCK: {"block": "not allowed"},
    Action.CONFIRM: {"confirm": "really?"},
    Action.MODIFY: {"modify": {}},
    Action.REPLACE: {"replace": ""},
    Action.INJECT: {"inject": ""},
}


def record(subscription: Subscription, options: Mapping[str, JSON], *, is_of_manifest: bool = True) -> Subscription:
    """A seat with its options, checked and filled in; raises BadInput as the host would.

    Only manifests are held to filters where there are tools: the bus itself takes any, and such a record gets nothing.
    """
    seat = subscription
    kind = KINDS.get(seat.point)
    if kind is None:
        raise HookBusStaging().no_point(seat.point)
    if seat.timeout_ms is not None and seat.timeout_ms < 0:
        raise BadInput(f"timeout_ms is {seat.timeout_ms}, and it cannot be negative")
    if seat.mode not in ("", HANDLE):
        raise BadInput(f"no mode {seat.mode!r}: an extension is asked to {HANDLE!r} an event, and that is all")
    found: dict[str, JSON] = {}
    for key, value in options.items():
        if key not in _OPTIONS:
            raise BadInput(f"no option {key!r}{_nearest(key, _OPTIONS)}")
        if value is not None:
            found[key] = _OF_OPTION[key](checked(value, key))
    if TOOL in found and is_of_manifest and not kind.allows_tool_filter:
        raise BadInput(f"hook '{kind.name}' does not allow a tool filter")
    held = found.setdefault(PERMISSIONS, [kind.permission] if kind.permission else [])
    if kind.permission and isinstance(held, list) and kind.permission not in held:
        raise BadInput(permissions.lacking(seat.name, kind.permission, kind.name))
    timeout_ms = HANDLER_TIMEOUT_MS if seat.timeout_ms is None else seat.timeout_ms
    reach = seat.reach
    if isinstance(reach, StdioExtension) and not reach.id:
        granted = held if PERMISSIONS in options and isinstance(held, list) else []
        reach = replace(reach, id=seat.name, permissions=frozenset(str(each) for each in granted))
    return replace(seat, mode=HANDLE, timeout_ms=timeout_ms, options=found, reach=reach)


class HookBusStaging:
    """See the protocol. `kinds` are those that there are, which depends on a switch."""

    statuses: tuple[str, ...] = ()
    words = frozenset((*Action, *(each for each in MEMBERS.values() if each), *KEYS, HANDLE, "pass"))
    default_deadline: frozenset[str] = frozenset()
    unseats_failures = True  # hooks are installed last, once the handshake is fine (spec 4.5, 4.12)

    def __init__(self, kinds: tuple[str, ...] = tuple(KINDS)) -> None:
        self._kinds = kinds

    def no_point(self, point: str) -> BadInput:
        return BadInput(f"no kind {point!r}{_nearest(point, self._kinds)}")

    def check_default(self, timeout_ms: int) -> None:
        if timeout_ms < 0:
            raise BadInput(f"the deadline of seats that name none is {timeout_ms}, and it cannot be negative")

    def seated(self, chain: Chain, subscription: Subscription, options: Mapping[str, JSON]) -> Chain:
        """An extension may sit in a chain more than once: every hook entry is a record of its own."""
        seat = record(subscription, {**subscription.options, **options})
        twins = sum(other.name == seat.name for other in chain.subscriptions)
        if twins and not seat.id:
            seat = replace(seat, id=f"{seat.name}-{twins + 1}")
        return replace(chain, subscriptions=(*chain.subscriptions, seat))

    def as_started(self, chain: Chain, absent: Mapping[str, str]) -> Chain:
        return chain

    def program(self, argv: tuple[str, ...], cwd: str, env: Mapping[str, str]) -> StdioExtension:
        if env:
            raise BadInput("an extension gets five variables of its host's environment and no others; give it a config")
        return StdioExtension("", argv[0], argv[1:], cwd)

    def answer_in_words(self, words: JSON, mode: str) -> Callable[[bytes], bytes | None]:
        """`continue` (or `pass`), or one action with its member: `{block: why}`, `{modify: {command: ls}}`."""
        answer = _answer(words)
        return lambda request: answer

    def usual(self, subscription: Subscription, phase: str = "") -> tuple[JSON, ...]:
        kind = KINDS.get(subscription.point)
        accepted = () if kind is None else (action for action in Action if action in kind.actions)
        return tuple(_USUAL[action] for action in accepted)

    def answer_in_json(self, view: JSON) -> bytes:
        return compact(checked(view, "$"))


def _answer(words: JSON) -> bytes:
    if isinstance(words, str):
        if words in _WORDS:
            return CONTINUE_BODY
        raise BadInput(f"no answer {words!r}{_nearest(words, (*_WORDS, *MEMBERS))}; {_said()}")
    if not isinstance(words, dict) or len(words) != 1:
        raise BadInput(_said())
    [(action, value)] = words.items()
    member = _MEMBERS.get(action)
    if member is None:
        raise BadInput(f"no answer {action!r}{_nearest(action, MEMBERS)}; {_said()}")
    if action != Action.MODIFY and not isinstance(value, str):
        raise BadInput(f"{action}: text is needed, not {value!r:.40}; odd answers are written as JSON")
    return compact({"action": str(action), member: checked(value, str(action))})


def _said() -> str:
    named = ", ".join(f"{{{action}: {member}}}" for action, member in MEMBERS.items() if member is not None)
    return f"an answer is continue, or one of {named}"


def _tool(value: JSON) -> JSON:
    if not isinstance(value, str):
        raise BadInput(f"{TOOL}: the name of a tool is needed, not {value!r:.40}")
    return value


def _match(value: JSON) -> JSON:
    if not isinstance(value, dict):
        raise BadInput(f"{MATCH}: an object with {CONTAINS} and {EQUALS} is needed, not {value!r:.40}")
    for key in value:
        if key not in (CONTAINS, EQUALS):
            raise BadInput(
                f"{MATCH}.{key}: a matcher has {CONTAINS} and {EQUALS} only{_nearest(key, (CONTAINS, EQUALS))}"
            )
    if not isinstance(value.get(CONTAINS), str | None):
        raise BadInput(f"{MATCH}.{CONTAINS}: text is needed, not {value[CONTAINS]!r:.40}")
    return value


def _permissions(value: JSON) -> JSON:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadInput(f"{PERMISSIONS}: a list of names is needed, not {value!r:.40}")
    for each in value:
        known = permissions.PERMISSIONS.get(str(each))
        if known is None:
            raise BadInput(permissions.unknown(str(each)) + _nearest(str(each), permissions.PERMISSIONS))
        if known.is_reserved:
            raise BadInput(permissions.reserved(known.name))
    return list(dict.fromkeys(value))


def _generation(value: JSON) -> JSON:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadInput(f"{GENERATION}: a number from 0 is needed, not {value!r:.40}")
    return value


_OF_OPTION: Mapping[str, Callable[[JSON], JSON]] = {
    TOOL: _tool,
    MATCH: _match,
    PERMISSIONS: _permissions,
    GENERATION: _generation,
}


def _nearest(word: str, known: Iterable[str]) -> str:
    found = nearest(word, tuple(str(each) for each in known))
    return f"; {found}" if found else ""
