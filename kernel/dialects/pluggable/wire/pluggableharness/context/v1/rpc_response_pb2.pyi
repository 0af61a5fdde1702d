from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as _types_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContextContribution(_message.Message):
    __slots__ = ("sections", "rewritten_history")
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    REWRITTEN_HISTORY_FIELD_NUMBER: _ClassVar[int]
    sections: _containers.RepeatedCompositeFieldContainer[_types_pb2.ContextSection]
    rewritten_history: _containers.RepeatedCompositeFieldContainer[_types_pb2.Message]
    def __init__(self, sections: _Optional[_Iterable[_Union[_types_pb2.ContextSection, _Mapping]]] = ..., rewritten_history: _Optional[_Iterable[_Union[_types_pb2.Message, _Mapping]]] = ...) -> None: ...
