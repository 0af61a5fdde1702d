"""Spans in files: what a file is, what is in it, and what is wrong with it, with its line."""

from __future__ import annotations

import gzip
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from otlp_made import SHOP, START_NS, TRACE, identity, made

from debugger.otlp import protobuf
from debugger.otlp.files import AT_ONCE, FileKind, Trouble, pieces, sniff
from debugger.otlp.json_out import encoded
from debugger.otlp.loading import Loaded, load
from debugger.otlp.span_reader import SpanReader
from debugger.otlp.span_writer import SpanWriter
from debugger.otlp.spans import Code, Kind, Resource, Scope, Span, SpanEvent, SpanLink, Status
from kernel.errors import BadInput

SPANS = tuple(made(number, number - 1) for number in range(1, 4))


def document(*spans: Span) -> Any:
    return json.loads(encoded(spans))


def line(*spans: Span) -> bytes:
    return encoded(spans)


def read(path: Path) -> tuple[list[Span], list[Trouble]]:
    spans: list[Span] = []
    troubles: list[Trouble] = []
    for piece in pieces(path):
        if isinstance(piece, Trouble):
            troubles.append(piece)
        else:
            assert 0 < len(piece) <= AT_ONCE
            spans += piece
    return spans, troubles


JAEGER = {
    "data": [
        {
            "traceID": "abc123",
            "spans": [
                {
                    "traceID": "abc123",
                    "spanID": "1",
                    "operationName": "parent",
                    "references": [],
                    "startTime": 1_700_000_000_000_001,
                    "duration": 250,
                    "tags": [
                        {"key": "span.kind", "type": "string", "value": "server"},
                        {"key": "http.status_code", "type": "int64", "value": 200},
                        {"key": "ratio", "type": "float64", "value": 1},
                        {"key": "ok", "type": "bool", "value": True},
                        {"key": "blob", "type": "binary", "value": "AAE="},
                        {"key": "otel.scope.name", "type": "string", "value": "lib"},
                        {"key": "otel.scope.version", "type": "string", "value": "2"},
                    ],
                    "logs": [
                        {
                            "timestamp": 1_700_000_000_000_100,
                            "fields": [
                                {"key": "event", "type": "string", "value": "retry"},
                                {"key": "number", "type": "int64", "value": "3"},
                            ],
                        }
                    ],
                    "processID": "p1",
                    "warnings": ["clock skew"],
                    "flags": 1,
                },
                {
                    "traceID": "abc123",
                    "spanID": "2",
                    "operationName": "child",
                    "references": [
                        {"refType": "FOLLOWS_FROM", "traceID": "ff", "spanID": "9"},
                        {"refType": "CHILD_OF", "traceID": "abc123", "spanID": "1"},
                    ],
                    "startTime": 1_700_000_000_000_010,
                    "duration": 5,
                    "tags": [
                        {"key": "error", "type": "bool", "value": True},
                        {"key": "otel.status_description", "type": "string", "value": "no"},
                    ],
                    "processID": "p1",
                },
            ],
            "processes": {
                "p1": {"serviceName": "shop", "tags": [{"key": "host", "type": "string", "value": "h"}]},
            },
        }
    ],
    "total": 0,
}
TRACE_OF_JAEGER = bytes.fromhex("abc123".zfill(32))


