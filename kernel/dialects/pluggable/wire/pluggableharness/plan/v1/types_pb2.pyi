from google.protobuf import struct_pb2 as _struct_pb2
from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as _types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.render.v1 import types_pb2 as _types_pb2_1
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import errors_pb2 as _errors_pb2
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import types_pb2 as _types_pb2_1_1
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlanDecision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_DECISION_UNSPECIFIED: _ClassVar[PlanDecision]
    PLAN_DECISION_PENDING: _ClassVar[PlanDecision]
    PLAN_DECISION_ALLOW: _ClassVar[PlanDecision]
    PLAN_DECISION_ASK: _ClassVar[PlanDecision]
    PLAN_DECISION_DENY: _ClassVar[PlanDecision]

class ClientDecision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CLIENT_DECISION_UNSPECIFIED: _ClassVar[ClientDecision]
    CLIENT_DECISION_ALLOW: _ClassVar[ClientDecision]
    CLIENT_DECISION_DENY: _ClassVar[ClientDecision]

class PlanDecisionScope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAN_DECISION_SCOPE_UNSPECIFIED: _ClassVar[PlanDecisionScope]
    PLAN_DECISION_SCOPE_ONCE: _ClassVar[PlanDecisionScope]
    PLAN_DECISION_SCOPE_SESSION: _ClassVar[PlanDecisionScope]
    PLAN_DECISION_SCOPE_ALWAYS: _ClassVar[PlanDecisionScope]
PLAN_DECISION_UNSPECIFIED: PlanDecision
PLAN_DECISION_PENDING: PlanDecision
PLAN_DECISION_ALLOW: PlanDecision
PLAN_DECISION_ASK: PlanDecision
PLAN_DECISION_DENY: PlanDecision
CLIENT_DECISION_UNSPECIFIED: ClientDecision
CLIENT_DECISION_ALLOW: ClientDecision
CLIENT_DECISION_DENY: ClientDecision
PLAN_DECISION_SCOPE_UNSPECIFIED: PlanDecisionScope
PLAN_DECISION_SCOPE_ONCE: PlanDecisionScope
PLAN_DECISION_SCOPE_SESSION: PlanDecisionScope
PLAN_DECISION_SCOPE_ALWAYS: PlanDecisionScope

class PlanItem(_message.Message):
    __slots__ = ("id", "call_id", "provider", "operation_name", "input", "decision", "decided_by", "kind", "risk", "description", "preview", "producer_category")
    ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    OPERATION_NAME_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RISK_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    PRODUCER_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    id: str
    call_id: str
    provider: str
    operation_name: str
    input: _struct_pb2.Struct
    decision: PlanDecision
    decided_by: str
    kind: _types_pb2_1_1.ToolKind
    risk: _types_pb2_1_1.RiskClass
    description: str
    preview: _types_pb2_1.RenderTree
    producer_category: _types_pb2.Category
    def __init__(self, id: _Optional[str] = ..., call_id: _Optional[str] = ..., provider: _Optional[str] = ..., operation_name: _Optional[str] = ..., input: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., decision: _Optional[_Union[PlanDecision, str]] = ..., decided_by: _Optional[str] = ..., kind: _Optional[_Union[_types_pb2_1_1.ToolKind, str]] = ..., risk: _Optional[_Union[_types_pb2_1_1.RiskClass, str]] = ..., description: _Optional[str] = ..., preview: _Optional[_Union[_types_pb2_1.RenderTree, _Mapping]] = ..., producer_category: _Optional[_Union[_types_pb2.Category, str]] = ...) -> None: ...

class Plan(_message.Message):
    __slots__ = ("turn_id", "items")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    items: _containers.RepeatedCompositeFieldContainer[PlanItem]
    def __init__(self, turn_id: _Optional[str] = ..., items: _Optional[_Iterable[_Union[PlanItem, _Mapping]]] = ...) -> None: ...

class ApplyResult(_message.Message):
    __slots__ = ("turn_id", "items")
    class ApplyOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        APPLY_OUTCOME_UNSPECIFIED: _ClassVar[ApplyResult.ApplyOutcome]
        APPLY_OUTCOME_APPLIED: _ClassVar[ApplyResult.ApplyOutcome]
        APPLY_OUTCOME_FAILED: _ClassVar[ApplyResult.ApplyOutcome]
        APPLY_OUTCOME_DENIED: _ClassVar[ApplyResult.ApplyOutcome]
        APPLY_OUTCOME_SKIPPED: _ClassVar[ApplyResult.ApplyOutcome]
    APPLY_OUTCOME_UNSPECIFIED: ApplyResult.ApplyOutcome
    APPLY_OUTCOME_APPLIED: ApplyResult.ApplyOutcome
    APPLY_OUTCOME_FAILED: ApplyResult.ApplyOutcome
    APPLY_OUTCOME_DENIED: ApplyResult.ApplyOutcome
    APPLY_OUTCOME_SKIPPED: ApplyResult.ApplyOutcome
    class ApplyItem(_message.Message):
        __slots__ = ("plan_item_id", "call_id", "outcome", "tool_result", "tool_error")
        PLAN_ITEM_ID_FIELD_NUMBER: _ClassVar[int]
        CALL_ID_FIELD_NUMBER: _ClassVar[int]
        OUTCOME_FIELD_NUMBER: _ClassVar[int]
        TOOL_RESULT_FIELD_NUMBER: _ClassVar[int]
        TOOL_ERROR_FIELD_NUMBER: _ClassVar[int]
        plan_item_id: str
        call_id: str
        outcome: ApplyResult.ApplyOutcome
        tool_result: _types_pb2_1_1.ToolResult
        tool_error: _errors_pb2.ToolError
        def __init__(self, plan_item_id: _Optional[str] = ..., call_id: _Optional[str] = ..., outcome: _Optional[_Union[ApplyResult.ApplyOutcome, str]] = ..., tool_result: _Optional[_Union[_types_pb2_1_1.ToolResult, _Mapping]] = ..., tool_error: _Optional[_Union[_errors_pb2.ToolError, _Mapping]] = ...) -> None: ...
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    items: _containers.RepeatedCompositeFieldContainer[ApplyResult.ApplyItem]
    def __init__(self, turn_id: _Optional[str] = ..., items: _Optional[_Iterable[_Union[ApplyResult.ApplyItem, _Mapping]]] = ...) -> None: ...
