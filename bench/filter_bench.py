"""How long a filter takes over ten thousand dispatches, beside the comparison that the plainest of them comes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from bench.measure import Absolute, Row, interleaved, row, stopwatch
from debugger.filters import Sight, compiled, parse
from debugger.trace import DispatchTrace, StepTrace
from kernel.clock import NS_PER_MS
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Changed, Opened, Resolved
from kernel.values import Answered, Chain, Effect, Ending, Payload, Result, Status, Subscription

POINT: Final = "pre-model-call"
DISPATCHES: Final = 10_000
PAYLOADS: Final = 1_000
"""Different ones, so that nine dispatches in ten are about a payload that was there before."""
MODES: Final = ("observe", "observe", "transform", "veto", "veto")
TARGET_MS: Final = 50.0
TARGET_PAYLOADS_MS: Final = 500.0
"""For what looks into payloads, and for texts that nobody looked for before."""
_FILTERS: Final = (
    ("one word", "status:denied", TARGET_MS),
    ("one step", "mode:veto slow:>80%", TARGET_MS),
    ("point first", "point:plan status:denied", TARGET_MS),
    ("either", "status:denied | dur:>200ms", TARGET_MS),
    ("text", "nowhere-to-be-found", TARGET_MS),
    ("path", "path:$.messages", TARGET_PAYLOADS_MS),
    ("JMESPath", "in:\"messages[?role=='nobody']\"", TARGET_PAYLOADS_MS),
    ("expression", "why:~'number [0-9]+7 '", TARGET_PAYLOADS_MS),
)


def rows(*, rounds: int = 15) -> list[Row]:
    """Milliseconds for all of them, each filter compiled anew, as while it is typed."""
    dispatches = made()
    floor_act = stopwatch(lambda: sum(any(_is_denied(step) for step in each.steps) for each in dispatches))
    measured: list[Row] = []
    sight = Sight()
    for name, text, target in _FILTERS:
        ours, floor = interleaved(rounds, stopwatch(_filtering(text, dispatches, lambda: sight)), floor_act)
        measured.append(row(f"filter, {name}", "ms", ours, floor, Absolute(target)))
    first, floor = interleaved(3, stopwatch(_filtering("nowhere-to-be-found", dispatches, Sight)), floor_act)
    measured.append(row("filter, text, first", "ms", first, floor, Absolute(TARGET_PAYLOADS_MS)))
    return measured


def _filtering(text: str, dispatches: Sequence[DispatchTrace], sight: Callable[[], Sight]) -> Callable[[], int]:
    def act() -> int:
        asked = compiled(parse(text), sight())
        return sum(asked.matches(each) is True for each in dispatches)

    return act


def _is_denied(step: StepTrace) -> bool:
    return step.verdict is not None and step.verdict.status is Status.DENIED


def made() -> list[DispatchTrace]:
    """A long session: every hundredth dispatch is denied, and each has a transform that changes the payload."""
    payloads = [PLUGGABLE.sample_payload(POINT, seed) for seed in range(PAYLOADS)]
    chain = Chain(POINT, tuple(Subscription(f"{mode}-{at}", POINT, mode, 250) for at, mode in enumerate(MODES)))
    return [
        _dispatch(number, chain, payloads[number % PAYLOADS], payloads[(number + 1) % PAYLOADS])
        for number in range(DISPATCHES)
    ]


def _dispatch(number: int, chain: Chain, before: Payload, after: Payload) -> DispatchTrace:
    is_denied = number % 100 == 0
    steps = tuple(
        _step(number, at, seat, before if at <= 2 else after, after, is_denied=is_denied and at == 3)
        for at, seat in enumerate(chain.subscriptions)
    )
    result = Result(Ending.FINISHED, after, "deny" if is_denied else "allow")
    opened = Opened("pluggable", chain, before, 0)
    return DispatchTrace(f"d{number}", number + 1, opened, 0, steps, result, 700 * NS_PER_MS)


def _step(number: int, at: int, seat: Subscription, given: Payload, after: Payload, *, is_denied: bool) -> StepTrace:
    status, effect = (Status.DENIED, Effect.STOP) if is_denied else (Status.OK, Effect.CONTINUE)
    return StepTrace(
        at,
        seat,
        given=given,
        timeout_ms=250,
        asked_at_ns=0,
        replied_at_ns=1,
        took_ns=number % 250 * NS_PER_MS,
        outcome=Answered(b"\x0a\x00"),
        verdict=Resolved(at, seat, status, effect, "PL-SOME-RULE", f"number {number} of many is fine"),
        changed=Changed(at, seat.name, given, after, "PL-REPLACE") if at == 2 else None,
    )
