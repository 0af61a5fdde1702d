"""Claims about events as payloads: nine keys, views and bodies, what is refused."""

from __future__ import annotations

import pytest
from hookbus_runs import bt, nk
from hypothesis import given
from hypothesis import strategies as st

from kernel.dialects.hookbus import payload
from kernel.dialects.hookbus.kinds import KINDS
from kernel.dialects.hookbus.payload import KEYS, Delivery, from_body, from_view, parse
from kernel.dialects.hookbus.samples import sample
from kernel.errors import BadInput
from kernel.values import JSON

BODY = (
    b'{"data":null,"kind":"before_tool_call","message":null,"session_id":null,"tool_input":{"command":"ls"},'
    b'"tool_name":"bash","tool_output":null,"tool_runtime_name":null,"transcript":null}'
)


def test_all_nine_keys_are_written() -> None:
    """Null where there is nothing, never left out; people see them in the order of the specification."""
    assert bt().body == BODY
    assert tuple(bt().view) == KEYS
    assert len(KEYS) == 9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_an_event_comes_back_from_its_body_and_from_its_view(kind: str, seed: int) -> None:
    """With the same digest."""
    event = sample(kind, seed)
    for back in (from_body(kind, event.body), from_view(kind, event.view), parse(event.body)):
        assert back == event
        assert (back.digest, hash(back)) == (event.digest, hash(event))


def test_a_view_may_leave_out_what_is_null_and_the_kind() -> None:
    """As people write it."""
    assert from_view("before_tool_call", {"tool_name": "bash", "tool_input": {"command": "ls"}}) == bt()


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        ([], "an event is an object"),
        ("x", "an event is an object"),
        ({"kind": "on_session_end"}, r"\$\.kind: an event of before_tool_call is needed"),
        ({"kind": 7}, r"\$\.kind"),
        ({"tool": "bash"}, "no member 'tool'"),
        ({"tool_name": 7}, r"\$\.tool_name: text or null"),
        ({"tool_output": []}, r"\$\.tool_output: text or null"),
        ({"session_id": False}, r"\$\.session_id: text or null"),
        ({"transcript": {}}, r"\$\.transcript: a list"),
        ({"transcript": [{}, 1]}, r"\$\.transcript\[1\]: a message is an object"),
        ({"tool_input": {"n": float("inf")}}, r"\$\.tool_input\.n: a number"),
    ],
)
def test_what_is_no_event_is_refused_with_its_path(view: JSON, sentence: str) -> None:
    """A person reads it."""
    with pytest.raises(BadInput, match=sentence):
        from_view("before_tool_call", view)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "not JSON"),
        (b"[]", "an event is an object"),
        (b'{"kind":"before_tool_call"}', "missing member 'data'"),
        (b'{"data":null}', "missing member 'kind'"),
        (b'{"kind":"on_crash","data":null}', "no kind 'on_crash'"),
        (b'{"kind":"BeforeToolCall","data":null}', "no kind 'BeforeToolCall'"),
        (b'{"kind":"before_message","data":null}', "an event of before_tool_call was expected"),
        (b'{"kind":"before_tool_call","data":null,"tool_name":1}', "text or null"),
    ],
)
def test_a_body_is_held_to_what_the_host_reads(body: bytes, sentence: str) -> None:
    """`kind` and `data` have no default, everything else has; strings of no kind are none."""
    with pytest.raises(BadInput, match=sentence):
        from_body("before_tool_call", body)


def test_a_body_may_leave_out_what_has_a_default_and_have_more() -> None:
    """The host's decoder ignores what it does not know."""
    assert from_body("before_tool_call", b'{"kind":"before_tool_call","data":null,"new":1}') == bt().having(
        tool_name=None, tool_input=None
    )


def test_an_unknown_kind_is_no_kind() -> None:
    """Never a default."""
    for kind in ("", "BeforeToolCall", "on_crash"):
        with pytest.raises(BadInput, match="no kind"):
            from_view(kind, {})


def test_a_delivery_is_a_list_of_events_of_any_kind() -> None:
    """Only where the kind is notified; one event alone is an event."""
    delivery = from_view("notification", [nk("1").view, bt().view, {"message": "2"}])
    assert delivery == Delivery("notification", [nk("1"), bt(), nk("2")])
    assert from_body("notification", delivery.body) == delivery
    assert from_view("notification", delivery.view) == delivery
    assert from_view("notification", {"message": "1"}) == nk("1")
    assert from_view("notification", []) == Delivery("notification", [])
    assert delivery.digest != Delivery("notification", [nk("1")]).digest
    with pytest.raises(BadInput, match=r"\$\[1\]\.message: text or null"):
        from_view("notification", [{}, {"message": 1}])
    with pytest.raises(BadInput, match="an event is an object"):
        from_view("before_message", [{}])


@given(
    st.dictionaries(st.sampled_from([*KEYS, "other"]), st.none() | st.integers() | st.text(max_size=5) | st.just([]))
)
def test_anything_is_an_event_or_refused(view: dict[str, JSON]) -> None:
    """Nothing else comes of it."""
    try:
        event = from_view("before_tool_call", view)
    except BadInput:
        return
    assert parse(event.body) == event


def test_a_changed_event_is_another_one() -> None:
    """The old one stays."""
    before = bt()
    after = before.having(tool_input=None)
    assert before.view["tool_input"] == {"command": "ls"}
    assert after.view["tool_input"] is None
    assert before != after
    assert payload.event("on_session_start").session_id == ""
