"""Shortens outputs before the model reads them. The standard library alone."""

import json
import re
import sys
from itertools import groupby

COLOR = re.compile(r"\x1b\[[0-9;]*m")


def shortened(output: str, most_lines: int) -> str:
    """The output without colors, repeated lines once with their number, and the middle left out if it is long."""
    lines = []
    for line, same in groupby(COLOR.sub("", output).splitlines()):
        times = sum(1 for _ in same)
        lines.append(line if times == 1 else f"{line}  [{times} times]")
    if len(lines) > most_lines:
        head, tail = (most_lines + 1) // 2, most_lines // 2
        left_out = len(lines) - head - tail
        lines = [*lines[:head], f"[{left_out} lines left out]", *lines[len(lines) - tail :]]
    return "\n".join(lines)


def handle(event: dict, most_lines: int) -> dict:
    output = event["tool_output"] or ""
    short = shortened(output, most_lines)
    if len(short) < len(output):
        return {"action": "replace", "output": short}
    return {"action": "continue"}


def read_request() -> dict | None:
    length = None
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    return None if length is None else json.loads(sys.stdin.buffer.read(length))


def send(message: dict) -> None:
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def main() -> None:
    most_lines = 0
    while (request := read_request()) is not None:
        answer: dict = {"result": None}
        match request["method"]:
            case "initialize":
                most_lines = max(2, int(request["params"]["config"]["most_lines"]))  # text, if it is overridden
                answer = {"result": {"protocol_version": 1, "capabilities": {}}}
            case "hook.handle":
                answer = {"result": handle(request["params"], most_lines)}
            case "shutdown":
                pass
            case method:
                answer = {"error": {"code": -32601, "message": f"no method {method}"}}
        if "id" in request:  # a notification wants no answer
            send({"jsonrpc": "2.0", "id": request["id"], **answer})
        if request["method"] == "shutdown":
            return


if __name__ == "__main__":
    main()
