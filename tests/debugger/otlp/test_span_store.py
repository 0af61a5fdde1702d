"""Spans in a recording: everything back as it was, caps, trouble with the file, reading while it is written."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from otlp_made import BY_HAND, REQUESTS, SHOP, START_NS, TRACE, identity, made, numbered_traces

from debugger.otlp import protobuf
from debugger.otlp.sink import Batch, Refused
from debugger.otlp.span_reader import SpanReader
from debugger.otlp.span_writer import MOST_REFUSED, SpanCaps, SpanWriter
from debugger.otlp.spans import Resource, Span
from debugger.otlp.tree import Odd, words
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from kernel.errors import BadInput


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "spans.hookscope"


def batch(*spans: Span) -> Batch:
    return Batch(spans, "test", 100, START_NS)


def stored(file: Path, *batches: Batch, caps: SpanCaps | None = None) -> SpanReader:
    """A reader of what a writer made of batches, one transaction each."""
    with SpanWriter(file, caps=caps) as writer:
        for each in batches:
            assert writer.take(each)
            assert writer.settle()
        assert not writer.kept.trouble
    return SpanReader(file)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REQUESTS)
def test_a_span_comes_back_as_it_was(tmp_path: Path, request: ExportTraceServiceRequest) -> None:
    """Judged as protobuf: every field, and the type of every value."""
    file = tmp_path / "any.hookscope"
    file.unlink(missing_ok=True)
    spans = protobuf.decoded(request.SerializeToString())
    with stored(file, batch(*spans)) as reader:
        back = tuple(reader.spans())
        assert [protobuf.encoded((span,)) for span in back] == [protobuf.encoded((span,)) for span in spans]


def test_resources_that_differ_in_a_type_only_stay_apart(file: Path) -> None:
    """They are kept once each, by their bytes."""
    one, yes = Resource((("k", 1),)), Resource((("k", True),))
    spans = (made(1, resource=one), made(2, resource=yes), made(3, resource=Resource((("k", 1),))))
    with stored(file, batch(*spans)) as reader:
        assert [type(span.resource.attributes[0][1]) for span in reader.spans()] == [int, bool, int]
        resources = [span.resource for span in reader.spans()]
        assert resources[0] is resources[2]


def test_the_list_of_traces(file: Path) -> None:
    """Root, service, times, counts; in pages from either end."""
    first, second, third = numbered_traces(3)
    with stored(
        file,
        batch(made(2, 1, trace=first, at=5, took=9), made(7, trace=second, name="two", is_error=True)),
        batch(made(1, trace=first, name="one", took=10), made(3, 9, trace=third, name="no root", at=-4)),
    ) as reader:
        rows = reader.traces()
        assert [(row.id, row.number, row.root, row.spans, row.errors, row.has_root) for row in rows] == [
            (first, 1, "one", 2, 0, True),
            (second, 2, "two", 1, 1, True),
            (third, 3, "no root", 1, 0, False),
        ]
        assert (rows[0].start_ns, rows[0].took_ns, rows[0].service) == (START_NS, 14, "shop")
        assert rows[0].touched > rows[1].touched
        assert len(reader) == 3
        assert reader.traces(after=1, most=1) == rows[1:2]
        assert reader.newest(most=2) == (rows[2], rows[1])
        assert reader.newest(before=2) == rows[:1]
        assert reader.trace(second) == rows[1]
        with pytest.raises(BadInput, match="no trace ff"):
            reader.trace(b"\xff" * 16)


@pytest.mark.parametrize("is_one_batch", [True, False])
def test_the_root_is_the_earliest_span_without_a_parent(file: Path, is_one_batch: bool) -> None:
    """Whatever came first; and the service is that of the root."""
    other = Resource((("service.name", "other"),))
    spans = (
        made(5, 4, name="below", at=-9),
        made(2, name="second root", at=3, resource=other),
        made(1, name="first root", at=1),
        made(6, 4, name="deeper", at=-20, resource=other),
    )
    with stored(file, *([batch(*spans)] if is_one_batch else [batch(span) for span in spans])) as reader:
        [row] = reader.traces()
        assert (row.root, row.service, row.has_root, row.start_ns) == ("first root", "shop", True, START_NS - 20)


def test_late_spans_are_put_in_their_place(file: Path) -> None:
    """A reader that is open sees them, and sees by `touched` that it has to look again."""
    with SpanWriter(file) as writer:
        writer.take(batch(made(3, 2), made(4, 2)))
        assert writer.settle()
        with SpanReader(file) as reader:
            [before] = reader.traces()
            assert [words(node.odd) for node in reader.tree(TRACE)] == [
                ("missing parent",),
                ("its parent was not sent",),
                ("its parent was not sent",),
            ]
            writer.take(batch(made(2, 1), made(1)))
            assert writer.settle()
            [after] = reader.traces()
            assert after.touched > before.touched
            assert [(node.depth, node.odd & Odd.MISSING) for node in reader.tree(TRACE)] == [
                (0, Odd.NOTHING),
                (1, Odd.NOTHING),
                (2, Odd.NOTHING),
                (2, Odd.NOTHING),
            ]


def test_a_page_of_a_tree(file: Path) -> None:
    """What a list shows, for the places that it shows; a missing parent among them has no span."""
    with stored(file, batch(made(1, took=50), made(2, 1, at=3, is_error=True), made(3, 8, kind=2))) as reader:
        nodes = reader.tree(TRACE)
        rows = reader.page(nodes)
        assert [row.name for row in rows] == ["span 1", "span 2", "", "span 3"]
        assert reader.page(nodes[1:2]) == rows[1:2]
        assert (rows[1].is_error, rows[1].start_ns, rows[1].service, rows[3].kind) == (True, START_NS + 3, "shop", 2)
        row = rows[1].node.row
        assert row is not None
        assert reader.span(row) == made(2, 1, at=3, is_error=True)
        with pytest.raises(BadInput, match="not there any more"):
            reader.span(999)


def test_a_batch_that_is_sent_again_is_shown_once(file: Path) -> None:
    """Its answer was lost, so the sender tried once more. Another span of the same id is another span."""
    spans = (made(1), made(2, 1))
    with stored(file, batch(*spans), batch(*spans), batch(made(2, 1, name="other"))) as reader:
        nodes = reader.tree(TRACE)
        assert [(int.from_bytes(node.span_id), node.copies, node.odd & Odd.TWICE) for node in nodes] == [
            (1, 2, Odd.NOTHING),
            (2, 2, Odd.NOTHING),
            (2, 1, Odd.TWICE),
        ]


def test_a_deep_trace_and_large_spans(file: Path) -> None:
    """A thousand levels, thousands of attributes, a value of a megabyte."""
    large = made(1, attributes=(("big", "x" * 2**20), *((f"key {number}", number) for number in range(4000))))
    with stored(file, batch(large, *(made(number, number - 1) for number in range(2, 1001)))) as reader:
        nodes = reader.tree(TRACE)
        assert [node.depth for node in nodes] == list(range(1000))
        assert nodes[0].row is not None
        assert reader.span(nodes[0].row) == large


def test_times_beyond_what_sqlite_counts_to(file: Path) -> None:
    """64 bits without a sign."""
    span = made(1, start_ns=2**64 - 2, end_ns=2**64 - 1)
    with stored(file, batch(span)) as reader:
        assert list(reader.spans()) == [span]


def test_caps_drop_whole_traces_that_have_not_grown_for_longest(file: Path) -> None:
    """Counted, also in the file; one that still grows outlives one that does not."""
    first, second, third = numbered_traces(3)
    many = [batch(*(made(number, trace=trace) for number in range(1, 5))) for trace in (first, second)]
    grows = batch(made(5, trace=first), made(6, trace=first))
    with stored(file, *many, grows, batch(made(1, trace=third)), caps=SpanCaps(spans=9)) as reader:
        assert [(row.id, row.spans) for row in reader.traces()] == [(first, 6), (third, 1)]
        assert not reader.tree(second)
        assert reader.dropped == {"dropped_traces": 1, "dropped_spans": 4}
        assert sum(1 for _ in reader.spans()) == 7
    with SpanWriter(file) as again:
        assert (again.kept.spans, again.kept.traces, again.kept.dropped_traces) == (7, 2, 1)


def test_a_cap_of_bytes(file: Path) -> None:
    """The file stays below it, give or take a page."""
    with SpanWriter(file, caps=SpanCaps(bytes=400_000)) as writer:
        for number, trace in enumerate(numbered_traces(100)):
            writer.take(batch(made(number + 1, trace=trace, attributes=(("blob", bytes(20_000)),))))
            assert writer.settle()
        assert writer.kept.dropped_traces + writer.kept.traces == 100
        assert 5 < writer.kept.traces < 30
    assert file.stat().st_size < 700_000


def test_without_room_nothing_is_taken(file: Path) -> None:
    """A batch is taken as a whole or not at all, and never blocks its sender."""
    with SpanWriter(file, most_waiting=1) as writer:
        taken = sum(writer.take(batch(*(made(number) for number in range(1, 200)))) for _ in range(200))
        assert writer.settle()
        assert writer.kept.spans == taken * 199
        assert taken < 200
        assert writer.take(batch(made(1), made(2)))
        writer.refuse(Refused("http 1", START_NS, 7, "no gzip stream"))  # never swallowed for want of room
        assert writer.settle()
        with SpanReader(file) as reader:
            assert [refused.size for _, refused in reader.refusals()] == [7]
        assert writer.take(batch(made(1)))
    assert not writer.take(batch(made(2)))  # it is closed


def test_what_could_not_be_used_is_kept(file: Path) -> None:
    """Up to a number; the newest."""
    with SpanWriter(file) as writer:
        for number in range(MOST_REFUSED + 5):
            writer.refuse(Refused("http 1", START_NS, number, "no gzip stream", b"\x00GET"))
        assert writer.settle()
        with SpanReader(file) as reader:
            numbered = reader.refusals(most=5000)
    assert [refused.size for _, refused in numbered] == list(range(5, MOST_REFUSED + 5))
    assert numbered[0][1] == Refused("http 1", START_NS, 5, "no gzip stream", b"\x00GET")


def test_dispatches_and_spans_in_one_file(file: Path) -> None:
    """A recording that is being written takes spans beside it; each reader sees its own."""
    with Writer(file) as recorder, SpanWriter(file) as writer:
        writer.take(batch(made(1)))
        assert writer.settle()
        assert not recorder.kept.trouble
    with Recording(file) as recording, SpanReader(file) as reader:
        assert (len(recording), len(reader)) == (0, 1)


def test_a_temporary_file_goes_with_its_writer() -> None:
    """Nothing is left behind."""
    with SpanWriter() as writer:
        writer.take(batch(made(1)))
        assert writer.settle()
        path = writer.kept.path
        assert path.exists()
    assert not list(path.parent.glob(f"{path.name}*"))


def test_a_file_that_is_deleted_or_replaced_is_noticed(file: Path) -> None:
    """A sentence, once, and what comes after is counted as lost. The process goes on."""
    heard: list[str] = []
    with SpanWriter(file, on_trouble=heard.append) as writer:
        writer.take(batch(made(1)))
        assert writer.settle()
        file.unlink()
        writer.take(batch(made(2)))
        assert writer.settle()
        writer.take(batch(made(3)))
        assert writer.settle()
        assert (writer.kept.spans, writer.kept.lost) == (1, 2)
    assert heard == [f"{file}: no span is stored any more: the file was deleted meanwhile"]


@pytest.mark.parametrize("content", [b"just text", b"SQLite format 3\0" + bytes(200)])
def test_a_file_of_something_else_is_not_touched(file: Path, content: bytes) -> None:
    """By neither."""
    file.write_bytes(content)
    with pytest.raises(BadInput, match="is no recording"):
        SpanWriter(file)
    with pytest.raises(BadInput, match=r"is no recording|cannot be read"):
        SpanReader(file)
    assert file.read_bytes() == content


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    """Says so."""
    with pytest.raises(BadInput, match="cannot be written"):
        SpanWriter(tmp_path / "no" / "folder.hookscope")
    with pytest.raises(BadInput, match="does not exist"):
        SpanReader(tmp_path / "none.hookscope")


def test_a_recording_of_dispatches_only_has_no_traces(file: Path) -> None:
    """And one that was made before there were spans in it is read all the same."""
    with Writer(file):
        pass
    with sqlite3.connect(file) as connection:
        for table in ("spans", "traces", "origins", "refusals", "counts"):
            connection.execute(f"DROP TABLE {table}")
    connection.close()
    with SpanReader(file) as reader:
        assert len(reader) == 0
        assert (reader.traces(), reader.tree(TRACE), list(reader.spans()), reader.refusals()) == ((), (), [], ())
        assert not reader.dropped


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE spans SET body = x'c1'",
        "UPDATE spans SET body = x'93010203'",
        "UPDATE spans SET body = 7",
        "UPDATE spans SET origin = 99",
        "UPDATE origins SET body = x'00'",
        "UPDATE spans SET name = x'ff'",
        "UPDATE spans SET trace = 'text'",
    ],
)
def test_a_hostile_file_is_a_sentence(file: Path, damage: str) -> None:
    """Whatever it holds, and never another exception."""
    stored(file, batch(made(1, attributes=(("k", "v"),)))).close()
    with sqlite3.connect(file) as connection:
        connection.execute(damage)
    connection.close()
    with SpanReader(file) as reader, pytest.raises(BadInput):
        list(reader.spans())


def test_what_is_written_is_there_after_a_crash(file: Path) -> None:
    """A copy of the files, taken while the writer is open, is what a killed process would leave."""
    with SpanWriter(file) as writer:
        writer.take(batch(*(made(number) for number in range(1, 100))))
        assert writer.settle()
        copies = file.parent / "copies"
        copies.mkdir()
        for each in file.parent.glob(f"{file.name}*"):
            (copies / each.name).write_bytes(each.read_bytes())
    with SpanReader(copies / file.name) as reader:
        assert sum(1 for _ in reader.spans()) == 99


def test_many_threads_may_bring_spans(file: Path) -> None:
    """Nothing is lost between them."""

    def bring(first: int) -> None:
        for number in range(first, first + 50):
            while not writer.take(batch(made(number))):
                pass

    with SpanWriter(file) as writer:
        threads = [threading.Thread(target=bring, args=(1 + 50 * number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert writer.settle()
        assert writer.kept.spans == 400
    with SpanReader(file) as reader:
        assert {span.span_id for span in reader.spans(TRACE)} == {identity(number) for number in range(1, 401)}
        assert {(span.resource, span.scope) for span in reader.spans()} == {(SHOP, BY_HAND)}


def test_a_reader_that_is_closed_under_others_ends_their_queries(file: Path) -> None:
    """Whoever asks then gets BadInput, and the process lives."""
    spans = [made(number, trace=trace) for trace in numbered_traces(40) for number in range(1, 50)]
    stored(file, batch(*spans)).close()
    for _ in range(20):
        reader, ends = SpanReader(file), list[str]()

        def read(reader: SpanReader = reader, ends: list[str] = ends) -> None:
            try:
                while True:
                    reader.traces()
            except BadInput as error:
                ends.append(error.message)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        reader.traces()
        reader.close()
        for thread in threads:
            thread.join(20)
        assert ["closed" in end for end in ends] == [True] * 3


def test_of_two_that_add_spans_to_one_file_the_second_is_told_so(tmp_path: Path) -> None:
    """Nothing of the first one's is lost, and it goes on; what the second one had is counted."""
    path, said = tmp_path / "r.hookscope", list[str]()
    first_trace, second_trace, third_trace = numbered_traces(3)
    with SpanWriter(path) as first, SpanWriter(path, on_trouble=said.append) as second:
        assert first.take(Batch((made(1, trace=first_trace), made(2, 1, trace=first_trace)), "t", 1, 1))
        assert first.settle()
        assert second.take(Batch((made(1, trace=second_trace),), "t", 1, 1))
        assert second.settle()
        assert first.take(Batch((made(1, trace=third_trace),), "t", 1, 1))
        assert first.settle()
    [sentence] = said
    assert "another program adds spans to it as well" in sentence
    assert (first.kept.spans, first.kept.lost, first.kept.trouble) == (3, 0, "")
    assert (second.kept.spans, second.kept.lost) == (0, 1)
    with SpanReader(path) as reader:
        assert [span.trace_id for span in reader.spans()] == [first_trace, first_trace, third_trace]


