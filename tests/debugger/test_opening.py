"""What a file is, by its content: configuration, recording, spans, or nothing that can be opened."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import pytest
from recorded_runs import FINE, written

from debugger.opening import RecordingOpening, SpansOpening, recognised
from debugger.otlp.files import pieces
from debugger.otlp.sink import Batch
from debugger.otlp.span_writer import SpanWriter
from debugger.store.writer import Writer
from kernel.errors import BadInput
from sample_configs import FIRST_CHAIN

SPAN = {
    "traceId": "0af7651916cd43dd8448eb211c80319c",
    "spanId": "b7ad6b7169203331",
    "name": "turn",
    "startTimeUnixNano": "1",
    "endTimeUnixNano": "2",
}
OTLP = {"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}
JAEGER = {"data": [{"traceID": "a", "spans": [{"traceID": "a", "spanID": "b", "operationName": "x"}], "processes": {}}]}


def test_configurations_are_left_to_their_dialects(tmp_path: Path) -> None:
    """By the names that hosts give them, and folders."""
    assert recognised(FIRST_CHAIN) is None
    assert recognised(tmp_path) is None
    (tmp_path / "agent.hcl").write_text("")
    assert recognised(tmp_path / "agent.hcl") is None


def test_recordings_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    """Whatever their name: with dispatches, still empty, or with the spans of others alone."""
    path = written(tmp_path / "any.name", [FINE])
    assert recognised(path) == RecordingOpening(path)
    with Writer(tmp_path / "empty"):
        pass
    assert recognised(tmp_path / "empty") == RecordingOpening(tmp_path / "empty")


def test_received_spans_alone_are_no_dispatches(tmp_path: Path) -> None:
    """What `listen -o` has written."""
    (tmp_path / "spans.json").write_text(json.dumps(OTLP))
    with SpanWriter(tmp_path / "heard") as writer:
        for piece in pieces(tmp_path / "spans.json"):
            assert isinstance(piece, tuple)
            assert writer.take(Batch(piece, "a test", 0, 1))
    assert recognised(tmp_path / "heard") == SpansOpening(tmp_path / "heard", is_recording=True)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(OTLP).encode(),
        json.dumps(OTLP, indent=2).encode(),
        (json.dumps(OTLP) + "\n" + json.dumps(OTLP) + "\n").encode(),
        json.dumps(JAEGER).encode(),
        gzip.compress(json.dumps(OTLP).encode()),
    ],
    ids=["otlp", "otlp-indented", "lines", "jaeger", "gzip"],
)
def test_spans_are_known_in_every_form(tmp_path: Path, content: bytes) -> None:
    """Of OpenTelemetry, of its collector, of Jaeger; packed or not."""
    path = tmp_path / "whatever"
    path.write_bytes(content)
    assert recognised(path) == SpansOpening(path)
    assert SpansOpening(path, name="standard input").title == "standard input"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"hello", "is nothing that hookscope opens"),
        (b"", "is nothing that hookscope opens"),
        (b'{"a": 1}', "it opens a configuration.*a recording.*OTLP JSON.*Jaeger"),
        (b'{"resourceMetrics": []}', "metrics or logs"),
        (gzip.compress(json.dumps(OTLP).encode())[:-9], "cut short"),
        (b"SQLite format 3\0" + b"\0" * 100, "no recording|not a recording|cannot be read"),
    ],
)
def test_everything_else_is_refused_in_a_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    """With the ways out."""
    path = tmp_path / "stranger"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=says):
        recognised(path)


def test_a_strange_database_is_no_recording(tmp_path: Path) -> None:
    """SQLite has many uses."""
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(BadInput, match="is an SQLite file, but not a recording"):
        recognised(tmp_path / "other.db")
    with pytest.raises(BadInput, match=r"cannot be read|does not exist"):
        recognised(tmp_path / "nowhere")
