"""Whatever comes over a border, no traceback and no hang: the dialect's own verdict, a value, or a clear refusal.

Three borders: a subscriber's answer, what a person wrote, what an agent stored. `HOOKSCOPE_FUZZ=100` looks a hundred
times as long.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from dispatch_runs import Told, on_virtual_time
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pluggable_answers import ACK, ALLOW, ANSWERS, DENY, hand_back
from pluggable_messages import ANY_JSON, messages, payloads
from session_files import Agent, write_session

from debugger import payloads as written
from debugger.fact_json import to_json
from debugger.fire import report
from debugger.state import Request, records
from debugger.state import report as state_report
from debugger.trace import Trace
from kernel import Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.dialects import load_setup
from kernel.dialects.pluggable import Pluggable
from kernel.dialects.pluggable.events import KINDS
from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import POINTS, Mode
from kernel.dialects.pluggable.rules import RULES
from kernel.dialects.pluggable.state import SessionFile
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_response_pb2, types_pb2
from kernel.errors import BadInput
from kernel.facts import Replied, Resolved
from kernel.transports.stub import Stub
from kernel.values import Ending, Result

DEPTH = float(os.environ.get("HOOKSCOPE_FUZZ", "1"))
LABELS = [point.label for point in POINTS]
Response = rpc_response_pb2.DispatchHookResponse


def fuzzed(examples: int) -> settings:
    """So many examples, times the depth that was asked for."""
    return settings(
        max_examples=max(1, int(examples * DEPTH)),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    )


if DEPTH > 1:
    pytestmark = pytest.mark.timeout(int(120 * DEPTH))


@st.composite
def mutated(draw: st.DrawFn, whole: bytes, bits: tuple[bytes, ...] = (b"\x00", b"\xff" * 9 + b"\x01")) -> bytes:
    """Bytes with a few things done to them: cut, doubled, overwritten, something else put in."""
    data = whole
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 4]))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        match draw(st.sampled_from(["cut", "double", "overwrite", "insert", "end", "flip"])):
            case "cut":
                data = data[:start] + data[end:]
            case "double":
                data = data[:end] + data[start:]
            case "overwrite":
                data = data[:start] + draw(st.binary(min_size=end - start, max_size=end - start)) + data[end:]
            case "insert":
                data = data[:start] + draw(st.sampled_from(bits) | st.binary(max_size=4)) + data[start:]
            case "end":
                data = data[:start]
            case _ if start < len(data):
                data = data[:start] + bytes([data[start] ^ 1 << draw(st.integers(0, 7))]) + data[start + 1 :]
    return data


# -- answers -----------------------------------------------------------------------------------------------------


@st.composite
def answers(draw: st.DrawFn, given_payload: HookPayload) -> bytes:
    """From the proper to the absurd: named answers, the same with bytes changed, any message, any bytes."""
    request = given_payload.request(draw(st.sampled_from(Mode)))
    named = draw(st.sampled_from(sorted(set(ANSWERS) - {"nothing", "struct keys reordered"})))
    with suppress(IndexError):  # an edit that this payload has no room for
        proper = ANSWERS[named](request) or b""
        match draw(st.sampled_from(["named", "mutated", "any bytes", "any message", "same", "other payload"])):
            case "named":
                return proper
            case "mutated":
                return draw(
                    mutated(draw(st.sampled_from([proper, hand_back(given_payload.message), ALLOW, DENY, ACK])))
                )
            case "any bytes":
                return draw(st.binary(max_size=60))
            case "any message":
                return draw(messages(Response.DESCRIPTOR)).SerializeToString()
            case "same":
                return hand_back(given_payload.message)
            case _:
                return hand_back(draw(payloads()).message)
    return b""


def passes(mode: Mode, before: events_pb2.HookPayload, answer: bytes) -> bool:
    """Whether the chain goes on after an answer: the rules of spec B.3 to B.5, written down a second time."""
    if mode is Mode.OBSERVE:
        return True
    try:
        response = Response.FromString(answer)
    except DecodeError:
        return False
    if response.WhichOneof("outcome") != mode:
        return False
    if mode is Mode.VETO:
        return bool(response.veto.decision == types_pb2.HOOK_DECISION_ALLOW)
    kept, changed = events_pb2.HookPayload(), events_pb2.HookPayload()
    kept.CopyFrom(before)
    changed.CopyFrom(response.transform.payload)
    if kept.WhichOneof("payload") == "pre_model_call" == changed.WhichOneof("payload"):
        del kept.pre_model_call.messages[:]
        del changed.pre_model_call.messages[:]
    return bool(kept == changed)


@st.composite
def dispatches(draw: st.DrawFn) -> tuple[HookPayload, list[tuple[Mode, bytes]], bool]:
    """A payload, who is asked about it and what they answer, and whether observers may be asked together."""
    payload = Pluggable().sample_payload(draw(st.sampled_from(LABELS)), draw(st.integers(0, 20)))
    if draw(st.integers(0, 4)) == 0:
        payload = draw(payloads())
    modes = draw(st.lists(st.sampled_from(Mode), min_size=1, max_size=4))
    return payload, [(mode, draw(answers(payload))) for mode in modes], draw(st.booleans())


@given(dispatches())
@fuzzed(500)
def test_any_answer_gets_the_verdict_of_the_dialect(run: tuple[HookPayload, list[tuple[Mode, bytes]], bool]) -> None:
    """A whole dispatch: who says yes is passed, the first no is the decision, and every step has a named rule.

    What the command line prints about it can be made, too.
    """
    payload, seats, parallel = run
    names = [f"s{number}" for number in range(len(seats))]
    subscriptions = [
        Subscription(name, payload.point, mode, 1000) for name, (mode, _) in zip(names, seats, strict=True)
    ]
    chain = Chain(payload.point, tuple(subscriptions))
    stubs = {name: Stub(lambda _, body=answer: body) for name, (_, answer) in zip(names, seats, strict=True)}
    dialect, told, trace = Pluggable(concurrent_observe=parallel), Told(), Trace()

    class Keeper:
        see = staticmethod(trace.take)

    async def body(clock: VirtualClock) -> Result:
        return await dispatch(dialect, chain, payload, stubs, probes=Probes(told, Keeper()), clock=clock)

    result = on_virtual_time(body)
    judge(payload, dict(zip(names, seats, strict=True)), told, result)
    for event in told.events:
        msgspec.json.encode(to_json(event, dialect))
    assert all(line.text.isprintable() for line in report(trace.dispatches[0], dialect))


def judge(payload: HookPayload, seats: dict[str, tuple[Mode, bytes]], told: Told, result: Result) -> None:
    """Hold a dispatch against the rules, step by step."""
    current, stopped_by = payload.message, ""
    verdicts = [fact for fact in told.facts if isinstance(fact, Resolved)]
    assert all(fact.rule in RULES for fact in verdicts)
    for name, (mode, answer) in seats.items():
        verdict = next((fact for fact in verdicts if fact.subscription.name == name), None)
        if stopped_by:
            assert verdict is None, "nobody is asked after the end"
            continue
        assert verdict is not None
        if not passes(mode, current, answer):
            stopped_by = name
        elif mode is Mode.TRANSFORM:
            current = Response.FromString(answer).transform.payload
    assert [fact for fact in told.facts if isinstance(fact, Replied)]
    if not stopped_by:
        assert (result.ending, result.decision, result.decided_by) == (Ending.FINISHED, "allow", "")
    elif seats[stopped_by][0] is Mode.VETO:
        assert (result.ending, result.decision, result.decided_by) == (Ending.FINISHED, "deny", stopped_by)
    else:
        assert (result.ending, result.decision, result.payload) == (Ending.ABORTED, "unspecified", None)
    if result.payload is not None:
        assert isinstance(result.payload, HookPayload)
        assert result.payload.is_like(current)


# -- what a person wrote -----------------------------------------------------------------------------------------

AGENT = """\
required_providers {
  gate = { source = "x/gate", version = "~> 1.0" }
}
provider "gate" {
  env = { TOKEN = env("HOME"), LEVEL = "debug" }
  note = <<-END
    two $${lines}
    END
}
settings {
  default_frontend = "tui"
  log_level = "info"
  telemetry = true
  default_hook_timeout_ms = 250
}
hook "plan-ready" {
  provider = "gate"  # the only one
  mode = "veto"
  timeout_ms = 1.5e2
}
policy "reads" {
  match = { kind = "data_source" }
  action = "allow"
}
agent_profile "a" {
  tools = ["gate.*"]
}
"""
OVERRIDES = 'dev_overrides {\n  gate = ["python", "gate.py"]\n  other = "./bin/other"\n}\n'
HCL_BITS = (
    b'"', b"${", b"%{", b"}", b"{", b"[", b"]", b"=", b"\n", b"<<E\n", b"<<-", b"/*", b"*/", b"#", b"//", b"\\",
    b"\\u00", b"null", b"1e999", b"-", b"env(", b'env("HOME")', b")", b"...", b" ? : ", b"hook", b'provider "x" {}',
    b"\xef\xbb\xbf", b"\xff", b"\xf0\x9f\x98\x80", b"\r\n", b"timeout_ms", b"9" * 40, b"for", b"veto", b"\x00",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for every example; each writes all of its files."""
    return tmp_path_factory.mktemp("fuzz")


