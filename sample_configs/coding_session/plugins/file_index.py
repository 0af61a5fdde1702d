"""Knows in which results each word was seen, and tells the model which files it has seen and what they are about.

It takes text only: a NUL byte kills it, as it would a native parser, and what it knew is lost.
"""

import os
import re
import sys
from collections import defaultdict

from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("file-index")
WORD = re.compile(r"\b[A-Za-z_]{4,}\b")  # nothing with digits in it: that may be a token
seen = defaultdict(set)  # by word the ids of calls; begins empty again after a crash
paths = {}  # what was read or written, by the id of its call


def texts_of(value):
    """Every text of a result, however it is nested."""
    match value.WhichOneof("kind"):
        case "string_value":
            yield value.string_value
        case "list_value":
            for item in value.list_value.values:
                yield from texts_of(item)
        case "struct_value":
            for item in value.struct_value.fields.values():
                yield from texts_of(item)


@plugin.observe("post-tool-call")
def index(payload):
    if not payload.HasField("result"):
        return
    if "path" in payload.call.arguments.fields:
        paths[payload.call.id] = payload.call.arguments.fields["path"].string_value
    for value in payload.result.payload.fields.values():
        for text in texts_of(value):
            if "\0" in text:
                print("a NUL byte: this is no text", file=sys.stderr, flush=True)
                os._exit(134)
            for word in WORD.findall(text):
                seen[word].add(payload.call.id)
    print(f"{len(seen)} words, most often {', '.join(common(3))}", file=sys.stderr)


def common(count):
    """The words that were seen in most results."""
    return sorted(seen, key=lambda word: (-len(seen[word]), word))[:count]


@plugin.contribute(token_budget=60)
def overview(request):
    print(f"files known: {len(paths)}, touched: {len(request.files_touched)}", file=sys.stderr)
    if not seen:
        return {}
    files = ", ".join(dict.fromkeys(paths.values())) or "none"
    return {"files": f"Files read or written: {files}.", "words": f"Words in the results: {', '.join(common(8))}."}


if __name__ == "__main__":
    plugin.serve()
