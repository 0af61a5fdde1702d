"""The payload of the rig dialect: the snapshot of a call, with the context that it starts under and what its body does.

Callbacks see the call only. `$context` and `$body` say what the host brings, which a snapshot has no place for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from kernel.dialects.rig.cloning import clone
from kernel.dialects.rig.context_view import ContextView, context_from_json
from kernel.dialects.rig.operation import BY_LABEL, Operation, is_operation
from kernel.dialects.rig.snapshot import Call
from kernel.dialects.rig.snapshot_view import call_from_view, call_view, encoded
from kernel.errors import BadInput
from kernel.values import JSON

CONTEXT: Final = "$context"
BODY: Final = "$body"


class RigPayload:
    """An immutable call. Equal when the bytes are."""

    __slots__ = ("_call", "_digest", "_view", "body", "call_body", "context", "words")

    def __init__(self, call: Call, context: ContextView, words: JSON) -> None:
        view = call_view(call)
        self._call = call
        self.call_body: Final = encoded(view)
        """What callbacks are shown of it, as JSON."""
        if context != ContextView():
            view[CONTEXT] = context.to_json()
        if words is not None:
            view[BODY] = words
        self.body: Final = encoded(view)
        self.context: Final = context
        self.words: Final = words
        """What the operation itself does, in the words of a stub; None = it completes."""
        self._view: Final = view
        self._digest = ""

    @property
    def view(self) -> JSON:
        return self._view

    @property
    def digest(self) -> str:
        if not self._digest:
            self._digest = hashlib.sha256(self.body).hexdigest()
        return self._digest

    @property
    def operation(self) -> int:
        return self._call.operation

    @property
    def call(self) -> Call:
        """The call itself. Shared: whoever gets it must not change it, and clones it for others."""
        return self._call

    @property
    def point(self) -> str:
        """Name of its operation; empty when it has none of the eight."""
        return Operation(self.operation).label if is_operation(self.operation) else ""

    def with_terminal(self, view: JSON) -> RigPayload:
        """The same with fields that are known at the end; raises BadInput that names the path."""
        if not isinstance(view, dict) or not self.point:
            raise BadInput("$.result: a JSON object is needed")
        mine = self._view.get(self.point)
        inner = {**(mine if isinstance(mine, dict) else {}), **view}
        return from_view(self.point, {**self._view, self.point: inner})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RigPayload) and self.body == other.body

    def __hash__(self) -> int:
        return hash(self.body)

    def __repr__(self) -> str:
        return f"<RigPayload {self.point or self.operation}, {len(self.body)} bytes>"


def of(call: Call, context: ContextView | None = None, words: JSON = None) -> RigPayload:
    """The payload of a call, of which it keeps a copy; raises CloneError."""
    return RigPayload(clone(call), context or ContextView(), words)


def from_view(point: str, view: JSON) -> RigPayload:
    """The payload that a person wrote as JSON; raises BadInput that names the path.

    A call that cannot be dispatched is a payload all the same: refusing it is the runner's business.
    """
    if point not in BY_LABEL:
        raise BadInput(f"no operation {point!r}; there are {', '.join(BY_LABEL)}")
    if not isinstance(view, dict):
        raise BadInput(f"{point}: a call is a JSON object")
    members = {key: value for key, value in view.items() if key not in (CONTEXT, BODY)}
    call = call_from_view(members, int(BY_LABEL[point]))
    context = context_from_json(view[CONTEXT], f"$.{CONTEXT}") if CONTEXT in view else ContextView()
    try:
        return RigPayload(call, context, view.get(BODY))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{point}: {error}") from None


def parse(point: str, body: bytes) -> RigPayload:
    """The payload that was kept; raises BadInput."""
    return from_view(point, read(body))


def read(body: bytes) -> JSON:
    """JSON from bytes that may be anything; raises BadInput."""
    try:
        view: JSON = json.loads(body, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}") from None
    return view


def _refused(word: str) -> JSON:
    raise ValueError(f"{word} is no JSON")


def members(view: JSON) -> Mapping[str, JSON]:
    """A JSON object, or nothing."""
    return view if isinstance(view, dict) else {}
