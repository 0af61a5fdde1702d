"""Everything of a recording as OpenTelemetry spans: as OTLP JSON, or sent to a collector. Needs no session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from debugger.export.material import Material, gathered
from debugger.otlp import redacting
from debugger.otlp.collector import collector
from debugger.otlp.json_out import document
from debugger.otlp.outward import spans_of
from debugger.otlp.sending import send
from debugger.otlp.span_reader import SpanReader
from debugger.otlp.spans import Span
from debugger.redaction import Redactor, Rules
from debugger.redaction.file import read
from debugger.store.recording import Recording
from debugger.views.text import visible

ENDPOINT: Final = "http://127.0.0.1:4317"
"""Where a collector listens if nobody says otherwise."""


def otlp_json(material: Material) -> Iterable[str]:
    """One document, piece by piece; our own receiver and any other takes it back."""
    return document(spans(material))


def spans(material: Material) -> Iterator[Span]:
    """The spans of the dispatches and stretches, then those that the recording was sent, unless some were chosen."""
    yield from spans_of(material.events, seed=material.seed, remarks=material.remarks)
    if not material.is_chosen:
        yield from received(material.path, material.redactor)


def received(path: Path, redactor: Redactor | None) -> Iterator[Span]:
    """What a recording was sent."""
    with SpanReader(path) as reader:
        found = reader.spans()
        yield from found if redactor is None else redacting.redacted(found, redactor)


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    recording: Path
    to: str | None
    """The URL of a collector; None for the one that the environment names, or the usual one."""
    dispatches: tuple[str, ...] = ()
    is_redacted: bool = True
    rules: Path | None = None


def send_recording(request: Request) -> int:
    """Send the spans; 0, or 1 where the collector rejected some. Raises BadInput."""
    to = collector(request.to or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or ENDPOINT)
    redactor = Redactor(read(request.rules) if request.rules is not None else Rules()) if request.is_redacted else None
    with Recording(request.recording) as recording:
        material = gathered(recording, request.dispatches, redactor, takes_received=True)
    sent = send(spans(material), to)
    said = f"sent {sent.taken} {'span' if sent.taken == 1 else 'spans'} to {to.url}. {material.redaction}"
    print(visible(f"hookscope: {said}"), file=sys.stderr)
    if sent.rejected:
        print(visible(f"hookscope: {sent.rejected} were rejected: {sent.why or 'it is not said why'}"), file=sys.stderr)
    return 1 if sent.rejected else 0
