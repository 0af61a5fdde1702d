"""An extension that does the words it is given: the first for its first process, the last for every later one.

A process knows which one it is by the number of its first request: those count on over all processes.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any]:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        length = int(line.partition(b":")[2])
    if not line:
        sys.exit(0)
    found: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return found


def environment() -> str:
    """What of our environment is more than a host may pass on, and where we are."""
    with open("/proc/self/environ", "rb") as file:
        names = {each.partition(b"=")[0].decode() for each in file.read().split(b"\0") if each}
    beyond = names - {"PATH", "HOME", "LANG", "TERM", "XDG_RUNTIME_DIR"}
    return f"beyond: {', '.join(sorted(beyond)) or 'nothing'}; in {os.path.basename(os.getcwd())}"


def handle(word: str, request: dict[str, Any]) -> None:
    number, go_on = request["id"], {"action": "continue"}
    match word:
        case "exit":
            os._exit(3)
        case "silence":
            pass
        case "text id":
            send({"id": str(number), "result": {"action": "block", "reason": "nobody waits for this"}})
        case "error":
            send({"id": number, "error": {"code": -32000, "message": "out of order"}})
        case "blank line":
            write(b"\n")
            send({"id": number, "result": go_on})
        case "length abc":
            write(b"Content-Length: abc\r\n\r\n{}")
        case "length -1":
            write(b"Content-Length: -1\r\n\r\n{}")
        case "too long":
            write(b"Content-Length: 4194305\r\n\r\n{}")
        case "not json":
            write(b"Content-Length: 3\r\n\r\n{1}")
        case "append":
            send({"id": 7, "method": "memory.append", "params": {"namespace": "A", "content": "x"}})
            told = receive()
            send({"id": number, "result": {"action": "block", "reason": f"{told['id']}: {told['error']['code']}"}})
        case "environment":
            send({"id": number, "result": {"action": "block", "reason": environment()}})
        case _:
            send({"id": number, "result": json.loads(word)})


def main(words: list[str]) -> None:
    word = words[-1]
    while True:
        request = receive()
        match request["method"]:
            case "initialize":
                word = words[0] if request["id"] == 1 else words[-1]
                tool = {"name": "t", "description": "does nothing", "input_schema": {"type": "object"}}
                ready = {"protocol_version": 1, "capabilities": {"tools": [tool]} if word == "registers" else {}}
                send({"id": request["id"], "result": {"action": "continue"} if word == "no handshake" else ready})
            case "shutdown":
                send({"id": request["id"], "result": None})
                return
            case _:
                handle(word, request)


if __name__ == "__main__":
    main(sys.argv[1:])
