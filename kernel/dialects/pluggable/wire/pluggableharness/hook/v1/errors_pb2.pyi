from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as _types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import types_pb2 as _types_pb2_1
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HookErrorCategory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOOK_ERROR_CATEGORY_UNSPECIFIED: _ClassVar[HookErrorCategory]
    HOOK_ERROR_CATEGORY_TRANSFORM_FAILED: _ClassVar[HookErrorCategory]
    HOOK_ERROR_CATEGORY_VETO_FAILED: _ClassVar[HookErrorCategory]
    HOOK_ERROR_CATEGORY_TIMEOUT: _ClassVar[HookErrorCategory]
    HOOK_ERROR_CATEGORY_INVALID_RESPONSE: _ClassVar[HookErrorCategory]
    HOOK_ERROR_CATEGORY_PROCESS_CRASHED: _ClassVar[HookErrorCategory]
    HOOK_ERROR_CATEGORY_UNKNOWN: _ClassVar[HookErrorCategory]
HOOK_ERROR_CATEGORY_UNSPECIFIED: HookErrorCategory
HOOK_ERROR_CATEGORY_TRANSFORM_FAILED: HookErrorCategory
HOOK_ERROR_CATEGORY_VETO_FAILED: HookErrorCategory
HOOK_ERROR_CATEGORY_TIMEOUT: HookErrorCategory
HOOK_ERROR_CATEGORY_INVALID_RESPONSE: HookErrorCategory
HOOK_ERROR_CATEGORY_PROCESS_CRASHED: HookErrorCategory
HOOK_ERROR_CATEGORY_UNKNOWN: HookErrorCategory

class HookError(_message.Message):
    __slots__ = ("point", "subscriber", "mode", "category", "message")
    POINT_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBER_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    point: _types_pb2.HookPoint
    subscriber: _types_pb2.ProducerRef
    mode: _types_pb2_1.HookMode
    category: HookErrorCategory
    message: str
    def __init__(self, point: _Optional[_Union[_types_pb2.HookPoint, str]] = ..., subscriber: _Optional[_Union[_types_pb2.ProducerRef, _Mapping]] = ..., mode: _Optional[_Union[_types_pb2_1.HookMode, str]] = ..., category: _Optional[_Union[HookErrorCategory, str]] = ..., message: _Optional[str] = ...) -> None: ...