LINES = tuple(f"{line}\n".encode() for line in AGENT.splitlines())


@st.composite
def hcl(draw: st.DrawFn, proper: bytes) -> bytes:
    """Now and then the proper text, mostly the same with something done to it, and what never was any."""
    match draw(st.sampled_from(["proper", "mutated", "mutated", "mutated", "lines", "bits", "bytes"])):
        case "proper":
            return proper
        case "mutated":
            return draw(mutated(proper, HCL_BITS))
        case "lines":
            return b"".join(draw(st.permutations(LINES))[: draw(st.integers(0, len(LINES)))])
        case "bits":
            return b" ".join(draw(st.lists(st.sampled_from(HCL_BITS + LINES), max_size=12)))
        case _:
            return draw(st.binary(max_size=60))


def test_what_is_fuzzed_begins_as_something_proper(folder: Path, stored: tuple[bytes, bytes]) -> None:
    """Otherwise the first mistake would hide all others."""
    (folder / "agent.hcl").write_text(AGENT)
    (folder / "config.hcl").write_text(OVERRIDES)
    assert len(load_setup(folder).chains["plan-ready"].subscriptions) == 1
    put(folder / "fuzzed.sqlite", *stored)
    assert read_whole(folder / "fuzzed.sqlite") == 14


@given(hcl(AGENT.encode()), st.one_of(st.just(OVERRIDES.encode()), hcl(OVERRIDES.encode())), st.booleans())
@fuzzed(400)
def test_any_configuration_is_a_setup_or_bad_input(
    folder: Path, agent: bytes, overrides: bytes, by_folder: bool
) -> None:
    """Whole files and half ones. What is refused names the file, and a place in it that an editor can go to."""
    (folder / "agent.hcl").write_bytes(agent)
    (folder / "config.hcl").write_bytes(overrides)
    try:
        setup = load_setup(folder if by_folder else folder / "agent.hcl")
    except BadInput as error:
        refused = error
    else:
        assert tuple(setup.chains) == setup.dialect.points
        return
    assert refused.message
    assert "\n" not in str(refused)
    if (place := refused.place) is not None:
        text = Path(place.file).read_bytes().decode("utf-8", "replace")
        assert 1 <= place.line <= text.count("\n") + 1
        assert 1 <= place.column <= len(text) + 1


