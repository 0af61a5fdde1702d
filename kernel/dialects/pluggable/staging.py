"""Pluggable chains set up by hand: seats without a configuration, and the slot for the kernel's veto (spec B.10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from kernel.dialects.pluggable import stub_answers
from kernel.dialects.pluggable.faults import GRPC_CODES
from kernel.dialects.pluggable.points import COOKIE, KERNEL, METHOD, PROTOCOL_VERSION, Mode, is_kernels
from kernel.errors import BadInput
from kernel.problems import Problem, raise_first
from kernel.reach import GoPlugin
from kernel.values import JSON, Chain, Producer, Subscription

DEFAULT_TIMEOUT_MS = 5000
"""Of a hook that names none, where no settings say otherwise (spec B.8)."""
ID = "id"
"""Option of a seat: by which it is told from other seats of the same plugin at its point (H1, extension mode)."""


_KERNELS: Mapping[str, JSON] = MappingProxyType({KERNEL: True})


def pinned(chain: Chain, name: str, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Chain:
    """The chain with the kernel's own veto before every plugin, in the place of one that was pinned before.

    `timeout_ms` is the deadline of seats that name none: it has no other (spec B.8).

    Raises BadInput at a point that bears no veto.
    """
    seat = Subscription(name, chain.point, Mode.VETO.value, timeout_ms, options=_KERNELS)
    _check(seat)
    plugins = tuple(seat for seat in chain.subscriptions if not is_kernels(seat))
    return Chain(chain.point, (seat, *plugins))


def _check(seat: Subscription) -> None:
    """What the registry says of the seat by itself; raises BadInput."""
    raise_first(_problems(seat.name, seat.point, seat.mode, seat.timeout_ms))


def _problems(name: str, point: str, mode: str | None = None, timeout_ms: int | None = None) -> list[Problem]:
    from kernel.dialects.pluggable.agent_hcl.registry import (  # reads HCL, which most who stage do not
        Entry,
        check_entry,
    )

    problems: list[Problem] = []
    check_entry(Entry(name, point, mode, timeout_ms, None, (0, 0)), problems.append)
    return problems


_USUAL: Mapping[str, tuple[JSON, ...]] = MappingProxyType(
    {Mode.OBSERVE: ("ack",), Mode.TRANSFORM: ("same",), Mode.VETO: ("allow", "deny")}
)


def _id(options: Mapping[str, JSON]) -> str:
    """The id that the options give a seat, if any; raises BadInput for options that there are not."""
    for key, value in options.items():
        if not (key == KERNEL and isinstance(value, bool)) and not (key == ID and isinstance(value, str) and value):
            raise BadInput(f"no option {key}: {value!r}; a seat has {KERNEL}: true, {ID}: <text>, or none")
    return str(options.get(ID, ""))


class PluggableStaging:
    """See the protocol."""

    statuses = GRPC_CODES
    words = frozenset((*Mode, "allow", "deny", "same", "unspecified"))
    unseats_failures = False
    default_deadline = frozenset({KERNEL})  # spec B.8

    def no_point(self, point: str) -> BadInput:
        """ErrUnknownPoint; who is asked at context-assemble is told how that is done (spec C.4 row 4)."""
        [problem] = _problems("", point)
        return problem.as_error()

    def check_default(self, timeout_ms: int) -> None:
        """It is more than 0 (spec B.8); a single seat may have 0."""
        if timeout_ms <= 0:
            raise BadInput(f"ErrInvalidTimeout: the deadline of seats that name none is {timeout_ms}, not more than 0")

    def seated(self, chain: Chain, subscription: Subscription, options: Mapping[str, JSON]) -> Chain:
        seat = replace(subscription, id=_id(options) or subscription.id)
        _check(seat)
        timeout_ms = DEFAULT_TIMEOUT_MS if seat.timeout_ms is None else seat.timeout_ms
        if options.get(KERNEL):
            if seat.mode != Mode.VETO or seat.reach is not None or seat.producer is not None:
                raise BadInput("the kernel's own seat is a veto in process, without a producer")
            if seat.id:
                raise BadInput("the kernel's own seat has no id: nothing that it is sent says which seat it is")
            return pinned(chain, seat.name, timeout_ms)
        ids = [other.id for other in (*chain.subscriptions, seat) if other.name == seat.name]
        if len(ids) > 1 and ("" in ids or len(set(ids)) < len(ids)):
            raise BadInput(
                f"ErrDuplicateSubscription: {seat.name!r} already subscribes to {chain.point}",
                fix=f"where several seats of one plugin are allowed, each has an {ID} of its own",
            )
        producer = seat.producer or Producer(seat.name, category="tool")
        return replace(
            chain,
            subscriptions=(*chain.subscriptions, replace(seat, timeout_ms=timeout_ms, producer=producer)),
        )

    def as_started(self, chain: Chain, absent: Mapping[str, str]) -> Chain:
        return chain

    def program(self, argv: tuple[str, ...], cwd: str, env: Mapping[str, str]) -> GoPlugin:
        return GoPlugin(argv, METHOD, COOKIE, PROTOCOL_VERSION, cwd, tuple(env.items()))

    def answer_in_words(self, words: JSON, mode: str) -> Callable[[bytes], bytes | None]:
        return stub_answers.answer_in_words(words, mode)

    def usual(self, subscription: Subscription, phase: str = "") -> tuple[JSON, ...]:
        return _USUAL.get(subscription.mode, ())

    def answer_in_json(self, view: JSON) -> bytes:
        return stub_answers.answer_in_json(view)
