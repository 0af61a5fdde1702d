"""The rules of the pluggable dialect by name. Each is applied in `resolve.py` or `walk.py` and cited in the facts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kernel.dialect import Rule

_RULES = (
    Rule("PL-CHAIN-END", "After the last subscriber the current payload is returned with ALLOW.", "B.2"),
    Rule("PL-CHAIN-EMPTY", "An empty chain returns its input with ALLOW.", "B.2"),
    Rule("PL-NO-POINT", "A payload without a variant has no point: nobody is asked.", "B.3"),
    Rule("PL-CANCELLED", "A caller that gives up gets no verdict, and no subscriber is blamed.", "B.3, B.6"),
    Rule("PL-SKIPPED", "A subscriber that is left out has no say; the chain goes on as if it were absent.", "design 3"),
    Rule("PL-EDITED", "An edited payload is the payload of the chain from there on.", "design 3"),
    Rule("PL-AFTER-DENY", "After a DENY no later subscriber of any mode is asked.", "B.2"),
    Rule("PL-AFTER-ABORT", "A failing transform stops everything after it.", "B.2"),
    Rule("PL-OBSERVE-ACK", "An observer's acknowledgement changes nothing; its content is ignored.", "B.3"),
    Rule("PL-OBSERVE-INVALID", "An observer's answer of another shape is recorded and the chain goes on.", "B.4 I1-I3"),
    Rule("PL-OBSERVE-TIMEOUT", "An observer that exceeds its deadline is recorded and the chain goes on.", "B.3, B.6"),
    Rule("PL-OBSERVE-CRASHED", "An observer whose process died is recorded and the chain goes on.", "B.3, B.6"),
    Rule("PL-OBSERVE-FAILED", "An observer that fails is recorded as UNKNOWN and the chain goes on.", "B.3, B.6"),
    Rule("PL-TRANSFORM-SAME", "A transform that hands back an equal payload changes nothing.", "B.4, B.5"),
    Rule(
        "PL-TRANSFORM-CHANGED", "An accepted transform's payload is what the rest of the chain is asked about.", "B.3"
    ),
    Rule("PL-TRANSFORM-INVALID", "A transform has to answer with a transform member.", "B.4 I4-I6"),
    Rule("PL-TRANSFORM-NO-PAYLOAD", "A transform has to hand back a payload that has a variant.", "B.4 I7-I8"),
    Rule("PL-TRANSFORM-OTHER-POINT", "A transform has to hand back the variant that it was given.", "B.4 I9"),
    Rule("PL-TRANSFORM-MODEL", "At pre-model-call only `messages` may change, never `model`.", "B.4 I10"),
    Rule("PL-TRANSFORM-IMMUTABLE", "At every other point the payload has to come back unchanged.", "B.4 I11-I12"),
    Rule(
        "PL-TRANSFORM-UNKNOWN-FIELD",
        "At pre-model-call nothing may be added or dropped beside `messages`, unknown fields included.",
        "B.4 I13",
    ),
    Rule("PL-TRANSFORM-TIMEOUT", "A transform that exceeds its deadline aborts the chain.", "B.3, B.6"),
    Rule("PL-TRANSFORM-CRASHED", "A transform whose process died aborts the chain.", "B.3, B.6"),
    Rule("PL-TRANSFORM-FAILED", "A transform that fails aborts the chain; no older payload is used.", "B.3, B.6"),
    Rule("PL-VETO-ALLOW", "A veto that answers ALLOW lets the chain go on.", "B.3"),
    Rule("PL-VETO-DENY", "A veto that answers DENY ends the chain with DENY; that is no error.", "B.3"),
    Rule(
        "PL-VETO-UNKNOWN-DECISION",
        "Any decision that is set and is not ALLOW counts as DENY; that is no error.",
        "B.4, H5",
    ),
    Rule("PL-VETO-INVALID", "A veto that answers with another member than veto counts as DENY.", "B.4 I14-I16"),
    Rule("PL-VETO-UNSPECIFIED", "A veto that leaves its decision unspecified counts as DENY.", "B.4 I17"),
    Rule("PL-VETO-TIMEOUT", "A veto that exceeds its deadline counts as DENY.", "B.3, B.8"),
    Rule("PL-VETO-CRASHED", "A veto whose process died counts as DENY.", "B.3, B.6"),
    Rule("PL-VETO-FAILED", "A veto that fails counts as DENY: a silent gate is a closed gate.", "B.3, B.6"),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _RULES})
