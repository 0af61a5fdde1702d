"""A real plugin that does whatever each request says: `VERB ARGUMENT`.

With `stubborn` it ignores every wish that it end.

echo BYTES      answers with the bytes              say STREAM TEXT   prints a line, answers with `said`
mumble TEXT     prints on stderr, without a newline flood N           prints N short lines on stderr
exit CODE       ends at once                        kill SIGNAL       kills itself
status CODE     answers with that gRPC status       raise TEXT        raises an exception
abort           ends the call through its context
hang            never answers                       remaining         answers with its remaining time in ms
environment     answers with its environment        parent            starts a child that sleeps; answers with its pid
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import grpc

from kernel.serving import SHUTDOWN, Method, Refused, serve

METHOD = "/test.Obedient/Do"
COOKIE = ("OBEDIENT_COOKIE", "obey")


def do(request: bytes, context: grpc.ServicerContext) -> bytes:
    verb, _, argument = request.partition(b" ")
    text = argument.decode("utf-8", "surrogateescape")
    match verb.decode():
        case "echo":
            return argument
        case "say":
            stream, _, line = text.partition(" ")
            print(line, file={"stdout": sys.stdout, "stderr": sys.stderr}[stream])
            return b"said"
        case "mumble":
            os.write(2, argument)
            return b"mumbled"
        case "flood":
            os.write(2, b"y\n" * int(text))
            return b"flooded"
        case "exit":
            os._exit(int(text))
        case "kill":
            os.kill(os.getpid(), int(text))
            time.sleep(3600)  # another thread may be the one that gets it
        case "status":
            raise Refused(text, f"as told: {text}")
        case "abort":
            context.abort(grpc.StatusCode.DATA_LOSS, "aborted by hand")
        case "raise":
            raise RuntimeError(text)
        case "hang":
            time.sleep(3600)
        case "remaining":
            return str(round(context.time_remaining() * 1000)).encode()
        case "environment":
            return json.dumps(dict(os.environ)).encode()
        case "parent":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)", *sys.argv[1:]])
            return str(child.pid).encode()
    raise Refused("INVALID_ARGUMENT", f"cannot {request!r}")


def refuse_to_end(request: bytes, context: grpc.ServicerContext) -> bytes:
    time.sleep(3600)
    return b""


if __name__ == "__main__":
    methods: dict[str, Method] = {METHOD: do}
    if "stubborn" in sys.argv:
        methods[SHUTDOWN] = refuse_to_end
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    serve(methods, cookie=COOKIE)