@given(st.sampled_from(LABELS), ANY_JSON)
@fuzzed(250)
def test_any_json_is_a_payload_or_bad_input_with_a_path(point: str, view: object) -> None:
    """Whatever a person hands in; what is taken can be shown and sent."""
    text = json.dumps(view).encode()
    refused = refusal_of_payload(point, text)
    says_where = ("$", "input:", "a payload is a JSON object", "not JSON")
    assert refused is None or any(said in refused for said in says_where)


@given(st.data())
@fuzzed(250)
def test_any_text_is_a_payload_or_bad_input_with_a_place(data: st.DataObject) -> None:
    """A payload with a few bytes changed, and bytes that never were one."""
    point = data.draw(st.sampled_from(LABELS))
    text = written.generated(None, point, data.draw(st.integers(0, 9))).encode()
    bits = (b"null", b"{", b"}", b"[", b'"', b":", b",", b"1e999", b"\xff", b"\\ud800", b'"#1": 1,', b'"$value": 0,')
    refused = refusal_of_payload(point, data.draw(mutated(text, bits) | st.binary(max_size=40)))
    assert refused is None or refused.startswith("input:")


def refusal_of_payload(point: str, text: bytes) -> str | None:
    """Why a text is no payload; None if it is one."""
    dialect = Pluggable()
    try:
        payload = written.parse(dialect, point, text, "input")
    except BadInput as error:
        return str(error)
    assert dialect.payload_from_view(point, payload.view) == dialect.payload_from_body(point, payload.body)
    return None


