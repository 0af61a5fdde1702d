"""What is known at a seam: the step that is about to be asked, or has answered and is not judged yet.

The dialect's judgement of an answer is a pure function, so a breakpoint behind a step can look at what it will be.
"""

from __future__ import annotations

from dataclasses import replace

from debugger.trace import DispatchTrace, StepTrace, folded
from kernel.control import Seam
from kernel.facts import Asked, Event, Replied


def at_seam(dispatch: DispatchTrace, seam: Seam) -> tuple[DispatchTrace, StepTrace]:
    """The dispatch and the step as a breakpoint there sees them.

    Before the call that includes the payload and the request that would go out; after it the outcome, and what the
    dialect would make of it: status, effect, rule, errors, change.
    """
    ask = seam.ask
    asked = Asked(ask.step, ask.subscription, ask.payload, ask.request, ask.timeout_ms, ask.phase)
    if seam.outcome is None:
        dispatch = _with(dispatch, asked, 0)
        step = dispatch.step(ask.step)
        waiting = replace(step, asked_at_ns=None)
        steps = tuple(waiting if each is step else each for each in dispatch.steps)
        return replace(dispatch, steps=steps), waiting
    known = next((each for each in dispatch.steps if each.step == ask.step), None)
    if known is None or known.asked_at_ns is None:
        dispatch = _with(dispatch, asked, 0)
        known = dispatch.step(ask.step)
    asked_at_ns = known.asked_at_ns or 0
    if known.outcome != seam.outcome:
        dispatch = _with(
            dispatch, Replied(ask.step, seam.outcome, known.took_ns or 0), known.replied_at_ns or asked_at_ns
        )
    _, facts = seam.walk.after(ask, seam.outcome)
    for fact in facts:
        dispatch = folded(dispatch, Event(dispatch.id, 0, asked_at_ns, fact))
    return dispatch, dispatch.step(ask.step)


def _with(dispatch: DispatchTrace, fact: Asked | Replied, at_ns: int) -> DispatchTrace:
    return folded(dispatch, Event(dispatch.id, 0, at_ns, fact))
