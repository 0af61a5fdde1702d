"""Blocks `rm` of protected paths. The standard library alone."""

import json
import os.path
import shlex
import sys


def words_of(command: str) -> list[str]:
    """The words of a command line, as far as a shell would see them; signs such as && and ; are words."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:  # a quote without its other half
        return command.split()


def removed(command: str) -> list[str]:
    """What a command line removes."""
    found: list[str] = []
    removes = False
    for word in words_of(command):
        if set(word) <= set(";&|()"):
            removes = False
        elif os.path.basename(word) == "rm":
            removes = True
        elif removes and not word.startswith("-"):
            found.append(os.path.normpath(word))
    return found


def handle(event: dict, protected: list[str]) -> dict:
    tool_input = event["tool_input"]
    command = tool_input.get("command") if isinstance(tool_input, dict) else None
    for path in removed(command) if isinstance(command, str) else ():
        if path in protected:
            return {"action": "block", "reason": f"{path} is protected"}
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
    protected: list[str] = []
    while (request := read_request()) is not None:
        answer: dict = {"result": None}
        match request["method"]:
            case "initialize":
                paths = request["params"]["config"].get("protected", "")
                protected = [os.path.normpath(path.strip()) for path in paths.split(",") if path.strip()]
                answer = {"result": {"protocol_version": 1, "capabilities": {}}}
            case "hook.handle":
                answer = {"result": handle(request["params"], protected)}
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
