"""Claims about made-up payloads: every point has one, the same each time, and it keeps every rule of the contract."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.points import POINTS, Mode
from kernel.dialects.pluggable.resolve import resolve
from kernel.dialects.pluggable.samples import sample
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_response_pb2
from kernel.dialects.pluggable.wire.pluggableharness.plan.v1 import types_pb2 as plan
from kernel.dialects.pluggable.wire.pluggableharness.session.v1 import types_pb2 as session
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import types_pb2 as tool
from kernel.errors import BadInput
from kernel.values import Answered

LABELS = [point.label for point in POINTS]
SEEDS = range(60)
OUTCOMES = plan.ApplyResult
WITHOUT_RESULT = (OUTCOMES.APPLY_OUTCOME_DENIED, OUTCOMES.APPLY_OUTCOME_SKIPPED)
CROCKFORD = frozenset("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def missing(message: Message, path: str) -> Iterator[str]:
    """Members that the contract asks for and that a message does not set.

    Everything that is neither `optional` nor one of a choice has to say something; of a choice exactly one member is
    set; only truth values may be what they are by default.
    """
    if message.DESCRIPTOR.file.package == "google.protobuf":
        return
    present = {field.name for field, _ in message.ListFields()}
    for field in message.DESCRIPTOR.fields:
        if field.containing_oneof is None and field.type != FieldDescriptor.TYPE_BOOL and field.name not in present:
            yield f"{path}.{field.name}"
    for oneof in message.DESCRIPTOR.oneofs:
        if len(oneof.fields) > 1 and message.WhichOneof(oneof.name) is None:
            yield f"{path}.({oneof.name})"
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for index, each in enumerate(value if field.is_repeated else [value]):
                yield from missing(each, f"{path}.{field.name}{f'[{index}]' if field.is_repeated else ''}")


def excused(payload: events_pb2.HookPayload) -> set[str]:
    """What is missing for a reason: the one who decides before there is a decision, the result of what was not done."""
    items = enumerate(payload.post_apply.apply.items)
    undone = {
        f"$.post_apply.apply.items[{number}].(result)" for number, item in items if item.outcome in WITHOUT_RESULT
    }
    is_pending = payload.pre_tool_call.plan_item.decision == plan.PLAN_DECISION_PENDING
    return undone | ({"$.pre_tool_call.plan_item.decided_by"} if is_pending else set())


ALWAYS_EXCUSED = {"$.post_model_response.usage.rate_limits", "$.post_model_response.usage.components"}
"""What only some models tell, though a repeated member cannot be called optional."""


@pytest.mark.parametrize("label", LABELS)
def test_every_point_has_a_complete_payload(label: str) -> None:
    """Whatever the seed: nothing that the contract asks for is left out, and what it asks to be left out is."""
    for seed in SEEDS:
        payload = PLUGGABLE.sample_payload(label, seed)
        assert payload.point == label
        left = set(missing(payload.message, "$")) - ALWAYS_EXCUSED
        assert left == excused(payload.message), f"seed {seed}"


@pytest.mark.parametrize("label", LABELS)
def test_a_payload_reads_as_it_is_written_and_can_come_back(label: str) -> None:
    """Through the view that a person edits, through its bytes, and in a transform's answer."""
    for seed in SEEDS:
        payload = sample(label, seed)
        assert from_view(label, payload.view) == payload
        assert PLUGGABLE.payload_from_body(label, payload.body) == payload
        response = rpc_response_pb2.DispatchHookResponse()
        response.transform.payload.CopyFrom(payload.message)
        answer = Answered(response.SerializeToString())
        assert resolve(Mode.TRANSFORM, payload, answer).rule == "PL-TRANSFORM-SAME"


def test_the_same_seed_gives_the_same_bytes() -> None:
    """Here and everywhere: a changed digest is a changed promise, and tests of other people may break."""
    both = [b"".join(sample(label, seed).body for label in LABELS for seed in SEEDS) for _ in range(2)]
    assert both[0] == both[1]
    assert hashlib.sha256(both[0]).hexdigest()[:16] == "8dfe8f0cc8f86985"
    assert len({sample("plan-ready", seed).body for seed in SEEDS}) == len(SEEDS)
    assert PLUGGABLE.sample_payload("plan-ready") == sample("plan-ready", 0)


def items(payload: HookPayload) -> list[plan.PlanItem]:
    message = payload.message
    return [*message.plan_ready.plan.items, *([message.pre_tool_call.plan_item] if payload.point == LABELS[3] else [])]


