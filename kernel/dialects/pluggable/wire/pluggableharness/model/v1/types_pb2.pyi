import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RateLimitKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RATE_LIMIT_KIND_UNSPECIFIED: _ClassVar[RateLimitKind]
    RATE_LIMIT_KIND_REQUESTS: _ClassVar[RateLimitKind]
    RATE_LIMIT_KIND_TOKENS: _ClassVar[RateLimitKind]
    RATE_LIMIT_KIND_INPUT_TOKENS: _ClassVar[RateLimitKind]
    RATE_LIMIT_KIND_OUTPUT_TOKENS: _ClassVar[RateLimitKind]
    RATE_LIMIT_KIND_CREDITS: _ClassVar[RateLimitKind]

class WindowRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WINDOW_ROLE_UNSPECIFIED: _ClassVar[WindowRole]
    WINDOW_ROLE_PRIMARY: _ClassVar[WindowRole]
    WINDOW_ROLE_SECONDARY: _ClassVar[WindowRole]
RATE_LIMIT_KIND_UNSPECIFIED: RateLimitKind
RATE_LIMIT_KIND_REQUESTS: RateLimitKind
RATE_LIMIT_KIND_TOKENS: RateLimitKind
RATE_LIMIT_KIND_INPUT_TOKENS: RateLimitKind
RATE_LIMIT_KIND_OUTPUT_TOKENS: RateLimitKind
RATE_LIMIT_KIND_CREDITS: RateLimitKind
WINDOW_ROLE_UNSPECIFIED: WindowRole
WINDOW_ROLE_PRIMARY: WindowRole
WINDOW_ROLE_SECONDARY: WindowRole

class ModelRef(_message.Message):
    __slots__ = ("provider", "id")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    provider: str
    id: str
    def __init__(self, provider: _Optional[str] = ..., id: _Optional[str] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "rate_limits", "vendor_cost", "vendor_total_tokens", "components", "reasoning_already_counted")
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CACHE_READ_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CACHE_WRITE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    REASONING_TOKENS_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMITS_FIELD_NUMBER: _ClassVar[int]
    VENDOR_COST_FIELD_NUMBER: _ClassVar[int]
    VENDOR_TOTAL_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COMPONENTS_FIELD_NUMBER: _ClassVar[int]
    REASONING_ALREADY_COUNTED_FIELD_NUMBER: _ClassVar[int]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    rate_limits: _containers.RepeatedCompositeFieldContainer[RateLimitSnapshot]
    vendor_cost: VendorCost
    vendor_total_tokens: int
    components: _containers.RepeatedCompositeFieldContainer[UsageComponent]
    reasoning_already_counted: bool
    def __init__(self, input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., cache_read_tokens: _Optional[int] = ..., cache_write_tokens: _Optional[int] = ..., reasoning_tokens: _Optional[int] = ..., rate_limits: _Optional[_Iterable[_Union[RateLimitSnapshot, _Mapping]]] = ..., vendor_cost: _Optional[_Union[VendorCost, _Mapping]] = ..., vendor_total_tokens: _Optional[int] = ..., components: _Optional[_Iterable[_Union[UsageComponent, _Mapping]]] = ..., reasoning_already_counted: _Optional[bool] = ...) -> None: ...

class VendorCost(_message.Message):
    __slots__ = ("amount", "unit", "currency")
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    amount: str
    unit: str
    currency: str
    def __init__(self, amount: _Optional[str] = ..., unit: _Optional[str] = ..., currency: _Optional[str] = ...) -> None: ...

class UsageComponent(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: int
    def __init__(self, name: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...

class RateLimitSnapshot(_message.Message):
    __slots__ = ("kind", "remaining", "limit", "reset_at", "limit_id", "limit_name", "window_role", "used_percent", "window_seconds")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    RESET_AT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_NAME_FIELD_NUMBER: _ClassVar[int]
    WINDOW_ROLE_FIELD_NUMBER: _ClassVar[int]
    USED_PERCENT_FIELD_NUMBER: _ClassVar[int]
    WINDOW_SECONDS_FIELD_NUMBER: _ClassVar[int]
    kind: RateLimitKind
    remaining: int
    limit: int
    reset_at: _timestamp_pb2.Timestamp
    limit_id: str
    limit_name: str
    window_role: WindowRole
    used_percent: float
    window_seconds: int
    def __init__(self, kind: _Optional[_Union[RateLimitKind, str]] = ..., remaining: _Optional[int] = ..., limit: _Optional[int] = ..., reset_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., limit_id: _Optional[str] = ..., limit_name: _Optional[str] = ..., window_role: _Optional[_Union[WindowRole, str]] = ..., used_percent: _Optional[float] = ..., window_seconds: _Optional[int] = ...) -> None: ...

class ModelTarget(_message.Message):
    __slots__ = ("id", "context_window", "effective_ceiling")
    ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_CEILING_FIELD_NUMBER: _ClassVar[int]
    id: str
    context_window: int
    effective_ceiling: int
    def __init__(self, id: _Optional[str] = ..., context_window: _Optional[int] = ..., effective_ceiling: _Optional[int] = ...) -> None: ...
