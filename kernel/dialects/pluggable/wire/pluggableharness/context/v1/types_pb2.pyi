from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as _types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.config.v1 import types_pb2 as _types_pb2_1
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as _types_pb2_1_1
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContextCapabilities(_message.Message):
    __slots__ = ("default_token_budget", "stability", "compactor", "config_schema", "supported_hook_points")
    DEFAULT_TOKEN_BUDGET_FIELD_NUMBER: _ClassVar[int]
    STABILITY_FIELD_NUMBER: _ClassVar[int]
    COMPACTOR_FIELD_NUMBER: _ClassVar[int]
    CONFIG_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    SUPPORTED_HOOK_POINTS_FIELD_NUMBER: _ClassVar[int]
    default_token_budget: int
    stability: _types_pb2_1_1.Stability
    compactor: bool
    config_schema: _types_pb2_1.ConfigSchema
    supported_hook_points: _containers.RepeatedScalarFieldContainer[_types_pb2.HookPoint]
    def __init__(self, default_token_budget: _Optional[int] = ..., stability: _Optional[_Union[_types_pb2_1_1.Stability, str]] = ..., compactor: _Optional[bool] = ..., config_schema: _Optional[_Union[_types_pb2_1.ConfigSchema, _Mapping]] = ..., supported_hook_points: _Optional[_Iterable[_Union[_types_pb2.HookPoint, str]]] = ...) -> None: ...
