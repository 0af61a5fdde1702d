"""The context service on the wire: what a provider is asked with, what it answers, how it refuses (spec B.11).

Both sides use it: the host to ask, a plugin in Python to answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from kernel.dialects.pluggable.sections import (
    DEFAULT_TOKEN_BUDGET,
    Capabilities,
    ContextRequest,
    Contribution,
    Section,
)
from kernel.dialects.pluggable.view import fill, to_view, unknown_view
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content_pb2
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import rpc_request_pb2, rpc_response_pb2, types_pb2

if TYPE_CHECKING:
    from kernel.values import JSON


class ContextErrorCategory(StrEnum):
    """Why a context plugin contributes nothing, in the contract's words."""

    SOURCE_UNAVAILABLE = "source_unavailable"
    BUDGET_EXCEEDED = "budget_exceeded"
    SCOPE_VIOLATION = "scope_violation"
    INVALID_REQUEST = "invalid_request"
    UNKNOWN = "unknown"


STATUSES: Final[Mapping[ContextErrorCategory, str]] = MappingProxyType(
    {
        ContextErrorCategory.SOURCE_UNAVAILABLE: "UNAVAILABLE",
        ContextErrorCategory.BUDGET_EXCEEDED: "FAILED_PRECONDITION",
        ContextErrorCategory.SCOPE_VIOLATION: "PERMISSION_DENIED",
        ContextErrorCategory.INVALID_REQUEST: "INVALID_ARGUMENT",
        ContextErrorCategory.UNKNOWN: "INTERNAL",
    }
)
"""The gRPC status with which each travels."""


def category_of(status: str) -> ContextErrorCategory | None:
    """The category that a status stands for; None where the contract gives it no meaning."""
    return next((category for category, code in STATUSES.items() if code == status), None)


def encode(request: ContextRequest) -> bytes:
    """A request as it is sent."""
    message = rpc_request_pb2.ContextRequest()
    fill(message, _request_view(request), "$")
    return message.SerializeToString(deterministic=True)


def decode(answer: bytes) -> Contribution:
    """What a provider answered; raises DecodeError where that is no contribution."""
    message = rpc_response_pb2.ContextContribution.FromString(answer)
    sections = tuple(_section(section) for section in message.sections)
    return Contribution(sections, tuple(to_view(each) for each in message.rewritten_history))


def decode_capabilities(answer: bytes) -> Capabilities:
    """What a context plugin says of itself; raises DecodeError. No budget is the usual one."""
    message = types_pb2.ContextCapabilities.FromString(answer)
    return Capabilities(message.default_token_budget or DEFAULT_TOKEN_BUDGET, message.compactor)


def contribution_view(contribution: Contribution) -> dict[str, JSON]:
    """A contribution as JSON for people, as it was answered."""
    view: dict[str, JSON] = {"sections": _section_views(contribution.sections)}
    return view | (
        {"rewritten_history": list(contribution.rewritten_history)} if contribution.rewritten_history else {}
    )


def _request_view(request: ContextRequest) -> dict[str, JSON]:
    model: dict[str, JSON] = {
        "id": request.model,
        "context_window": request.context_window,
        "effective_ceiling": request.effective_ceiling,
    }
    view: dict[str, JSON] = {
        "session_id": request.session_id,
        "parent_session_id": request.parent_session_id,
        "turn_id": request.turn_id,
        "token_budget": request.token_budget,
        "model_target": {key: value for key, value in model.items() if value},
        "files_touched": list(request.files_touched),
        "working_directory": request.working_directory,
        "prior_sections": _section_views(request.prior),
        "conversation_history": list(request.history or ()),
        "history_tokens": request.history_tokens,
        "assembled_tokens_last_turn": request.tokens_last_turn,
    }
    return {key: value for key, value in view.items() if value}


def _section_views(sections: Sequence[Section]) -> list[JSON]:
    found: list[JSON] = []
    for section in sections:
        view: dict[str, JSON] = {"provider": section.provider, "label": section.label, "tokens": section.tokens}
        view |= {"content": [dict(block) for block in section.content], "truncated": section.is_truncated}
        view["stability"] = section.stability
        found.append({**{key: value for key, value in view.items() if value}, **section.unknown})
    return found


def _section(message: content_pb2.ContextSection) -> Section:
    blocks = (to_view(block) for block in message.content)
    return Section(
        provider=message.provider,
        label=message.label,
        content=tuple(block for block in blocks if isinstance(block, dict)),
        tokens=message.tokens,
        is_truncated=message.truncated,
        stability=message.stability,
        unknown=unknown_view(message),
    )