def test_a_full_disk_loses_spans_and_nothing_else(tmp_path: Path) -> None:
    """A real limit of the operating system on the size of files, in a process of its own."""
    program = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "sys.path[:0] = sys.argv[2:]\n"
        "from pathlib import Path\n"
        "from otlp_made import made, numbered_traces\n"
        "from debugger.otlp.sink import Batch\n"
        "from debugger.otlp.span_writer import SpanWriter\n"
        "said = []\n"
        "writer = SpanWriter(Path(sys.argv[1]), on_trouble=said.append)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "for trace in numbered_traces(300):\n"
        "    writer.take(Batch(tuple(made(n, trace=trace, name='x' * 500) for n in range(1, 9)), 't', 1, 1))\n"
        "    writer.settle()\n"
        "writer.close()\n"
        "print(len(said), writer.kept.lost > 0, writer.kept.spans)\n"
    )
    roots = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3])]
    path = tmp_path / "r.hookscope"
    done = subprocess.run(
        [sys.executable, "-c", program, path, *roots], capture_output=True, text=True, timeout=60, check=True
    )
    count, has_lost, kept = done.stdout.split()
    assert (count, has_lost) == ("1", "True"), done.stderr
    with SpanReader(path) as reader:
        assert len(list(reader.spans())) == int(kept) > 0