def test_a_trace_of_jaeger(tmp_path: Path) -> None:
    """Everything that OpenTelemetry has a field for is in it; the rest are attributes."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(JAEGER, indent=2))
    assert sniff(path) is FileKind.JAEGER
    (parent, child), troubles = read(path)
    assert not troubles
    resource = Resource((("service.name", "shop"), ("host", "h")))
    assert parent == Span(
        TRACE_OF_JAEGER,
        identity(1),
        b"",
        "parent",
        Kind.SERVER,
        START_NS + 1_000,
        START_NS + 251_000,
        None,
        (
            ("http.status_code", 200),
            ("ratio", 1.0),
            ("ok", True),
            ("blob", b"\x00\x01"),
            ("jaeger.warnings", ("clock skew",)),
        ),
        (SpanEvent(START_NS + 100_000, "retry", (("number", 3),)),),
        (),
        resource,
        Scope("lib", "2"),
        flags=1,
    )
    assert (child.parent_id, child.status, child.attributes) == (identity(1), Status(Code.ERROR, "no"), ())
    link = SpanLink(identity(0) + bytes(7) + b"\xff", identity(9), "", (("opentracing.ref_type", "follows_from"),))
    assert child.links == (link,)
    assert child.resource is parent.resource
    assert isinstance(dict(parent.attributes)["ratio"], float)


@pytest.mark.parametrize("shape", [JAEGER["data"][0], JAEGER["data"]])  # type: ignore[index]
def test_other_shapes_of_jaeger(tmp_path: Path, shape: object) -> None:
    """One trace by itself, and a list of them."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(shape))
    assert sniff(path) is FileKind.JAEGER
    assert [span.name for span in read(path)[0]] == ["parent", "child"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"spanID": "1"', '"spanID": "xyz"', "'xyz' is no id of up to 8 bytes in hex"),
        ('"duration": 250', '"duration": -1', "'-1' is no time"),
        ('"duration": 250', '"duration": "soon"', "'soon' is no time"),
        ('"duration": 250', '"duration": []', "Expected `int | float | str`, got `array`"),
    ],
)
def test_what_is_wrong_with_a_trace_of_jaeger(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    """Is said."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(JAEGER).replace(old, new, 1))
    _, [trouble] = read(path)
    assert complaint in trouble.why


@pytest.mark.parametrize(
    ("content", "kind", "count"),
    [
        (line(*SPANS), FileKind.OTLP_JSON, 3),
        (line(*SPANS) + b"\n", FileKind.OTLP_JSON, 3),
        (json.dumps(document(*SPANS), indent=2).encode(), FileKind.OTLP_JSON, 3),
        (b"\xef\xbb\xbf" + line(*SPANS), FileKind.OTLP_JSON, 3),
        (line(SPANS[0]) + b"\n" + line(*SPANS[1:]), FileKind.OTLP_LINES, 3),
        (b"\n" + line(SPANS[0]) + b"\r\n\r\n" + line(*SPANS[1:]) + b"\n\n", FileKind.OTLP_LINES, 3),
        (protobuf.encoded(SPANS), FileKind.OTLP_PROTOBUF, 3),
        (gzip.compress(line(*SPANS), mtime=0), FileKind.OTLP_JSON, 3),
        (gzip.compress(protobuf.encoded(SPANS), mtime=0), FileKind.OTLP_PROTOBUF, 3),
        (json.dumps({"resource_spans": []}).encode(), FileKind.OTLP_JSON, 0),
    ],
)
def test_every_kind_of_file(tmp_path: Path, content: bytes, kind: FileKind, count: int) -> None:
    """By what is in it, whatever its name."""
    path = tmp_path / "unnamed"
    path.write_bytes(content)
    assert sniff(path) is kind
    spans, troubles = read(path)
    assert not troubles
    assert spans == list(SPANS[:count])


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", FileKind.UNKNOWN),
        (b"\n\n", FileKind.UNKNOWN),
        (b"hello", FileKind.UNKNOWN),
        (b"\n\x03abc", FileKind.UNKNOWN),
        (b"{}", FileKind.UNKNOWN),
        (b'{"resourceMetrics": []}', FileKind.OTHER_SIGNAL),
        (b'{"resourceLogs": []}\n{"resourceLogs": []}', FileKind.OTHER_SIGNAL),
        (b"[1, 2]", FileKind.UNKNOWN),
    ],
)
def test_what_holds_no_spans(tmp_path: Path, content: bytes, kind: FileKind) -> None:
    """Is told from what does, with a sentence."""
    path = tmp_path / "unnamed"
    path.write_bytes(content)
    assert sniff(path) is kind
    with pytest.raises(BadInput):
        read(path)


def test_a_recording_is_one(tmp_path: Path) -> None:
    """And is opened by others."""
    path = tmp_path / "r.hookscope"
    SpanWriter(path).close()
    assert sniff(path) is FileKind.RECORDING


def test_lines_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    """The others are read: a collector that was killed leaves half a line at the end."""
    path = tmp_path / "spans.jsonl"
    logs = b'{"resourceLogs": [{}]}'
    nowhere = line(Span(b"short", identity(1), name="nowhere"), SPANS[2])
    path.write_bytes(b"\n".join([line(SPANS[0]), b"{oops", line(SPANS[1]), logs, nowhere, line(SPANS[0])[:50]]))
    spans, troubles = read(path)
    assert spans == [SPANS[0], SPANS[1], SPANS[2]]
    assert [trouble.line for trouble in troubles] == [2, 4, 5, 6]
    assert "metrics or logs" in troubles[1].why
    assert str(troubles[2]).startswith("line 5: 1 of 2 spans have no place; of 'nowhere' its trace id is 5 bytes")
    assert "no OTLP JSON" in str(troubles[0])


def test_an_error_in_a_document_has_its_line(tmp_path: Path) -> None:
    """And what came before it is there."""
    path = tmp_path / "spans.json"
    text = json.dumps(document(*SPANS), indent=1)
    path.write_text(text.replace('"name": "span 3"', '"name": 3'))
    spans, [trouble] = read(path)
    assert spans == list(SPANS[:2])
    culprit = next(at for at, each in enumerate(text.splitlines(), 1) if identity(3).hex() in each)
    assert trouble.line in (culprit - 1, culprit - 2)  # the brace before the span's first field
    assert "spans[2]: Expected `str | null`, got `int` - at `$.name`" in trouble.why


@pytest.mark.parametrize("is_cut", [True, False])
def test_a_document_that_is_no_json_has_its_line(tmp_path: Path, is_cut: bool) -> None:
    """Nothing of it can be trusted."""
    path = tmp_path / "spans.json"
    text = json.dumps(document(*SPANS), indent=1)
    at = text.index("span 2")
    path.write_text(text[:at] if is_cut else f'{text[:at]}"{text[at:]}')
    spans, [trouble] = read(path)
    assert not spans
    assert trouble.line == text.count("\n", 0, at) + 1


def test_whoever_stops_half_way_leaves_nothing_open(tmp_path: Path) -> None:
    """A screen that shows the first spans and is closed."""
    path = tmp_path / "spans.json"
    path.write_bytes(line(*(made(number) for number in range(1, 3 * AT_ONCE))))
    reading = pieces(path)
    first = next(reading)
    reading.close()  # type: ignore[attr-defined]
    assert isinstance(first, tuple)
    assert first[0] == made(1)
    path.unlink()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Is a sentence."""
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        sniff(tmp_path / "nothing")
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        sniff(tmp_path)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(line(*SPANS))[:-9])
    with pytest.raises(BadInput, match="cut short"):
        read(cut)
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(b"\x1f\x8bnothing of the kind")
    with pytest.raises(BadInput, match="cannot be read"):
        read(damaged)


