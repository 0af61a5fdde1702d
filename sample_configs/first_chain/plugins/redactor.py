"""Takes secrets out of what is said to the model. The same secret always becomes the same mark."""

import hashlib
import re
import sys

from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("redactor")
SECRETS = {
    "api-key": re.compile(r"\bsk-[A-Za-z0-9_-]{16,}"),
    "aws-key": re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    "token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    "password": re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"),
}


def redacted(text):
    """The text with every secret marked, and how many there were."""
    found = 0
    for kind, pattern in SECRETS.items():
        mark = lambda hit, kind=kind: f"[{kind} {hashlib.sha256(hit[0].encode()).hexdigest()[:6]}]"  # noqa: E731
        text, hits = pattern.subn(mark, text)
        found += hits
    return text, found


def redact_blocks(blocks):
    """Redact content blocks in place, however they are nested."""
    found = 0
    for block in blocks:
        if block.HasField("text"):
            block.text.text, hits = redacted(block.text.text)
            found += hits
        elif block.HasField("tool_result"):
            found += redact_blocks(block.tool_result.content)
    return found


@plugin.transform("pre-model-call")
def redact(payload):
    found = sum(redact_blocks(message.content) for message in payload.messages)
    print(f"redacted {found} secrets", file=sys.stderr)


if __name__ == "__main__":
    plugin.serve()
