"""Denies a plan that would do harm: a command that cannot be taken back, or a write outside the working directory."""

import re
import sys
from pathlib import PurePosixPath

from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("policy-bot")
WORKING_DIRECTORY = PurePosixPath("/home/dev/shop")
HARMFUL = {
    "deletes without asking": re.compile(r"\brm\s+-\w*[rf]"),
    "runs what it downloads": re.compile(r"\b(curl|wget)\b.*\|\s*(ba|z)?sh\b"),
    "rewrites published history": re.compile(r"\bgit\s+push\b.*--force\b"),
}


def objections(item):
    """Everything that speaks against one item of the plan."""
    command = dict(item.input).get("command", "")
    yield from (why for why, pattern in HARMFUL.items() if pattern.search(str(command)))
    if "path" in item.input:
        path = WORKING_DIRECTORY / str(item.input["path"])
        if ".." in path.parts or not path.is_relative_to(WORKING_DIRECTORY):
            yield f"touches {path}, outside of {WORKING_DIRECTORY}"


@plugin.veto("plan-ready")
def judge(payload):
    found = [f"{item.id}: {why}" for item in payload.plan.items for why in objections(item)]
    for line in found:
        print(f"denied because {line}", file=sys.stderr)
    return not found


if __name__ == "__main__":
    plugin.serve()
