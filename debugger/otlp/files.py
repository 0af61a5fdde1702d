"""Spans in files: what a file is, and its spans piece by piece. What cannot be used is told with its line.

Files are mapped, not read: of a large one only what is looked at gets into memory.
"""

from __future__ import annotations

import gzip
import mmap
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from debugger.otlp import jaeger, otlp_json
from debugger.otlp.otlp_json import BadSpan
from debugger.otlp.spans import Span, fault_of
from debugger.store.recording import HEADER
from kernel.errors import BadInput

AT_ONCE: Final = 500
"""Spans of a piece, at most."""
HEAD: Final = 65_536
"""Bytes by which a file is recognised."""
MOST_UNPACKED: Final = 2**31
"""Bytes that a gzipped file may come to."""
_BLANK: Final = b" \t\r\n\xef\xbb\xbf"


class FileKind(StrEnum):
    """What a file holds, as far as its beginning says."""

    RECORDING = "recording"
    """One of ours."""
    OTLP_JSON = "otlp-json"
    """One request, or TracesData, over as many lines as it likes."""
    OTLP_LINES = "otlp-lines"
    """One of these a line, as the collector's file exporter writes them."""
    OTLP_PROTOBUF = "otlp-protobuf"
    """One request as it is sent."""
    JAEGER = "jaeger"
    OTHER_SIGNAL = "other-signal"
    """Metrics or logs of OpenTelemetry."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Part of a file that cannot be used."""

    line: int
    """From 1; 0 where there are no lines."""
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}" if self.line else self.why


Piece: TypeAlias = tuple[Span, ...] | Trouble


def sniff(path: Path) -> FileKind:
    """What a file is, by its beginning and not by its name; raises BadInput where it cannot be read."""
    with _mapped(path) as text:
        return kind_of(text)


def pieces(path: Path) -> Iterator[Piece]:
    """The spans of a file, some hundred at a time, and what could not be used of it.

    Raises BadInput for a file of another kind. Spans without proper ids are trouble too.
    """
    with _mapped(path) as text:
        match kind_of(text):
            case FileKind.OTLP_LINES:
                yield from _lines(text)
            case FileKind.OTLP_JSON:
                yield from _document(text, otlp_json.streamed(_marked(text)))
            case FileKind.JAEGER:
                yield from _document(text, jaeger.streamed(_marked(text)))
            case FileKind.OTLP_PROTOBUF:
                from debugger.otlp import protobuf  # takes longer to load than most files to read

                yield from _placed(protobuf.decoded(bytes(text)), 0)
            case FileKind.OTHER_SIGNAL:
                raise BadInput(f"{path} holds metrics or logs", fix="hookscope shows traces only")
            case FileKind.RECORDING | FileKind.UNKNOWN:
                raise BadInput(f"{path} holds no spans in a form that is known", fix="OTLP JSON, JSON Lines, Jaeger")


def kind_of(text: memoryview) -> FileKind:
    """What a file of this content is."""
    head = bytes(text[:HEAD])
    start = head.lstrip(_BLANK)
    if head.startswith(HEADER):
        return FileKind.RECORDING
    if start[:1] not in (b"{", b"["):
        return FileKind.OTLP_PROTOBUF if _is_protobuf(text) else FileKind.UNKNOWN
    fields = set(re.findall(rb'"([A-Za-z_]{4,20})"\s*:', head))
    if fields & {b"resourceSpans", b"resource_spans"} and start[:1] == b"{":
        return FileKind.OTLP_LINES if _is_lines(text) else FileKind.OTLP_JSON
    if fields & {b"resourceMetrics", b"resourceLogs", b"resource_metrics", b"resource_logs"}:
        return FileKind.OTHER_SIGNAL
    if b"traceID" in fields and fields & {b"spans", b"spanID", b"processes", b"data"}:
        return FileKind.JAEGER
    return FileKind.UNKNOWN


def _marked(text: memoryview) -> memoryview:
    """Without a byte-order mark."""
    return text[3:] if bytes(text[:3]) == b"\xef\xbb\xbf" else text


