from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Category(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CATEGORY_UNSPECIFIED: _ClassVar[Category]
    CATEGORY_MODEL: _ClassVar[Category]
    CATEGORY_TOOL: _ClassVar[Category]
    CATEGORY_CONTEXT: _ClassVar[Category]
    CATEGORY_MEMORY: _ClassVar[Category]
    CATEGORY_FRONTEND: _ClassVar[Category]
    CATEGORY_WIDGET: _ClassVar[Category]
    CATEGORY_SLASHCOMMAND: _ClassVar[Category]

class HookPoint(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOOK_POINT_UNSPECIFIED: _ClassVar[HookPoint]
    HOOK_POINT_SESSION_START: _ClassVar[HookPoint]
    HOOK_POINT_PRE_MODEL_CALL: _ClassVar[HookPoint]
    HOOK_POINT_POST_MODEL_RESPONSE: _ClassVar[HookPoint]
    HOOK_POINT_PRE_TOOL_CALL: _ClassVar[HookPoint]
    HOOK_POINT_PLAN_READY: _ClassVar[HookPoint]
    HOOK_POINT_POST_TOOL_CALL: _ClassVar[HookPoint]
    HOOK_POINT_POST_APPLY: _ClassVar[HookPoint]
    HOOK_POINT_SESSION_END: _ClassVar[HookPoint]
CATEGORY_UNSPECIFIED: Category
CATEGORY_MODEL: Category
CATEGORY_TOOL: Category
CATEGORY_CONTEXT: Category
CATEGORY_MEMORY: Category
CATEGORY_FRONTEND: Category
CATEGORY_WIDGET: Category
CATEGORY_SLASHCOMMAND: Category
HOOK_POINT_UNSPECIFIED: HookPoint
HOOK_POINT_SESSION_START: HookPoint
HOOK_POINT_PRE_MODEL_CALL: HookPoint
HOOK_POINT_POST_MODEL_RESPONSE: HookPoint
HOOK_POINT_PRE_TOOL_CALL: HookPoint
HOOK_POINT_PLAN_READY: HookPoint
HOOK_POINT_POST_TOOL_CALL: HookPoint
HOOK_POINT_POST_APPLY: HookPoint
HOOK_POINT_SESSION_END: HookPoint

class ProducerRef(_message.Message):
    __slots__ = ("name", "version", "source", "category", "protocol_version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    source: str
    category: Category
    protocol_version: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., source: _Optional[str] = ..., category: _Optional[_Union[Category, str]] = ..., protocol_version: _Optional[int] = ...) -> None: ...

class CallContext(_message.Message):
    __slots__ = ("session_id", "turn_id", "working_directory")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    WORKING_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    turn_id: str
    working_directory: str
    def __init__(self, session_id: _Optional[str] = ..., turn_id: _Optional[str] = ..., working_directory: _Optional[str] = ...) -> None: ...

class ProviderRef(_message.Message):
    __slots__ = ("category", "name")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    category: Category
    name: str
    def __init__(self, category: _Optional[_Union[Category, str]] = ..., name: _Optional[str] = ...) -> None: ...

class PromptExpansionSpec(_message.Message):
    __slots__ = ("name", "description", "template")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    template: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., template: _Optional[str] = ...) -> None: ...