def test_kind_and_risk_go_together() -> None:
    """What only reads has no other risk, what changes something has one; a plan is made of changes (spec A.9, D.2)."""
    kinds = set()
    for seed in SEEDS:
        for label in ("pre-tool-call", "plan-ready"):
            for item in items(sample(label, seed)):
                kinds.add(item.kind)
                is_resource = item.kind == tool.TOOL_KIND_RESOURCE
                assert is_resource == (item.risk > tool.RISK_CLASS_READ_ONLY)
                assert is_resource or label == "pre-tool-call"
    assert kinds == {tool.TOOL_KIND_RESOURCE, tool.TOOL_KIND_DATA_SOURCE, tool.TOOL_KIND_INTERACTIVE}


def test_decisions_are_as_the_host_makes_them() -> None:
    """Before a call's hook nothing is decided; in a plan a policy did, which asks by default (spec C.5, D.4)."""
    seen = set()
    for seed in SEEDS:
        [pending] = items(sample("pre-tool-call", seed))
        assert pending.decision == plan.PLAN_DECISION_PENDING
        for item in items(sample("plan-ready", seed)):
            seen.add(item.decision)
            assert item.decided_by.startswith("policy:")
            assert (item.decided_by == "policy:default") <= (item.decision == plan.PLAN_DECISION_ASK)
    assert seen == {plan.PLAN_DECISION_ALLOW, plan.PLAN_DECISION_ASK, plan.PLAN_DECISION_DENY}


def test_every_outcome_that_a_host_gives_comes_up() -> None:
    """Applied, failed and denied; results and errors; nothing is skipped, as no host does that today."""
    outcomes, members, statuses = set(), set(), set()
    for seed in SEEDS:
        applied = sample("post-apply", seed).message.post_apply.apply
        outcomes |= {item.outcome for item in applied.items}
        members.add(sample("post-tool-call", seed).message.post_tool_call.WhichOneof("outcome"))
        statuses.add(sample("session-end", seed).message.session_end.status)
        assert len(applied.items) == len(items(sample("plan-ready", seed)))
    assert outcomes == {OUTCOMES.APPLY_OUTCOME_APPLIED, OUTCOMES.APPLY_OUTCOME_FAILED, OUTCOMES.APPLY_OUTCOME_DENIED}
    assert members == {"result", "error"}
    assert statuses == set(session.SessionStatus.values()) - {
        session.SESSION_STATUS_UNSPECIFIED,
        session.SESSION_STATUS_RUNNING,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_payloads_of_one_seed_tell_one_story(seed: int) -> None:
    """Ids of one point come back at the next, as in a session."""
    by_label = {label: sample(label, seed).message for label in LABELS}
    start, end = by_label["session-start"].session_start, by_label["session-end"].session_end
    call = by_label["post-tool-call"].post_tool_call.call
    assert start.session_id == end.session_id == call.call_context.session_id
    assert by_label["pre-tool-call"].pre_tool_call.call == call
    assert by_label["pre-tool-call"].pre_tool_call.plan_item.call_id == call.id
    planned, applied = by_label["plan-ready"].plan_ready.plan, by_label["post-apply"].post_apply.apply
    assert planned.turn_id == applied.turn_id == call.call_context.turn_id
    assert [item.id for item in planned.items] == [item.plan_item_id for item in applied.items]
    assert [item.call_id for item in planned.items] == [item.call_id for item in applied.items]
    history, answer = by_label["pre-model-call"].pre_model_call, by_label["post-model-response"].post_model_response
    uses = [block.tool_use for block in answer.message.content if block.HasField("tool_use")]
    assert [use.id for use in uses] == [item.call_id for item in planned.items]
    assert [use.name for use in uses] == [f"{item.provider}.{item.operation_name}" for item in planned.items]
    asked, said, given = history.messages
    assert (asked.role, said.role, given.role) == (content.ROLE_USER, content.ROLE_ASSISTANT, content.ROLE_USER)
    assert said.content[-1].tool_use.id == given.content[0].tool_result.tool_use_id
    assert history.model.provider == answer.model.name == said.produced_by_provider


def test_ids_look_like_ulids_and_sort_by_time() -> None:
    """Twenty-six characters of Crockford's alphabet, the first below 8."""
    for seed in SEEDS:
        messages = sample("pre-model-call", seed).message.pre_model_call.messages
        ids = [sample("session-start", seed).message.session_start.session_id, *(message.id for message in messages)]
        assert ids == sorted(ids)
        for each in ids:
            assert (len(each), each[0] < "8", set(each) <= CROCKFORD) == (26, True, True)


@given(st.integers())
@settings(max_examples=50, deadline=None)
def test_any_number_is_a_seed(seed: int) -> None:
    """Large and negative ones too."""
    assert sample("plan-ready", seed) == sample("plan-ready", seed)


@pytest.mark.parametrize("label", ["context-assemble", "plan_ready", ""])
def test_a_point_that_does_not_exist_is_bad_input(label: str) -> None:
    """With those that do."""
    with pytest.raises(BadInput, match=r"no point '.*'; there are session-start, "):
        PLUGGABLE.sample_payload(label)
