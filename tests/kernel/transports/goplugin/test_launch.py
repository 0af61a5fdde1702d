"""Starting a plugin: it comes up, or a sentence says why not and nothing of it is left."""

import asyncio
import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_runs import Heard, call, is_running, names_in, processes_mentioning, reach, running, until

from kernel.errors import LaunchError
from kernel.reach import GoPlugin
from kernel.transports.goplugin import start


async def refusal(how: GoPlugin, *, heard: Heard | None = None) -> LaunchError:
    """The error with which a start fails."""
    with pytest.raises(LaunchError) as caught:
        await start("it", how, on_output=Heard() if heard is None else heard)
    return caught.value


@pytest.mark.parametrize(
    ("arguments", "sentence", "printed"),
    [
        (("exit", "3"), "it exited with code 3 before its handshake line", "I have my reasons"),
        (("exit", "0"), "it exited with code 0 before its handshake line", "I have my reasons"),
        (("kill itself", "11"), "it was killed by signal 11 (SIGSEGV) before its handshake line", ""),
        (("say nothing",), "after 1 s it still has printed no handshake line", "thinking"),
        (("close stdout",), "after 1 s it still has printed no handshake line", ""),
        (("say", "hello"), "it printed 'hello' where the handshake line belongs", ""),
        (("say", ""), "it printed '' where the handshake line belongs", ""),
        (("say", "starting\n1|1|unix|/s|grpc|"), "it printed 'starting' where the handshake line belongs", ""),
        (("say and exit", "usage: x"), "it printed 'usage: x' where the handshake line belongs", ""),
        (("say without end",), "its first line is longer than 4096 bytes", ""),
        (("say", "2|1|unix|/s|grpc|"), "it speaks core protocol 2", ""),
        (("say", "1|2|unix|/s|grpc|"), "it serves protocol version '2', and version 1 is asked", ""),
        (("say", "1|1|unix|/s"), "no protocol, which means net/rpc", ""),
        (("say", "1|1|unix|/s|netrpc|"), "its handshake names 'netrpc'", ""),
        (("say", "1|1|carrier pigeon|/s|grpc|"), "names the network 'carrier pigeon'", ""),
        (("say", "1|1|tcp|192.0.2.1:10000|grpc|"), "not a loopback address", ""),
        (("say", "1|1|unix|/nonexistent/socket|grpc|"), "no connection to unix:/nonexistent/socket", ""),
        (("say", "1|1|tcp|127.0.0.1:1|grpc|"), "no connection to ipv4:127.0.0.1:1", ""),
        (("say and exit", "1|1|unix|/nonexistent/socket|grpc|"), "it exited with code 4 after its handshake line", ""),
    ],
)
async def test_a_program_that_is_no_plugin_is_refused_with_a_sentence(
    arguments: tuple[str, ...], sentence: str, printed: str, tmp_path: Path
) -> None:
    """Whatever goes wrong before the first call is told, with what the program printed, and the program is gone."""
    error = await refusal(reach(*arguments, str(tmp_path), script="misbehave.py", timeout_s=1))
    assert sentence in error.message
    assert (error.subscriber, error.printed) == ("it", printed)
    assert processes_mentioning(str(tmp_path)) == []


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("say not serving", "its health service says NOT_SERVING for 'plugin', and SERVING is needed"),
        ("have no health service", "its health service does not answer for 'plugin' (UNIMPLEMENTED"),
    ],
)
async def test_a_plugin_must_say_that_it_serves(behaviour: str, sentence: str, tmp_path: Path) -> None:
    """The health service has the last word on whether a plugin is up."""
    error = await refusal(reach(behaviour, str(tmp_path), script="misbehave.py"))
    assert sentence in error.message
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("leave a socket", "no connection to unix:"),
        ("listen and no more", "after 1 s it still has not said over unix:"),
    ],
)
async def test_a_socket_where_nobody_answers_is_refused_and_removed(
    behaviour: str, sentence: str, tmp_path: Path
) -> None:
    """A plugin that failed to start leaves no socket file behind."""
    error = await refusal(reach(behaviour, str(tmp_path / "socket"), script="misbehave.py", timeout_s=1))
    assert sentence in error.message
    assert names_in(tmp_path) == []


async def test_a_file_that_a_plugin_names_as_its_socket_is_never_removed(tmp_path: Path) -> None:
    """A plugin must not be able to have us delete a file."""
    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work")
    await refusal(reach("say", f"1|1|unix|{victim}|grpc|", script="misbehave.py"))
    assert victim.read_text() == "years of work"


