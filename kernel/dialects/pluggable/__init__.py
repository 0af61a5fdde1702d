"""The pluggable dialect: observe, transform and veto over gRPC, configured by agent.hcl.

    points      the eight points, the modes, the names of the wire      rules     the named rules
    payload     a HookPayload as a value                                view      protobuf as JSON and back
    resolve     what one outcome means                                  walk      a dispatch as a value
    spans       what the host calls its spans                           faults    what can be answered wrongly
    config      agent.hcl                                               plugin    what a Python plugin needs

`PLUGGABLE` is the dialect; `Pluggable(concurrent_observe=True)` the same with observers that run in parallel.
"""

from kernel.dialects.pluggable.dialect import PLUGGABLE, Pluggable

__all__ = ["PLUGGABLE", "Pluggable"]
