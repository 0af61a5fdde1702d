from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2 as _events_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import types_pb2 as _types_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DispatchHookRequest(_message.Message):
    __slots__ = ("payload", "mode", "subscription_id")
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTION_ID_FIELD_NUMBER: _ClassVar[int]
    payload: _events_pb2.HookPayload
    mode: _types_pb2.HookMode
    subscription_id: str
    def __init__(self, payload: _Optional[_Union[_events_pb2.HookPayload, _Mapping]] = ..., mode: _Optional[_Union[_types_pb2.HookMode, str]] = ..., subscription_id: _Optional[str] = ...) -> None: ...
