"""Files of spans as sources."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from otlp_made import made, numbered_traces
from plugin_runs import until_now

from debugger.otlp.json_out import document
from debugger.otlp.spans import Span
from debugger.traces.loaded import FileSource
from debugger.traces.recorded import RecordedSource
from debugger.traces.source import SpanSource, Wish, otlp_source
from kernel.errors import BadInput


@contextmanager
def opened(path: Path) -> Iterator[SpanSource]:
    source = otlp_source(path)
    try:
        yield source
    finally:
        source.close()


def otlp_file(path: Path, *spans: Span) -> Path:
    path.write_text("".join(document(spans)))
    return path


def test_a_file_is_read_in_the_background(tmp_path: Path) -> None:
    """Its traces are there as they come; then it is said that nothing more will."""
    traces = list(numbered_traces(20))
    path = otlp_file(tmp_path / "spans.json", *(made(n, trace=trace) for trace in traces for n in (1, 2)))
    with opened(path) as source:
        assert isinstance(source, FileSource)
        assert source.settle()
        standing = source.standing()
        assert (standing.traces, standing.spans, standing.is_growing, standing.progress) == (20, 40, False, "")
        rows = source.rows(source.order(Wish()))
        assert [row.id for row in rows if row is not None] == [trace.hex() for trace in traces]
        assert source.title == "spans.json"


def test_what_cannot_be_used_of_a_file_is_among_the_refusals(tmp_path: Path) -> None:
    """With its line; the rest is read."""
    good = "".join(document([made(1)])).replace("\n", "")
    path = tmp_path / "spans.jsonl"
    path.write_text(f"{good}\n{{broken\n{good}\n")
    with opened(path) as source:
        assert isinstance(source, FileSource)
        assert source.settle()
        assert source.standing().refused == 1
        [refused] = source.refusals()
        assert "line 2" in refused


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"resourceMetrics": []}', "metrics or logs"),
        ("hello", "holds no spans in a form that is known"),
        ("", "holds no spans in a form that is known"),
    ],
)
def test_other_files_are_refused_with_a_sentence(tmp_path: Path, content: str, words: str) -> None:
    """Before anything is opened."""
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(BadInput, match=words):
        otlp_source(path)


def test_a_recording_is_known_as_one(tmp_path: Path) -> None:
    """Whatever it is opened as."""
    from traces_made import written

    with opened(written(tmp_path / "r.hookscope", made(1))) as source:
        assert isinstance(source, RecordedSource)
        assert len(source.order(Wish())) == 1


def test_closing_ends_the_reading_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Also in the middle of it."""
    path = tmp_path / "large.jsonl"
    line = "".join(document([made(n, trace=n.to_bytes(16)) for n in range(1, 200)])).replace("\n", "")
    path.write_text(f"{line}\n" * 200)
    source = otlp_source(path)
    assert isinstance(source, FileSource)
    kept = source.file
    until_now(lambda: source.changes() > 0)
    source.close()
    assert not kept.exists()
