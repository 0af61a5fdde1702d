"""How a deadline on the kernel's clock is told to a server. Pure."""

from __future__ import annotations

from typing import Final

from kernel.clock import NS_PER_MS

DIGITS: Final = 10**8  # the protocol allows at most eight
UNITS: Final = (("u", 1_000), ("m", NS_PER_MS), ("S", 1_000_000_000), ("M", 60_000_000_000), ("H", 3_600_000_000_000))


def timeout_header(remaining_ns: int) -> tuple[str, str]:
    """The metadata from which a server learns its remaining time, in the finest unit that fits, rounded up.

    Sent by hand because the deadline is enforced on our clock, which may stand still, and not by gRPC's.
    """
    for unit, ns in UNITS:
        count = -(-max(remaining_ns, 1) // ns)
        if count < DIGITS:
            return ("grpc-timeout", f"{count}{unit}")
    return ("grpc-timeout", f"{DIGITS - 1}H")
