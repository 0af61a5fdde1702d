"""An extension that hands back the event it was given, or, with an argument, always answers with that JSON."""

from __future__ import annotations

import sys

import msgspec


def main() -> None:
    """Answer until stdin ends."""
    decode, encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    fixed = decode(sys.argv[1]) if len(sys.argv) > 1 else None
    while line := stdin.readline():
        stdin.readline()
        message = decode(stdin.read(int(line[16:])))
        is_hook = message["method"] == "hook.handle"
        result = (fixed or message["params"]) if is_hook else {"protocol_version": 1}
        body = encode({"jsonrpc": "2.0", "id": message["id"], "result": result})
        stdout.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stdout.flush()
        if message["method"] == "shutdown":
            return


if __name__ == "__main__":
    main()
