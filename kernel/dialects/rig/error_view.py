"""Errors as JSON with everything that they wrap, and errors after such a description.

Live errors stay where they were raised. The description holds all that decides: denials with their fields, guard
errors, cancellations, and that looking into one raises.
"""

from __future__ import annotations

from kernel.dialects.rig.context import Canceled, DeadlineExceeded
from kernel.dialects.rig.denial import CANCELLATIONS
from kernel.dialects.rig.errors import Denial, GuardError, NotAnError, ToldValue, is_really
from kernel.dialects.rig.showing import class_name, is_text, plain_text, text_of
from kernel.errors import BadInput
from kernel.values import JSON

_DEEPEST = 50
_MOST = 2**63
_KEYS = ("type", "message", "kind", "code", "reason", "operation", "index", "members", "cause", "context", "hostile")


class ToldError(Exception):
    """An error that was described: it says what the described one said."""

    def __init__(self, type_name: str, message: str) -> None:
        super().__init__(message)
        self.type_name = type_name


class HostileError(Exception):
    """One that raises when somebody looks at what it wraps."""

    def __getattribute__(self, name: str) -> object:
        if name in ("__cause__", "__context__", "__suppress_context__"):
            raise RuntimeError(f"this error does not show its {name}")
        return super().__getattribute__(name)


class HostileDenial(HostileError, Denial):
    """A denial that does so. It counts all the same: nobody has to look further."""


def error_view(error: object) -> dict[str, JSON]:
    """An error as JSON; never raises what the error raises."""
    return _view(error, 0, {})


def _view(error: object, depth: int, seen: dict[int, object]) -> dict[str, JSON]:
    told: ToldError | ToldValue | None = error if is_really(error, ToldError) or is_really(error, ToldValue) else None
    name = class_name(error) if told is None else told.type_name
    view: dict[str, JSON] = {"type": name, "message": text_of(error)}
    if depth == _DEEPEST or id(error) in seen:
        return view
    seen[id(error)] = error  # kept alive, as in `denial.chain`
    try:
        if not is_really(error, BaseException):
            return {**view, "kind": "no_error"}
        view |= _kind(error)
        if is_really(error, BaseExceptionGroup):
            view["members"] = [_view(each, depth + 1, seen) for each in error.exceptions]
        if error.__cause__ is not None:
            view["cause"] = _view(error.__cause__, depth + 1, seen)
        if error.__context__ is not None and not error.__suppress_context__:
            view["context"] = _view(error.__context__, depth + 1, seen)
    except BaseException:  # noqa: BLE001  # a seam built for it; what decides has been looked at before, elsewhere
        view["hostile"] = True
    return view


def _kind(error: BaseException) -> dict[str, JSON]:
    if is_really(error, Denial):
        return {"kind": "denial", "code": _json_text(error.code), "reason": _json_text(error.reason)}
    if is_really(error, GuardError):
        return {"kind": "guard", "operation": _number(error.operation), "index": _number(error.index)}
    if is_really(error, CANCELLATIONS):
        return {"kind": "deadline_exceeded" if is_really(error, DeadlineExceeded) else "canceled"}
    return {}


def _json_text(value: object) -> JSON:
    """A field of a denial; what cannot be text in JSON is shown so that it stays malformed."""
    if not is_really(value, str):
        return None
    text = str.__str__(value)
    return text if is_text(text) else plain_text(text) + "\0"


def _number(value: object) -> JSON:
    """A field of a guard error, which anybody may have built."""
    return int.__int__(value) if is_really(value, int) and -_MOST < int.__int__(value) < _MOST else 0


def error_from_view(view: JSON, path: str) -> BaseException | ToldValue:
    """The error that JSON describes, good for every decision; raises BadInput that names the path.

    For what was no error, something that is none either.
    """
    if isinstance(view, str):
        return ToldError("Exception", view)
    if not isinstance(view, dict):
        raise BadInput(f"{path}: an error is a text or a JSON object")
    for key in view:
        if key not in _KEYS:
            raise BadInput(f"{path}: no key {key!r}; there are {', '.join(_KEYS)}")
    if view.get("kind") == "no_error":
        return ToldValue(str(view.get("type", "object")), str(view.get("message", "")))
    if view.get("hostile"):
        if view.get("kind") == "denial":
            return HostileDenial(view.get("code"), view.get("reason"))  # type: ignore[arg-type]  # as below
        return HostileError(str(view.get("message", "")))
    error = _made(view, path)
    if "cause" in view:
        error.__cause__ = _inner(view["cause"], f"{path}.cause")
    if "context" in view:
        error.__context__ = _inner(view["context"], f"{path}.context")
        error.__suppress_context__ = False
    return error


def _made(view: dict[str, JSON], path: str) -> BaseException:
    message = str(view.get("message", ""))
    members = view.get("members")
    if isinstance(members, list) and members:
        return BaseExceptionGroup(message, [_inner(each, f"{path}.members[{i}]") for i, each in enumerate(members)])
    match view.get("kind"):
        case "denial":
            code, reason = view.get("code"), view.get("reason")
            if code is None and reason is None:
                return Denial.__new__(Denial)
            return Denial(code, reason)  # type: ignore[arg-type]  # whatever it is: the classifier checks
        case "guard":
            operation, index = view.get("operation", 0), view.get("index", 0)
            return GuardError(_whole(operation, path), _whole(index, path), NotAnError(None))
        case "canceled":
            return Canceled(message)
        case "deadline_exceeded":
            return DeadlineExceeded(message)
        case None:
            return ToldError(str(view.get("type", "Exception")), message)
        case kind:
            raise BadInput(f"{path}.kind: {kind!r} is none; there are denial, guard, canceled, deadline_exceeded")


def _whole(value: JSON, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"{path}: operation and index are whole numbers")
    return value


def _inner(view: JSON, path: str) -> BaseException:
    error = error_from_view(view, path)
    return error if isinstance(error, BaseException) else ToldError(error.type_name, str(error))
