"""Answers of stubs in words: the notation of spec G for arounds, guards and the operation itself.

around      ok  own  none  hostile  boom  {val: {k: v}}  {det: {k: v}}   and with it: ok-no-finish, {finish: boom}
guard       pass  canceled  hostile  null-denial  boom  {deny: {code, reason}}  {err: text}  {joined: [...]}
operation   completed  canceled  boom  {failed: text}  {deny: {code, reason}}  {result: {...}}  {outcome: 0}
            and with it: {finish: false}, an owner that never calls the finish
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from kernel.dialects.rig.context import Canceled, DeadlineExceeded
from kernel.dialects.rig.context_view import ContextKind, Given, given_from_json
from kernel.dialects.rig.errors import Denial
from kernel.dialects.rig.payload import members, read
from kernel.dialects.rig.seats import AROUND, GUARD
from kernel.dialects.rig.snapshot_view import encoded
from kernel.dialects.rig.wire import (
    Phase,
    begin_said,
    finish_said,
    guard_said,
    operation_said,
    outcome_from_view,
)
from kernel.errors import BadInput
from kernel.values import JSON

Answer: TypeAlias = Callable[[bytes], bytes | None]
"""From a question to an answer, both in wire form."""
_Object: TypeAlias = dict[str, JSON]

NO_FINISH: Final = "-no-finish"
BEGIN_WORDS: Final = ("ok", "pass", "own", "none", "hostile", "boom")
BEGIN_KEYS: Final = (*BEGIN_WORDS, "val", "det", "deadline_ms", "cancelled", "finish")
GUARD_WORDS: Final = ("pass", "ok", "canceled", "hostile", "null-denial", "boom")
GUARD_KEYS: Final = ("deny", "err", "wrapped", "joined", "boom")
OPERATION_WORDS: Final = ("completed", "pass", "ok", "canceled", "failed", "boom")
OPERATION_KEYS: Final = (
    "completed",
    "failed",
    "canceled",
    "deny",
    "err",
    "boom",
    "result",
    "outcome",
    "ended_at",
    "finish",
)


def answer_in_words(words: JSON, mode: str) -> Answer:
    """The answers that the words describe; raises BadInput for words that there are not.

    An around is asked twice, for its begin and for its finish, and its words say both.
    """
    if mode == AROUND:
        begin, finish = _around(words)
        return lambda request: finish if members(read(request)).get("phase") == Phase.FINISH else begin
    said = _encoded(_guard(words) if mode == GUARD else operation_answer(words))
    return lambda request: said


def answer_in_json(view: JSON) -> bytes:
    """Any answer as JSON; raises BadInput where it is none of whatever is asked."""
    body = _encoded(view)
    problems = []
    for reader in (begin_said, guard_said, operation_said, finish_said):
        try:
            reader(body)
        except BadInput as error:
            problems.append(error)
        else:
            return body
    raise problems[0]


def _encoded(answer: JSON) -> bytes:
    """An answer that somebody wrote; raises BadInput for what is no JSON."""
    try:
        return encoded(answer)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}") from None


# -- arounds -------------------------------------------------------------------------------------------------------


def _around(words: JSON) -> tuple[bytes, bytes]:
    """What it answers to a begin, and to a finish."""
    finish: JSON = True
    if isinstance(words, str):
        word = words.removesuffix(NO_FINISH)
        finish = word == words
        said: _Object = {word: True}
    elif isinstance(words, dict) and words:
        said = {key: value for key, value in words.items() if key != "finish"} or {"ok": True}
        finish = words.get("finish", True)
    else:
        raise BadInput(f"an answer is one of {', '.join(BEGIN_WORDS)}, or made of {', '.join(BEGIN_KEYS)}")
    _check(said, BEGIN_KEYS)
    registers, at_the_end = _finish(finish)
    if "boom" in said:
        return _encoded({"raised": _boom(said["boom"])}), at_the_end
    return _encoded({"context": _given(said).to_json(), "finish": registers}), at_the_end


def _given(said: _Object) -> Given:
    kinds = [key for key in said if key in ("ok", "pass", "own", "none", "hostile", "val", "det")]
    if len(kinds) != 1:
        raise BadInput(f"one context is needed, of {', '.join(BEGIN_KEYS[:-3])}, not {' and '.join(kinds) or 'none'}")
    [kind] = kinds
    values = said[kind] if kind in ("val", "det") else {}
    if isinstance(values, str):
        values = {values: True}  # {val: a} is a value under a
    if not isinstance(values, dict):
        raise BadInput(f"{kind} has values by name, or one name, not {values!r}")
    view: _Object = {"values": values}
    if said.get("cancelled"):
        view["cancelled"] = str(Canceled()) if said["cancelled"] is True else said["cancelled"]
    if "deadline_ms" in said:
        view["deadline_ms"] = said["deadline_ms"]
    if kind == "own":
        view["own_signal"] = True
    given = given_from_json({**view, "kind": _KINDS[kind].value}, "$")
    if kind in ("ok", "pass", "none", "hostile") and given != Given(given.kind):
        raise BadInput(f"{kind!r} has neither a deadline nor an end of its own; say own, val or det")
    return given


_KINDS: Final[Mapping[str, ContextKind]] = {
    "ok": ContextKind.SAME,
    "pass": ContextKind.SAME,
    "none": ContextKind.NONE,
    "hostile": ContextKind.HOSTILE,
    "own": ContextKind.DERIVED,
    "val": ContextKind.DERIVED,
    "det": ContextKind.DETACHED,
}


def _finish(words: JSON) -> tuple[bool, bytes]:
    """Whether there is one, and what it answers."""
    match words:
        case bool():
            return words, b"{}"
        case "ok":
            return True, b"{}"
        case "boom":
            return True, _encoded({"raised": _boom(True)})
        case {"boom": text, **rest} if not rest:
            return True, _encoded({"raised": _boom(text)})
        case _:
            raise BadInput(f"finish is true, false, ok, boom or {{boom: text}}, not {words!r}")


# -- guards --------------------------------------------------------------------------------------------------------


def _guard(words: JSON) -> _Object:
    match words:
        case "pass" | "ok":
            return {}
        case "boom":
            return {"raised": _boom(True)}
        case {"boom": text, **rest} if not rest:
            return {"raised": _boom(text)}
        case str() | dict():
            return {"error": _error(words)}
        case _:
            raise BadInput(f"an answer is one of {', '.join(GUARD_WORDS)}, or made of {', '.join(GUARD_KEYS)}")


def _error(words: JSON) -> _Object:
    """An error that a guard returns."""
    match words:
        case "canceled":
            return {"type": "Canceled", "message": str(Canceled()), "kind": "canceled"}
        case "deadline":
            return {"type": "DeadlineExceeded", "message": str(DeadlineExceeded()), "kind": "deadline_exceeded"}
        case "hostile":
            return {"type": "HostileError", "message": "", "hostile": True}
        case "null-denial":
            return {"type": "Denial", "message": "", "kind": "denial"}
        case str():
            _check({words: True}, GUARD_WORDS)
        case dict():
            _check(words, GUARD_KEYS)
            return _composed(words)
    raise BadInput(f"{words!r} is no error; there are {', '.join(GUARD_WORDS)}, and {', '.join(GUARD_KEYS)}")


def _composed(words: _Object) -> _Object:
    kinds = [key for key in words if key in ("deny", "err", "joined")]
    match kinds:
        case ["deny"]:
            error = _denial(words["deny"])
        case ["err"] if isinstance(words["err"], str):
            error = {"type": "Exception", "message": words["err"]}
        case ["joined"] if isinstance(words["joined"], list) and words["joined"]:
            error = {
                "type": "ExceptionGroup",
                "message": "joined",
                "members": [_error(each) for each in words["joined"]],
            }
        case _:
            raise BadInput("one of deny: {code, reason}, err: text and joined: [errors] is needed")
    layers: JSON = words.get("wrapped", [])
    for layer in layers if isinstance(layers, list) else [layers]:
        error = {"type": "Exception", "message": str(layer), "cause": error}
    return error


def _denial(words: JSON) -> _Object:
    if not isinstance(words, dict) or not words.keys() <= {"code", "reason"}:
        raise BadInput("deny has a code and a reason")
    code, reason = words.get("code", ""), words.get("reason", "")
    return {
        "type": "Denial",
        "message": str(Denial(str(code), str(reason))),
        "kind": "denial",
        "code": code,
        "reason": reason,
    }


# -- the operation ---------------------------------------------------------------------------------------------------


def operation_answer(words: JSON) -> _Object:
    """What the operation itself answers; raises BadInput for words that there are not."""
    if words is None:
        words = "completed"
    if isinstance(words, str):
        _check({words: True}, OPERATION_WORDS)
        words = {words: True} if words not in ("pass", "ok") else {"completed": True}
    if not isinstance(words, dict):
        raise BadInput(f"an answer is one of {', '.join(OPERATION_WORDS)}, or made of {', '.join(OPERATION_KEYS)}")
    _check(words, OPERATION_KEYS)
    answer: _Object = {key: words[key] for key in ("result", "ended_at", "finish") if key in words}
    if "outcome" in words:
        answer["outcome"] = outcome_from_view(words["outcome"])
    ends = [key for key in words if key in ("completed", "failed", "canceled", "deny", "err", "boom")]
    if len(ends) > 1:
        raise BadInput(f"it ends in one way, not with {' and '.join(ends)}")
    for key in ends:
        value = words[key]
        match key:
            case "boom":
                return {"raised": _boom(value)}
            case "failed" | "err":
                answer["error"] = {"type": "Exception", "message": value if isinstance(value, str) else "it failed"}
            case "canceled":
                answer["error"] = _error("canceled")
            case "deny":
                answer["error"] = _denial(value)
            case _:
                pass
    return answer


def _boom(words: JSON) -> _Object:
    return {"type": "RuntimeError", "message": words if isinstance(words, str) else "boom"}


def _check(words: Iterable[str], known: tuple[str, ...]) -> None:
    for word in words:
        if word not in known:
            close = difflib.get_close_matches(word, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
            raise BadInput(f"no answer {word!r}; {hint}")
