from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as _types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as _types_pb2_1
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import errors_pb2 as _errors_pb2
from kernel.dialects.pluggable.wire.pluggableharness.model.v1 import types_pb2 as _types_pb2_1_1
from kernel.dialects.pluggable.wire.pluggableharness.plan.v1 import types_pb2 as _types_pb2_1_1_1
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import errors_pb2 as _errors_pb2_1
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import types_pb2 as _types_pb2_1_1_1_1
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MessageEvent(_message.Message):
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

class ToolCallEvent(_message.Message):
    __slots__ = ("call",)
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: _types_pb2_1_1_1_1.ToolCall
    def __init__(self, call: _Optional[_Union[_types_pb2_1_1_1_1.ToolCall, _Mapping]] = ...) -> None: ...

class ToolResultEvent(_message.Message):
    __slots__ = ("tool_call_id", "result", "error")
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    tool_call_id: str
    result: _types_pb2_1_1_1_1.ToolResult
    error: _errors_pb2_1.ToolError
    def __init__(self, tool_call_id: _Optional[str] = ..., result: _Optional[_Union[_types_pb2_1_1_1_1.ToolResult, _Mapping]] = ..., error: _Optional[_Union[_errors_pb2_1.ToolError, _Mapping]] = ...) -> None: ...

class PlanEvent(_message.Message):
    __slots__ = ("plan",)
    PLAN_FIELD_NUMBER: _ClassVar[int]
    plan: _types_pb2_1_1_1.Plan
    def __init__(self, plan: _Optional[_Union[_types_pb2_1_1_1.Plan, _Mapping]] = ...) -> None: ...

class ApplyEvent(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _types_pb2_1_1_1.ApplyResult
    def __init__(self, result: _Optional[_Union[_types_pb2_1_1_1.ApplyResult, _Mapping]] = ...) -> None: ...

class ContextContributionEvent(_message.Message):
    __slots__ = ("content", "tokens", "target")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    content: _containers.RepeatedCompositeFieldContainer[_types_pb2_1.ContentBlock]
    tokens: int
    target: _types_pb2_1_1.ModelTarget
    def __init__(self, content: _Optional[_Iterable[_Union[_types_pb2_1.ContentBlock, _Mapping]]] = ..., tokens: _Optional[int] = ..., target: _Optional[_Union[_types_pb2_1_1.ModelTarget, _Mapping]] = ...) -> None: ...

class MemoryMutationEvent(_message.Message):
    __slots__ = ("record_id", "content", "attributes")
    class AttributesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    content: _containers.RepeatedCompositeFieldContainer[_types_pb2_1.ContentBlock]
    attributes: _containers.ScalarMap[str, str]
    def __init__(self, record_id: _Optional[str] = ..., content: _Optional[_Iterable[_Union[_types_pb2_1.ContentBlock, _Mapping]]] = ..., attributes: _Optional[_Mapping[str, str]] = ...) -> None: ...

class HookErrorEvent(_message.Message):
    __slots__ = ("error",)
    ERROR_FIELD_NUMBER: _ClassVar[int]
    error: _errors_pb2.HookError
    def __init__(self, error: _Optional[_Union[_errors_pb2.HookError, _Mapping]] = ...) -> None: ...
