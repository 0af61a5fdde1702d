"""The context service on the wire: requests to the byte, answers with nothing lost, refusals as statuses (B.11)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from kernel.dialects.pluggable import context_wire
from kernel.dialects.pluggable.context_wire import STATUSES, ContextErrorCategory
from kernel.dialects.pluggable.sections import Capabilities, ContextRequest, Section, text
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content_pb2
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import rpc_request_pb2, rpc_response_pb2

BARE = ContextRequest("s", "t", "/w", 7, "m", (), 0, 0, None)
FULL = replace(
    BARE,
    prior=(Section("a", "l", text("hi"), 1, is_truncated=True, stability=2),),
    history_tokens=5,
    tokens_last_turn=3,
    history=({"role": "ROLE_USER", "content": [{"text": {"text": "hi"}}], "id": "m1"},),
    parent_session_id="p",
    context_window=100,
    effective_ceiling=80,
    files_touched=("a.py", "b.py"),
)


@pytest.mark.parametrize(
    ("request_", "hexed"),
    [
        (BARE, "0A 01 73 1A 01 74 20 07 2A 03 0A 01 6D 3A 02 2F 77"),
        (
            FULL,
            "0A 01 73 12 01 70 1A 01 74 20 07 2A 07 0A 01 6D 10 64 18 50 32 04 61 2E 70 79 32 04 62 2E 70 79 "
            "3A 02 2F 77 42 14 0A 01 61 12 01 6C 1A 06 0A 04 0A 02 68 69 20 01 28 02 30 01 "
            "4A 0E 08 01 12 06 0A 04 0A 02 68 69 1A 02 6D 31 50 05 58 03",
        ),
    ],
)
def test_a_request_is_these_bytes(request_: ContextRequest, hexed: str) -> None:
    """Field by field as the specification numbers them; what is not known is not sent."""
    assert context_wire.encode(request_).hex(" ").upper() == hexed


def test_an_answer_is_read_with_everything_in_it() -> None:
    """Sections with what a newer provider says beyond ours, and a rewritten conversation."""
    answer = rpc_response_pb2.ContextContribution()
    section = answer.sections.add(
        provider="a", label="l", tokens=9, truncated=True, stability=content_pb2.STABILITY_STATIC
    )
    section.content.add().text.text = "hi"
    section.MergeFromString(bytes.fromhex("980601"))
    answer.rewritten_history.add(role=content_pb2.ROLE_USER, id="m")
    found = context_wire.decode(answer.SerializeToString())
    assert found.sections == (Section("a", "l", text("hi"), 9, True, 1, {"#99": [{"varint": 1}]}),)
    assert found.rewritten_history == ({"role": "ROLE_USER", "id": "m"},)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SECTIONS = st.builds(
    Section,
    provider=TEXTS,
    label=TEXTS,
    content=st.lists(TEXTS, max_size=3).map(lambda texts: tuple(block for each in texts for block in text(each))),
    tokens=st.integers(0, 2**40),
    is_truncated=st.booleans(),
    stability=st.integers(0, 2),
)


@given(st.lists(SECTIONS, max_size=4))
def test_a_chain_that_a_plugin_hands_back_is_the_chain_that_it_was_given(sections: list[Section]) -> None:
    """Otherwise a provider that touches nothing would be told that it touched the sections of others."""
    asked = rpc_request_pb2.ContextRequest.FromString(context_wire.encode(replace(BARE, prior=tuple(sections))))
    answer = rpc_response_pb2.ContextContribution(sections=asked.prior_sections)
    assert context_wire.decode(answer.SerializeToString()).sections == tuple(sections)


@pytest.mark.parametrize("body", [b"\xff", b"\x0a\x05ab", b"\x0a\x03\x0a\x01"])
def test_what_is_no_contribution_cannot_be_decoded(body: bytes) -> None:
    """Half a message, or none."""
    with pytest.raises(DecodeError):
        context_wire.decode(body)


@pytest.mark.parametrize(
    ("hexed", "expected"),
    [
        ("", Capabilities(4000, False)),
        ("08 64", Capabilities(100, False)),
        ("08 64 18 01", Capabilities(100, True)),
        ("18 01 22 03 0A 01 78", Capabilities(4000, True)),
    ],
)
def test_capabilities_say_budget_and_compactor(hexed: str, expected: Capabilities) -> None:
    """A budget that is not said is the usual one; slash commands are passed over."""
    assert context_wire.decode_capabilities(bytes.fromhex(hexed)) == expected


@pytest.mark.parametrize(
    ("category", "status"),
    [
        (ContextErrorCategory.SOURCE_UNAVAILABLE, "UNAVAILABLE"),
        (ContextErrorCategory.BUDGET_EXCEEDED, "FAILED_PRECONDITION"),
        (ContextErrorCategory.SCOPE_VIOLATION, "PERMISSION_DENIED"),
        (ContextErrorCategory.INVALID_REQUEST, "INVALID_ARGUMENT"),
        (ContextErrorCategory.UNKNOWN, "INTERNAL"),
    ],
)
def test_a_category_travels_as_its_status(category: ContextErrorCategory, status: str) -> None:
    """Both ways; any other status means nothing to the contract."""
    assert STATUSES[category] == status
    assert context_wire.category_of(status) is category
    assert context_wire.category_of("ABORTED") is None
