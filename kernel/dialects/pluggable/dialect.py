"""The pluggable dialect as the rest of the kernel knows it."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from google.protobuf.message import DecodeError

from kernel.asking import Answer, Question
from kernel.dialect import HostTimes, Rule
from kernel.dialects.pluggable import payload as payloads
from kernel.dialects.pluggable import view_shapes
from kernel.dialects.pluggable.faults import FAULTS, exercises
from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import POINTS, Mode
from kernel.dialects.pluggable.rules import RULES
from kernel.dialects.pluggable.samples import sample
from kernel.dialects.pluggable.spans import PluggableSpans
from kernel.dialects.pluggable.staging import PluggableStaging
from kernel.dialects.pluggable.turn_rules import TURN_RULES
from kernel.dialects.pluggable.view import fill, to_view
from kernel.dialects.pluggable.walk import PluggableWalk, begin
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_request_pb2, rpc_response_pb2
from kernel.errors import BadInput
from kernel.facts import Decided, Fact
from kernel.shapes import Shape
from kernel.subscriber import Subscriber
from kernel.values import JSON, Answered, Ask, Chain, Payload, Result, Subscription

_ALL_RULES: Mapping[str, Rule] = MappingProxyType({**RULES, **TURN_RULES})


@dataclass(frozen=True, slots=True)
class Pluggable:
    """Semantics of pluggableharness hook dispatch."""

    concurrent_observe: bool = False
    """Whether a run of adjacent observers is asked together (spec B.9)."""

    name = "pluggable"
    points = tuple(point.label for point in POINTS)
    rules = _ALL_RULES
    spans = PluggableSpans()
    staging = PluggableStaging()
    faults = FAULTS
    host_times = HostTimes()
    own: ClassVar[Mapping[str, Subscriber]] = MappingProxyType({})

    def exercises(self, kind: str, subscription: Subscription) -> frozenset[str]:
        return exercises(kind, subscription)

    def sorts_of_seats(self) -> Iterable[Subscription]:
        return (Subscription("", point, mode.value) for point in self.points for mode in Mode)

    def counts(self, subscription: Subscription) -> bool:
        return subscription.mode != "observe"  # PL-OBSERVE-*: neither an answer nor a failure reaches the chain

    def takes_ms(self, kind: str, subscription: Subscription) -> int:
        return 0

    @property
    def switches(self) -> Mapping[str, bool]:
        return {"concurrent_observe": self.concurrent_observe}

    def switched(self, name: str, is_on: bool) -> Pluggable:
        if name not in self.switches:
            raise BadInput(f"pluggable has no switch {name!r}; it has {', '.join(self.switches)}")
        return Pluggable(concurrent_observe=is_on)

    def open(self, chain: Chain, payload: Payload) -> tuple[PluggableWalk, tuple[Fact, ...]]:
        if not isinstance(payload, HookPayload):
            raise BadInput(f"the pluggable dialect dispatches HookPayloads, not {type(payload).__name__}")
        return begin(chain, payload, concurrent_observe=self.concurrent_observe)

    def question(self, dispatch: str, result: Result) -> Question | None:
        return None  # asking a person is the plan gate's business, before any verdict of a chain

    def settled(self, result: Result, answer: Answer | None) -> Decided | None:
        return None

    def payload_from_view(self, point: str, view: JSON) -> HookPayload:
        return payloads.from_view(point, view)

    def payload_from_body(self, point: str, body: bytes) -> HookPayload:
        payload = HookPayload.parse(body)
        if payload.point != point:
            raise BadInput(f"a payload for {point} was expected, not one for {payload.point or 'no point'}")
        return payload

    def sample_payload(self, point: str, seed: int = 0) -> HookPayload:
        return sample(point, seed)

    def payload_shape(self, point: str) -> Shape:
        return view_shapes.payload_shape(point)

    def answer_shape(self, ask: Ask) -> Shape:
        return view_shapes.answer_shape(ask.subscription.mode)

    def request_view(self, request: bytes) -> JSON:
        try:
            return to_view(rpc_request_pb2.DispatchHookRequest.FromString(request))
        except DecodeError:
            return {"$undecodable": base64.b64encode(request).decode()}

    def answer_view(self, answer: Answered) -> JSON:
        """The response; a payload in it is shown under its variant's name, as on the wire."""
        try:
            return to_view(rpc_response_pb2.DispatchHookResponse.FromString(answer.body))
        except DecodeError:
            return {"$undecodable": base64.b64encode(answer.body).decode()}

    def beside(self, request: bytes) -> Mapping[str, JSON]:
        return {}

    def proposed(self, given: Payload, answer: Answered) -> JSON:
        try:
            response = rpc_response_pb2.DispatchHookResponse.FromString(answer.body)
        except DecodeError:
            return None
        payload = response.transform.payload
        return HookPayload.of(payload).view if payload.WhichOneof("payload") else None

    def answer_from_view(self, ask: Ask, view: JSON) -> Answered:
        if isinstance(view, dict) and view.keys() == {"$undecodable"}:
            try:
                return Answered(base64.b64decode(str(view["$undecodable"]), validate=True))
            except ValueError:
                raise BadInput("$.$undecodable: not base64") from None
        response = rpc_response_pb2.DispatchHookResponse()
        fill(response, view, "$")
        return Answered(response.SerializeToString(deterministic=True))


PLUGGABLE = Pluggable()
