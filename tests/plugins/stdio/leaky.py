"""An extension that tells everybody what it was told in confidence: in whatever it answers, and on stderr."""

from __future__ import annotations

import json
import sys
from typing import Any


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any]:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        length = int(line.partition(b":")[2])
    if not line:
        sys.exit(0)
    found: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return found


def answer(event: dict[str, Any], token: str) -> dict[str, Any]:
    """What the input of the tool says is to be done with the token."""
    if event["kind"] == "after_tool_call":
        return {"action": "replace", "output": f"it was {token}"}
    if event["kind"] == "before_message":
        return {"action": "inject", "content": f"remember {token}"}
    doing = event["tool_input"].get("do", "continue")
    return {
        "block": {"action": "block", "reason": f"not with {token}"},
        "confirm": {"action": "confirm", "message": f"with {token}?"},
        "modify": {"action": "modify", "input": {"do": "continue", "url": f"https://user:{token}@host", token: 1}},
        "explode": {"action": f"explode {token}"},
        "cut": {"action": f"{'x' * 44} {token}"},
        "wrong": {"action": "block", "reason": {"token": token}},
        "error": None,
    }.get(doing, {"action": "continue", "extra": token, "saw": event["tool_input"]})  # type: ignore[return-value]


def main() -> None:
    token = ""
    while True:
        request = receive()
        match request["method"]:
            case "initialize":
                token = request["params"]["config"].get("token", "")
                send({"id": request["id"], "result": {"protocol_version": 1, "capabilities": {}}})
            case "shutdown":
                send({"id": request["id"], "result": None})
                return
            case _:
                print(f"told {token}", file=sys.stderr, flush=True)
                found = answer(request["params"], token)
                error = {"error": {"code": -1, "message": f"no {token}"}}
                send({"id": request["id"], **({"result": found} if found is not None else error)})


if __name__ == "__main__":
    main()
