"""The rig dialect as the rest of the kernel knows it."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final

from kernel.asking import Answer, Question
from kernel.dialect import HostTimes
from kernel.dialects.rig import payload as payloads
from kernel.dialects.rig import view_shapes
from kernel.dialects.rig.faults import FAULTS, exercises
from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.own import OperationItself
from kernel.dialects.rig.payload import RigPayload
from kernel.dialects.rig.rules import RULES
from kernel.dialects.rig.samples import sample
from kernel.dialects.rig.seats import MODES, OPERATION
from kernel.dialects.rig.snapshot_view import encoded
from kernel.dialects.rig.spans import RigSpans
from kernel.dialects.rig.staging import RigStaging
from kernel.dialects.rig.walk import RigWalk, begin
from kernel.dialects.rig.wire import OperationSaid, Phase, begin_said, finish_said, guard_said, operation_said
from kernel.dialects.rig.words import operation_answer
from kernel.errors import BadInput
from kernel.facts import Decided, Fact
from kernel.shapes import Shape
from kernel.subscriber import Subscriber
from kernel.values import JSON, Answered, Ask, Chain, Payload, Result, Subscription

UNDECODABLE = "$undecodable"
CAPTURE_LEAK: Final = "capture_leak"
"""A switch of hosts: none of a single dispatch."""


@dataclass(frozen=True, slots=True)
class Rig:
    """Semantics of looprig operation hooks."""

    name = "rig"
    points = tuple(operation.label for operation in Operation)
    rules = RULES
    spans = RigSpans()
    staging = RigStaging()
    faults = FAULTS
    host_times = HostTimes(
        payload=(("StartedAt",),),
        request=(("call", "StartedAt"), ("result", "ended_at")),
        answer=(("ended_at",),),
    )
    capture_leak: bool = False
    """Whether a host forgets to finish a step whose review cannot be captured, as the original does."""
    own: ClassVar[Mapping[str, Subscriber]] = MappingProxyType({OPERATION: OperationItself()})

    @property
    def switches(self) -> Mapping[str, bool]:
        return {CAPTURE_LEAK: self.capture_leak}

    def switched(self, name: str, is_on: bool) -> Rig:
        if name != CAPTURE_LEAK:
            raise BadInput(f"rig has no switch {name!r}; there is {CAPTURE_LEAK}")
        return Rig(capture_leak=is_on)

    def exercises(self, kind: str, subscription: Subscription) -> frozenset[str]:
        return exercises(kind, subscription.mode)

    def sorts_of_seats(self) -> Iterable[Subscription]:
        return (Subscription("", point, mode) for point in self.points for mode in MODES)

    def counts(self, subscription: Subscription) -> bool:
        return True  # whoever ends its thread ends the dispatch, in any phase (RG-THREAD-ENDED)

    def takes_ms(self, kind: str, subscription: Subscription) -> int:
        return 0

    def open(self, chain: Chain, payload: Payload) -> tuple[RigWalk, tuple[Fact, ...]]:
        if not isinstance(payload, RigPayload):
            raise BadInput(f"the rig dialect dispatches calls of operations, not {type(payload).__name__}")
        for seat in chain.subscriptions:
            if seat.mode not in MODES:
                raise BadInput(f"{seat.name!r} has no mode {seat.mode!r}; there are {', '.join(MODES)}")
        return begin(chain, payload)

    def question(self, dispatch: str, result: Result) -> Question | None:
        return None  # gates are operations of their own here, not something that a result leaves open

    def settled(self, result: Result, answer: Answer | None) -> Decided | None:
        return None

    def payload_from_view(self, point: str, view: JSON) -> RigPayload:
        return _with_known_words(payloads.from_view(point, view))

    def payload_from_body(self, point: str, body: bytes) -> RigPayload:
        return _with_known_words(payloads.parse(point, body))

    def sample_payload(self, point: str, seed: int = 0) -> RigPayload:
        return sample(point, seed)

    def payload_shape(self, point: str) -> Shape:
        return view_shapes.payload_shape(point)

    def answer_shape(self, ask: Ask) -> Shape:
        return view_shapes.answer_shape(ask.subscription.point, ask.phase)

    def request_view(self, request: bytes) -> JSON:
        try:
            return payloads.read(request)
        except BadInput:
            return {UNDECODABLE: base64.b64encode(request).decode()}

    def answer_view(self, answer: Answered) -> JSON:
        try:
            return payloads.read(answer.body) if answer.body else {}
        except BadInput:
            return {UNDECODABLE: base64.b64encode(answer.body).decode()}

    def beside(self, request: bytes) -> Mapping[str, JSON]:
        """The context as it is by now, and how the operation ended where that is known."""
        try:
            asked = payloads.members(payloads.read(request))
        except BadInput:
            return {}
        shown = {key: _without(payloads.members(asked.get(key)), kept) for key, kept in _FOR_LIVE_ONES.items()}
        return {key: value for key, value in shown.items() if value}

    def proposed(self, given: Payload, answer: Answered) -> JSON:
        """The call with the terminal fields that the operation gives; callbacks have copies and change nothing."""
        result = payloads.members(self.answer_view(answer)).get("result")
        if result is None or not isinstance(given, RigPayload):
            return None
        try:
            return given.with_terminal(result).view
        except BadInput:
            return None

    def answer_from_view(self, ask: Ask, view: JSON) -> Answered:
        if isinstance(view, dict) and view.keys() == {UNDECODABLE}:
            try:
                return Answered(base64.b64decode(str(view[UNDECODABLE]), validate=True))
            except ValueError:
                raise BadInput(f"$.{UNDECODABLE}: not base64") from None
        try:
            body = encoded(view)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"$: {error}") from None
        match Phase(ask.phase):
            case Phase.BEGIN:
                begin_said(body)
            case Phase.GUARD:
                guard_said(body)
            case Phase.FINISH:
                finish_said(body)
            case Phase.OPERATION | Phase.BLOCKED:
                said = operation_said(body)
                if isinstance(said, OperationSaid) and said.result is not None and isinstance(ask.payload, RigPayload):
                    ask.payload.with_terminal(said.result)
        return Answered(body)


_FOR_LIVE_ONES: Final[Mapping[str, frozenset[str]]] = {
    "context": frozenset({"base", "derivation"}),
    "result": frozenset({"is_last"}),
}
"""By member of a question that stands beside the call: what is only there for callbacks in our own process."""


def _without(view: Mapping[str, JSON], left_out: frozenset[str]) -> dict[str, JSON]:
    return {key: value for key, value in view.items() if key not in left_out}


def _with_known_words(payload: RigPayload) -> RigPayload:
    """The payload, if what it says of the operation itself can be done; raises BadInput."""
    if payload.words is not None:
        try:
            said = operation_said(encoded(operation_answer(payload.words)))
            if isinstance(said, OperationSaid) and said.result is not None:
                payload.with_terminal(said.result)
        except BadInput as error:
            raise BadInput(f"$.{payloads.BODY}: {error}") from None
    return payload


RIG = Rig()
