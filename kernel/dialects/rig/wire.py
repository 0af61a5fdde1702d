"""Questions and answers of this dialect as JSON: what goes to a callback, and what is made of what comes back.

Live objects (contexts, finish functions, errors) stay on the live side under handles. The JSON says everything that a
decision needs, so recordings, stubs and people answer as well as a live callback does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kernel.dialects.rig.context_view import (
    ContextKind,
    ContextView,
    Given,
    context_from_json,
    given_from_json,
)
from kernel.dialects.rig.denial import outcome_of
from kernel.dialects.rig.error_view import error_from_view, error_view
from kernel.dialects.rig.errors import Denial
from kernel.dialects.rig.operation import Outcome
from kernel.dialects.rig.payload import RigPayload, read
from kernel.dialects.rig.snapshot_view import encoded, time_from_view
from kernel.errors import BadInput
from kernel.values import JSON


class Phase(StrEnum):
    """What a callback is asked for."""

    BEGIN = "begin"
    GUARD = "guard"
    OPERATION = "operation"
    BLOCKED = "blocked"
    """The owner of an operation that a guard blocked: what it tells the outside before the finishes run."""
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class Turnover:
    """A begin after which the context is another one: where it sat, and what it gave."""

    seat: int
    given: Given


@dataclass(frozen=True, slots=True)
class Raised:
    """It raised. What it raised is shown and decides nothing."""

    type: str
    message: str

    def __str__(self) -> str:
        return f"{self.type}: {self.message}" if self.message else self.type


@dataclass(frozen=True, slots=True)
class BeginSaid:
    given: Given
    has_finish: bool
    now: ContextView | None = None
    """How the context that it was asked under is afterwards, where somebody looked."""


@dataclass(frozen=True, slots=True)
class GuardSaid:
    error: object
    """Whatever it returned; None lets it pass."""
    shown: Mapping[str, JSON] = field(default_factory=dict)
    """How that was described."""
    now: ContextView | None = None


@dataclass(frozen=True, slots=True)
class OperationSaid:
    outcome: int
    error: BaseException | None = None
    error_view: JSON = None
    result: JSON = None
    """Terminal fields of the payload; None = none."""
    ended_at: int | None = None
    now: ContextView | None = None
    is_finished: bool = True
    """False: its owner never calls the finish."""


@dataclass(frozen=True, slots=True)
class FinishSaid:
    """It ran. What it gave back is of no interest."""


_HEAD: Final = b'{"phase":"%s","operation":"%s","index":%d,"seat":%d,"call":'


def request(
    phase: Phase,
    payload: RigPayload,
    index: int,
    seat: int,
    context: Mapping[str, JSON],
    result: Mapping[str, JSON] | None = None,
) -> bytes:
    """The question to whoever sits in a seat; `index` is its position in the whole list of its kind."""
    head = _HEAD % (phase.value.encode(), payload.point.encode(), index, seat)
    tail = b"" if result is None else b',"result":' + encoded(dict(result))
    words = b"" if phase is not Phase.OPERATION or payload.words is None else b',"body":' + encoded(payload.words)
    return head + payload.call_body + b',"context":' + encoded(dict(context)) + words + tail + b"}"


def context_json(base: ContextView, turnovers: tuple[Turnover, ...], now: ContextView) -> dict[str, JSON]:
    """A context as a question shows it: how it is now, where it began, and what has happened to it since."""
    derivation: list[JSON] = [{"seat": each.seat, "given": each.given.to_json()} for each in turnovers]
    return {**now.to_json(), "base": base.to_json(), "derivation": derivation}


def begin_said(body: bytes) -> BeginSaid | Raised:
    """What an answer to a begin says; raises BadInput that names the path."""
    view = _answer(body, ("context", "finish", "raised", "now"))
    if "raised" in view:
        return _raised(view["raised"])
    given = given_from_json(view["context"], "$.context") if "context" in view else Given(ContextKind.SAME)
    has_finish = view.get("finish", False)
    if not isinstance(has_finish, bool):
        raise BadInput("$.finish: true or false is needed")
    return BeginSaid(given, has_finish, _now(view))


def guard_said(body: bytes) -> GuardSaid | Raised:
    """What an answer to a guard's question says."""
    view = _answer(body, ("denial", "error", "raised", "now"))
    if "raised" in view:
        return _raised(view["raised"])
    denial = view.get("denial")
    if denial is not None:
        if not isinstance(denial, dict) or not denial.keys() <= {"code", "reason"}:
            raise BadInput("$.denial: an object with code and reason is needed")
        # Whatever the fields are: a malformed denial is a guard's mistake, and the classifier's to find.
        made = Denial(denial.get("code"), denial.get("reason"))  # type: ignore[arg-type]
        return GuardSaid(made, error_view(made), _now(view))
    shown = view.get("error")
    error = None if shown is None else error_from_view(shown, "$.error")
    return GuardSaid(error, shown if isinstance(shown, dict) else error_view(error), _now(view))


def operation_said(body: bytes) -> OperationSaid | Raised:
    """What the operation's own answer says. Where it names no outcome, its error decides (spec D.2)."""
    view = _answer(body, ("outcome", "error", "result", "ended_at", "raised", "now", "finish"))
    if "raised" in view:
        return _raised(view["raised"])
    shown = view.get("error")
    found = None if shown is None else error_from_view(shown, "$.error")
    error = found if isinstance(found, BaseException) or found is None else Exception(str(found))
    outcome = outcome_from_view(view["outcome"]) if "outcome" in view else outcome_of(error)
    at = view.get("ended_at")
    ended_at = None if at is None else time_from_view(at, "$.ended_at")
    is_finished = view.get("finish", True)
    if not isinstance(is_finished, bool):
        raise BadInput("$.finish: true or false is needed")
    return OperationSaid(outcome, error, shown, view.get("result"), ended_at, _now(view), is_finished)


def finish_said(body: bytes) -> FinishSaid | Raised:
    """What an answer to a finish says, which is hardly anything."""
    view = _answer(body, ("raised", "note"))
    return _raised(view["raised"]) if "raised" in view else FinishSaid()


def outcome_from_view(view: JSON) -> int:
    """An outcome by its word or number, whether or not there is such a number; raises BadInput."""
    if isinstance(view, str):
        words = {each.word: int(each) for each in Outcome}
        if view not in words:
            raise BadInput(f"$.outcome: {view!r} is none; there are {', '.join(words)}")
        return words[view]
    if isinstance(view, bool) or not isinstance(view, int) or not 0 <= view <= 255:
        raise BadInput("$.outcome: a word or a number from 0 to 255 is needed")
    return view


def _answer(body: bytes, keys: tuple[str, ...]) -> Mapping[str, JSON]:
    view = read(body) if body else {}
    if not isinstance(view, dict):
        raise BadInput("$: an answer is a JSON object")
    for key in view:
        if key not in keys:
            raise BadInput(f"$: no key {key!r} in this answer; there are {', '.join(keys)}")
    return view


def _raised(view: JSON) -> Raised:
    if isinstance(view, str):
        return Raised("Exception", view)
    if not isinstance(view, dict):
        raise BadInput("$.raised: a text or an object with type and message is needed")
    return Raised(str(view.get("type", "Exception")), str(view.get("message", "")))


def _now(view: Mapping[str, JSON]) -> ContextView | None:
    return context_from_json(view["now"], "$.now") if view.get("now") is not None else None
