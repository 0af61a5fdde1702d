from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class SessionStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_STATUS_UNSPECIFIED: _ClassVar[SessionStatus]
    SESSION_STATUS_RUNNING: _ClassVar[SessionStatus]
    SESSION_STATUS_COMPLETED: _ClassVar[SessionStatus]
    SESSION_STATUS_ERROR_MAX_TURNS: _ClassVar[SessionStatus]
    SESSION_STATUS_ERROR_MAX_BUDGET_USD: _ClassVar[SessionStatus]
    SESSION_STATUS_ERROR_MAX_WALL_CLOCK: _ClassVar[SessionStatus]
    SESSION_STATUS_CANCELLED: _ClassVar[SessionStatus]
    SESSION_STATUS_FAILED: _ClassVar[SessionStatus]
SESSION_STATUS_UNSPECIFIED: SessionStatus
SESSION_STATUS_RUNNING: SessionStatus
SESSION_STATUS_COMPLETED: SessionStatus
SESSION_STATUS_ERROR_MAX_TURNS: SessionStatus
SESSION_STATUS_ERROR_MAX_BUDGET_USD: SessionStatus
SESSION_STATUS_ERROR_MAX_WALL_CLOCK: SessionStatus
SESSION_STATUS_CANCELLED: SessionStatus
SESSION_STATUS_FAILED: SessionStatus
