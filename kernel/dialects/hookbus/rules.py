"""The rules of the hookbus dialect by name. Each is applied in a walk, in `acting` or in `bus`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kernel.dialect import Rule

_RULES = (
    Rule("HB-EMPTY", "Nobody hooked this kind: the event passes at once.", "2.4"),
    Rule("HB-END", "Where no handler said anything that counts, the emit returns continue.", "2.6"),
    Rule("HB-FILTER", "A tool filter has to equal the API name or the runtime name of the event's tool.", "2.3"),
    Rule("HB-MATCHER", "A matcher's conditions have to hold on the event as it stands at that place.", "2.3"),
    Rule("HB-CONTINUE", "Continue says nothing, and the chain goes on.", "2.5"),
    Rule("HB-BLOCK", "A block ends the chain at once and is returned with its reason.", "2.5"),
    Rule("HB-AFTER-BLOCK", "After a block no later handler is called.", "2.5"),
    Rule("HB-CONFIRM", "A confirm is recorded, and the chain goes on with the input as it is.", "2.5"),
    Rule("HB-CONFIRM-MERGED", "All confirms of a chain are returned as one, with everybody who asked.", "2.6, Q2, Q3"),
    Rule("HB-MODIFY", "A modify rewrites the working input, which later handlers see and are matched against.", "2.5"),
    Rule("HB-MODIFIED", "The final working input is returned once nobody blocked or wants a confirmation.", "2.6"),
    Rule("HB-MODIFY-LATE", "A modify after a confirm is dropped: what is confirmed stays as it was.", "2.5, Q16"),
    Rule("HB-FIRST-ENDS", "In older hosts the first block, confirm or modify ends the chain.", "0.2"),
    Rule("HB-REPLACE", "A replace with both permissions ends the chain and stands for the tool's output.", "2.5, 2.8"),
    Rule("HB-AFTER-REPLACE", "After a replace no later handler is called.", "2.5"),
    Rule("HB-REPLACE-DENIED", "A replace without tools.transform_output is ignored, and the chain goes on.", "2.5"),
    Rule("HB-INJECT", "An injection is kept, and the chain goes on with the event unchanged.", "2.5"),
    Rule("HB-INJECTED", "Injections are joined by a blank line in chain order, empty ones included.", "2.6"),
    Rule("HB-DISALLOWED", "An action that the kind does not accept is ignored, and the chain goes on.", "2.4, Q6"),
    Rule("HB-INVALID-RESULT", "A reply that is no result counts as continue.", "4.8"),
    Rule("HB-MALFORMED-MODIFY", "A modify without input counts as block: the one reply that fails closed.", "4.8"),
    Rule("HB-TIMEOUT", "A handler that does not answer in time counts as continue.", "2.4, 4.8"),
    Rule("HB-CALL-FAILED", "A call that failed, after the retry where there is one, counts as continue.", "4.8"),
    Rule("HB-CRASHED", "A handler whose process is gone counts as continue.", "4.8, 7"),
    Rule("HB-PANIC", "An exception of a handler in process counts as continue.", "7, Q13"),
    Rule("HB-PANIC-PROPAGATES", "An exception of a handler in process ends the emit without a result.", "7, Q13"),
    Rule("HB-SKIPPED", "A handler that is left out has no say.", "design 3"),
    Rule("HB-EDITED", "An edited event is the event of the chain from there on.", "design 3"),
    Rule("HB-CANCELLED", "A caller that gives up gets no result, and no handler is blamed.", "design 3"),
    Rule(
        "HB-WORKER-VIEW", "A worker's bus calls holders of tools.transform_output after tool calls, nobody else.", "2.9"
    ),
    Rule("HB-CONC-REFUSED", "Kinds whose handlers build on one another cannot be emitted concurrently.", "2.9"),
    Rule(
        "HB-CONC-FIRST",
        "The first block, modify, replace or confirm in registration order is returned, accepted by the kind or not.",
        "2.9, Q9",
    ),
    Rule("HB-CONC-DROPPED", "What comes after the first that counts was called all the same and is dropped.", "2.9"),
    Rule("HB-CONC-TIMEOUT", "A handler of a concurrent emit that does not answer in time is ignored.", "2.9"),
    Rule("HB-NOTIFY-IGNORED", "What a handler answers to a notification is ignored.", "2.10"),
    Rule("HB-NOTIFY-CUT", "A handler that does not answer in time gets no further event of the delivery.", "2.10"),
    Rule("HB-NOTIFY-LOST", "A handler that fails loses that event only.", "2.10"),
    Rule("HB-NOTIFY-END", "A delivery is over once its last handler is done, and gives nothing back.", "2.10"),
    Rule("HB-NOTIFY-OTHER-KIND", "An event of another kind is not sent.", "2.10"),
    Rule("HB-NOTIFY-NOTHING", "A delivery without an event calls nobody.", "2.10"),
    Rule("HB-NOTIFY-NOBODY", "Where nobody hooked the kind, no delivery is started.", "2.10"),
    Rule("HB-NOTIFY-WORKER", "A notification on a worker's bus is dropped.", "2.9"),
    Rule("HB-NOTIFY-FULL", "A delivery that arrives while 64 are in flight is dropped, never queued.", "2.10"),
    Rule("HB-NOTIFY-KIND", "Only kinds that are notifications can be notified.", "2.10"),
    Rule("HB-NOTIFY-NO-LOOP", "Where nothing can run a delivery, it is dropped.", "2.10"),
    Rule("HB-RUN", "The tool runs with the input that it was called with.", "2.7"),
    Rule("HB-RUN-MODIFIED", "The tool runs with the input that the handlers gave it.", "2.7"),
    Rule("HB-TOOL-BLOCKED", "A blocked tool does not run, and the model reads why.", "2.7"),
    Rule("HB-CONFIRM-AUTO", "Where confirms are approved automatically, nobody is asked.", "2.7"),
    Rule("HB-CONFIRM-LATCHED", "Nobody is asked where every source was allowed for good at its generation.", "2.7"),
    Rule("HB-CONFIRM-APPROVED", "The tool runs with the input that was confirmed.", "2.7"),
    Rule("HB-CONFIRM-DENIED", "Any answer but yes blocks the tool.", "2.7"),
    Rule("HB-CONFIRM-NO-PROMPT", "Where nobody can be asked, a confirm blocks the tool.", "2.7"),
    Rule("HB-OUTPUT-KEPT", "The original output counts, cut to what the model may read.", "2.7"),
    Rule("HB-OUTPUT-REPLACED", "The replacement counts, cut to what the model may read.", "2.7"),
    Rule("HB-OUTPUT-CLAMPED", "A replacement of more than 1 MiB is cut at a character's border first.", "1.6, 2.7"),
    Rule("HB-ATTACHED", "What is injected goes to the model with this request only.", "2.7"),
    Rule("HB-INJECT-BLANK", "An injection of nothing but white space is skipped.", "2.7"),
    Rule(
        "HB-SESSION-STORED",
        "What is injected at the start is kept under the session and told at each turn.",
        "2.7, 2.9",
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in _RULES})
