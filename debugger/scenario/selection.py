"""Which of the dispatches of a session somebody means."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from debugger.scenario import matching
from debugger.scenario.document import Path
from debugger.scenario.load import Loaded
from debugger.scenario.parts import Which
from kernel.errors import BadInput
from kernel.values import Payload


@dataclass(slots=True)
class Selector:
    """Is shown the dispatches of one session, one after the other in their order; counts those that fit."""

    which: Which | None
    """None takes all of them."""
    loaded: Loaded
    path: Path
    """Of the selection in its scenario."""
    fitting: int = 0
    taken: int = 0

    def takes(self, payload: Payload, point: str, label: str) -> bool:
        """Whether the next dispatch is meant; raises BadInput for claims that cannot be judged."""
        which = self.which
        if which is not None:
            if not self._fits(which, payload, point, label):
                return False
            self.fitting += 1
            if which.nth not in (UNSET, self.fitting):
                return False
        self.taken += 1
        return True

    def _fits(self, which: Which, payload: Payload, point: str, label: str) -> bool:
        if which.point not in ("", point):
            return False
        if which.text and which.text not in label and which.text not in matching.text_in(payload.view):
            return False
        try:
            return which.payload is UNSET or matching.all_hold(which.payload, payload.view)
        except BadInput as error:
            raise self.loaded.wrong((*self.path, "payload"), error) from None
