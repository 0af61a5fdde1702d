"""A subscriber in process that does to the payload it was given what it likes. Used by vector G109."""

from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_request_pb2


def scribble(request: bytes) -> bytes:
    """Empty the messages of the payload, change its model, and acknowledge."""
    asked = rpc_request_pb2.DispatchHookRequest.FromString(request)
    asked.payload.pre_model_call.ClearField("messages")
    asked.payload.pre_model_call.model.id = "scribbled"
    return b"\x0a\x00"
