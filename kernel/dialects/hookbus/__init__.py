"""The hookbus dialect: actions over JSON-RPC on stdio, configured by plugin.json.

    kinds       the kinds of events, as one table                       permissions  what can be granted
    payload     a HookEvent as a value                                  events       how a host makes them
    json_text   JSON as the host reads, compares and writes it          matching     filters and matchers
    answers     what handlers answer                                    outcome      what the bus returns
    resolve     what one outcome means                                  traits       where hosts differ
    walk        a sequential emit                                       concurrent   one to everybody at once
    delivery    a notification                                          rules        the named rules
    acting      what a host does with a result                          latch        whom it no longer asks about
    bus         the HookBus itself, over the kernel's dispatch          handlers     handlers in process
    logs        what it logs, folded from facts                         audit        the line for each replaced output
    staging     chains set up by hand                                   faults       what can be answered wrongly
    samples     realistic events                                        spans        what spans are called
    records     whose handler a record is                               gate         how a host asks around a tool
    discovery   which plugins there are                                 settings     what a person configured of them
    config      both together, relied on                                lint         everything that is wrong with them
    view_shapes  what answers and events may hold                       wording      how names are told

    manifest    plugin.json, read and judged
    session     what the host does around its dispatches, for sessions that are played

`HOOKBUS` is the dialect; `HOOKBUS.switched("worker_view", True)` the same as the bus of a subagent's worker sees it.
"""

from kernel.dialects.hookbus.dialect import HOOKBUS, Hookbus

__all__ = ["HOOKBUS", "Hookbus"]
