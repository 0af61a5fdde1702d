"""Claims about what an answer proposes: the event with what it would put in, whether or not that is acceptable."""

from __future__ import annotations

import pytest

from kernel.dialects.hookbus import HOOKBUS
from kernel.values import JSON, Answered


@pytest.mark.parametrize(
    ("kind", "answer", "member", "value"),
    [
        ("before_tool_call", b'{"action":"modify","input":{"command":"ls"}}', "tool_input", {"command": "ls"}),
        ("before_tool_call", b'{"action":"modify","input":null}', "tool_input", None),
        ("after_tool_call", b'{"action":"replace","output":"short"}', "tool_output", "short"),
        ("after_tool_call", b'{"action":"modify","input":1}', "tool_input", 1),  # ignored there, and yet proposed
    ],
)
def test_a_modify_and_a_replace_propose_an_event(kind: str, answer: bytes, member: str, value: JSON) -> None:
    """All other members are those of the event that was asked about."""
    given = HOOKBUS.sample_payload(kind)
    proposed = HOOKBUS.proposed(given, Answered(answer))
    assert isinstance(proposed, dict)
    assert proposed == {**given.view, member: value}


@pytest.mark.parametrize(
    "answer", [b'{"action":"continue"}', b'{"action":"block","reason":"x"}', b'{"action":"modify"}', b"not JSON", b"[]"]
)
def test_whatever_else_proposes_nothing(answer: bytes) -> None:
    """Nor does what cannot be read."""
    assert HOOKBUS.proposed(HOOKBUS.sample_payload("before_tool_call"), Answered(answer)) is None
