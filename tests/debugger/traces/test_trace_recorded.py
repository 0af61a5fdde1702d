"""A recording as a source: what is in it of dispatches, stretches and spans that were sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from exported_runs import conformance, recorded, told
from otlp_made import made, numbered_traces
from plugin_runs import until_now

from debugger.otlp.outward import spans_of
from debugger.otlp.sink import Batch
from debugger.otlp.span_writer import SpanWriter
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from debugger.traces.recorded import RecordedSource
from debugger.traces.source import SortKey, SpanSource, Wish, recording_source
from kernel.errors import BadInput

SAYS = {"a": "ack", "b": "hang"}
A, B = numbered_traces(2)


@contextmanager
def opened(path: Path) -> Iterator[RecordedSource]:
    source = recording_source(path)
    assert isinstance(source, RecordedSource)
    try:
        yield source
    finally:
        source.close()


def both(folder: Path) -> Path:
    """Two dispatches, of which the second is aborted, and two traces that were sent."""
    path = recorded(folder / "both.hookscope", told("d1", "a:o", SAYS), told("d2", "a:o b:t", SAYS))
    with SpanWriter(path) as writer:
        writer.take(Batch((made(1, trace=A, name="one"), made(1, trace=B, name="two", is_error=True)), "t", 1, 1))
    return path


def names(source: SpanSource, wish: Wish) -> list[str]:
    return [f"{row.root} {row.spans}" for row in source.rows(source.order(wish)) if row is not None]


def test_dispatches_and_received_traces_are_in_one_list(tmp_path: Path) -> None:
    """Dispatches before what was sent, unless another order is wished for."""
    with opened(both(tmp_path)) as source:
        everything = ["pre-model-call 1", "pre-model-call 1", "one 1", "two 1"]
        assert names(source, Wish()) == everything
        assert names(source, Wish(is_descending=True)) == everything[::-1]
        assert names(source, Wish("PRE-")) == everything[:2]
        assert names(source, Wish(with_errors=True)) == ["pre-model-call 1", "two 1"]
        assert names(source, Wish(key=SortKey.NAME)) == ["one 1", "pre-model-call 1", "pre-model-call 1", "two 1"]
        took = [row.took_ns for row in source.rows(source.order(Wish(key=SortKey.TOOK))) if row is not None]
        assert took == sorted(took)
        standing = source.standing()
        assert (standing.traces, standing.spans, standing.is_least) == (4, 4, True)


def test_a_dispatch_opens_with_its_steps(tmp_path: Path) -> None:
    """And the list knows from then on how many there are."""
    with opened(both(tmp_path)) as source:
        second = source.order(Wish())[1]
        made_of = source.skeleton(second)
        assert made_of.names == ["hook.dispatch", "hook.subscriber", "hook.subscriber"]
        hooks = source.hooks(made_of, range(3))
        assert [hooks[place].word for place in range(3)] == ["aborted", "ok", "timed out"]
        assert source.all_hooks(made_of) == hooks
        [row] = source.rows([second])
        assert row is not None
        assert (row.spans, row.is_least, row.errors) == (3, False, 2)
        span = source.span(made_of, 2)
        assert span is not None
        assert (span.name, span.is_error) == ("hook.subscriber", True)
        assert span.start_ns == made_of.base_ns + made_of.starts[2]


def test_received_traces_open_as_they_do_anywhere(tmp_path: Path) -> None:
    """Their handles are told apart from those of dispatches."""
    with opened(both(tmp_path)) as source:
        handle = source.order(Wish())[2]
        made_of = source.skeleton(handle)
        assert (made_of.names, made_of.handle) == (["one"], handle)
        assert source.hooks(made_of, [0]) == source.all_hooks(made_of) == {}
        span = source.span(made_of, 0)
        assert span is not None
        assert span.trace_id == A


def test_what_is_inside_a_stretch_is_part_of_its_trace(tmp_path: Path) -> None:
    """Whatever a dialect nests: the same spans that an export of the recording has."""
    runs = [(events, switches) for _, events, switches in conformance("rig")]
    for number, (events, switches) in enumerate(runs[:40]):
        path = recorded(tmp_path / f"{number}.hookscope", events, dialect="rig", switches=switches)
        theirs = list(spans_of(events, seed="x"))
        with opened(path) as source:
            found = [source.skeleton(handle) for handle in source.order(Wish())]
            assert sorted(name for made_of in found for name in made_of.names) == sorted(span.name for span in theirs)
            assert len({span.trace_id for span in theirs}) == sum(len(made_of) > 0 for made_of in found)


def test_a_recording_that_grows_is_followed(tmp_path: Path) -> None:
    """Handles stay what they are."""
    path = tmp_path / "r.hookscope"
    with Writer(path, about={"version": "0", "config": "", "dialect": "pluggable", "switches": "{}"}) as writer:
        for event in told("d1", "a:o", SAYS):
            writer.see(event)
        until_now(lambda: dispatches(path) == 1)
        with opened(path) as source:
            first = source.order(Wish())
            before = source.changes()
            for event in told("d2", "a:o", SAYS):
                writer.see(event)
            until_now(lambda: dispatches(path) == 2)
            assert source.changes() != before
            assert source.order(Wish())[: len(first)] == first
            assert len(source.order(Wish())) == 2


def dispatches(path: Path) -> int:
    with Recording(path) as recording:
        return len(recording)


def test_what_is_part_of_something_missing_says_so(tmp_path: Path) -> None:
    """A cap may have taken it."""
    path = recorded(tmp_path / "r.hookscope", told("d1", "a:o", SAYS, parent="gone"))
    with opened(path) as source:
        [handle] = source.order(Wish())
        [row] = source.rows([handle])
        assert row is not None
        assert row.root == "pre-model-call (what it is part of is missing)"
        assert source.skeleton(handle).keys[-1] >= 0


def test_a_handle_that_nobody_gave_is_of_no_trace(tmp_path: Path) -> None:
    """Nor is one of a recording without dispatches."""
    with opened(both(tmp_path)) as source:
        assert source.rows([998, 999]) == (None, None)
        with pytest.raises(BadInput):
            source.skeleton(998)


def test_another_file_is_refused(tmp_path: Path) -> None:
    """With a sentence."""
    path = tmp_path / "file"
    path.write_text("hello")
    with pytest.raises(BadInput, match="is no recording"):
        recording_source(path)
