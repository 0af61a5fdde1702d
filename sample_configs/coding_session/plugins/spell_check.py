"""Looks for American spelling in what the model says, a word at a time, as slowly as a dictionary over the network."""

import re
import sys
import time

from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("spell-check")
LOOK_UP_S = 0.012
BRITISH = {
    "color": "colour",
    "behavior": "behaviour",
    "analyze": "analyse",
    "canceled": "cancelled",
    "center": "centre",
}


def look_up(word):
    """The British spelling of a word, if it is another one."""
    time.sleep(LOOK_UP_S)
    return BRITISH.get(word.lower())


@plugin.observe("post-model-response")
def check(payload):
    checked = 0
    for block in payload.message.content:
        for word in re.findall(r"[A-Za-z]+", block.text.text):
            checked += 1
            if better := look_up(word):
                print(f"{word}: prefer {better}", file=sys.stderr, flush=True)
    print(f"{checked} words checked", file=sys.stderr)


if __name__ == "__main__":
    plugin.serve()
