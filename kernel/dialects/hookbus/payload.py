"""The payload of the hookbus dialect: a HookEvent with its nine keys (spec 1.3), or a delivery of several (2.10)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TypeAlias

from kernel.dialects.hookbus.json_text import checked, compact, decoded
from kernel.dialects.hookbus.kinds import KINDS, Filled, Kind
from kernel.errors import BadInput
from kernel.values import JSON

KEYS = ("kind", *(member.value for member in Filled))
"""All that an event has; each is always written, null where it holds nothing."""
_TEXTS = frozenset({"tool_name", "tool_runtime_name", "tool_output", "message", "session_id"})
_NEEDED = ("kind", "data")
"""Keys without a default: a body that lacks one is no event."""


class HookEvent:
    """An immutable event. Equal when its JSON is."""

    __slots__ = ("_digest", "_view", "body")

    def __init__(self, view: dict[str, JSON]) -> None:
        """Take a checked view with all nine keys; nobody may change it any more. Use `event` for anything else."""
        self._view = view
        self._digest = ""
        self.body = compact(view)

    @property
    def view(self) -> dict[str, JSON]:
        return self._view

    @property
    def digest(self) -> str:
        if not self._digest:
            self._digest = hashlib.sha256(self.body).hexdigest()
        return self._digest

    @property
    def kind(self) -> str:
        kind = self._view["kind"]
        assert isinstance(kind, str), "checked on construction"
        return kind

    @property
    def tool_input(self) -> JSON:
        return self._view["tool_input"]

    @property
    def tool_name(self) -> str:
        """The API-safe name; empty where there is none."""
        return self._text("tool_name")

    @property
    def tool_runtime_name(self) -> str:
        return self._text("tool_runtime_name")

    @property
    def tool_output(self) -> str:
        return self._text("tool_output")

    @property
    def session_id(self) -> str:
        return self._text("session_id")

    def having(self, **members: JSON) -> HookEvent:
        """The event with other members, which are JSON already."""
        return HookEvent({**self._view, **members})

    def _text(self, key: str) -> str:
        value = self._view[key]
        return value if isinstance(value, str) else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HookEvent) and self.body == other.body

    def __hash__(self) -> int:
        return hash(self.body)

    def __repr__(self) -> str:
        return f"<HookEvent {self.kind}, {len(self.body)} bytes>"


class Delivery:
    """What one notification delivers: events that each handler gets one after the other. Equal when their JSON is."""

    __slots__ = ("_digest", "body", "events", "kind")

    def __init__(self, kind: str, events: Iterable[HookEvent]) -> None:
        self.kind = kind
        self.events = tuple(events)
        self.body = b"[" + b",".join(event.body for event in self.events) + b"]"
        self._digest = ""

    @property
    def view(self) -> list[JSON]:
        return [event.view for event in self.events]

    @property
    def digest(self) -> str:
        if not self._digest:
            self._digest = hashlib.sha256(self.body).hexdigest()
        return self._digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Delivery) and (self.kind, self.body) == (other.kind, other.body)

    def __hash__(self) -> int:
        return hash((self.kind, self.body))

    def __repr__(self) -> str:
        return f"<Delivery of {self.kind}, {len(self.events)} events>"


HookPayload: TypeAlias = HookEvent | Delivery


def event(kind: str, path: str = "$", **members: object) -> HookEvent:
    """An event with these members and null for every other; raises BadInput that names the path."""
    return _event({"kind": kind, **members}, path)


def from_view(kind: str, view: JSON) -> HookPayload:
    """The payload that a person wrote as JSON: keys may be left out, `kind` too; raises BadInput that names the path.

    Where a kind is only notified, a list is a delivery, whose events may name other kinds.
    """
    known = _known(kind, "kind")
    if isinstance(view, list) and known.is_notification:
        events = (_from_view(kind, each, f"$[{place}]", is_listed=True) for place, each in enumerate(view))
        return Delivery(kind, events)
    return _from_view(kind, view, "$", is_listed=False)


def from_body(kind: str, body: bytes) -> HookPayload:
    """The payload that was kept: what the host's own decoder takes (spec 1.3), of this kind; raises BadInput."""
    known, view = _known(kind, "kind"), decoded(body)
    if isinstance(view, list) and known.is_notification:
        return Delivery(kind, (_from_wire(each, f"$[{place}]") for place, each in enumerate(view)))
    found = _from_wire(view, "$")
    if found.kind != kind:
        raise BadInput(f"$.kind: an event of {kind} was expected, not of {found.kind}")
    return found


def parse(body: bytes) -> HookEvent:
    """The event in these bytes, whatever its kind; raises BadInput that names the path."""
    return _from_wire(decoded(body), "$")


def _from_view(kind: str, view: JSON, path: str, *, is_listed: bool) -> HookEvent:
    if not isinstance(view, dict):
        raise BadInput(f"{path}: an event is an object with {', '.join(KEYS)}")
    said = view.get("kind", kind)
    if said != kind and not is_listed:
        raise BadInput(f"{path}.kind: an event of {kind} is needed here, not of {said!r}")
    return _event({**view, "kind": said}, path)


def _from_wire(view: JSON, path: str) -> HookEvent:
    if not isinstance(view, dict):
        raise BadInput(f"{path}: an event is an object")
    for key in _NEEDED:
        if key not in view:
            raise BadInput(f"{path}: missing member {key!r}")
    return _event({key: value for key, value in view.items() if key in KEYS}, path)


def _event(members: dict[str, object], path: str) -> HookEvent:
    for key in members:
        if key not in KEYS:
            raise BadInput(f"{path}: an event has no member {key!r}; it has {', '.join(KEYS)}")
    view: dict[str, JSON] = {key: checked(members.get(key), f"{path}.{key}") for key in KEYS}
    if not isinstance(view["kind"], str):
        raise BadInput(f"{path}.kind: the name of a kind is needed, not {view['kind']!r}")
    _known(view["kind"], f"{path}.kind")
    for key, value in view.items():
        if key in _TEXTS and not isinstance(value, str | None):
            raise BadInput(f"{path}.{key}: text or null is needed, not {value!r:.40}")
    transcript = view["transcript"]
    if not isinstance(transcript, list | None):
        raise BadInput(f"{path}.transcript: a list of messages or null is needed, not {transcript!r:.40}")
    for place, message in enumerate(transcript or ()):
        if not isinstance(message, dict):
            raise BadInput(f"{path}.transcript[{place}]: a message is an object")
    return HookEvent(view)


def _known(kind: str, path: str) -> Kind:
    if kind not in KINDS:
        raise BadInput(f"{path}: no kind {kind!r}; there are {', '.join(KINDS)}")
    return KINDS[kind]
