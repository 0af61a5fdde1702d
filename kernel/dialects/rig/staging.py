"""Rig chains set up by hand: seats without a set file."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import replace

from kernel.dialects.rig import words as stub_words
from kernel.dialects.rig.errors import ConfigError
from kernel.dialects.rig.hook_set import Around, Guard, around_error, guard_error
from kernel.dialects.rig.operation import BY_LABEL
from kernel.dialects.rig.seats import AROUND, GUARD, MODES, NOT_LOADED, OPERATION, OWNED, arranged, index_of, seat_id
from kernel.dialects.rig.wire import Phase
from kernel.errors import BadInput
from kernel.reach import Reach
from kernel.values import JSON, Chain, Subscription

INDEX = "index"
"""Option of a callback's seat: its position in the whole list, where that is more than its chain shows."""

_USUAL: Mapping[str, tuple[JSON, ...]] = {
    AROUND: ("ok", "ok-no-finish"),
    GUARD: ("pass", {"deny": {"code": "policy.blocked", "reason": "not permitted"}}),
    OPERATION: ("completed", "canceled", {"failed": "it failed"}),
}


_NO_DEADLINE = "this dialect knows no deadline for a callback; leave timeout_ms out"


class RigStaging:
    """See the protocol."""

    statuses: tuple[str, ...] = ()
    """What a callback raises is named by its class, which can be anything."""
    words: frozenset[str] = frozenset()
    default_deadline: frozenset[str] = frozenset()
    unseats_failures = False
    """A set without a guard of its own would let through what that one blocks."""

    def no_point(self, point: str) -> BadInput:
        near = difflib.get_close_matches(point, list(BY_LABEL), 1)
        return BadInput(
            f"no operation {point!r}", fix=f"did you mean {near[0]!r}?" if near else f"there are {', '.join(BY_LABEL)}"
        )

    def check_default(self, timeout_ms: int) -> None:
        raise BadInput(_NO_DEADLINE)

    def seated(self, chain: Chain, subscription: Subscription, options: Mapping[str, JSON]) -> Chain:
        seat = subscription
        if seat.mode not in MODES:
            raise BadInput(f"{seat.name!r} has no mode {seat.mode!r}; there are {', '.join(MODES)}")
        if seat.timeout_ms is not None:
            raise BadInput(_NO_DEADLINE)
        if (error := _error(seat)) is not None:
            raise BadInput(str(error))
        others = tuple(each for each in chain.subscriptions if each.name != seat.name or each.mode == OPERATION)
        if seat.mode == OPERATION:
            if seat.name != OPERATION:
                raise BadInput(f"the operation itself is called {OPERATION!r}")
            others = tuple(each for each in others if each.mode != OPERATION)
            return arranged(chain.point, (*others, replace(seat, options=_checked_owned(options))))
        if len(others) < len(chain.subscriptions) or seat.name == OPERATION:
            raise BadInput(f"{seat.name!r} already takes part in {chain.point}; give this one another name")
        return arranged(chain.point, (*others, _placed(chain, seat, options)))

    def as_started(self, chain: Chain, absent: Mapping[str, str]) -> Chain:
        """A set that cannot be compiled does not start (spec B.1): what it is missing is kept with the seat."""
        return replace(
            chain,
            subscriptions=tuple(
                replace(seat, options={**seat.options, NOT_LOADED: absent[seat.name]}) if seat.name in absent else seat
                for seat in chain.subscriptions
            ),
        )

    def program(self, argv: tuple[str, ...], cwd: str, env: Mapping[str, str]) -> Reach:
        raise BadInput("callbacks of this dialect are Python functions; there are no programs", fix="name a set file")

    def answer_in_words(self, words: JSON, mode: str) -> Callable[[bytes], bytes | None]:
        return stub_words.answer_in_words(words, mode)

    def usual(self, subscription: Subscription, phase: str = "") -> tuple[JSON, ...]:
        if phase == Phase.FINISH:
            return ("ok", {"finish": "boom"})
        return _USUAL.get(subscription.mode, ())

    def answer_in_json(self, view: JSON) -> bytes:
        return stub_words.answer_in_json(view)


def _checked_owned(options: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """What may be said of the seat of the operation: that its owner is at hand."""
    for key, value in options.items():
        if key != OWNED or not isinstance(value, bool):
            raise BadInput(f"no option {key}: {value!r}; the operation has {OWNED}: true, or none")
    return {OWNED: True} if options.get(OWNED) else {}


def _placed(chain: Chain, seat: Subscription, options: Mapping[str, JSON]) -> Subscription:
    """The seat with its place in the whole list: as the options say, or behind the others of its kind here."""
    known = [index_of(each) for each in chain.subscriptions if each.mode == seat.mode]
    index: JSON = max(known) + 1 if known else 0
    kept: dict[str, JSON] = {}
    for key, value in options.items():
        if key == NOT_LOADED and isinstance(value, str) and value:
            kept[key] = value
            continue
        if key != INDEX or isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadInput(f"no option {key}: {value!r}; a seat has {INDEX}: <number from 0> or none")
        index = value
    seat = replace(seat, options=kept)
    if seat.id and INDEX not in options:
        return seat
    if index in known:
        raise BadInput(f"there is one at {seat_id(seat.mode, int(str(index)))} already")
    return replace(seat, id=seat_id(seat.mode, int(str(index))))


def _error(seat: Subscription) -> ConfigError | None:
    """What a set would say of such a seat."""
    operation = BY_LABEL.get(seat.point, 0)
    if seat.mode == GUARD:
        return guard_error(Guard(operation, lambda context, call: None), 0)
    if seat.mode == AROUND:
        return around_error(Around(operation, lambda context, call: None), 0)
    return None
