"""A pluggable plugin in fifteen lines of Python."""

import sys
from pathlib import Path

import pytest
from pluggable_answers import ACK, ALLOW, DENY, given, hand_back, user_message
from pluggable_payloads import payload
from plugin_runs import ROOT, Heard, call

from kernel.dialects.pluggable.plugin import Plugin
from kernel.dialects.pluggable.points import BY_LABEL, COOKIE, METHOD, POINTS, Mode
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_request_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1.events_pb2 import (
    PlanReadyPayload,
    PostToolCallPayload,
    PreModelCallPayload,
)
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1.rpc_response_pb2 import DispatchHookResponse
from kernel.reach import GoPlugin
from kernel.serving import Refused
from kernel.transports.goplugin import start
from kernel.values import Answered, Failed


def request(mode: Mode | int, point: str) -> bytes:
    """A request as a host sends it."""
    number = mode.number if isinstance(mode, Mode) else mode
    about = events_pb2.HookPayload.FromString(payload(point).body)
    return rpc_request_pb2.DispatchHookRequest(payload=about, mode=number).SerializeToString()


def test_a_transform_edits_the_payload_in_place() -> None:
    """What it leaves in the message is what it hands back."""
    plugin = Plugin("p")

    @plugin.transform("pre-model-call")
    def add(about: PreModelCallPayload) -> None:
        about.messages.append(user_message("x"))

    asked = request(Mode.TRANSFORM, "pre-model-call")
    expected = given(asked)
    expected.pre_model_call.messages.append(user_message("x"))
    assert plugin.answer(asked) == hand_back(expected)


def test_a_transform_may_return_another_payload() -> None:
    """Whatever it returns replaces what it was given."""
    plugin = Plugin("p")

    @plugin.transform("pre-model-call")
    def replace(about: PreModelCallPayload) -> PreModelCallPayload:
        return PreModelCallPayload(messages=[user_message("y")], model=about.model)

    asked = request(Mode.TRANSFORM, "pre-model-call")
    expected = given(asked)
    del expected.pre_model_call.messages[:]
    expected.pre_model_call.messages.append(user_message("y"))
    assert plugin.answer(asked) == hand_back(expected)


@pytest.mark.parametrize("point", [point.label for point in POINTS])
def test_a_payload_that_is_not_touched_comes_back_as_it_was(point: str) -> None:
    """At every point, unknown fields included."""
    plugin = Plugin("p")

    @plugin.transform(*BY_LABEL)
    def nothing(about: PreModelCallPayload) -> None: ...

    asked = rpc_request_pb2.DispatchHookRequest.FromString(request(Mode.TRANSFORM, point))
    asked.payload.MergeFromString(bytes.fromhex("980601"))
    answer = DispatchHookResponse.FromString(plugin.answer(asked.SerializeToString()))
    assert answer.transform.payload == asked.payload


@pytest.mark.parametrize(("verdict", "answer"), [(True, ALLOW), (False, DENY)])
def test_a_veto_says_true_or_false(verdict: bool, answer: bytes) -> None:
    """True allows, False denies."""
    plugin = Plugin("p")

    @plugin.veto("plan-ready")
    def judge(about: PlanReadyPayload) -> bool:
        return verdict

    assert plugin.answer(request(Mode.VETO, "plan-ready")) == answer


def test_a_veto_that_forgets_to_answer_does_not_allow() -> None:
    """None is falsy, but it is an accident and no verdict."""
    plugin = Plugin("p")
    plugin.veto("plan-ready")(lambda about: None)  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="True or False, not None"):
        plugin.answer(request(Mode.VETO, "plan-ready"))


def test_a_transform_that_returns_something_else_is_an_accident() -> None:
    """The payload of another point, for example."""
    plugin = Plugin("p")
    plugin.transform("pre-model-call")(lambda about: PostToolCallPayload())  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="returns a PreModelCallPayload or None"):
        plugin.answer(request(Mode.TRANSFORM, "pre-model-call"))


def test_an_observer_looks_and_changes_nothing() -> None:
    """It may be at several points, beside a function of another mode."""
    plugin = Plugin("p")
    seen = []

    @plugin.observe("pre-model-call", "plan-ready")
    def note(about: PreModelCallPayload | PlanReadyPayload) -> None:
        seen.append(type(about).__name__)

    plugin.veto("plan-ready")(lambda about: True)
    assert plugin.answer(request(Mode.OBSERVE, "pre-model-call")) == ACK
    assert plugin.answer(request(Mode.OBSERVE, "plan-ready")) == ACK
    assert seen == ["PreModelCallPayload", "PlanReadyPayload"]


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        (request(Mode.VETO, "pre-model-call"), "UNIMPLEMENTED", "p does not veto at pre-model-call"),
        (request(Mode.OBSERVE, "session-end"), "UNIMPLEMENTED", "p does not observe at session-end"),
        (request(0, "plan-ready"), "INVALID_ARGUMENT", "no known mode"),
        (request(9, "plan-ready"), "INVALID_ARGUMENT", "no known mode"),
        (b"", "INVALID_ARGUMENT", "no payload"),
        (b"\xff", "INVALID_ARGUMENT", "not a DispatchHookRequest"),
    ],
)
def test_a_request_that_nobody_handles_is_refused(asked: bytes, code: str, message: str) -> None:
    """With the status that says whose mistake it is."""
    plugin = Plugin("p")
    plugin.transform("pre-model-call")(lambda about: None)
    with pytest.raises(Refused) as refusal:
        plugin.answer(asked)
    assert refusal.value.code == code
    assert message in refusal.value.message


def test_mistakes_of_its_author_show_at_once() -> None:
    """A point that does not exist, or a seat that is taken."""
    plugin = Plugin("p")
    with pytest.raises(ValueError, match="no point 'pre-model'; there are session-start, "):
        plugin.observe("pre-model")(lambda about: None)
    plugin.veto("plan-ready")(lambda about: True)
    with pytest.raises(ValueError, match="already has a function to veto at plan-ready"):
        plugin.veto("plan-ready")(lambda about: True)


async def test_it_serves_as_a_real_plugin(tmp_path: Path) -> None:
    """The whole of it: written to a file, run by a host, asked over the wire."""
    script = tmp_path / "sample"
    script.write_text(SAMPLE)
    reach = GoPlugin((sys.executable, str(script)), METHOD, COOKIE, env=(("PYTHONPATH", str(ROOT)),))
    plugin = await start("sample", reach, on_output=Heard())
    try:
        denied = await plugin.answer(call(request(Mode.VETO, "plan-ready"), heard=(heard := Heard())))
        assert (denied, heard) == (Answered(DENY), [("stdout", "judging")])
        missing = await plugin.answer(call(request(Mode.VETO, "pre-tool-call")))
        assert missing == Failed("UNIMPLEMENTED", "sample does not veto at pre-tool-call")
        accident = await plugin.answer(call(request(Mode.OBSERVE, "plan-ready")))
        assert accident == Failed("INTERNAL", "division by zero")
    finally:
        await plugin.stop()
    assert plugin.exit == "exited with code 0"


SAMPLE = """
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("sample")

@plugin.veto("plan-ready")
def judge(payload) -> bool:
    print("judging")
    return False

@plugin.observe("plan-ready")
def note(payload) -> None:
    1 / 0

if __name__ == "__main__":
    plugin.serve()
"""
