"""Puts the house rules in front of the conversation, once, so that nobody has to repeat them."""

import sys

from kernel.dialects.pluggable.plugin import Plugin
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content

plugin = Plugin("injector")
MARK = "house-rules"
RULES = (
    "House rules: prefer British spelling in prose and comments. "
    "Never write outside the working directory. Say which file you changed, and why."
)


@plugin.transform("pre-model-call")
def inject(payload):
    if any(message.id == MARK for message in payload.messages):
        print("the house rules are there already", file=sys.stderr)
        return
    rules = content.Message(role=content.ROLE_USER, id=MARK)
    rules.content.add().text.text = RULES
    kept = list(payload.messages)
    del payload.messages[:]
    payload.messages.extend([rules, *kept])


if __name__ == "__main__":
    plugin.serve()