def _is_protobuf(text: memoryview) -> bool:
    if len(text) == 0 or text[0] != 0x0A or len(text) > 64 * 2**20:  # field 1, length-delimited
        return False
    from debugger.otlp import protobuf

    try:
        return bool(protobuf.decoded(bytes(text)))
    except BadInput:
        return False


def _is_lines(text: memoryview) -> bool:
    """Whether another object begins on the line after one that ends."""
    for line, after in _numbered(text):
        if line.strip(_BLANK):
            rest = bytes(text[after : after + HEAD]).lstrip(_BLANK)
            return line.rstrip().endswith(b"}") and rest.startswith(b"{")
    return False


def _numbered(text: memoryview) -> Iterator[tuple[bytes, int]]:
    """Each line, and where the next one begins."""
    source = text.obj
    assert isinstance(source, bytes | mmap.mmap)
    at = 0
    while at < len(text):
        end = source.find(b"\n", at)
        after = len(text) if end < 0 else end + 1
        yield bytes(text[at:after]), after
        at = after


def _lines(text: memoryview) -> Iterator[Piece]:
    for number, (line, _) in enumerate(_numbered(text), 1):
        content = line.strip(_BLANK)
        if not content:
            continue
        try:
            spans = otlp_json.decoded(content)
        except BadInput as error:
            yield Trouble(number, error.message)
            continue
        if not spans and re.search(rb'"resource_?(Metrics|Logs|metrics|logs)"', content[:HEAD]):
            yield Trouble(number, "metrics or logs, which are not kept")
        yield from _placed(spans, number)


def _document(text: memoryview, spans: Iterator[Span]) -> Iterator[Piece]:
    while True:
        some: list[Span] = []
        trouble = None
        try:
            for span in islice(spans, AT_ONCE):
                some.append(span)  # noqa: PERF402  # what came before an error counts
        except BadInput as error:
            trouble = Trouble(_line_of(text, error), error.message)
        yield from _placed(some, 0)
        if trouble is not None:
            yield trouble  # a document has no next line to go on with
            return
        if len(some) < AT_ONCE:
            return


def _line_of(text: memoryview, error: BadInput) -> int:
    """The line at which the culprit begins; 0 if nobody can say."""
    source = text.obj
    assert isinstance(source, bytes | mmap.mmap)
    at = -1
    if isinstance(error, BadSpan):
        at = source.find(error.culprit)
    elif found := re.search(r"\(byte (\d+)\)", error.message):
        at = int(found[1])
    elif "truncated" in error.message:
        at = len(text)
    if at < 0:
        return 0
    return 1 + sum(bytes(text[start : min(start + 2**20, at)]).count(b"\n") for start in range(0, at, 2**20))


def _placed(spans: Iterable[Span], line: int) -> Iterator[Piece]:
    """Those that have a place in a trace, some at a time; then a word about the others."""
    spans = tuple(spans)
    fine = [span for span in spans if not fault_of(span)]
    for at in range(0, len(fine), AT_ONCE):
        yield tuple(fine[at : at + AT_ONCE])
    if len(fine) < len(spans):
        first = next(span for span in spans if fault_of(span))
        lost = len(spans) - len(fine)
        yield Trouble(line, f"{lost} of {len(spans)} spans have no place; of {first.name!r} {fault_of(first)}")


@contextmanager
def _mapped(path: Path) -> Iterator[memoryview]:
    """A file's content, unpacked if it is gzipped."""
    try:
        with path.open("rb") as file:
            head = file.read(2)
            if not head:
                yield memoryview(b"")
                return
            if head == b"\x1f\x8b":
                yield memoryview(_unpacked(path))
                return
            with _closing(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) as mapped:
                yield memoryview(mapped)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def _closing(mapped: mmap.mmap) -> Iterator[mmap.mmap]:
    try:
        yield mapped
    finally:
        with suppress(BufferError):  # somebody stopped half-way and still holds a part: it goes with that
            mapped.close()


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path) as packed:
            content = packed.read(MOST_UNPACKED + 1)
    except EOFError as error:
        raise BadInput(f"{path} is cut short: its gzip stream does not end") from error
    if len(content) > MOST_UNPACKED:
        raise BadInput(f"{path} comes to more than {MOST_UNPACKED} bytes", fix="unpack it, and open that")
    return content
