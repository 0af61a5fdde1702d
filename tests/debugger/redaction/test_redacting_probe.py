"""Claims about redaction while something is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from exported_runs import told

from debugger.redaction import RedactingProbe, Rules
from debugger.redaction.events import EventRedactor
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Event
from kernel.values import JSON


class Kept:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event) -> None:
        self.events.append(event)


def test_events_are_passed_on_in_order_and_all_of_them() -> None:
    """Those without a secret as they are."""
    kept, events = Kept(), [each for n in range(50) for each in told(f"d{n}", "A:o B:t", {"A": "ack", "B": "+x"})]
    with RedactingProbe(kept, Rules()) as probe:
        for event in events:
            probe.see(event)
    assert kept.events == events
    probe.close()


def test_what_is_recorded_can_be_read_as_usual(tmp_path: Path) -> None:
    """A payload with a secret is stored as a payload of its dialect, and what was printed with placeholders."""
    view: JSON = {"call": {"id": "c", "tool_name": "t", "arguments": {"password": "hunter22", "say": "hunter22"}}}
    fired = PLUGGABLE.payload_from_view("pre-tool-call", view)
    with Writer(tmp_path / "r.hookscope", about={}) as writer, RedactingProbe(writer, Rules()) as probe:
        for event in told("d", "A:v", {"A": "allow"}, point="pre-tool-call", fired=fired):
            probe.see(event)
    assert b"hunter22" not in (tmp_path / "r.hookscope").read_bytes()
    with Recording(tmp_path / "r.hookscope") as recording:
        kept = recording.trace("d").opened.payload
    assert type(kept) is type(fired)
    assert kept.view["call"]["arguments"]["password"] == "[redacted:password#1]"  # type: ignore[call-overload,index]


def test_what_breaks_on_our_side_lets_nothing_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """From then on nothing is passed on: a recording without a dispatch is better than one with a secret."""
    kept, said = Kept(), list[str]()
    first, second = told("d1", "A:o", {"A": "ack"}), told("d2", "A:o", {"A": "ack"})
    with RedactingProbe(kept, Rules(), on_trouble=said.append) as probe:
        for event in first:
            probe.see(event)
        while len(kept.events) < len(first):
            pass

        def broken(self: EventRedactor, event: Event) -> Event:
            raise RuntimeError("a bug")

        monkeypatch.setattr(EventRedactor, "event", broken)
        for event in second:
            probe.see(event)
    assert kept.events == first
    assert probe.lost == 1
    assert said == ["nothing is recorded any more: redacting it failed: RuntimeError('a bug')"]
