"""A program that records dispatches without end, until it is killed: python endless.py FILE. Imports little."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from debugger.store.writer import Writer
from kernel.facts import Asked, Ended, Event, Fact, Opened, Replied
from kernel.values import JSON, Answered, Chain, Ending, Result, Subscription


@dataclass(frozen=True)
class Plain:
    """A payload of bytes that no dialect knows."""

    body: bytes
    digest: str
    view: JSON = None


def main(path: str) -> None:
    """Record; say once that it has begun, and then each time how many dispatches are promised to be in the file."""
    seat = Subscription("A", "plan-ready", "veto")
    writer, number, promised = Writer(Path(path)), 0, 0
    while True:
        payload = Plain(b"%d" % (number % 7), f"digest-{number % 7}")
        facts: list[Fact] = [
            Opened("pluggable", Chain("plan-ready", (seat,)), payload, 0),
            Asked(0, seat, payload, b"request" * 50, 100),
            Replied(0, Answered(b"answer" * 50), 5),
            Ended(Result(Ending.FINISHED, payload, "allow")),
        ]
        for place, fact in enumerate(facts):
            writer.see(Event(f"d{number}", place, place, fact))
        if number == 0:
            print("ready", flush=True)
        if writer.kept.dispatches != promised:
            promised = writer.kept.dispatches
            print(promised, flush=True)
        number += 1
        time.sleep(0.0005)


if __name__ == "__main__":
    main(sys.argv[1])
