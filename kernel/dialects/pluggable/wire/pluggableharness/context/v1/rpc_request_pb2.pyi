from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as _types_pb2
from kernel.dialects.pluggable.wire.pluggableharness.model.v1 import types_pb2 as _types_pb2_1
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetCapabilitiesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ContextRequest(_message.Message):
    __slots__ = ("session_id", "parent_session_id", "turn_id", "token_budget", "model_target", "files_touched", "working_directory", "prior_sections", "conversation_history", "history_tokens", "assembled_tokens_last_turn")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_BUDGET_FIELD_NUMBER: _ClassVar[int]
    MODEL_TARGET_FIELD_NUMBER: _ClassVar[int]
    FILES_TOUCHED_FIELD_NUMBER: _ClassVar[int]
    WORKING_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    PRIOR_SECTIONS_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_HISTORY_FIELD_NUMBER: _ClassVar[int]
    HISTORY_TOKENS_FIELD_NUMBER: _ClassVar[int]
    ASSEMBLED_TOKENS_LAST_TURN_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    parent_session_id: str
    turn_id: str
    token_budget: int
    model_target: _types_pb2_1.ModelTarget
    files_touched: _containers.RepeatedScalarFieldContainer[str]
    working_directory: str
    prior_sections: _containers.RepeatedCompositeFieldContainer[_types_pb2.ContextSection]
    conversation_history: _containers.RepeatedCompositeFieldContainer[_types_pb2.Message]
    history_tokens: int
    assembled_tokens_last_turn: int
    def __init__(self, session_id: _Optional[str] = ..., parent_session_id: _Optional[str] = ..., turn_id: _Optional[str] = ..., token_budget: _Optional[int] = ..., model_target: _Optional[_Union[_types_pb2_1.ModelTarget, _Mapping]] = ..., files_touched: _Optional[_Iterable[str]] = ..., working_directory: _Optional[str] = ..., prior_sections: _Optional[_Iterable[_Union[_types_pb2.ContextSection, _Mapping]]] = ..., conversation_history: _Optional[_Iterable[_Union[_types_pb2.Message, _Mapping]]] = ..., history_tokens: _Optional[int] = ..., assembled_tokens_last_turn: _Optional[int] = ...) -> None: ...
