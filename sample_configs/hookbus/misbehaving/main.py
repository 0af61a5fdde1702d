"""An extension that does one wrong thing, so that one can see what the host makes of it. README.md lists the modes.

The handshake is proper, except in the modes that are about it.
"""

import json
import os
import sys
import time

OK = {"action": "block", "reason": "this answer arrived"}


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def message(**members: object) -> bytes:
    return framed(json.dumps({"jsonrpc": "2.0", **members}).encode())


def reply(id: object, result: object = OK) -> bytes:
    return message(id=id, result=result)


# What is written in the place of the answer to request `id`; a mode that is in neither table is no mode.
INSTEAD = {
    # frames
    "blank line": lambda id: b"\n" + reply(id),
    "length is a word": lambda id: b"Content-Length: abc\r\n\r\n{}",
    "length is negative": lambda id: b"Content-Length: -1\r\n\r\n{}",
    "length is missing": lambda id: b"Content-Type: application/json\r\n\r\n" + reply(id),
    "length is zero": lambda id: framed(b""),
    "length is over the limit": lambda id: b"Content-Length: 4194305\r\n\r\n" + b" " * 100,
    "length is too small": lambda id: b"Content-Length: 10\r\n\r\n" + reply(id).partition(b"\r\n\r\n")[2],
    "header line is too long": lambda id: b"X: " + b"x" * 1024 + b"\r\n" + reply(id),
    "header is not UTF-8": lambda id: b"X: \xff\r\n" + reply(id),
    "body is not JSON": lambda id: framed(b"{'action': 'block'}"),
    "body is not UTF-8": lambda id: framed(b'"\xff"'),
    # these are tolerated
    "stray line": lambda id: b"starting up, please wait\n" + reply(id),
    "odd headers": lambda id: b"content-type: x\ncontent-LENGTH: 1\n " + reply(id).replace(b"\r\n", b"\n"),
    "array, then the answer": lambda id: framed(b"[1, 2]") + framed(b'"text"') + framed(b"3") + reply(id),
    "notification first": lambda id: message(method="task.log", params={"id": "t", "line": "busy"}) + reply(id),
    "request first": lambda id: message(id=7, method="config.get", params={"key": "mode"}) + reply(id),
    "answer twice": lambda id: reply(id) + reply(id, {"action": "continue"}),
    # answers that nobody is waiting for
    "id is text": lambda id: reply(str(id)),
    "id is a fraction": lambda id: framed(b'{"jsonrpc":"2.0","id":%d.0,"result":{"action":"continue"}}' % id),
    "id is negative": lambda id: reply(-id),
    "id is null": lambda id: reply(None),
    "id is true": lambda id: reply(True),
    "id is another": lambda id: reply(id + 1000),
    # answers that cannot be used
    "error": lambda id: message(id=id, error={"code": -32000, "message": "out of order"}),
    "error is null": lambda id: message(id=id, error=None),
    "error beside a result": lambda id: message(id=id, result=OK, error={"message": "and yet"}),
    "neither result nor error": lambda id: message(id=id),
    "empty object": lambda id: reply(id, {}),
    "text for an object": lambda id: reply(id, "block"),
    "action is unknown": lambda id: reply(id, {"action": "explode"}),
    "action is capitalised": lambda id: reply(id, {"action": "Block", "reason": "no"}),
    "action of another kind": lambda id: reply(id, {"action": "inject", "content": "psst"}),
    "block without a reason": lambda id: reply(id, {"action": "block"}),
    "modify without an input": lambda id: reply(id, {"action": "modify"}),
    "replace without an output": lambda id: reply(id, {"action": "replace"}),
}


def no_answer(id: int) -> None:
    """Never answers, and goes on reading."""


def late_answer(id: int) -> None:
    time.sleep(5.5)
    write(reply(id))


def dies(id: int) -> None:
    sys.exit(3)


def dies_in_a_header(id: int) -> None:
    write(b"Content-Len")
    sys.exit(3)


def dies_in_a_body(id: int) -> None:
    write(reply(id)[:-5])
    sys.exit(3)


def closes_its_pipe(id: int) -> None:
    os.close(1)
    time.sleep(60)


def drips(id: int) -> None:
    for byte in reply(id):
        write(bytes([byte]))
        time.sleep(0.005)


def floods_stderr(id: int) -> None:
    for _ in range(40):
        sys.stderr.write("x" * 9000 + "\n")
    sys.stderr.flush()
    write(reply(id))


DOES = {
    "no answer": no_answer,
    "late answer": late_answer,
    "dies": dies,
    "dies in a header": dies_in_a_header,
    "dies in a body": dies_in_a_body,
    "closes its pipe": closes_its_pipe,
    "drips": drips,
    "floods stderr": floods_stderr,
}

HANDSHAKES = {
    "handshake of version 2": {"protocol_version": 2, "capabilities": {}},
    "handshake without a version": {"capabilities": {}},
    "handshake is a hook result": {"action": "continue"},
    "handshake offers a tool": {
        "protocol_version": 1,
        "capabilities": {"tools": [{"name": "t", "description": "needs tools.register", "input_schema": {}}]},
    },
}
PROPER = {"protocol_version": 1, "capabilities": {}}
AFTERWARDS = ("stays after shutdown", "dies once")


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def read_message() -> dict | None:
    length = None
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    return None if length is None else json.loads(sys.stdin.buffer.read(length))


def handle(mode: str, id: int) -> None:
    if mode in INSTEAD:
        write(INSTEAD[mode](id))
    elif mode in DOES:
        DOES[mode](id)
    elif mode == "dies once" and id < 3:  # ids go on counting over a restart: the second delivery has another
        sys.exit(3)
    else:
        write(reply(id))


def main() -> None:
    mode = ""
    while (request := read_message()) is not None:
        method, id = request.get("method"), request.get("id")
        if method == "initialize":
            mode = request["params"]["config"]["mode"]
            if mode not in (*INSTEAD, *DOES, *HANDSHAKES, *AFTERWARDS):
                sys.exit(f"there is no mode {mode!r}")
            write(reply(id, HANDSHAKES.get(mode, PROPER)))
        elif method == "hook.handle":
            handle(mode, id)
        elif method == "shutdown":
            write(reply(id, None))
            if mode != "stays after shutdown":
                return
        elif method is not None and id is not None:
            write(message(id=id, error={"code": -32601, "message": f"no method {method}"}))


if __name__ == "__main__":
    main()
