"""The eight dispatchable points, the three modes and the names of the wire (spec A.2 to A.4, B.1, E.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from kernel.values import Subscription


class Mode(StrEnum):
    """What a subscriber may do."""

    OBSERVE = "observe"
    """Look, and nothing else."""
    TRANSFORM = "transform"
    """Hand back the payload, changed where the point allows it."""
    VETO = "veto"
    """Allow or deny."""

    @property
    def number(self) -> int:
        """The number on the wire."""
        return _NUMBERS[self]


_NUMBERS = {Mode.OBSERVE: 1, Mode.TRANSFORM: 2, Mode.VETO: 3}


@dataclass(frozen=True, slots=True)
class Point:
    """A named moment in the agent's loop."""

    label: str
    number: int
    """Number of the HookPoint and of the member of HookPayload's oneof: they are equal for all eight."""
    field: str
    """Name of that member."""
    mutable: frozenset[str] = frozenset()
    """Members of the variant that a transform may change."""
    bears_veto: bool = False


POINTS: tuple[Point, ...] = (
    Point("session-start", 1, "session_start"),
    Point("pre-model-call", 2, "pre_model_call", mutable=frozenset({"messages"})),
    Point("post-model-response", 3, "post_model_response"),
    Point("pre-tool-call", 4, "pre_tool_call", bears_veto=True),
    Point("plan-ready", 5, "plan_ready", bears_veto=True),
    Point("post-tool-call", 6, "post_tool_call"),
    Point("post-apply", 7, "post_apply"),
    Point("session-end", 8, "session_end"),
)

BY_LABEL: Mapping[str, Point] = MappingProxyType({point.label: point for point in POINTS})
BY_FIELD: Mapping[str, Point] = MappingProxyType({point.field: point for point in POINTS})

KERNEL = "kernel"
"""Option of a seat: it is the kernel's own veto. It has no producer, so nothing that it does is stored (spec B.7)."""


def is_kernels(seat: Subscription) -> bool:
    """Whether a seat is that of the kernel's own veto (spec B.10)."""
    return bool(seat.options.get(KERNEL))


METHOD = "/pluggableharness.hook.v1.HookSubscriberService/DispatchHook"
COOKIE = ("PLUGGABLEHARNESS_AGENT_PLUGIN", "pluggableharness-agent-v1-a6f3c9d2-plugin-handshake")
PROTOCOL_VERSION = 1

CONTEXT_ASSEMBLE = "context-assemble"
"""The point without hooks: context plugins are asked there through a service of their own (spec B.11)."""
CAPABILITIES = "context-capabilities"
"""No point of the host's, but our word for asking a context plugin what it is."""
CONTRIBUTE = "/pluggableharness.context.v1.ContextService/Contribute"
GET_CAPABILITIES = "/pluggableharness.context.v1.ContextService/GetCapabilities"
CONTEXT_METHODS = ((CONTEXT_ASSEMBLE, CONTRIBUTE), (CAPABILITIES, GET_CAPABILITIES))
