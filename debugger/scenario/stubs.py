"""Subscribers that do as a scenario tells them, on the same path through the dialect as real ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec import UNSET

from debugger.scenario.document import Path
from debugger.scenario.load import Loaded, nearest
from debugger.scenario.model import Behaviour, Crash, Refusal, Steer, Told
from kernel.clock import sleep
from kernel.dialect import Staging
from kernel.errors import BadInput
from kernel.faults import Die, FarSide, Hang, Refuse
from kernel.subscriber import Call, Subscriber
from kernel.transports.stub import Stub
from kernel.values import Answered, Crashed, Empty, Failed, Outcome

DOINGS = ("answer", "json", "bytes", "nothing", "status", "crash", "hang")
"""What a stub can do; it does one of them."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a stub does with one call."""

    reply: Callable[[bytes], bytes | None]
    trouble: FarSide | None = None
    after_ms: float = 0
    prints: tuple[str, ...] = ()

    def outcome(self, request: bytes) -> Outcome:
        """The same as an outcome at once, for whoever puts it in the place of a call."""
        match self.trouble:
            case Refuse(code, message):
                return Failed(code, message)
            case Die(signal):
                return Crashed(f"killed by signal {signal}")
            case _:
                answer = self.reply(request)
                return Empty() if answer is None else Answered(answer)


class StubSubscriber:
    """Does with each call what the script says for it; once the script is over, its last act again and again."""

    def __init__(self, acts: tuple[Act, ...]) -> None:
        self._acts = acts
        self._calls = 0

    async def answer(self, call: Call) -> Outcome:
        act = self._acts[min(self._calls, len(self._acts) - 1)]
        self._calls += 1
        for line in act.prints:
            call.printed("stderr", line)
        if act.trouble is not None and act.after_ms and call.far_side is None:
            await sleep(call.clock, act.after_ms)  # trouble comes when an answer would have come
            return await Stub(act.reply, 0, act.trouble).answer(call)
        return await Stub(act.reply, act.after_ms, act.trouble).answer(call)


class AtPoints:
    """One name that is somebody else at some points."""

    def __init__(self, at: Mapping[str, Subscriber], elsewhere: Subscriber | None) -> None:
        self._at = at
        self._elsewhere = elsewhere

    async def answer(self, call: Call) -> Outcome:
        subscriber = self._at.get(call.point, self._elsewhere)
        assert subscriber is not None, "every seat has somebody in it"
        return await subscriber.answer(call)


def acts_of(told: Told | list[Told], mode: str, staging: Staging, loaded: Loaded, path: Path) -> tuple[Act, ...]:
    """What a stub is told, checked; raises BadInput with the place."""
    if isinstance(told, list):
        return tuple(_act(each, mode, staging, loaded, (*path, place)) for place, each in enumerate(told))
    return (_act(told, mode, staging, loaded, path),)


def _act(told: Told, mode: str, staging: Staging, loaded: Loaded, path: Path) -> Act:
    behaviour = Behaviour(answer=told) if isinstance(told, str) else told
    where = path if isinstance(told, str) else (*path, "answer")
    act = act_of(behaviour, mode, staging, loaded, path, where)
    prints = behaviour.prints if isinstance(behaviour.prints, list) else [behaviour.prints]
    return Act(act.reply, act.trouble, behaviour.after_ms, tuple(prints))


def act_of(told: Behaviour | Steer, mode: str, staging: Staging, loaded: Loaded, path: Path, answer_path: Path) -> Act:
    """The one doing of a mapping that has several keys for it; raises BadInput where it is not one."""
    doings = [key for key in DOINGS if getattr(told, key, UNSET) is not UNSET]
    if len(doings) != 1:
        said = f"not {' and '.join(doings)}" if doings else "and none is here"
        raise loaded.wrong(path, f"one of {', '.join(DOINGS)} is needed, {said}")
    [doing] = doings
    value = getattr(told, doing)
    here = answer_path if doing == "answer" else (*path, doing)
    if value is False:
        raise loaded.wrong(here, "leave the key out where it is not meant")
    try:
        return _doing(doing, value, mode, staging)
    except BadInput as error:
        raise loaded.wrong(here, error) from None


def _doing(doing: str, value: object, mode: str, staging: Staging) -> Act:
    match doing, value:
        case "answer", _:
            return Act(staging.answer_in_words(value, mode))  # type: ignore[arg-type]  # JSON, as everything in YAML is
        case "json", _:
            answer = staging.answer_in_json(value)  # type: ignore[arg-type]
            return Act(lambda request: answer)
        case "bytes", str(text):
            sent = hexadecimal(text)
            return Act(lambda request: sent)
        case "nothing", _:
            return Act(lambda request: None)
        case "status", str() | Refusal():
            refusal = Refusal(code=value) if isinstance(value, str) else value
            if staging.statuses and refusal.code not in staging.statuses:
                raise BadInput(f"no status {refusal.code!r}{nearest(refusal.code, staging.statuses)}")
            return Act(_never, Refuse(refusal.code, refusal.message))
        case "crash", _:
            return Act(_never, Die(value.signal if isinstance(value, Crash) else Crash().signal))
        case _:
            return Act(_never, Hang())


def _never(request: bytes) -> None:
    """The reply of a stub that comes to no reply."""


def hexadecimal(text: str) -> bytes:
    """Bytes that a person wrote in hexadecimal, with spaces where they like; raises BadInput."""
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise BadInput(f"not hexadecimal: {error}") from None