def test_two_resources_in_a_file_stay_two(tmp_path: Path) -> None:
    """Each span knows its own."""
    other = Resource((("service.name", "other"),))
    path = tmp_path / "spans.json"
    path.write_bytes(line(made(1), made(2, resource=other), made(3)))
    spans, _ = read(path)
    assert [span.resource for span in spans] == [SHOP, other, SHOP]
    assert {span.trace_id for span in spans} == {TRACE}


def test_a_file_is_loaded_into_a_recording(tmp_path: Path) -> None:
    """Spans are stored as if they had been received, what cannot be used is with what was refused."""
    path = tmp_path / "spans.jsonl"
    many = [made(number) for number in range(1, 2 * AT_ONCE)]
    path.write_bytes(line(*many) + b"\n{oops\n")
    heard: list[Loaded] = []
    with SpanWriter(tmp_path / "r.hookscope", most_waiting=1) as writer:
        assert load(path, writer, on_progress=heard.append) == Loaded(len(many), 1)
        assert writer.settle()
        with SpanReader(tmp_path / "r.hookscope") as reader:
            assert list(reader.spans()) == many
            [(_, refused)] = reader.refusals()
    assert refused.source == str(path)
    assert refused.why.startswith("line 2: this is no OTLP JSON")
    assert heard[0].spans == AT_ONCE


def test_loading_can_be_stopped(tmp_path: Path) -> None:
    """Between two pieces."""
    path = tmp_path / "spans.json"
    path.write_bytes(line(*(made(number) for number in range(1, 3 * AT_ONCE))))
    stop = threading.Event()
    with SpanWriter() as writer:
        assert load(path, writer, stop=stop, on_progress=lambda loaded: stop.set()).spans == AT_ONCE
