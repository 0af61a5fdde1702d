"""What a turn hands to the hooks is what the wire has a place for."""

from __future__ import annotations

from kernel.dialects.pluggable.payload import from_view
from kernel.dialects.pluggable.session.described import Call, Model, Role, Said, Tool, Turn
from kernel.dialects.pluggable.session.gate import Succeeded, ToolError
from kernel.dialects.pluggable.session.policy import ToolKind
from kernel.dialects.pluggable.session.turn import (
    after_call,
    assistant,
    before_call,
    called,
    request,
    response,
    results,
    said,
)
from kernel.dialects.pluggable.session.turn import tool_call as call_view

TOOLS = {"fs.read": Tool("fs.read", ToolKind.DATA_SOURCE, description="Read a file")}
TURN = Turn("Let me see.", (Call("fs.read", {"path": "a"}, id="x"), Call("fs.read"), Call("no.tool")), 0, 3, 5, 0.5)
MODEL = Model("m", "p")


def test_every_view_is_a_payload_of_its_point() -> None:
    """Nothing in them that the wire does not know."""
    first, _, _ = calls = called(TURN, 1, TOOLS)
    assert first.item is not None
    message = assistant(TURN, calls, MODEL, "m2")
    outcomes = {"x": Succeeded({"text": "é"}), "call-1.2": ToolError("TIMEOUT", "late", True), "call-1.3": ToolError("NOT_FOUND", "no")}  # fmt: skip  # noqa: E501
    history = [said(Said("hi"), "m1"), message, results(calls, outcomes, "m3")]
    view = call_view(first, first.item, {"session_id": "s", "turn_id": "t", "working_directory": "/"})
    for point, shown in [
        ("pre-model-call", request(history, MODEL)),
        ("post-model-response", response(message, TURN, MODEL)),
        ("pre-tool-call", before_call(view, first.item)),
        *(("post-tool-call", after_call(view, outcome)) for outcome in outcomes.values()),
    ]:
        assert from_view(point, shown).point == point


def test_calls_keep_their_ids_or_are_given_some() -> None:
    """Turn and place make an id that no other call of the session has; a tool that is not granted is none."""
    assert [each.id for each in called(TURN, 7, TOOLS)] == ["x", "call-7.2", "call-7.3"]
    assert [each.item.id if each.item else None for each in called(TURN, 7, TOOLS)] == ["item-7.1", "item-7.2", None]


def test_a_result_is_told_to_the_model_as_json_and_an_error_as_its_message() -> None:
    """In one message of the user, in the order of the calls."""
    calls = called(TURN, 1, TOOLS)[:2]
    message = results(calls, {"x": Succeeded({"text": "é"}), "call-1.2": ToolError("TIMEOUT", "late")}, "m")
    assert message["role"] == "ROLE_USER"
    assert message["content"] == [
        {"tool_result": {"tool_use_id": "x", "content": [{"text": {"text": '{"text": "é"}'}}]}},
        {"tool_result": {"tool_use_id": "call-1.2", "content": [{"text": {"text": "late"}}], "is_error": True}},
    ]


def test_a_message_of_nothing_but_calls_has_no_text() -> None:
    """And one of the assistant that was there before is the assistant's."""
    message = assistant(Turn(calls=TURN.calls), called(TURN, 1, TOOLS), MODEL, "m")
    assert [list(block) for block in message["content"]] == [["tool_use"]] * 3  # type: ignore[union-attr,arg-type]
    assert said(Said("yes", Role.ASSISTANT), "m")["role"] == "ROLE_ASSISTANT"
