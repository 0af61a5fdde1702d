"""The secrets of a configuration: what it hands to its subscribers in confidence, and they may tell anybody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from debugger.covering.keys import BUILT_IN, Names
from kernel.reach import Callback, GoPlugin, InProcess, Reach, Secret, StdioExtension
from kernel.setup import Setup

SHORTEST: Final = 4
"""Characters of a known secret. What is shorter stands everywhere by chance."""


def secrets_of(setup: Setup) -> tuple[str, ...]:
    """Every secret that a configuration hands to its subscribers, for `Rules.knowing`: they may print what they get.

    Plain values of an environment count where their name is one under which secrets are kept.
    """
    reaches: list[Reach | None] = [seat.reach for chain in setup.chains.values() for seat in chain.subscriptions]
    names = Names(BUILT_IN)
    found: dict[str, None] = {}
    for reach in (*reaches, *setup.others.values()):
        for name, value in _given(reach):
            if isinstance(value, Secret):
                found[value.reveal()] = None
            elif isinstance(value, str) and names.rule(name) is not None:
                found[value] = None
    return tuple(found)


def _given(reach: Reach | None) -> Iterable[tuple[str, object]]:
    match reach:
        case GoPlugin():
            return reach.env
        case StdioExtension():
            return reach.config
        case InProcess() | Callback() | None:
            return ()
        case never:
            assert_never(never)
