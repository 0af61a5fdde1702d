"""Keeps a line of JSON for every request and every plan: when, what, how large, and a fingerprint of it."""

import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path

from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("audit-log")
LOG = Path(tempfile.gettempdir()) / "hookscope-first-chain-audit.jsonl"


def keep(**entry: object) -> None:
    """Append one entry to the log, and say so."""
    line = json.dumps({"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), **entry})
    with LOG.open("a") as log:
        log.write(line + "\n")
    print(line, file=sys.stderr)


@plugin.observe("pre-model-call")
def request(payload):
    body = payload.SerializeToString(deterministic=True)
    keep(
        what="model request",
        model=f"{payload.model.provider}/{payload.model.id}",
        messages=len(payload.messages),
        bytes=len(body),
        sha256=hashlib.sha256(body).hexdigest()[:16],
    )


@plugin.observe("plan-ready")
def plan(payload):
    calls = [f"{item.provider}.{item.operation_name}" for item in payload.plan.items]
    keep(what="plan", turn=payload.plan.turn_id, calls=calls)


if __name__ == "__main__":
    plugin.serve()
