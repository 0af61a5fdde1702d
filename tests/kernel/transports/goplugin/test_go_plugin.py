"""A plugin built with the library that real plugins are built with: the transport is right if this works."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pluggable_answers import ACK, DENY, given, user_message
from pluggable_payloads import payload
from plugin_runs import PLUGINS, ROOT, Heard, call, until

from kernel.dialects.pluggable.points import COOKIE, METHOD, Mode
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_request_pb2, rpc_response_pb2
from kernel.errors import LaunchError
from kernel.faults import Hang, Late
from kernel.reach import GoPlugin
from kernel.transports.goplugin import GoPluginSubscriber, start
from kernel.values import Answered, Crashed, Failed

PROTO = ROOT / "kernel" / "dialects" / "pluggable" / "wire" / "proto"
LIBRARIES = Path("/usr/share/gocode")  # where Debian's golang-*-dev packages put their sources
TOOLS = ("go", "protoc", "protoc-gen-go", "protoc-gen-go-grpc")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The built plugin: once a session, and quick where Go's own cache is warm."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if not (LIBRARIES / "src" / "github.com" / "hashicorp" / "go-plugin").is_dir():
        missing.append("golang-github-hashicorp-go-plugin-dev")
    if missing:
        pytest.skip(f"no real Go plugin can be built here: {', '.join(missing)} missing")
    workspace = tmp_path_factory.mktemp("go")
    source = workspace / "src" / "plugin"
    source.mkdir(parents=True)
    shutil.copy(PLUGINS / "goplugin" / "main.go", source)
    protos = [str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto")]
    out = str(workspace / "src")
    subprocess.run(["protoc", "-I", str(PROTO), f"--go_out={out}", f"--go-grpc_out={out}", *protos], check=True)
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": f"{workspace}:{LIBRARIES}", "GOFLAGS": ""}
    subprocess.run(["go", "build", "-o", str(workspace / "plugin"), "."], cwd=source, env=environment, check=True)
    return str(workspace / "plugin")


@asynccontextmanager
async def live(program: str) -> AsyncIterator[GoPluginSubscriber]:
    plugin = await start("go", GoPlugin((program,), METHOD, COOKIE), on_output=Heard())
    try:
        yield plugin
    finally:
        await plugin.stop()


def request(mode: Mode, point: str = "pre-model-call", text: str = "hello") -> bytes:
    """A request as a host sends it."""
    about = events_pb2.HookPayload.FromString(payload(point).body)
    if point == "pre-model-call":
        about.pre_model_call.messages.append(user_message(text))
    return rpc_request_pb2.DispatchHookRequest(payload=about, mode=mode.number).SerializeToString()


async def test_it_answers_in_every_mode(program: str) -> None:
    """Observe, transform and veto over the real library."""
    async with live(program) as plugin:
        assert await plugin.answer(call(request(Mode.OBSERVE))) == Answered(ACK)
        assert await plugin.answer(call(request(Mode.VETO, "plan-ready"))) == Answered(DENY)
        asked = request(Mode.TRANSFORM)
        outcome = await plugin.answer(call(asked))
    assert isinstance(outcome, Answered)
    messages = rpc_response_pb2.DispatchHookResponse.FromString(outcome.body).transform.payload.pre_model_call.messages
    before = given(asked).pre_model_call.messages
    assert list(messages)[:-1] == list(before)
    assert messages[-1].content[0].text.text == "hello"


async def test_its_log_is_told_under_the_call_it_belongs_to(program: str) -> None:
    """Its logger writes JSON lines; the line says whether the plugin knew a deadline."""
    async with live(program) as plugin:
        for ms, knows in ((None, False), (5000, True)):
            await plugin.answer(call(request(Mode.OBSERVE), ms=ms, heard=(heard := Heard())))
            (line,) = heard.lines("stderr")
            told = json.loads(line)
            assert (told["@message"], told["mode"], told["deadline"]) == ("asked", "HOOK_MODE_OBSERVE", knows)


async def test_its_status_and_its_death_are_told_apart(program: str) -> None:
    """A refusal is a status; a process that exits has crashed."""
    async with live(program) as plugin:
        outcome = await plugin.answer(call(request(Mode.TRANSFORM, text="fail")))
        assert outcome == Failed("FAILED_PRECONDITION", "told to fail")
        crashed = await plugin.answer(call(request(Mode.TRANSFORM, text="crash"), heard=(heard := Heard())))
        assert crashed == Crashed("exited with code 3")
        assert json.loads(heard.lines("stderr")[0])["@message"] == "asked"


async def test_faults_befall_it_as_any_other_plugin(program: str) -> None:
    """The relay speaks to the real library, too."""
    async with live(program) as plugin:
        assert await plugin.answer(call(request(Mode.OBSERVE), far_side=Late(5))) == Answered(ACK)
        hanging = asyncio.create_task(plugin.answer(call(request(Mode.OBSERVE), far_side=Hang())))
        assert await plugin.answer(call(request(Mode.OBSERVE))) == Answered(ACK)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging


async def test_asked_to_shut_down_it_exits_with_0(program: str) -> None:
    """The call that asks for it usually ends as UNAVAILABLE, which is success."""
    async with live(program) as plugin:
        pass
    assert plugin.exit == "exited with code 0"


async def test_without_the_cookie_it_exits_with_1(program: str) -> None:
    """And says on stderr that it is a plugin."""
    with pytest.raises(LaunchError) as caught:
        await start("go", GoPlugin((program,), METHOD, ("WRONG", "cookie")), on_output=Heard())
    assert caught.value.message == "it exited with code 1 before its handshake line"
    assert "plugin" in caught.value.printed


async def test_killed_it_leaves_no_socket_behind(program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The library does not tidy up after a crash, so its host does."""
    folder = tmp_path / "t"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    async with live(program) as plugin:
        assert len(os.listdir(folder)) == 1
        assert plugin.pid is not None
        os.kill(plugin.pid, signal.SIGKILL)
        await until(lambda: not plugin.alive)
    assert os.listdir(folder) == []
