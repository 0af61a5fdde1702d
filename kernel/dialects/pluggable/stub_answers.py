"""Answers of stubs in words: the proper ones of spec G's notation, edits of the payload, and any bytes as JSON."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from google.protobuf.message import DecodeError

from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.points import Mode
from kernel.dialects.pluggable.view import fill
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_request_pb2, rpc_response_pb2
from kernel.errors import BadInput
from kernel.values import JSON

Answer: TypeAlias = Callable[[bytes], bytes | None]
"""From a request to an answer, both in wire form."""
_View: TypeAlias = dict[str, JSON]

ACK = b"\x0a\x00"
ALLOW = b"\x1a\x02\x08\x01"
DENY = b"\x1a\x02\x08\x02"


def _same(request: bytes) -> bytes:
    return _handed_back(_given(request))


WORDS: Mapping[str, Answer] = MappingProxyType(
    {
        "ack": lambda request: ACK,
        "same": _same,
        "allow": lambda request: ALLOW,
        "deny": lambda request: DENY,
        "none": lambda request: b"",
    }
)
"""Whole answers. `none` is a response without an outcome."""
_PASS: Mapping[str, str] = MappingProxyType({Mode.OBSERVE: "ack", Mode.TRANSFORM: "same", Mode.VETO: "allow"})
EDITS = ("append", "set", "remove", "payload")


def answer_in_words(words: JSON, mode: str) -> Answer:
    """The answer that the words describe; raises BadInput for words that there are not.

    A text is a whole answer (`pass` lets the chain go on, whatever the mode); a mapping is a transform's, edits applied
    in the order in which they stand: `append` messages, `set` paths to values, `remove` paths, `payload` altogether.
    """
    match words:
        case "pass":
            return WORDS[_PASS.get(mode, "ack")]
        case str() if words in WORDS:
            return WORDS[words]
        case str():
            raise BadInput(f"no answer {words!r}{_nearest(words, ('pass', *WORDS))}")
        case dict() if words:
            edits = [_edit(name, what) for name, what in words.items()]
            return lambda request: _edited(request, edits)
        case _:
            raise BadInput(f"an answer is one of {', '.join(('pass', *WORDS))}, or made of {', '.join(EDITS)}")


def answer_in_json(view: JSON) -> bytes:
    """A DispatchHookResponse as JSON; raises BadInput that names the path."""
    response = rpc_response_pb2.DispatchHookResponse()
    fill(response, view, "$")
    return response.SerializeToString(deterministic=True)


def _given(request: bytes) -> events_pb2.HookPayload:
    try:
        return rpc_request_pb2.DispatchHookRequest.FromString(request).payload
    except DecodeError:
        raise BadInput("the request cannot be decoded, so there is no payload to hand back") from None


def _handed_back(payload: events_pb2.HookPayload) -> bytes:
    response = rpc_response_pb2.DispatchHookResponse()
    response.transform.payload.CopyFrom(payload)
    return response.SerializeToString(deterministic=True)


def _edited(request: bytes, edits: list[Callable[[_View], _View]]) -> bytes:
    payload = HookPayload.of(_given(request))
    view = copy.deepcopy(payload.view)
    assert isinstance(view, dict)
    for edit in edits:
        view = edit(view)
    return _handed_back(from_view(payload.point, view).message)


# -- edits of a view ---------------------------------------------------------------------------------------------

_SEGMENT = re.compile(r"(?:\A|\.)([^.\[\]]+)|\[([0-9]+)\]")
_Segments: TypeAlias = tuple[str | int, ...]


def _edit(name: str, what: JSON) -> Callable[[_View], _View]:
    match name, what:
        case "append", _:
            messages = [_message(each) for each in (what if isinstance(what, list) else [what])]
            return lambda view: _appended(view, messages)
        case "set", dict():
            targets = [(_segments(path), value) for path, value in what.items()]
            return lambda view: _changed(view, targets)
        case "remove", str() | list():
            paths = [_segments(path) for path in (what if isinstance(what, list) else [what])]
            return lambda view: _without(view, paths)
        case "payload", dict():
            return lambda view: copy.deepcopy(what)
        case (("set" | "payload"), _):
            raise BadInput(f"{name!r} takes a mapping")
        case "remove", _:
            raise BadInput("'remove' takes a path, or a list of paths")
        case _:
            raise BadInput(f"no edit {name!r}{_nearest(name, EDITS)}")


def _message(said: JSON) -> JSON:
    """A message as JSON; a text is a user's message that says it, under an id that says it too."""
    if isinstance(said, str):
        return {"role": "ROLE_USER", "content": [{"text": {"text": said}}], "id": said}
    return said


def _appended(view: _View, messages: list[JSON]) -> _View:
    there = view.get("messages", [])
    if not isinstance(there, list):
        raise BadInput("'append' adds to messages, and this payload has none")
    return {**view, "messages": [*there, *copy.deepcopy(messages)]}


def _changed(view: _View, targets: list[tuple[_Segments, JSON]]) -> _View:
    for path, value in targets:
        *way, last = path
        around = _walked(view, tuple(way), is_making=True)
        match around, last:
            case dict(), str():
                around[last] = copy.deepcopy(value)
            case list(), int() if last < len(around):
                around[last] = copy.deepcopy(value)
            case list(), int() if last == len(around):
                around.append(copy.deepcopy(value))
            case _:
                raise BadInput(f"'set': there is no {_written(path)} in this payload")
    return view


def _without(view: _View, paths: list[_Segments]) -> _View:
    for path in paths:
        *way, last = path
        around = _walked(view, tuple(way), is_making=False)
        match around, last:
            case dict(), str() if last in around:
                del around[last]
            case list(), int() if last < len(around):
                del around[last]
            case _:
                raise BadInput(f"'remove': there is no {_written(path)} in this payload")
    return view


def _walked(view: JSON, path: _Segments, *, is_making: bool) -> JSON:
    """What is at a path. Objects that are missing on the way are made, if so wished."""
    here = view
    for segment in path:
        match here, segment:
            case dict(), str() if segment in here or is_making:
                here = here.setdefault(segment, {})
            case list(), int() if segment < len(here):
                here = here[segment]
            case _:
                return None
    return here


def _segments(path: JSON) -> _Segments:
    """`messages[0].content` as its steps."""
    if isinstance(path, str) and path:
        found = list(_SEGMENT.finditer(path))
        if "".join(each[0] for each in found) == path:
            return tuple(each[1] if each[2] is None else int(each[2]) for each in found)
    raise BadInput(f"{path!r} is no path; paths look like messages[0].content[0].text.text")


def _written(path: _Segments) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _nearest(word: str, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known)}"
