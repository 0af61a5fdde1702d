from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ToolErrorCategory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_ERROR_CATEGORY_UNSPECIFIED: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_INVALID_ARGUMENTS: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_NOT_FOUND: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_PERMISSION_DENIED: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_EXECUTION_FAILED: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_TIMEOUT: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_CONCURRENCY_CONFLICT: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_CANCELLED: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_PROCESS_CRASHED: _ClassVar[ToolErrorCategory]
    TOOL_ERROR_CATEGORY_UNKNOWN: _ClassVar[ToolErrorCategory]
TOOL_ERROR_CATEGORY_UNSPECIFIED: ToolErrorCategory
TOOL_ERROR_CATEGORY_INVALID_ARGUMENTS: ToolErrorCategory
TOOL_ERROR_CATEGORY_NOT_FOUND: ToolErrorCategory
TOOL_ERROR_CATEGORY_PERMISSION_DENIED: ToolErrorCategory
TOOL_ERROR_CATEGORY_EXECUTION_FAILED: ToolErrorCategory
TOOL_ERROR_CATEGORY_TIMEOUT: ToolErrorCategory
TOOL_ERROR_CATEGORY_CONCURRENCY_CONFLICT: ToolErrorCategory
TOOL_ERROR_CATEGORY_CANCELLED: ToolErrorCategory
TOOL_ERROR_CATEGORY_PROCESS_CRASHED: ToolErrorCategory
TOOL_ERROR_CATEGORY_UNKNOWN: ToolErrorCategory

class ToolError(_message.Message):
    __slots__ = ("category", "message", "retryable", "details")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    category: ToolErrorCategory
    message: str
    retryable: bool
    details: _struct_pb2.Struct
    def __init__(self, category: _Optional[_Union[ToolErrorCategory, str]] = ..., message: _Optional[str] = ..., retryable: _Optional[bool] = ..., details: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...
