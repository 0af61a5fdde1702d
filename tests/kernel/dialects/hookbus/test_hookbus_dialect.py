"""Claims about the dialect as the kernel knows it: kinds, permissions, switches, samples, views of answers, spans."""

from __future__ import annotations

import pytest
from dispatch_runs import on_virtual_time
from hookbus_runs import H, Handler, bt, chain_of, nk, run
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kernel import Probes, VirtualClock, dialects, dispatch
from kernel.dialects.hookbus import HOOKBUS, Hookbus
from kernel.dialects.hookbus.kinds import KINDS, Action, Style, in_manifests
from kernel.dialects.hookbus.permissions import PERMISSIONS
from kernel.dialects.hookbus.samples import sample
from kernel.dialects.hookbus.traits import TEXTS, Traits
from kernel.errors import BadInput
from kernel.telemetry import Telemetry
from kernel.values import JSON, Answered, Ask, Chain

CATALOG = {
    "before_tool_call": ("tools.intercept", {"continue", "block", "confirm", "modify"}, True, Style.SEQUENTIAL),
    "after_tool_call": ("tools.intercept", {"continue", "replace"}, True, Style.SEQUENTIAL),
    "before_message": ("privacy.llm_content", {"continue", "inject"}, False, Style.SEQUENTIAL),
    "on_message_complete": ("privacy.llm_content", {"continue"}, False, Style.SEQUENTIAL),
    "on_compaction": ("privacy.llm_content", {"continue"}, False, Style.SEQUENTIAL),
    "on_session_start": ("session.lifecycle", {"continue", "inject"}, False, Style.SEQUENTIAL),
    "on_session_end": ("session.lifecycle", {"continue"}, False, Style.CONCURRENT),
}


def test_the_catalog_is_that_of_the_specification() -> None:
    """1.1, row by row; what is not published stands apart."""
    kinds = in_manifests()
    assert kinds.keys() == CATALOG.keys()
    for name, (permission, actions, has_filter, style) in CATALOG.items():
        kind = kinds[name]
        assert (kind.permission, kind.allows_tool_filter, kind.style) == (permission, has_filter, style)
        assert {str(action) for action in kind.actions} == actions
        assert kind.is_observed_only is (actions == {"continue"})
        assert not kind.is_notification
    assert in_manifests(2).keys() - kinds.keys() == {"on_usage"}
    assert [kind.name for kind in KINDS.values() if kind.is_notification] == ["notification"]


def test_permissions_are_those_of_the_specification() -> None:
    """3: fourteen active ones, one reserved; and those that are reason enough to exist (5.2)."""
    reserved = [each.name for each in PERMISSIONS.values() if each.is_reserved]
    assert (len(PERMISSIONS), reserved) == (15, ["tools.override"])
    assert {each.name for each in PERMISSIONS.values() if each.registers} == {
        "tools.register", "providers.register", "memory.read", "memory.write", "config.write", "config.subscribe",
        "audio.input", "audio.output",
    }  # fmt: skip


def test_the_registry_knows_the_dialect() -> None:
    """By name."""
    assert dialects.named("hookbus") is HOOKBUS


def test_switches_are_thrown_one_by_one() -> None:
    """And an unknown one names those that there are."""
    for name, is_on in HOOKBUS.switches.items():
        other = HOOKBUS.switched(name, not is_on)
        assert other.switches == {**HOOKBUS.switches, name: not is_on}
        assert other.switched(name, is_on) == HOOKBUS
    with pytest.raises(BadInput, match="no switch 'worker'; it has worker_view"):
        HOOKBUS.switched("worker", True)
    assert "on_usage" not in HOOKBUS.points
    assert "on_usage" in HOOKBUS.switched("protocol_2", True).points
    assert isinstance(HOOKBUS, Hookbus)
    assert TEXTS.keys() == HOOKBUS.switches.keys()


def test_what_older_hosts_accept() -> None:
    """Continue alone at the start of a session."""
    kind = KINDS["on_session_start"]
    assert Traits().accepts(kind, Action.INJECT)
    assert not Traits(session_start_inject=False).accepts(kind, Action.INJECT)
    assert not any(Traits().accepts(each, Action.CONTEXT_PHASE) for each in KINDS.values())


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_the_same_for_the_same_seed(kind: str) -> None:
    """And fill nothing but the members of their kind."""
    bodies = {sample(kind, seed).body for seed in range(20)}
    assert sample(kind, 3) == sample(kind, 3)
    assert len(bodies) > 3
    for seed in range(20):
        filled = {key for key, value in sample(kind, seed).view.items() if value is not None} - {"kind"}
        assert filled <= KINDS[kind].fields
        assert HOOKBUS.sample_payload(kind, seed) == sample(kind, seed)
    with pytest.raises(BadInput, match="no kind"):
        HOOKBUS.sample_payload("other")


@pytest.mark.parametrize(
    ("body", "view"),
    [
        (b'{"action":"block","reason":"x"}', {"action": "block", "reason": "x"}),
        (b"null", None),
        (b"\xff", {"$undecodable": "/w=="}),
        (b"", {"$undecodable": ""}),
    ],
)
def test_an_answer_is_shown_as_it_came_and_taken_back(body: bytes, view: JSON) -> None:
    """Even what cannot be read."""
    [seat] = chain_of("before_tool_call", H("A")).subscriptions
    ask = Ask(0, seat, bt(), bt().body, 5000)
    assert HOOKBUS.answer_view(Answered(body)) == view
    assert HOOKBUS.answer_from_view(ask, view) == Answered(body)
    with pytest.raises(BadInput, match="not base64"):
        HOOKBUS.answer_from_view(ask, {"$undecodable": "?"})
    with pytest.raises(BadInput, match="cannot hold"):
        HOOKBUS.answer_from_view(ask, {"n": float("nan")})


def test_what_is_no_chain_of_this_dialect() -> None:
    """An unknown kind, or a payload of somebody else."""
    with pytest.raises(BadInput, match="no kind 'plan-ready'"):
        HOOKBUS.open(Chain("plan-ready"), bt())
    with pytest.raises(BadInput, match="an event of before_message is needed"):
        HOOKBUS.open(Chain("before_message"), bt())
    with pytest.raises(BadInput, match="events are needed here"):
        HOOKBUS.open(Chain("notification"), Other())
    assert run(nk()).came_to.payload == nk()


class Other:
    """A payload of no dialect."""

    body, view, digest = b"", None, ""


def test_spans_follow_the_trace_records() -> None:
    """One span a dispatch, one child a handler; a block is no error, a timeout is one."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    async def body(clock: VirtualClock) -> None:
        chain = chain_of("before_tool_call", H("A"), H("B"))
        handlers = {"A": Handler("(hangs)"), "B": Handler({"block": "x"})}
        probes = Probes(Telemetry({"hookbus": HOOKBUS}, provider))
        await dispatch(HOOKBUS, chain, bt(), handlers, probes=probes, clock=clock)

    on_virtual_time(body)
    spans = exporter.get_finished_spans()
    told = {(span.name, str((span.attributes or {}).get("extension"))): span for span in spans}
    assert told.keys() == {("hook.emit", "None"), ("hook.handle", "A"), ("hook.handle", "B")}
    assert {key[1]: span.status.is_ok for key, span in told.items()} == {"None": True, "A": False, "B": True}
    assert dict(told["hook.emit", "None"].attributes or {}) == {"hook": "before_tool_call"}
