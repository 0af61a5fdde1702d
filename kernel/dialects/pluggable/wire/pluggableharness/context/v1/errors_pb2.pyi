from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ContextErrorCategory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_ERROR_CATEGORY_UNSPECIFIED: _ClassVar[ContextErrorCategory]
    CONTEXT_ERROR_CATEGORY_SOURCE_UNAVAILABLE: _ClassVar[ContextErrorCategory]
    CONTEXT_ERROR_CATEGORY_BUDGET_EXCEEDED: _ClassVar[ContextErrorCategory]
    CONTEXT_ERROR_CATEGORY_SCOPE_VIOLATION: _ClassVar[ContextErrorCategory]
    CONTEXT_ERROR_CATEGORY_INVALID_REQUEST: _ClassVar[ContextErrorCategory]
    CONTEXT_ERROR_CATEGORY_UNKNOWN: _ClassVar[ContextErrorCategory]
CONTEXT_ERROR_CATEGORY_UNSPECIFIED: ContextErrorCategory
CONTEXT_ERROR_CATEGORY_SOURCE_UNAVAILABLE: ContextErrorCategory
CONTEXT_ERROR_CATEGORY_BUDGET_EXCEEDED: ContextErrorCategory
CONTEXT_ERROR_CATEGORY_SCOPE_VIOLATION: ContextErrorCategory
CONTEXT_ERROR_CATEGORY_INVALID_REQUEST: ContextErrorCategory
CONTEXT_ERROR_CATEGORY_UNKNOWN: ContextErrorCategory
