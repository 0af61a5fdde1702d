"""The pluggable dialect: observe, transform and veto over gRPC, configured by agent.hcl.

    points      the eight points, the modes, the names of the wire      rules     the named rules
    payload     a HookPayload as a value                                view      protobuf as JSON and back
    resolve     what one outcome means                                  walk      a dispatch as a value
    spans       what the host calls its spans                           faults    what can be answered wrongly
    config      agent.hcl, relied on                                    plugin    what a Python plugin needs
    schema      which blocks it has                                     arguments  the values of their arguments
    reading     its blocks as values                                    settings  these values
    registry    chains out of them                                      options   where hosts differ
    overrides   config.hcl                                              provider_body  what a plugin is configured with
    lint        everything that is wrong with it                        codes     every kind of that, as a table
    later       what parts of the host refuse                           advice    what is legal and hardly meant
    staging     chains set up by hand                                   stub_answers  answers in words

What the host does around its dispatches, for sessions that are played:

    described   a session as somebody wrote it                          played    it, through the order of the points
    policy      which rule decides about a call                         gate      what becomes of a plan
    sections    what of a context contribution counts                   stops     when a session ends
    assembly    the context of each turn                                contributing  plugins that contribute to it
    context_wire  their service on the wire                             metrics   what the host counts
    planning    plans and the gate                                      tool_phase  calls of tools
    model_calls  calls of the model                                     conversation  its messages
    ground      what all of these stand on                              described_schema  for editors
    scope       the tools and the model of a profile                    concurrency  which calls wait for which
    turn        what the hooks are shown                                scripted  what in a description acts
    loading     a description read and checked                          ledger    what sessions have spent

`PLUGGABLE` is the dialect; `Pluggable(concurrent_observe=True)` the same with observers that run in parallel.
"""

from kernel.dialects.pluggable.dialect import PLUGGABLE, Pluggable

__all__ = ["PLUGGABLE", "Pluggable"]
