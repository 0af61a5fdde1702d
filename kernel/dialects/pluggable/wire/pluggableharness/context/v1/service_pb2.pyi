from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import rpc_request_pb2 as _rpc_request_pb2
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import rpc_response_pb2 as _rpc_response_pb2
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import types_pb2 as _types_pb2
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor
