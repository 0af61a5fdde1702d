"""The named rules of what the host does around its dispatches: policy, plan gate, context, the ends of a session."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kernel.dialect import Rule

_RULES = (
    Rule("PL-POLICY-RULE", "The most specific policy rule that matches a call decides about it.", "C.5"),
    Rule(
        "PL-POLICY-DEFAULT",
        "Without a matching rule a data source or interactive call is allowed and any other is asked about.",
        "C.5",
    ),
    Rule("PL-POLICY-DOWNGRADE", "Ask counts as deny for a data source or interactive call.", "C.5"),
    Rule(
        "PL-CALL-UNKNOWN", "A call of a tool that the profile does not grant reaches no hook and no tool.", "C.7, D.2"
    ),
    Rule("PL-CALL-VETO", "A DENY at pre-tool-call removes this call alone.", "D.3"),
    Rule(
        "PL-GATE-VETO", "A DENY at plan-ready denies every item of the plan, and nobody is asked any more.", "D.3, D.4"
    ),
    Rule("PL-GATE-SESSION", "An answer for the session decides about every later item of the same operation.", "D.4"),
    Rule("PL-GATE-RESOLVER", "What policy leaves open is decided by whoever is asked, after the chain.", "D.4"),
    Rule("PL-GATE-ALWAYS", "An answer for always is refused where there is no place to keep it.", "D.4"),
    Rule("PL-CONTEXT-SCOPE", "A provider that touches a section of another contributes nothing to this turn.", "B.11"),
    Rule(
        "PL-CONTEXT-HISTORY",
        "A conversation that is rewritten by a provider other than a compactor is ignored, its sections are not.",
        "B.11",
    ),
    Rule("PL-CONTEXT-BUDGET", "What exceeds the token budget is dropped.", "B.11"),
    Rule("PL-CONTEXT-NON-TEXT", "A section with anything but text in it is dropped.", "B.11"),
    Rule("PL-CONTEXT-FAILED", "A context provider whose call fails ends the chain and fails the turn.", "B.11"),
    Rule("PL-CONTEXT-TIMEOUT", "A context provider that exceeds its deadline fails the turn.", "B.11, B.8"),
    Rule("PL-CONTEXT-CRASHED", "A context provider whose process died fails the turn.", "B.11, B.6"),
    Rule("PL-CONTEXT-INVALID", "A context provider whose answer cannot be decoded fails the turn.", "B.11"),
    Rule("PL-SPAWN-DEPTH", "A session below which no depth is left begins no other: the call fails.", "C.7"),
    Rule("PL-SPAWN-WAITS", "A session that begins as many others at once as it may waits for one to end.", "C.1"),
    Rule("PL-SPAWN-FAILED", "A call that begins a session fails when that session does not complete.", "D.5"),
    Rule("PL-SESSION-EDGE", "A failure at session-start or session-end is noted and changes nothing.", "D.1, D.3"),
    Rule("PL-TURN-ABORTED", "A dispatch that is aborted within a turn fails the turn, and with it the session.", "D.3"),
    Rule("PL-MODEL-FAILED", "A model call that fails and is not retried fails the turn.", "D.2"),
    Rule("PL-MODEL-NONE", "A turn that fits none of the profile's models fails.", "C.7"),
    Rule("PL-STOP-DONE", "A turn in which the model calls no tool is the last one.", "D.5"),
    Rule("PL-STOP-TERMINAL-TOOL", "A turn in which a tool that ends turns succeeds is the last one.", "D.5"),
    Rule("PL-STOP-DOOM-LOOP", "A model that makes the same call again and again is stopped.", "D.5"),
    Rule("PL-STOP-MAX-TURNS", "A session that has used its turns gets one more answer, without tools.", "D.5"),
    Rule("PL-STOP-MAX-COST", "A session that has spent its budget gets one more answer, without tools.", "D.5"),
    Rule("PL-STOP-WALL-CLOCK", "A session that has used its time gets one more answer, without tools.", "D.5"),
    Rule("PL-STOP-BREAKER", "A provider of which too many calls are denied or crash ends the session.", "D.4, D.5"),
    Rule("PL-STOP-CANCELLED", "A caller that gives up cancels the session; its end is told all the same.", "D.1, D.5"),
)

TURN_RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _RULES})
