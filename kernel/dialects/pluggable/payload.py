"""The payload of the pluggable dialect: a serialised HookPayload, with its point and its JSON view."""

from __future__ import annotations

import hashlib

from google.protobuf.message import DecodeError

from kernel.dialects.pluggable.points import BY_FIELD, BY_LABEL, Mode
from kernel.dialects.pluggable.view import fill, to_view, unknown_view, varint
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_response_pb2
from kernel.errors import BadInput
from kernel.values import JSON

OUTER = "#payload"
"""Key under which a view keeps unknown fields that stand beside the variant."""


class HookPayload:
    """An immutable HookPayload. Equal when the bytes are; `is_like` compares what they mean."""

    __slots__ = ("_digest", "_handed_back", "_message", "_requests", "_view", "body")

    def __init__(self, body: bytes, message: events_pb2.HookPayload | None = None) -> None:
        self.body = body
        self._message = message
        self._view: JSON = None
        self._digest = ""
        self._handed_back = b""
        self._requests: dict[Mode, bytes] = {}

    @staticmethod
    def parse(body: bytes) -> HookPayload:
        """Take bytes from outside; raises BadInput when they are no HookPayload."""
        try:
            return HookPayload(body, events_pb2.HookPayload.FromString(body))
        except DecodeError as error:
            raise BadInput(f"not a HookPayload: {error}") from error

    @staticmethod
    def of(message: events_pb2.HookPayload) -> HookPayload:
        """Take a copy of a message."""
        return HookPayload(message.SerializeToString(deterministic=True))

    @property
    def message(self) -> events_pb2.HookPayload:
        """The decoded message. Shared: whoever gets it must not change it."""
        if self._message is None:
            self._message = events_pb2.HookPayload.FromString(self.body)
        return self._message

    @property
    def field(self) -> str:
        """Name of the oneof member that is set; empty when none is."""
        return self.message.WhichOneof("payload") or ""

    @property
    def point(self) -> str:
        """Label of the point; empty when no variant is set."""
        return BY_FIELD[self.field].label if self.field else ""

    @property
    def view(self) -> JSON:
        if self._view is None:
            inner = to_view(getattr(self.message, self.field)) if self.field else {}
            outer = unknown_view(self.message)
            assert isinstance(inner, dict)
            self._view = {**inner, OUTER: outer} if outer else inner
        return self._view

    @property
    def digest(self) -> str:
        if not self._digest:
            self._digest = hashlib.sha256(self.body).hexdigest()
        return self._digest

    def is_like(self, other: events_pb2.HookPayload) -> bool:
        """Decoded equality: presence and unknown fields count, order of encoding does not (spec H6)."""
        return bool(self.message == other)

    def request(self, mode: Mode, subscription_id: str = "") -> bytes:
        """The DispatchHookRequest that asks about this payload. Unknown fields travel as they came.

        An id is sent only if there is one: hosts that know of no ids send none (spec H1).
        """
        request = self._requests.get(mode)
        if request is None:
            request = b"\x0a" + varint(len(self.body)) + self.body + b"\x10" + varint(mode.number)
            self._requests[mode] = request
        if subscription_id:
            name = subscription_id.encode()
            return request + b"\x1a" + varint(len(name)) + name
        return request

    @property
    def handed_back(self) -> bytes:
        """The usual encoding of a transform's answer that holds this very payload."""
        if not self._handed_back:
            inner = b"\x0a" + varint(len(self.body)) + self.body
            self._handed_back = b"\x12" + varint(len(inner)) + inner
        return self._handed_back

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HookPayload) and self.body == other.body

    def __hash__(self) -> int:
        return hash(self.body)

    def __repr__(self) -> str:
        return f"<HookPayload {self.point or 'without variant'}, {len(self.body)} bytes>"


def from_view(point: str, view: JSON) -> HookPayload:
    """The payload that a person wrote as JSON; raises BadInput that names the path."""
    if point not in BY_LABEL:
        raise BadInput(f"no point {point!r}; there are {', '.join(BY_LABEL)}")
    if not isinstance(view, dict):
        raise BadInput(f"{point}: a payload is a JSON object")
    message = events_pb2.HookPayload()
    variant = getattr(message, BY_LABEL[point].field)
    variant.SetInParent()
    fill(variant, {key: value for key, value in view.items() if key != OUTER}, "$")
    if OUTER in view:
        outer = events_pb2.HookPayload()
        fill(outer, view[OUTER], f"$.{OUTER}")
        if outer.WhichOneof("payload"):
            raise BadInput(f"$.{OUTER}: holds unknown fields only")
        message.MergeFrom(outer)
    return _as_sent(message)


def _as_sent(message: events_pb2.HookPayload) -> HookPayload:
    """The payload, if both sides could decode it where it is wrapped deepest: in a transform's answer."""
    body = message.SerializeToString(deterministic=True)
    answer = b"\x0a" + varint(len(body)) + body
    try:
        response = rpc_response_pb2.DispatchHookResponse.FromString(b"\x12" + varint(len(answer)) + answer)
    except DecodeError as error:
        raise BadInput(f"$: nested too deep to be sent: {error}") from error
    return HookPayload(body, response.transform.payload)
