"""A description of a session, read and checked: what no type says of it, and what could not be sent, as well.

Everything that would be noticed while it is played is noticed here, before any hook is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from kernel.describing import converted
from kernel.dialects.pluggable.session.described import (
    Call,
    ContextProvider,
    Described,
    SubSession,
    Tool,
    call_id,
    session_id,
)
from kernel.dialects.pluggable.session.policy import Risk, ToolKind
from kernel.dialects.pluggable.view import fill
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content_pb2
from kernel.errors import BadInput
from kernel.values import JSON

DEEPEST = 32
"""Sessions inside of each other that a description may have."""


def load(view: JSON, name: str) -> Described:
    """The session that a JSON or YAML document describes; raises BadInput with `name` and the path inside."""
    described = converted(view, Described, name)
    for problem in _problems(described):
        raise BadInput(f"{name}: {problem}")
    return described


def _problems(described: Described) -> Iterator[str]:
    """Each as a sentence with the path inside."""
    names = [tool.name for tool in described.tools]
    for name, count in Counter(names).items():
        if count > 1:
            yield f"$.tools: {name!r} is there {count} times"
    for index, tool in enumerate(described.tools):
        yield from _of_tool(tool, f"$.tools[{index}]")
    for (provider, model), count in Counter((each.provider, each.id) for each in described.models).items():
        if count > 1:
            yield f"$.models: {model!r} of {provider!r} is there {count} times"
    for index, each in enumerate(described.models):
        if not each.id or not each.provider:
            yield f"$.models[{index}]: a model has an id and a provider, and neither is empty"
    if not described.session:
        yield "$.session: the id of a session is not empty"
    yield from _of_session(described, "$")
    yield from _of_ids(described)
    yield from _of_texts(described, "$")


def _of_session(described: Described | SubSession, path: str, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        yield f"sessions are nested too deeply in each other: {depth} levels, {DEEPEST} are enough for any host"
        return
    for name, count in Counter(provider.name for provider in described.context).items():
        if count > 1:
            yield f"{path}.context: {name!r} is there {count} times"
    for place, provider in enumerate(described.context):
        if not provider.name:
            yield f"{path}.context[{place}].name: the name of a context provider is not empty"
        yield from _of_provider(provider, f"{path}.context[{place}]")
    used = Counter(call_id(call, *at) for at, call in _calls(described))
    for name, count in used.items():
        if count > 1:
            yield f"{path}.turns: the call id {name!r} is used {count} times; leave ids out, or make them differ"
    for number, turn in enumerate(described.turns):
        for index, call in enumerate(turn.calls):
            yield from _of_call(call, f"{path}.turns[{number}].calls[{index}]", depth)


def _calls(described: Described | SubSession) -> Iterator[tuple[tuple[int, int], Call]]:
    """Every call of a session itself, with the number of its turn and its own in there; both count from 1."""
    for number, turn in enumerate(described.turns, 1):
        for index, call in enumerate(turn.calls, 1):
            yield (number, index), call


def _of_ids(described: Described) -> Iterator[str]:
    """Sessions of the same id: spans, hooks and costs could not tell them apart."""
    seen = {described.session: "$.session"}
    if described.parent is not None:
        seen.setdefault(described.parent, "$.parent")
        if described.parent == described.session:
            yield f"$.parent: {described.parent!r} is the id of the session itself"
    for path, session in _ids_inside(described, described.session, "$"):
        if session in seen:
            yield f"{path}: the session id {session!r} is that of {seen[session]}; leave ids out, or make them differ"
        seen.setdefault(session, path)


def _ids_inside(
    described: Described | SubSession, session: str, path: str, depth: int = 0
) -> Iterator[tuple[str, str]]:
    """The path and the id of each session inside of one, at any depth that is allowed."""
    for (number, index), call in _calls(described):
        if call.session is not None and depth <= DEEPEST:
            inner = call.session.session or session_id(session, call_id(call, number, index))
            here = f"{path}.turns[{number - 1}].calls[{index - 1}].session"
            yield here, inner
            yield from _ids_inside(call.session, inner, here, depth + 1)


def _of_provider(provider: ContextProvider, path: str) -> Iterator[str]:
    for index, piece in enumerate(provider.sections):
        here = f"{path}.sections[{index}]"
        if (piece.text is None) is not bool(piece.content):
            yield f"{here}: a section has either a text or content"
        yield from _unsendable(content_pb2.ContextSection(), {"content": list(piece.content)}, here)


def _of_call(call: Call, path: str, depth: int) -> Iterator[str]:
    if call.result is not None and call.error is not None:
        yield f"{path}: it has a result and an error; a call ends with one of them"
    yield from _unsendable(Struct(), call.arguments, f"{path}.arguments")
    yield from _unsendable(Struct(), call.result or {}, f"{path}.result")
    if call.session is not None:
        if call.error is not None or call.takes_ms:
            yield f"{path}: it begins a session, which says how the call ends and how long it takes"
        yield from _of_session(call.session, f"{path}.session", depth + 1)


def _unsendable(message: Message, view: JSON, path: str) -> Iterator[str]:
    """Why a part of a payload is none, if so."""
    try:
        fill(message, view, path)
    except BadInput as error:
        yield error.message


def _of_tool(tool: Tool, path: str) -> Iterator[str]:
    if not tool.provider or not tool.operation:
        yield f"{path}.name: {tool.name!r} is not <provider>.<tool>"
    if (tool.kind is ToolKind.RESOURCE) is (tool.harm is Risk.READ_ONLY):
        rule = "changes something" if tool.kind is ToolKind.RESOURCE else "changes nothing"
        yield f"{path}.risk: a {tool.kind} tool {rule}, so its risk cannot be {tool.harm}"
    if tool.terminates_turn and tool.kind is not ToolKind.RESOURCE:
        yield f"{path}.terminates_turn: only resource tools may end a turn"


def _of_texts(value: Any, path: str) -> Iterator[str]:
    """Texts that no payload can hold, wherever they stand."""
    if isinstance(value, str):
        if any("\ud800" <= each <= "\udfff" for each in value):
            yield f"{path}: it has half of a surrogate pair in it, which is no character"
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from _of_texts(getattr(value, each.name), f"{path}.{each.name}")
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from _of_texts(inner, f"{path}[{index}]")