@pytest.mark.parametrize(
    ("mode", "content", "sentence"),
    [
        (None, "", "there is no program"),
        (0o644, "#!/bin/sh\n", "is not an executable file"),
        (0o755, "echo no shell\n", "is neither a binary for this machine nor a script"),
        (0o755, "#!/nonexistent/interpreter\n", "or the interpreter that it names is missing"),
    ],
)
async def test_what_cannot_be_run_is_named(mode: int | None, content: str, sentence: str, tmp_path: Path) -> None:
    """The system's reasons for not running a file, in words."""
    program = tmp_path / "program"
    if mode is not None:
        program.write_text(content)
        program.chmod(mode)
    error = await refusal(GoPlugin((str(program),), "/a.B/C", ("C", "c")))
    assert sentence in error.message
    assert str(program) in error.message


@pytest.mark.parametrize(
    ("argv", "cwd", "sentence"),
    [
        ((), None, "it names no program"),
        (("true",), "/nonexistent", "its working directory '/nonexistent' cannot be used"),
        (("a\0b",), None, "cannot be run: embedded null byte"),
        (("x" * 300,), None, "'" + "x" * 300 + "' cannot be run: File name too long"),
    ],
)
async def test_a_reach_that_makes_no_sense_is_refused(argv: tuple[str, ...], cwd: str | None, sentence: str) -> None:
    """Refused without a process of anybody's."""
    assert sentence in (await refusal(GoPlugin(argv, "/a.B/C", ("C", "c"), cwd=cwd))).message


async def test_a_missing_cookie_is_told_with_what_the_plugin_said() -> None:
    """A plugin that believes it was run by hand exits with 1."""
    error = await refusal(dataclasses.replace(reach(), cookie=("OTHER", "cookie")))
    assert error.message == "it exited with code 1 before its handshake line"
    assert "not run by hand" in error.printed


async def test_a_program_is_looked_up_in_the_path_and_run_in_its_folder(tmp_path: Path) -> None:
    """No shell: the first argument is a program, and the rest are arguments as they are."""
    script = tmp_path / "where-am-i"
    script.write_text('#!/bin/sh\necho "$PWD $1" >&2\n')
    script.chmod(0o755)
    env = (("PATH", f"{tmp_path}:{os.environ['PATH']}"),)
    for argv in ("where-am-i", "./where-am-i"):
        error = await refusal(GoPlugin((argv, "$HOME *"), "/a.B/C", ("C", "c"), cwd=str(tmp_path), env=env))
        assert error.printed == f"{tmp_path} $HOME *"


async def test_giving_up_on_a_start_leaves_nothing_behind(tmp_path: Path) -> None:
    """A start that is cancelled takes the process with it."""
    mark = str(tmp_path)
    starting = asyncio.create_task(start("it", reach("say nothing", mark, script="misbehave.py"), on_output=Heard()))
    await until(lambda: len(processes_mentioning(mark)) == 2)  # plugin and guard
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert processes_mentioning(mark) == []


async def test_what_is_printed_during_the_start_is_told_to_whoever_starts() -> None:
    """Nothing that a plugin prints is lost, even when it fails."""
    heard = Heard()
    await refusal(reach("exit", "3", script="misbehave.py"), heard=heard)
    assert heard == [("stderr", "I have my reasons")]


async def test_a_started_plugin_is_alive_and_leads_its_own_process_group() -> None:
    """The group is what gets killed, so nothing of ours may be in it."""
    async with running() as plugin:
        assert plugin.pid is not None
        assert (plugin.alive, plugin.exit, is_running(plugin.pid)) == (True, None, True)
        assert os.getpgid(plugin.pid) == plugin.pid
        assert os.getsid(plugin.pid) == plugin.pid


def test_a_plugin_can_be_started_in_another_thread() -> None:
    """The kernel's loop is not the main thread's, and two loops do not disturb each other."""

    def one_life() -> object:
        async def live() -> object:
            async with running() as plugin:
                return await plugin.answer(call("echo hello"))

        return asyncio.run(live())

    async def several() -> list[object]:
        return await asyncio.gather(*(asyncio.to_thread(one_life) for _ in range(3)), asyncio.to_thread(one_life))

    answers = asyncio.run(several())
    assert [getattr(answer, "body", answer) for answer in answers] == [b"hello"] * 4


def test_importing_the_transports_does_not_import_grpc() -> None:
    """gRPC costs 200 ms, which only those pay who use it."""
    code = "import sys, kernel.transports; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
