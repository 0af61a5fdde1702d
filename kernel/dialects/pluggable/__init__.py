"""The pluggable dialect: observe, transform and veto over gRPC, configured by agent.hcl.

    points      the eight points, the modes, the names of the wire      rules     the named rules
    payload     a HookPayload as a value                                view      protobuf as JSON and back
    resolve     what one outcome means                                  walk      a dispatch as a value
    spans       what the host calls its spans                           faults    what can be answered wrongly
    config      agent.hcl, relied on                                    lint      everything that is wrong with it
    plugin      what a Python plugin needs                              staging   chains set up by hand
    stub_answers  answers in words                                      samples   realistic payloads
    sections    what of a context contribution counts                   context_wire  its service on the wire
    metrics     what the host counts                                    turn_rules  what it does around dispatches
    state       what it stored, from its file                           events, sqlite  what is in it, and the file

    agent_hcl   the blocks of the configuration, and chains out of them
    session     what the host does around its dispatches, for sessions that are played

`PLUGGABLE` is the dialect; `Pluggable(concurrent_observe=True)` the same with observers that run in parallel.
"""

from kernel.dialects.pluggable.dialect import PLUGGABLE, Pluggable

__all__ = ["PLUGGABLE", "Pluggable"]
