from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class HookMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOOK_MODE_UNSPECIFIED: _ClassVar[HookMode]
    HOOK_MODE_OBSERVE: _ClassVar[HookMode]
    HOOK_MODE_TRANSFORM: _ClassVar[HookMode]
    HOOK_MODE_VETO: _ClassVar[HookMode]

class HookDecision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOOK_DECISION_UNSPECIFIED: _ClassVar[HookDecision]
    HOOK_DECISION_ALLOW: _ClassVar[HookDecision]
    HOOK_DECISION_DENY: _ClassVar[HookDecision]
HOOK_MODE_UNSPECIFIED: HookMode
HOOK_MODE_OBSERVE: HookMode
HOOK_MODE_TRANSFORM: HookMode
HOOK_MODE_VETO: HookMode
HOOK_DECISION_UNSPECIFIED: HookDecision
HOOK_DECISION_ALLOW: HookDecision
HOOK_DECISION_DENY: HookDecision
