"""Claims about the events that a host makes: their members, what is cut off, what is not emitted (spec 1.2 to 1.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.dialects.hookbus import events
from kernel.dialects.hookbus.events import MAX_HOOK_OUTPUT, OLD_MAX_HOOK_OUTPUT, api_safe, bounded, shown_session_id
from kernel.dialects.hookbus.payload import KEYS, HookEvent
from kernel.values import JSON


def filled(event: HookEvent) -> dict[str, JSON]:
    """Members that hold something."""
    assert tuple(event.view) == KEYS
    return {key: value for key, value in event.view.items() if value is not None}


def test_v085_an_output_over_the_limit_is_cut_and_marked() -> None:
    """V085: the limit in bytes, then the size of the whole."""
    event = events.after_tool_call("bash", {}, "a" * 262_145)
    assert event.tool_output == "a" * 262_144 + "\u2026[truncated, 262145 total bytes]"


def test_v087_it_is_cut_on_a_border_of_a_character() -> None:
    """V087: the character that would be cut in two is left out."""
    output = "a" * 262_143 + "é"
    assert bounded(output) == "a" * 262_143 + "\u2026[truncated, 262145 total bytes]"


@pytest.mark.parametrize("size", [0, 1, MAX_HOOK_OUTPUT - 1, MAX_HOOK_OUTPUT])
def test_up_to_the_limit_nothing_is_cut(size: int) -> None:
    """Equal to it is not over it."""
    assert bounded("a" * size) == "a" * size


def test_the_limit_counts_bytes_and_older_hosts_have_a_lower_one() -> None:
    """Half as many characters of two bytes are enough."""
    assert bounded("é" * (MAX_HOOK_OUTPUT // 2)) == "é" * (MAX_HOOK_OUTPUT // 2)
    assert bounded("é" * (MAX_HOOK_OUTPUT // 2) + "a").endswith("[truncated, 262145 total bytes]")
    assert OLD_MAX_HOOK_OUTPUT == 32 * 1024
    cut = events.after_tool_call("t", None, "a" * 32_769, limit=OLD_MAX_HOOK_OUTPUT).tool_output
    assert cut == "a" * 32_768 + "\u2026[truncated, 32769 total bytes]"


@given(st.text(st.sampled_from("aé€😀"), max_size=40), st.integers(0, 60))
def test_the_beginning_is_as_long_as_it_can_be(text: str, limit: int) -> None:
    """Never longer than the limit, at most three bytes shorter, and valid UTF-8."""
    whole = text.encode()
    cut = bounded(text, limit)
    if len(whole) <= limit:
        assert cut == text
        return
    kept, _, marker = cut.partition("\u2026")
    assert whole.startswith(kept.encode())
    assert limit - 3 <= len(kept.encode()) <= limit
    assert marker == f"[truncated, {len(whole)} total bytes]"
    following = text[len(kept)]
    assert len(kept.encode()) + len(following.encode()) > limit


def test_members_by_kind() -> None:
    """Everything else is null."""
    assert filled(events.before_tool_call("t", {"a": 1}, runtime_name="r:t", session_id="s")) == {
        "kind": "before_tool_call", "tool_name": "t", "tool_runtime_name": "r:t", "tool_input": {"a": 1},
        "session_id": "s",
    }  # fmt: skip
    assert filled(events.before_tool_call("t")) == {"kind": "before_tool_call", "tool_name": "t"}
    assert filled(events.after_tool_call("t", 0, "")) == {
        "kind": "after_tool_call", "tool_name": "t", "tool_input": 0, "tool_output": "",
    }  # fmt: skip
    assert filled(events.on_session_start("s")) == {"kind": "on_session_start", "session_id": "s"}
    assert filled(events.on_session_end("s")) == {"kind": "on_session_end", "session_id": "s"}
    assert filled(events.on_session_end("s", [])) == {"kind": "on_session_end", "session_id": "s", "transcript": []}


def test_on_message_complete_joins_texts_and_counts_blocks() -> None:
    """Blocks of other types count and are not read."""
    content: list[dict[str, JSON]] = [
        {"type": "text", "text": "a"},
        {"type": "tool_use", "name": "t"},
        {"type": "text", "text": "b"},
        {"type": "text"},
    ]
    assert filled(events.on_message_complete(content)) == {
        "kind": "on_message_complete", "message": "ab", "data": {"content_block_count": 4, "has_tool_use": True},
    }  # fmt: skip
    assert events.on_message_complete([]).view["data"] == {"content_block_count": 0, "has_tool_use": False}


@pytest.mark.parametrize(
    ("given", "kept"),
    [(None, {}), ("text", {}), ([1], {}), ({"mine": 1}, {"mine": 1}), ({"source": "mine", "x": None}, {"x": None})],
)
def test_on_compaction_keeps_data_of_the_caller_beside_its_own(given: JSON, kept: dict[str, JSON]) -> None:
    """Only an object is kept, and the host's four keys win."""
    event = events.on_compaction(
        "sum", old_session_id="o", new_session_id="n", message_count=3, source="manual", data=given
    )
    told = {"old_session_id": "o", "new_session_id": "n", "message_count": 3, "source": "manual"}
    assert event.view["data"] == {**kept, **told}
    assert (event.session_id, event.view["message"]) == ("n", "sum")


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([], None),
        ([{"role": "assistant", "content": "a"}], None),
        ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "a"}], "hi"),
        ([{"role": "user", "content": "old"}, {"role": "user", "content": "new"}], "new"),
        ([{"role": "user", "content": [{"type": "text", "text": "1"}, {"type": "text", "text": "2"}]}], "1"),
        ([{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "2"}]}], "2"),
        ([{"role": "user", "content": "old"}, {"role": "user", "content": [{"type": "tool_result"}]}], None),
        ([{"role": "user"}], None),
    ],
)
def test_before_message_needs_text_in_the_newest_message_of_the_user(
    messages: list[dict[str, JSON]], text: str | None
) -> None:
    """A message of nothing but tool results is the newest all the same, and then nothing is emitted."""
    event = events.before_message(messages)
    assert (None if event is None else event.view["message"]) == text


@pytest.mark.parametrize(
    ("value", "shown"), [("", "s"), ("1", "s"), ("0", None), ("false", None), ("OFF", None), ("no", "s")]
)
def test_the_session_id_can_be_kept_back(value: str, shown: str | None) -> None:
    """By the environment."""
    assert shown_session_id("s", {"SYNAPS_HOOK_SESSION_ID": value}) == shown
    assert shown_session_id("s", {}) == "s"


def test_api_safe_names() -> None:
    """Colons and slashes become underscores."""
    assert [api_safe(name) for name in ("plug:tool", "srv/do", "a-b_c", "é")] == ["plug_tool", "srv_do", "a-b_c", "_"]
