"""The rules of the rig dialect by name. Each is applied in `walk.py`, or by a played host, and cited in the facts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kernel.dialect import Rule
from kernel.dialects.rig.host_rules import HOST_RULES

_RULES = (
    Rule(
        "RG-NO-CALLBACKS",
        "Without a guard and an around for it, an operation simply happens: nothing is copied.",
        "C.1",
    ),
    Rule(
        "RG-NOT-LOADED",
        "A set of which a callback cannot be had is never compiled: nobody is asked, nothing is let through.",
        "B.1",
    ),
    Rule("RG-CALL-OPERATION", "A call of no known operation is refused, and there is nothing to finish.", "B.5, C.1"),
    Rule("RG-CALL-PAYLOAD", "A call holds the payload of its operation and no other, or it is refused.", "B.5, C.1"),
    Rule("RG-CLONE", "A call that cannot be copied raises out of the start: nobody was asked.", "C.1, C.6"),
    Rule("RG-BEGIN-SAME", "A begin that gives the same context back leaves it as it is.", "C.2"),
    Rule(
        "RG-BEGIN-CONTEXT",
        "A begin's other context goes to whoever comes next, shielded against its own failures.",
        "C.2, C.4",
    ),
    Rule(
        "RG-BEGIN-LINKED",
        "A context with another signal still ends with the one before it, and by its deadline.",
        "C.4",
    ),
    Rule(
        "RG-BEGIN-LOST", "Values are looked up in the new context only: what it does not have is lost.", "C.4, E.3 I4"
    ),
    Rule(
        "RG-BEGIN-HOSTILE",
        "A context that raises when it is asked is answered for by the one before it.",
        "C.4, E.3 I6",
    ),
    Rule("RG-BEGIN-CANCELLED", "A cancelled context cancels what follows: that is not contained, by design.", "E.3 I5"),
    Rule(
        "RG-BEGIN-NO-CONTEXT",
        "Without a context from a begin the old one stays; this is logged, a finish still counts.",
        "C.2",
    ),
    Rule("RG-BEGIN-RAISED", "A begin that raises is logged and has no finish; everybody else goes on.", "C.2"),
    Rule("RG-GUARD-PASS", "A guard that returns nothing lets the operation go on.", "C.3"),
    Rule(
        "RG-GUARD-DENIED", "A well-formed denial, however deeply wrapped, blocks: the operation is denied.", "B.4, C.3"
    ),
    Rule("RG-GUARD-FAILED", "Whatever else a guard returns blocks as well: the operation failed.", "C.3"),
    Rule("RG-GUARD-RAISED", "A guard that raises blocks; what it raised is dropped, and nothing is logged.", "C.3"),
    Rule(
        "RG-GUARD-HOSTILE", "A guard's error that raises when it is looked into blocks like a guard that failed.", "C.3"
    ),
    Rule(
        "RG-AFTER-BLOCK",
        "After a guard that blocks no later guard is asked, and the operation does not happen.",
        "C.1, C.3",
    ),
    Rule(
        "RG-COMPLETED", "An operation that ends without an error has completed, even under a cancelled context.", "D.2"
    ),
    Rule("RG-DENIED", "An operation whose error holds a well-formed denial was denied.", "D.2"),
    Rule("RG-CANCELED", "An operation whose error holds a cancellation, and no guard error, was cancelled.", "D.2"),
    Rule("RG-FAILED", "An operation that ends with any other error has failed.", "D.2"),
    Rule("RG-OUTCOME", "The owner chooses the outcome; the runner passes on what it is told.", "A.6, C.5"),
    Rule("RG-BODY-RAISED", "An operation that raises has failed; its finishes run all the same.", "D.4, F"),
    Rule(
        "RG-OWNER-BLOCKED",
        "The owner of an operation that was blocked tells the outside first; the finishes run after that.",
        "D.1, D.3",
    ),
    Rule(
        "RG-NEVER-FINISHED",
        "An owner calls the finish on every path; one that does not leaves the operation open for ever.",
        "C.5, E.1, E.3 I15",
    ),
    Rule("RG-TERMINAL", "Fields that are known only at the end are shown to the finishes.", "A.4"),
    Rule("RG-FINISH", "Finishes run in reverse, each exactly once, each with a copy of its own.", "C.5"),
    Rule("RG-FINISH-RAISED", "A finish that raises is logged; the others still run.", "C.5"),
    Rule("RG-FINISH-CLONE", "A result that cannot be copied is the failure of every finish: none is entered.", "C.5"),
    Rule("RG-THREAD-ENDED", "A callback that ends its thread is not contained: nobody after it is asked.", "C.7"),
    Rule(
        "RG-CANCELLED",
        "A caller that gives up leaves the dispatch where it stands: no finish runs any more.",
        "C.7, E.1",
    ),
    Rule("RG-SKIPPED", "A callback that is left out has no say, and nothing to finish.", "design 3"),
    Rule("RG-EDITED", "An edited call is what everybody from there on gets copies of.", "design 3"),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in (*_RULES, *HOST_RULES)})
