"""What a pluggable plugin in Python needs: handlers by point and mode, and the process around them.

plugin = Plugin("redactor")

@plugin.transform("pre-model-call")
def redact(payload): ...

@plugin.contribute(token_budget=200)
def notes(request): return {"style": "British spelling"}

if __name__ == "__main__":
    plugin.serve()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, assert_never

from google.protobuf.message import DecodeError, Message

from kernel.dialects.pluggable.context_wire import STATUSES, ContextErrorCategory
from kernel.dialects.pluggable.points import (
    BY_FIELD,
    BY_LABEL,
    CONTRIBUTE,
    COOKIE,
    GET_CAPABILITIES,
    METHOD,
    PROTOCOL_VERSION,
    Mode,
    Point,
)
from kernel.dialects.pluggable.sections import DEFAULT_TOKEN_BUDGET
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import rpc_request_pb2 as context_request_pb2
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import rpc_response_pb2 as context_response_pb2
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import types_pb2 as context_types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_request_pb2, rpc_response_pb2, types_pb2
from kernel.serving import Method, Refused, serve

Payload = TypeVar("Payload", bound=Message)
Observer: TypeAlias = Callable[[Payload], None]
"""Looks at the payload message of its point; what it does to it is lost."""
Transformer: TypeAlias = Callable[[Payload], Payload | None]
"""Edits the payload message of its point in place, or returns another one."""
Judge: TypeAlias = Callable[[Payload], bool]
"""True allows, False denies."""

ContextRequest: TypeAlias = context_request_pb2.ContextRequest
ContextContribution: TypeAlias = context_response_pb2.ContextContribution
Contributor: TypeAlias = Callable[[ContextRequest], "Mapping[str, str] | ContextContribution"]
"""Gives its own sections as texts by label, in order, or the whole chain of everybody's, as a compactor does."""

_MODES = {mode.number: mode for mode in Mode}


@dataclass(frozen=True, slots=True)
class _Context:
    """What a plugin has to do with context."""

    contributor: Contributor
    capabilities: context_types_pb2.ContextCapabilities


