"""Breakpoints that are wanted most, ready to be set: conditions on what came of a step."""

from __future__ import annotations

from typing import Final

READY: Final[tuple[tuple[str, str, str], ...]] = (
    ("denied", "status:denied", "a subscriber denies"),
    ("timeout", "status:timeout", "no answer within the deadline"),
    ("error", "status:error", "a subscriber fails, or breaks a rule"),
    ("invalid", "error:* outcome:answered", "an answer came and is not acceptable"),
    ("slow", "slow:>80%", "more than 80 % of the deadline was taken"),
    ("changed", "changed:yes", "the payload was changed"),
    ("aborted", "effect:abort", "the chain is aborted"),
    ("stopped", "effect:stop", "the chain ends early"),
    ("injected", "fault:*", "a fault was injected"),
)
"""Name, filter, and what it is about. All of them hold after a subscriber."""
