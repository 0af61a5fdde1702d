"""Denies a call that reaches for a file which holds secrets, whether it reads or writes. Other calls go on."""

import fnmatch
import sys
from pathlib import PurePosixPath

from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("path-guard")
SECRET = (".env", ".env.*", "*.pem", "id_*", "*.key", "credentials*", ".netrc")
PUBLIC = (".env.example", "*.pub")


def is_secret(path):
    """Whether the last part of a path is the name of a file with secrets."""
    name = PurePosixPath(path).name
    return any(fnmatch.fnmatch(name, each) for each in SECRET) and not any(
        fnmatch.fnmatch(name, each) for each in PUBLIC
    )


def paths_in(value):
    """Every text in the arguments of a call that could be a path."""
    match value.WhichOneof("kind"):
        case "string_value":
            yield from value.string_value.split()
        case "list_value":
            for item in value.list_value.values:
                yield from paths_in(item)
        case "struct_value":
            for item in value.struct_value.fields.values():
                yield from paths_in(item)


@plugin.veto("pre-tool-call")
def judge(payload):
    fields = payload.call.arguments.fields
    found = sorted({path for key in fields if key != "content" for path in paths_in(fields[key]) if is_secret(path)})
    for path in found:
        print(f"denied {payload.plan_item.provider}.{payload.call.tool_name}: {path} holds secrets", file=sys.stderr)
    return not found


if __name__ == "__main__":
    plugin.serve()
