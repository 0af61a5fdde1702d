from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2 as _events_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import types_pb2 as _types_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DispatchHookResponse(_message.Message):
    __slots__ = ("observe", "transform", "veto")
    class ObserveAck(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class TransformResult(_message.Message):
        __slots__ = ("payload",)
        PAYLOAD_FIELD_NUMBER: _ClassVar[int]
        payload: _events_pb2.HookPayload
        def __init__(self, payload: _Optional[_Union[_events_pb2.HookPayload, _Mapping]] = ...) -> None: ...
    class VetoResult(_message.Message):
        __slots__ = ("decision",)
        DECISION_FIELD_NUMBER: _ClassVar[int]
        decision: _types_pb2.HookDecision
        def __init__(self, decision: _Optional[_Union[_types_pb2.HookDecision, str]] = ...) -> None: ...
    OBSERVE_FIELD_NUMBER: _ClassVar[int]
    TRANSFORM_FIELD_NUMBER: _ClassVar[int]
    VETO_FIELD_NUMBER: _ClassVar[int]
    observe: DispatchHookResponse.ObserveAck
    transform: DispatchHookResponse.TransformResult
    veto: DispatchHookResponse.VetoResult
    def __init__(self, observe: _Optional[_Union[DispatchHookResponse.ObserveAck, _Mapping]] = ..., transform: _Optional[_Union[DispatchHookResponse.TransformResult, _Mapping]] = ..., veto: _Optional[_Union[DispatchHookResponse.VetoResult, _Mapping]] = ...) -> None: ...