# -- what an agent stored ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(folder: Path) -> tuple[bytes, bytes]:
    """A session as its file, and its newest part as the WAL that an agent left behind when it was killed."""
    agent = Agent(write_session(folder / "s.sqlite"))
    agent.event("plan", {"plan": {}})
    both = agent.path.read_bytes(), Path(f"{agent.path}-wal").read_bytes()
    agent.close()
    return both


def read_whole(path: Path) -> int:
    """Everything that the command prints, both ways; how many events there were."""
    with SessionFile.open(path, wait_s=0.0) as session:
        request = Request(path, None, None, False)
        assert all(line.text.isprintable() for line in state_report(session, request))
        return sum(each["record"] == "event" for each in map(sound, records(session, request)))


def sound(record: dict[str, object]) -> dict[str, object]:
    return msgspec.json.decode(msgspec.json.encode(record))  # type: ignore[no-any-return]


def put(path: Path, file: bytes, wal: bytes | None) -> None:
    for ending in ("-wal", "-shm", "-journal"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    path.write_bytes(file)
    if wal is not None:
        Path(f"{path}-wal").write_bytes(wal)


@given(st.data())
@fuzzed(400)
def test_any_bytes_are_a_session_or_bad_input(folder: Path, stored: tuple[bytes, bytes], data: st.DataObject) -> None:
    """Arbitrary ones, and a session or its WAL with a few bytes changed. The file stays as it is, whatever is in it."""
    path = folder / "fuzzed.sqlite"
    file, wal = stored
    what = data.draw(st.sampled_from(["bytes", "file", "page", "wal"]))
    match what:
        case "bytes":
            put(
                path,
                data.draw(st.binary(max_size=200) | st.binary(max_size=200).map(lambda end: file[:100] + end)),
                None,
            )
        case "file":
            put(path, data.draw(mutated(file)), None)
        case "page":  # where it stays one for SQLite: bytes inside of pages, none inserted
            start = data.draw(st.integers(0, len(file) - 9))
            put(path, file[:start] + data.draw(st.binary(min_size=1, max_size=9)) + file[start + 9 :], wal)
        case _:
            put(path, file, data.draw(mutated(wal)))
    before = path.read_bytes()
    try:
        read_whole(path)
    except BadInput as error:
        refused = str(error)
    else:
        refused = ""
    assert not refused or refused.startswith((str(path), "ErrSchemaTooNew"))
    assert refused.isprintable()
    assert path.read_bytes() == before


@pytest.fixture(scope="module")
def blank(folder: Path) -> bytes:
    """A session without events, which writes without a WAL."""
    agent = Agent(folder / "blank.sqlite", journal="DELETE")
    agent.close()
    return agent.path.read_bytes()


CELLS = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=5) | st.binary(max_size=30)


@given(
    st.lists(st.tuples(st.sampled_from(KINDS) | CELLS, st.sampled_from(["1", "v1"]) | CELLS, CELLS, CELLS), max_size=4)
)
@fuzzed(150)
def test_any_row_is_an_event(folder: Path, blank: bytes, rows: list[tuple[object, object, object, object]]) -> None:
    """SQLite lets any column hold anything; as long as the file is sound every row is shown."""
    path = folder / "rows.sqlite"
    put(path, blank, None)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    kept = 0
    for number, (kind, version, payload, other) in enumerate(rows):
        with suppress(sqlite3.IntegrityError):  # NULL
            database.execute(
                "INSERT INTO events (id, timestamp, kind, producer_category, producer_name, producer_version,"
                " schema_version, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (str(number), other, kind, other, other, other, version, payload),
            )
            kept += 1
    database.close()
    assert read_whole(path) == kept
