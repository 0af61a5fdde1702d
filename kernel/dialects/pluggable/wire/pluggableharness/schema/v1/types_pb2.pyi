from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SchemaType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCHEMA_TYPE_UNSPECIFIED: _ClassVar[SchemaType]
    SCHEMA_TYPE_OBJECT: _ClassVar[SchemaType]
    SCHEMA_TYPE_STRING: _ClassVar[SchemaType]
    SCHEMA_TYPE_NUMBER: _ClassVar[SchemaType]
    SCHEMA_TYPE_BOOLEAN: _ClassVar[SchemaType]
    SCHEMA_TYPE_ARRAY: _ClassVar[SchemaType]
SCHEMA_TYPE_UNSPECIFIED: SchemaType
SCHEMA_TYPE_OBJECT: SchemaType
SCHEMA_TYPE_STRING: SchemaType
SCHEMA_TYPE_NUMBER: SchemaType
SCHEMA_TYPE_BOOLEAN: SchemaType
SCHEMA_TYPE_ARRAY: SchemaType

class Schema(_message.Message):
    __slots__ = ("type", "description", "properties", "required", "items", "enum_values")
    class PropertiesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Schema
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Schema, _Mapping]] = ...) -> None: ...
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    ENUM_VALUES_FIELD_NUMBER: _ClassVar[int]
    type: SchemaType
    description: str
    properties: _containers.MessageMap[str, Schema]
    required: _containers.RepeatedScalarFieldContainer[str]
    items: Schema
    enum_values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, type: _Optional[_Union[SchemaType, str]] = ..., description: _Optional[str] = ..., properties: _Optional[_Mapping[str, Schema]] = ..., required: _Optional[_Iterable[str]] = ..., items: _Optional[_Union[Schema, _Mapping]] = ..., enum_values: _Optional[_Iterable[str]] = ...) -> None: ...
