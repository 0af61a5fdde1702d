"""Estimates what a request will cost in tokens, message by message: four bytes of UTF-8 are about one token."""

import sys

from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("token-counter")
BYTES_PER_TOKEN = 4


def words_of(block):
    """Every text of a content block, however it is nested."""
    match block.WhichOneof("block"):
        case "text":
            yield block.text.text
        case "thinking":
            yield block.thinking.text
        case "tool_use":
            yield str(block.tool_use.arguments)
        case "tool_result":
            for inner in block.tool_result.content:
                yield from words_of(inner)


@plugin.observe("pre-model-call")
def count(payload):
    total = 0
    for message in payload.messages:
        size = sum(len(text.encode()) for block in message.content for text in words_of(block))
        tokens = -(-size // BYTES_PER_TOKEN)
        total += tokens
        print(f"{tokens:>7} tokens  {message.id}", file=sys.stderr)
    print(f"{total:>7} tokens  in all", file=sys.stderr)


if __name__ == "__main__":
    plugin.serve()
