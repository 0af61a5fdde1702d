import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as _types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.schema.v1 import types_pb2 as _types_pb2_1
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ToolKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_KIND_UNSPECIFIED: _ClassVar[ToolKind]
    TOOL_KIND_RESOURCE: _ClassVar[ToolKind]
    TOOL_KIND_DATA_SOURCE: _ClassVar[ToolKind]
    TOOL_KIND_INTERACTIVE: _ClassVar[ToolKind]

class RiskClass(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RISK_CLASS_UNSPECIFIED: _ClassVar[RiskClass]
    RISK_CLASS_READ_ONLY: _ClassVar[RiskClass]
    RISK_CLASS_LOW: _ClassVar[RiskClass]
    RISK_CLASS_MODERATE: _ClassVar[RiskClass]
    RISK_CLASS_HIGH: _ClassVar[RiskClass]
    RISK_CLASS_CRITICAL: _ClassVar[RiskClass]
TOOL_KIND_UNSPECIFIED: ToolKind
TOOL_KIND_RESOURCE: ToolKind
TOOL_KIND_DATA_SOURCE: ToolKind
TOOL_KIND_INTERACTIVE: ToolKind
RISK_CLASS_UNSPECIFIED: RiskClass
RISK_CLASS_READ_ONLY: RiskClass
RISK_CLASS_LOW: RiskClass
RISK_CLASS_MODERATE: RiskClass
RISK_CLASS_HIGH: RiskClass
RISK_CLASS_CRITICAL: RiskClass

class ToolCall(_message.Message):
    __slots__ = ("id", "tool_name", "arguments", "call_context")
    ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    CALL_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    id: str
    tool_name: str
    arguments: _struct_pb2.Struct
    call_context: _types_pb2.CallContext
    def __init__(self, id: _Optional[str] = ..., tool_name: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., call_context: _Optional[_Union[_types_pb2.CallContext, _Mapping]] = ...) -> None: ...

class ToolResult(_message.Message):
    __slots__ = ("payload",)
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    payload: _struct_pb2.Struct
    def __init__(self, payload: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ConcurrencySpec(_message.Message):
    __slots__ = ("safe", "key_fields")
    SAFE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELDS_FIELD_NUMBER: _ClassVar[int]
    safe: bool
    key_fields: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, safe: _Optional[bool] = ..., key_fields: _Optional[_Iterable[str]] = ...) -> None: ...

class ToolSchema(_message.Message):
    __slots__ = ("name", "kind", "risk", "description", "input_schema", "output_schema", "streaming", "concurrency", "default_timeout", "idempotent", "terminates_turn")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RISK_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    STREAMING_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_FIELD_NUMBER: _ClassVar[int]
    TERMINATES_TURN_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: ToolKind
    risk: RiskClass
    description: str
    input_schema: _types_pb2_1.Schema
    output_schema: _types_pb2_1.Schema
    streaming: bool
    concurrency: ConcurrencySpec
    default_timeout: _duration_pb2.Duration
    idempotent: bool
    terminates_turn: bool
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[ToolKind, str]] = ..., risk: _Optional[_Union[RiskClass, str]] = ..., description: _Optional[str] = ..., input_schema: _Optional[_Union[_types_pb2_1.Schema, _Mapping]] = ..., output_schema: _Optional[_Union[_types_pb2_1.Schema, _Mapping]] = ..., streaming: _Optional[bool] = ..., concurrency: _Optional[_Union[ConcurrencySpec, _Mapping]] = ..., default_timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., idempotent: _Optional[bool] = ..., terminates_turn: _Optional[bool] = ...) -> None: ...
