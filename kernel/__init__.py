"""The embedded dispatch kernel: a library that knows no terminal and prints nothing.

The map, from the values inward to the loop:

    values, reach, errors     what crosses borders            facts    what happened
    walk, dialect             a dispatch as a value, and who defines it
    subscriber, faults        somebody who can be asked, and what can go wrong there
    probe, control            the seams for watching and for steering
    clock                     real, held and virtual time
    dispatch                  the one loop
    host                      live subscribers for a configuration
    stretch, playing          a host's own work around dispatches, and described sessions played
    consulting                asking somebody outside of any chain
    telemetry, measures       facts as OpenTelemetry spans and metrics
    dialects/, transports/    the families of semantics, the ways to reach a subscriber
"""

from kernel.clock import Caller, HeldClock, RealClock, VirtualClock
from kernel.dispatch import dispatch
from kernel.probe import Probe, Probes
from kernel.values import Chain, Result, Subscription

__all__ = [
    "Caller",
    "Chain",
    "HeldClock",
    "Probe",
    "Probes",
    "RealClock",
    "Result",
    "Subscription",
    "VirtualClock",
    "dispatch",
]
