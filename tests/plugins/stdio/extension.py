"""An extension that does what it is told: `extension.py FOLDER SCRIPT`.

SCRIPT is JSON: a list with one entry for each process that is started, the last one for all further ones. An entry has
`init`, the acts for `initialize`, and `hooks`, a list of acts for one `hook.handle` (or `tool.call`, `info.get`, ...)
after the other, the last one for all further ones. What is received is noted in FOLDER/log, a line each.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

FOLDER, SCRIPT = Path(sys.argv[1]), json.loads(sys.argv[2])
READY = {"protocol_version": 1, "capabilities": {}}


def note(**what: object) -> None:
    with (FOLDER / "log").open("a") as log:
        log.write(json.dumps({"spawn": SPAWN, **what}) + "\n")


def spawn_number() -> int:
    count = FOLDER / "spawns"
    number = int(count.read_text()) if count.exists() else 0
    count.write_text(str(number + 1))
    return number


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def send(message: object) -> None:
    body = json.dumps(message).encode()
    write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


def receive() -> dict[str, object]:
    length = 0
    while line := sys.stdin.buffer.readline():
        if not line.strip():
            break
        length = int(line.partition(b":")[2])
    if not line:
        note(end=True)
        sys.exit(0)
    return json.loads(sys.stdin.buffer.read(length))


def with_secret(what: dict[str, object]) -> dict[str, object]:
    """The same with what it was told in confidence."""
    return json.loads(json.dumps(what).replace("<secret>", str(CONFIG.get("secret")))) if CONFIG else what


def act(what: dict[str, object], request: dict[str, object]) -> None:
    """Do one thing."""
    number = request["id"]
    for word, value in with_secret(what).items():
        match word:
            case "result":
                send({"jsonrpc": "2.0", "id": number, "result": value})
            case "error":
                send({"jsonrpc": "2.0", "id": number, "error": value})
            case "message":
                send(value)
            case "body":  # the bytes of a body, with the id where it says so
                body = str(value).replace("<id>", str(number)).encode("latin-1")
                write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            case "bytes":
                write(str(value).replace("<id>", str(number)).encode("latin-1"))
            case "repeat":
                count, text = value
                write(text.encode("latin-1") * count)
            case "echo":
                send({"jsonrpc": "2.0", "id": number, "result": request["params"]})
            case "stderr":
                os.write(2, str(value).encode("latin-1"))
            case "flood":
                for _ in range(int(value)):
                    os.write(2, b"x" * 99 + b"\n")
            case "sleep":
                time.sleep(float(value))
            case "wait":  # until a file is there
                while not (FOLDER / str(value)).exists():
                    time.sleep(0.005)
            case "receive":  # answers to requests of its own
                for _ in range(int(value)):
                    note(got=receive())
            case "exit":
                os._exit(int(value))
            case "kill":
                os.kill(os.getpid(), int(value))
            case "close":
                os.close(int(value))
            case "hang":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                while True:
                    time.sleep(3600)
            case "child":
                child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
                note(child=child.pid)
            case "environment":
                send({"jsonrpc": "2.0", "id": number, "result": {"environment": dict(os.environ), "cwd": os.getcwd()}})
            case "arguments":
                send({"jsonrpc": "2.0", "id": number, "result": sys.argv[3:]})
            case _:
                raise AssertionError(word)


SPAWN = spawn_number()
PLAY = SCRIPT[min(SPAWN, len(SCRIPT) - 1)]
note(pid=os.getpid())
CONFIG = {}
hooks = list(PLAY.get("hooks", [{"result": {"action": "continue"}}]))
while True:
    request = receive()
    note(id=request.get("id"), method=request.get("method"), params=request.get("params"))
    match request.get("method"):
        case "initialize":
            CONFIG = request["params"]["config"]
            act(PLAY.get("init", {"result": READY}), request)
        case "shutdown":
            act(PLAY.get("shutdown", {"result": None, "exit": 0}), request)
        case "info.get" if "info" in PLAY:
            act(PLAY["info"], request)
        case _:
            act(hooks.pop(0) if len(hooks) > 1 else hooks[0], request)
