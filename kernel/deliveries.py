"""A request that was handed over more than once, as moments of the span of its step. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kernel.clock import NS_PER_MS
from kernel.facts import Replied
from kernel.values import Answered, Crashed, Failed

DELIVERY: Final = "delivery"
"""Event of a span: the request was handed over, where that happened more than once."""


@dataclass(frozen=True, slots=True)
class DeliveryMoment:
    """When a request was handed over, and to whom."""

    at_ns: int
    """On the clock of the dispatch."""
    attributes: Mapping[str, str | int | float]


def delivery_moments(replied: Replied, ended_ns: int) -> Iterator[DeliveryMoment]:
    """Every handing over of a request that was handed over more than once, the first included."""
    outcome = replied.outcome
    deliveries = outcome.deliveries if isinstance(outcome, Answered | Failed | Crashed) else ()
    if len(deliveries) < 2:
        return
    for each in deliveries:
        at_ns = ended_ns - replied.took_ns + round(each.at_ms * NS_PER_MS)
        told: dict[str, str | int | float] = {"request.id": each.request_id, "restart_count": each.restart_count}
        told |= {} if each.pid is None else {"process.pid": each.pid}
        told |= {"because": each.because, "restart.attempt": each.attempt} if each.because else {}
        yield DeliveryMoment(at_ns, told)
