"""A real plugin that does what HOOKSCOPE_BEHAVIOUR says: `answer NAME [after MS]`, `status CODE`, `crash`, `hang`."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import grpc

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]  # in this order: tests/ has a folder `kernel` too

from pluggable_answers import ANSWERS

from kernel.dialects.pluggable.points import COOKIE, METHOD
from kernel.serving import serve


def dispatch_hook(request: bytes, context: grpc.ServicerContext) -> bytes:
    verb, _, argument = os.environ["HOOKSCOPE_BEHAVIOUR"].partition(" ")
    if verb == "crash":
        os._exit(3)
    if verb == "hang":
        time.sleep(3600)
    if verb == "status":
        code, _, delay_ms = argument.partition(" after ")
        time.sleep(float(delay_ms or 0) / 1000)
        context.abort(grpc.StatusCode[code], "as told")
    name, _, delay_ms = argument.partition(" after ")
    time.sleep(float(delay_ms or 0) / 1000)
    answer = ANSWERS[name](request)
    assert answer is not None, "a process cannot come back with nothing"
    return answer


if __name__ == "__main__":
    serve({METHOD: dispatch_hook}, cookie=COOKIE)
