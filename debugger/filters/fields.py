"""The fields of the language: one table, from which parsing, comparing, completing and the docs are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from debugger.filters import reading as read
from debugger.filters.gist import one
from debugger.filters.kinds import FLAG, NAME, PLACE, QUERY, TEXT, Kind, Words
from debugger.filters.measures import DURATION, NUMBER, SHARE
from debugger.filters.sight import Sight
from debugger.trace import DispatchTrace, StepTrace, StretchTrace
from kernel.values import Effect, Ending, Status

OfStep: TypeAlias = Callable[[Sight, DispatchTrace, StepTrace], Iterable[Any]]
OfDispatch: TypeAlias = Callable[[Sight, DispatchTrace], Iterable[Any]]
OfStretch: TypeAlias = Callable[[Sight, StretchTrace], Iterable[Any]]


class Known(IntEnum):
    """From when on nothing more will be known of a field. Until then, what is not there yet is not known."""

    ALWAYS = 0
    ASKED = 1
    """Once the subscriber is asked."""
    ANSWERED = 2
    """Once an outcome is there."""
    JUDGED = 3
    """Once the dialect has said what it makes of the outcome, or that nobody is asked."""
    ENDED = 4
    """Once the dispatch, or the stretch, is over."""


class Cost(IntEnum):
    """What looking costs; the cheap is looked at first."""

    NAME = 0
    TEXT = 1
    PAYLOAD = 2


@dataclass(frozen=True, slots=True)
class Field:
    """One field. What it cannot be read from has no value of it."""

    name: str
    kind: Kind
    summary: str
    of_step: OfStep | None = None
    of_dispatch: OfDispatch | None = None
    of_stretch: OfStretch | None = None
    known: Known = Known.JUDGED
    """Of a step."""
    known_of_dispatch: Known = Known.ENDED
    """ALWAYS or ENDED; of a stretch too."""
    cost: Cost = Cost.NAME
    is_of_whole: bool = False
    """Whether a claim about a dispatch looks at all of it, even beside claims about one step."""


STATUS: Final = Words(
    "status",
    (*(each.value for each in Status), "not reached", "aborted", "refused", "running", "waiting"),
    MappingProxyType(
        {"timeout": Status.TIMED_OUT.value, "deny": Status.DENIED.value, "unreached": "not reached",
         "failed": Status.ERROR.value}
    ),
    frozenset({"running", "waiting"}),
)  # fmt: skip
EFFECT: Final = Words("effect", tuple(each.value for each in Effect))
ENDING: Final = Words("ending", tuple(each.value for each in Ending))
OUTCOME: Final = Words(
    "outcome",
    tuple(read.OUTCOMES.values()),
    MappingProxyType({"timeout": "timed out", "crash": "crashed", "error": "failed", "skip": "skipped"}),
)

_ALL: Final = (
    Field(
        "point", NAME, "the point that is dispatched",
        of_dispatch=lambda sight, dispatch: (dispatch.opened.chain.point,), known_of_dispatch=Known.ALWAYS,
    ),
    Field(
        "dialect", NAME, "the family of semantics",
        of_dispatch=lambda sight, dispatch: (dispatch.opened.dialect,),
        of_stretch=lambda sight, stretch: (stretch.entered.dialect,), known_of_dispatch=Known.ALWAYS,
    ),
    Field(
        "mode", NAME, "what the subscriber may do", known=Known.ALWAYS,
        of_step=lambda sight, dispatch, step: (step.subscription.mode,),
    ),
    Field(
        "sub", NAME, "the subscriber", known=Known.ALWAYS,
        of_step=lambda sight, dispatch, step: (step.subscription.name,),
    ),
    Field(
        "phase", NAME, "what it is asked for, where there are several things", known=Known.ASKED,
        of_step=lambda sight, dispatch, step: one(step.phase),
    ),
    Field(
        "status", STATUS, "how the step, or the dispatch, ended; or waiting, running",
        of_step=read.step_status, of_dispatch=read.dispatch_status,
    ),
    Field(
        "effect", EFFECT, "what the dialect made of the outcome",
        of_step=lambda sight, dispatch, step: () if step.verdict is None else (step.verdict.effect.value,),
    ),
    Field(
        "outcome", OUTCOME, "what asking gave: answered, empty, failed, crashed, timeout, cancelled, skipped",
        of_step=read.step_outcome, known=Known.ANSWERED,
    ),
    Field(
        "decision", NAME, "what the dispatch came to, or what the host decided",
        of_dispatch=lambda sight, dispatch: (
            *(() if dispatch.result is None else (dispatch.result.decision,)),
            *(decided.decision for decided in dispatch.decided),
        ),
        of_stretch=lambda sight, stretch: (decided.decision for decided in read.decisions_of(stretch)),
    ),
    Field(
        "ending", ENDING, "how the dispatch ended: finished, aborted, cancelled, refused",
        of_dispatch=lambda sight, dispatch: () if dispatch.result is None else (dispatch.result.ending.value,),
    ),
    Field(
        "by", NAME, "who decided, changed the payload, steered, or kept others from being asked",
        of_step=read.step_by, of_dispatch=read.dispatch_by, known=Known.ENDED,
        of_stretch=lambda sight, stretch: (decided.by for decided in read.decisions_of(stretch)),
    ),
    Field(
        "rule", NAME, "the rule of the dialect that was applied",
        of_step=read.step_rule, of_dispatch=read.dispatch_rule,
        of_stretch=lambda sight, stretch: (decided.rule for decided in read.decisions_of(stretch) if decided.rule),
    ),
    Field(
        "category", NAME, "category of an error that was raised",
        of_step=lambda sight, dispatch, step: (raised.category for raised in step.raised),
    ),
    Field(
        "error", TEXT, "text of an error: raised, of the transport, of the dispatch", cost=Cost.TEXT,
        of_step=read.step_error,
        of_dispatch=lambda sight, dispatch: () if dispatch.result is None else one(dispatch.result.error),
        of_stretch=lambda sight, stretch: () if stretch.left is None else one(stretch.left.error),
    ),
    Field(
        "why", TEXT, "the sentence that says why", cost=Cost.TEXT,
        of_step=lambda sight, dispatch, step: () if step.verdict is None else one(step.verdict.why),
        of_dispatch=lambda sight, dispatch: (decided.why for decided in dispatch.decided),
        of_stretch=lambda sight, stretch: (decided.why for decided in read.decisions_of(stretch)),
    ),
    Field(
        "printed", TEXT, "a line that the subscriber's process wrote while it was asked", cost=Cost.TEXT,
        of_step=lambda sight, dispatch, step: (printed.text for printed in step.printed),
    ),
    Field(
        "dur", DURATION, "how long it took: 200ms, >1s, 10ms..100ms", known=Known.ANSWERED,
        of_step=lambda sight, dispatch, step: () if step.took_ns is None else (step.took_ns,),
        of_dispatch=lambda sight, dispatch: () if dispatch.took_ns is None else (dispatch.took_ns,),
        of_stretch=lambda sight, stretch: () if stretch.took_ns is None else (stretch.took_ns,),
    ),
    Field(
        "slow", SHARE, "how much of its deadline it took: >80%", known=Known.ANSWERED, of_step=read.step_share,
    ),
    Field(
        "deadline", DURATION, "the deadline for one answer", known=Known.ALWAYS, of_step=read.step_deadline,
    ),
    Field(
        "changed", FLAG, "whether the subscriber changed the payload",
        of_step=lambda sight, dispatch, step: () if step.changed is None else (True,),
    ),
    Field(
        "edited", FLAG, "whether somebody edited the payload, or the answer, on the way",
        of_step=lambda sight, dispatch, step: (True,) if step.is_edited else (),
    ),
    Field(
        "path", PLACE, "a place in the payload that changed: $.messages; or changed to a value: $.model=x",
        of_step=read.step_changes, cost=Cost.PAYLOAD,
    ),
    Field(
        "in", QUERY, "a JMESPath expression that holds for the payload going in", known=Known.ASKED, cost=Cost.PAYLOAD,
        of_step=read.step_in, of_dispatch=read.dispatch_in,
        known_of_dispatch=Known.ALWAYS,
    ),
    Field(
        "out", QUERY, "one that holds for the answer; of a dispatch, for the payload coming out",
        of_step=read.step_out, of_dispatch=read.dispatch_out, known=Known.ANSWERED, cost=Cost.PAYLOAD,
    ),
    Field(
        "fault", NAME, "a fault that was injected",
        of_step=lambda sight, dispatch, step: (each.detail for each in step.steered if each.what == "fault"),
    ),
    Field(
        "steered", NAME, "what was done to its course: answered, skipped, fault ...",
        of_step=lambda sight, dispatch, step: (each.what for each in step.steered),
    ),
    Field(
        "n", NUMBER, "number of the dispatch: 14, 10..20, >100",
        of_dispatch=lambda sight, dispatch: (dispatch.number,), known_of_dispatch=Known.ALWAYS,
    ),
    Field(
        "step", NUMBER, "number of the step in its dispatch, from 0", known=Known.ALWAYS,
        of_step=lambda sight, dispatch, step: (step.step,),
    ),
    Field(
        "within", NAME, "kind or name of a stretch around it: session, turn ...",
        of_dispatch=lambda sight, dispatch: sight.around(dispatch.opened.parent),
        of_stretch=lambda sight, stretch: (
            stretch.entered.kind, stretch.entered.name, *sight.around(stretch.entered.parent)
        ),
        known_of_dispatch=Known.ALWAYS,
    ),
    Field(
        "parent", NAME, "id of the stretch or dispatch around it",
        of_dispatch=lambda sight, dispatch: one(dispatch.opened.parent),
        of_stretch=lambda sight, stretch: one(stretch.entered.parent), known_of_dispatch=Known.ALWAYS,
    ),
    Field(
        "id", NAME, "id of the dispatch or stretch",
        of_dispatch=lambda sight, dispatch: (dispatch.id,),
        of_stretch=lambda sight, stretch: (stretch.id,), known_of_dispatch=Known.ALWAYS,
    ),
    Field(
        "text", TEXT, "any of it: names, rules, reasons, errors, output, payloads, answers", cost=Cost.PAYLOAD,
        of_step=read.step_text, of_dispatch=read.dispatch_text, of_stretch=read.stretch_text, is_of_whole=True,
    ),
)  # fmt: skip
FIELDS: Final[Mapping[str, Field]] = MappingProxyType({field.name: field for field in _ALL})
"""Every field by its name."""
ALIASES: Final[Mapping[str, str]] = MappingProxyType({"subscriber": "sub", "duration": "dur"})
"""Other names that are understood."""