class Plugin:
    """A plugin under construction, and then in service."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._handlers: dict[tuple[Point, Mode], Callable[..., object]] = {}
        self._context: _Context | None = None

    def observe(self, *points: str) -> Callable[[Observer[Payload]], Observer[Payload]]:
        """Have a function told about these points. What it raises becomes the status INTERNAL."""

        def register(handler: Observer[Payload]) -> Observer[Payload]:
            self._register(Mode.OBSERVE, points, handler)
            return handler

        return register

    def transform(self, *points: str) -> Callable[[Transformer[Payload]], Transformer[Payload]]:
        """Have a function change the payload at these points."""

        def register(handler: Transformer[Payload]) -> Transformer[Payload]:
            self._register(Mode.TRANSFORM, points, handler)
            return handler

        return register

    def veto(self, *points: str) -> Callable[[Judge[Payload]], Judge[Payload]]:
        """Have a function decide at these points."""

        def register(handler: Judge[Payload]) -> Judge[Payload]:
            self._register(Mode.VETO, points, handler)
            return handler

        return register

    def contribute(
        self, *, token_budget: int = DEFAULT_TOKEN_BUDGET, compactor: bool = False
    ) -> Callable[[Contributor], Contributor]:
        """Have a function asked for context at the start of each turn. It may raise what `refusal` gives."""

        def register(handler: Contributor) -> Contributor:
            if self._context is not None:
                raise ValueError(f"{self.name} already has a function to contribute context")
            said = context_types_pb2.ContextCapabilities(default_token_budget=token_budget, compactor=compactor)
            self._context = _Context(handler, said)
            return handler

        return register

    def contribution(self, request: bytes) -> bytes:
        """The bytes that answer a request for context; raises Refused."""
        if self._context is None:
            raise Refused("UNIMPLEMENTED", f"{self.name} contributes no context")
        try:
            asked = ContextRequest.FromString(request)
        except DecodeError:
            raise Refused("INVALID_ARGUMENT", "the request is not a ContextRequest") from None
        said = self._context.contributor(asked)
        whole = said if isinstance(said, ContextContribution) else _chain(asked, self.name, said)
        return whole.SerializeToString(deterministic=True)

    def answer(self, request: bytes) -> bytes:
        """The bytes that answer a request; raises Refused when the status of the call is to say no."""
        try:
            asked = rpc_request_pb2.DispatchHookRequest.FromString(request)
        except DecodeError:
            raise Refused("INVALID_ARGUMENT", "the request is not a DispatchHookRequest") from None
        field = asked.payload.WhichOneof("payload")
        if field is None:
            raise Refused("INVALID_ARGUMENT", "the request has no payload")
        if asked.mode not in _MODES:
            raise Refused("INVALID_ARGUMENT", f"the request has no known mode, but {asked.mode}")
        point, mode = BY_FIELD[field], _MODES[asked.mode]
        handler = self._handlers.get((point, mode))
        if handler is None:
            raise Refused("UNIMPLEMENTED", f"{self.name} does not {mode} at {point.label}")
        given: Message = getattr(asked.payload, field)
        return _response(mode, asked, given, handler(given)).SerializeToString(deterministic=True)

    def serve(self) -> None:
        """Be a plugin until the host says to shut down."""
        methods: dict[str, Method] = {METHOD: lambda request, context: self.answer(request)}
        if self._context is not None:
            said = self._context.capabilities.SerializeToString()
            methods[CONTRIBUTE] = lambda request, context: self.contribution(request)
            methods[GET_CAPABILITIES] = lambda request, context: said
        serve(methods, cookie=COOKIE, protocol_version=PROTOCOL_VERSION)

    def _register(self, mode: Mode, points: tuple[str, ...], handler: Callable[..., object]) -> None:
        for label in points:
            if label not in BY_LABEL:
                raise ValueError(f"there is no point {label!r}; there are {', '.join(BY_LABEL)}")
            seat = (BY_LABEL[label], mode)
            if seat in self._handlers:
                raise ValueError(f"{self.name} already has a function to {mode} at {label}")
            self._handlers[seat] = handler


def refusal(category: ContextErrorCategory | str, message: str) -> Refused:
    """To be raised by a function that contributes nothing for a reason of the contract, such as source_unavailable."""
    return Refused(STATUSES[ContextErrorCategory(category)], message)


def _chain(asked: ContextRequest, name: str, texts: Mapping[str, str]) -> ContextContribution:
    """The chain so far, with these sections in the place of those that the provider had in it."""
    if not isinstance(texts, Mapping):
        raise TypeError(f"context is a mapping of labels to texts or a ContextContribution, not {texts!r}")
    whole = ContextContribution(sections=[each for each in asked.prior_sections if each.provider != name])
    for label, text in texts.items():
        if not isinstance(label, str) or not isinstance(text, str):
            raise TypeError(f"context is a mapping of labels to texts, and {label!r} is mapped to {text!r}")
        whole.sections.add(provider=name, label=label).content.add().text.text = text
    return whole


def _response(
    mode: Mode, asked: rpc_request_pb2.DispatchHookRequest, given: Message, said: object
) -> rpc_response_pb2.DispatchHookResponse:
    response = rpc_response_pb2.DispatchHookResponse()
    match mode:
        case Mode.OBSERVE:
            response.observe.SetInParent()
        case Mode.TRANSFORM:
            if said is not None:
                given.CopyFrom(_payload(given, said))
            response.transform.payload.CopyFrom(asked.payload)
        case Mode.VETO:
            if not isinstance(said, bool):  # a forgotten return must not pass for a verdict
                raise TypeError(f"a veto returns True or False, not {said!r}")
            response.veto.decision = types_pb2.HOOK_DECISION_ALLOW if said else types_pb2.HOOK_DECISION_DENY
        case never:
            assert_never(never)
    return response


def _payload(given: Message, said: object) -> Message:
    if not isinstance(said, type(given)):
        raise TypeError(f"a transform returns a {type(given).__name__} or None, not {said!r}")
    return said
