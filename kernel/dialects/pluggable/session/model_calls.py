"""Calls of the model in a played session, by its description: which model, how many attempts (spec C.7, D.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from kernel.dialects.pluggable.agent_hcl.settings import MOST_RETRIES, Retry
from kernel.dialects.pluggable.session import scope
from kernel.dialects.pluggable.session.described import LONGEST_MS, Model, Trouble, Turn
from kernel.dialects.pluggable.session.ground import Ground, SessionEnded
from kernel.dialects.pluggable.session.stops import Status, Stop
from kernel.stretch import Stretch
from kernel.values import JSON

SAYS_NOTHING: Final = "(the description ends here)"
"""What the model says in a last turn that nobody described."""


class ModelCalls:
    """The model of one session."""

    def __init__(self, ground: Ground, models: Sequence[Model], turns: Sequence[Turn], retry: Retry) -> None:
        self._ground = ground
        self._models = models
        self._turns = turns
        self._retry = retry
        self._retries = 0

    def target(self, used_tokens: int) -> Model:
        """The model that context is assembled for: the first where a turn still fits none, for it may shrink.

        Raises SessionEnded where there is none at all.
        """
        if not self._models:
            why = "ErrNoEligibleModel: no model that the profile names is among the models that there are"
            raise SessionEnded(Stop(Status.FAILED, "", "PL-MODEL-NONE", why))
        return scope.eligible(self._models, used_tokens) or self._models[0]

    def model(self, used_tokens: int) -> Model:
        """The first model that a turn fits; raises SessionEnded where it fits none."""
        found = scope.eligible(self._models, used_tokens)
        if found is None:
            names = ", ".join(model.id for model in self._models)
            why = f"ErrNoEligibleModel: {used_tokens} tokens do not fit {names}"
            raise SessionEnded(Stop(Status.FAILED, "", "PL-MODEL-NONE", why))
        return found

    async def answer(self, parent: Stretch, model: Model, number: int, *, is_last: bool) -> Turn:
        """What the model says in a turn, after as many attempts as that takes."""
        known: dict[str, JSON] = {"gen_ai.request.model": model.id, "model.id": model.id}
        known |= {"producer.category": "CATEGORY_MODEL", "producer.name": model.provider}
        stretches = self._ground.stretches
        with stretches.entered("model.call", f"{model.provider}/{model.id}", parent, known) as stretch:
            said = self._described(number, is_last=is_last)
            for attempt, trouble in enumerate((*said.fails, None), 1):
                with stretches.entered("model.attempt", f"attempt {attempt}", stretch, {"attempt": attempt}) as one:
                    if trouble is None:
                        await self._ground.pass_time(said.takes_ms)
                        break
                    one.fail(trouble)
                await self._before_retry(attempt, trouble)
            stretch.note({"says": said.says, "calls": [each.tool for each in said.calls], "cost_usd": said.cost_usd})
            stretch.note(dict(said.usage))
            return said

    def _described(self, number: int, *, is_last: bool) -> Turn:
        if number <= len(self._turns):
            return self._turns[number - 1]
        if is_last:
            return Turn(SAYS_NOTHING)
        why = f"the description has no answer for turn {number}"
        raise SessionEnded(Stop(Status.FAILED, "", "PL-MODEL-FAILED", why))

    async def _before_retry(self, attempt: int, trouble: Trouble) -> None:
        """Wait as long as is usual, or give up."""
        if not trouble.is_retried or attempt > self._retry.max_retries or self._retries == MOST_RETRIES:
            again = "which is not retried" if not trouble.is_retried else f"after {attempt} attempts"
            why = f"the model failed with {trouble}, {again}"
            raise SessionEnded(Stop(Status.FAILED, "", "PL-MODEL-FAILED", why))
        self._retries += 1
        await self._ground.pass_time(delay_ms(self._retry, attempt))


def delay_ms(retry: Retry, attempt: int) -> float:
    """How long to wait after an attempt (from 1 on) that failed: no longer than any time that can be described."""
    try:
        delay = retry.base_delay_ms * float(retry.backoff_factor) ** (attempt - 1)
    except OverflowError:
        delay = retry.base_delay_ms * math.inf * (1 if retry.backoff_factor > 0 or attempt % 2 else -1)
    return 0 if math.isnan(delay) else max(0, min(delay, LONGEST_MS))
