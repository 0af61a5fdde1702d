from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as _types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as _types_pb2_1
from kernel.dialects.pluggable.wire.pluggableharness.model.v1 import types_pb2 as _types_pb2_1_1
from kernel.dialects.pluggable.wire.pluggableharness.plan.v1 import types_pb2 as _types_pb2_1_1_1
from kernel.dialects.pluggable.wire.pluggableharness.session.v1 import types_pb2 as _types_pb2_1_1_1_1
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import errors_pb2 as _errors_pb2
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import types_pb2 as _types_pb2_1_1_1_1_1
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HookPayload(_message.Message):
    __slots__ = ("session_start", "pre_model_call", "post_model_response", "pre_tool_call", "plan_ready", "post_tool_call", "post_apply", "session_end")
    SESSION_START_FIELD_NUMBER: _ClassVar[int]
    PRE_MODEL_CALL_FIELD_NUMBER: _ClassVar[int]
    POST_MODEL_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    PRE_TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    PLAN_READY_FIELD_NUMBER: _ClassVar[int]
    POST_TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    POST_APPLY_FIELD_NUMBER: _ClassVar[int]
    SESSION_END_FIELD_NUMBER: _ClassVar[int]
    session_start: SessionStartPayload
    pre_model_call: PreModelCallPayload
    post_model_response: PostModelResponsePayload
    pre_tool_call: PreToolCallPayload
    plan_ready: PlanReadyPayload
    post_tool_call: PostToolCallPayload
    post_apply: PostApplyPayload
    session_end: SessionEndPayload
    def __init__(self, session_start: _Optional[_Union[SessionStartPayload, _Mapping]] = ..., pre_model_call: _Optional[_Union[PreModelCallPayload, _Mapping]] = ..., post_model_response: _Optional[_Union[PostModelResponsePayload, _Mapping]] = ..., pre_tool_call: _Optional[_Union[PreToolCallPayload, _Mapping]] = ..., plan_ready: _Optional[_Union[PlanReadyPayload, _Mapping]] = ..., post_tool_call: _Optional[_Union[PostToolCallPayload, _Mapping]] = ..., post_apply: _Optional[_Union[PostApplyPayload, _Mapping]] = ..., session_end: _Optional[_Union[SessionEndPayload, _Mapping]] = ...) -> None: ...

class SessionStartPayload(_message.Message):
    __slots__ = ("session_id", "profile", "parent_session_id", "working_directory")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    PARENT_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    WORKING_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    profile: str
    parent_session_id: str
    working_directory: str
    def __init__(self, session_id: _Optional[str] = ..., profile: _Optional[str] = ..., parent_session_id: _Optional[str] = ..., working_directory: _Optional[str] = ...) -> None: ...

class PreModelCallPayload(_message.Message):
    __slots__ = ("messages", "model")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_types_pb2_1.Message]
    model: _types_pb2_1_1.ModelRef
    def __init__(self, messages: _Optional[_Iterable[_Union[_types_pb2_1.Message, _Mapping]]] = ..., model: _Optional[_Union[_types_pb2_1_1.ModelRef, _Mapping]] = ...) -> None: ...

class PostModelResponsePayload(_message.Message):
    __slots__ = ("message", "model", "usage", "cost_usd")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    COST_USD_FIELD_NUMBER: _ClassVar[int]
    message: _types_pb2_1.Message
    model: _types_pb2.ProducerRef
    usage: _types_pb2_1_1.Usage
    cost_usd: float
    def __init__(self, message: _Optional[_Union[_types_pb2_1.Message, _Mapping]] = ..., model: _Optional[_Union[_types_pb2.ProducerRef, _Mapping]] = ..., usage: _Optional[_Union[_types_pb2_1_1.Usage, _Mapping]] = ..., cost_usd: _Optional[float] = ...) -> None: ...

class PreToolCallPayload(_message.Message):
    __slots__ = ("call", "plan_item")
    CALL_FIELD_NUMBER: _ClassVar[int]
    PLAN_ITEM_FIELD_NUMBER: _ClassVar[int]
    call: _types_pb2_1_1_1_1_1.ToolCall
    plan_item: _types_pb2_1_1_1.PlanItem
    def __init__(self, call: _Optional[_Union[_types_pb2_1_1_1_1_1.ToolCall, _Mapping]] = ..., plan_item: _Optional[_Union[_types_pb2_1_1_1.PlanItem, _Mapping]] = ...) -> None: ...

class PlanReadyPayload(_message.Message):
    __slots__ = ("plan",)
    PLAN_FIELD_NUMBER: _ClassVar[int]
    plan: _types_pb2_1_1_1.Plan
    def __init__(self, plan: _Optional[_Union[_types_pb2_1_1_1.Plan, _Mapping]] = ...) -> None: ...

class PostToolCallPayload(_message.Message):
    __slots__ = ("call", "result", "error")
    CALL_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    call: _types_pb2_1_1_1_1_1.ToolCall
    result: _types_pb2_1_1_1_1_1.ToolResult
    error: _errors_pb2.ToolError
    def __init__(self, call: _Optional[_Union[_types_pb2_1_1_1_1_1.ToolCall, _Mapping]] = ..., result: _Optional[_Union[_types_pb2_1_1_1_1_1.ToolResult, _Mapping]] = ..., error: _Optional[_Union[_errors_pb2.ToolError, _Mapping]] = ...) -> None: ...

class PostApplyPayload(_message.Message):
    __slots__ = ("apply",)
    APPLY_FIELD_NUMBER: _ClassVar[int]
    apply: _types_pb2_1_1_1.ApplyResult
    def __init__(self, apply: _Optional[_Union[_types_pb2_1_1_1.ApplyResult, _Mapping]] = ...) -> None: ...

class SessionEndPayload(_message.Message):
    __slots__ = ("session_id", "status")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    status: _types_pb2_1_1_1_1.SessionStatus
    def __init__(self, session_id: _Optional[str] = ..., status: _Optional[_Union[_types_pb2_1_1_1_1.SessionStatus, str]] = ...) -> None: ...
