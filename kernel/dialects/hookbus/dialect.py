"""The hookbus dialect as the rest of the kernel knows it."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import ClassVar

from kernel.asking import Answer, Question
from kernel.dialect import HostTimes
from kernel.dialects.hookbus import acting, answers, view_shapes
from kernel.dialects.hookbus import payload as payloads
from kernel.dialects.hookbus.answers import Modify, Replace
from kernel.dialects.hookbus.concurrent import begin_concurrent
from kernel.dialects.hookbus.delivery import begin_delivery
from kernel.dialects.hookbus.faults import FAULTS, SLOW, exercises, is_handed_over_again
from kernel.dialects.hookbus.json_text import checked, compact, decoded
from kernel.dialects.hookbus.kinds import KINDS, Action, Style
from kernel.dialects.hookbus.matching import PERMISSIONS
from kernel.dialects.hookbus.payload import Delivery, HookEvent, HookPayload
from kernel.dialects.hookbus.permissions import TOOLS_TRANSFORM_OUTPUT
from kernel.dialects.hookbus.resolve import has_both_keys
from kernel.dialects.hookbus.rules import RULES
from kernel.dialects.hookbus.samples import sample
from kernel.dialects.hookbus.spans import HookBusSpans
from kernel.dialects.hookbus.staging import HANDLE, HookBusStaging
from kernel.dialects.hookbus.traits import Traits
from kernel.dialects.hookbus.walk import HANDLER_TIMEOUT_MS, begin, fitting
from kernel.errors import BadInput
from kernel.facts import Decided, Fact
from kernel.reach import StdioExtension
from kernel.shapes import Shape
from kernel.subscriber import Subscriber
from kernel.values import JSON, Answered, Ask, Chain, Payload, Result, Subscription
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Hookbus:
    """Semantics of the HookBus of SynapsCLI."""

    traits: Traits = field(default_factory=Traits)

    name = "hookbus"
    rules = RULES
    spans = HookBusSpans()
    faults = FAULTS
    host_times = HostTimes()
    own: ClassVar[Mapping[str, Subscriber]] = MappingProxyType({})

    @property
    def staging(self) -> HookBusStaging:
        return HookBusStaging(self.traits.kinds)

    def exercises(self, kind: str, subscription: Subscription) -> frozenset[str]:
        return exercises(kind, subscription, self.traits)

    def sorts_of_seats(self) -> Iterable[Subscription]:
        options: tuple[dict[str, JSON], ...] = ({}, {PERMISSIONS: [TOOLS_TRANSFORM_OUTPUT]})
        return (
            Subscription("", point, HANDLE, reach=reach, options=each)
            for point in KINDS
            for reach in (None, StdioExtension("", ""))
            for each in options
        )

    def counts(self, subscription: Subscription) -> bool:
        kind = KINDS[subscription.point]
        if self.traits.panics_propagate:
            return True  # whatever its kind, a handler in the host's own process may end the emit
        if self.traits.style_of(kind) is Style.NOTIFY:
            return False
        heard = [action for action in Action if action is not Action.CONTINUE and self.traits.accepts(kind, action)]
        return bool(heard) and (heard != [Action.REPLACE] or has_both_keys(subscription.options))

    def takes_ms(self, kind: str, subscription: Subscription) -> int:
        is_slow = kind in SLOW or is_handed_over_again(kind, subscription)
        return HANDLER_TIMEOUT_MS if is_slow else 0

    @property
    def points(self) -> tuple[str, ...]:
        return self.traits.kinds

    @property
    def switches(self) -> Mapping[str, bool]:
        return asdict(self.traits)

    def switched(self, name: str, is_on: bool) -> Hookbus:
        return Hookbus(self.traits.switched(name, is_on))

    def open(self, chain: Chain, payload: Payload) -> tuple[Walk, tuple[Fact, ...]]:
        kind = KINDS.get(chain.point)
        if kind is None:
            raise BadInput(f"no kind {chain.point!r}; there are {', '.join(self.points)}")
        style = self.traits.style_of(kind)
        if style is Style.NOTIFY:
            if not isinstance(payload, Delivery | HookEvent):
                raise BadInput(f"events are needed here, not {type(payload).__name__}")
            return begin_delivery(chain, payload, kind, self.traits)
        event = fitting(payload, chain.point)
        if style is Style.CONCURRENT:
            return begin_concurrent(chain, event, kind, self.traits)
        return begin(chain, event, kind, self.traits)

    def question(self, dispatch: str, result: Result) -> Question | None:
        return acting.question(dispatch, result, is_auto_approved=self.traits.auto_approve)

    def settled(self, result: Result, answer: Answer | None) -> Decided | None:
        return acting.settled(result, answer, is_auto_approved=self.traits.auto_approve)

    def payload_from_view(self, point: str, view: JSON) -> HookPayload:
        return payloads.from_view(point, view)

    def payload_from_body(self, point: str, body: bytes) -> HookPayload:
        return payloads.from_body(point, body)

    def sample_payload(self, point: str, seed: int = 0) -> HookEvent:
        return sample(point, seed)

    def payload_shape(self, point: str) -> Shape:
        return view_shapes.payload_shape(point)

    def answer_shape(self, ask: Ask) -> Shape:
        return view_shapes.answer_shape(ask.subscription.point)

    def request_view(self, request: bytes) -> JSON:
        try:
            return decoded(request)
        except BadInput:
            return {"$undecodable": base64.b64encode(request).decode()}

    def answer_view(self, answer: Answered) -> JSON:
        try:
            return decoded(answer.body)
        except BadInput:
            return {"$undecodable": base64.b64encode(answer.body).decode()}

    def beside(self, request: bytes) -> Mapping[str, JSON]:
        return {}

    def proposed(self, given: Payload, answer: Answered) -> JSON:
        if not isinstance(given, HookEvent):
            return None  # what answers a notification says changes nothing
        match answers.read(self.answer_view(answer)):
            case Modify(value):
                return {**given.view, "tool_input": value}
            case Replace(output):
                return {**given.view, "tool_output": output}
            case _:
                return None

    def answer_from_view(self, ask: Ask, view: JSON) -> Answered:
        if isinstance(view, dict) and view.keys() == {"$undecodable"}:
            try:
                return Answered(base64.b64decode(str(view["$undecodable"]), validate=True))
            except ValueError:
                raise BadInput("$.$undecodable: not base64") from None
        return Answered(compact(checked(view, "$")))


HOOKBUS = Hookbus()
