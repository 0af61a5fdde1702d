"""Claims about recordings: nothing that was told is lost, and whatever happens to the file is told in a sentence."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from dispatch_runs import Told, on_virtual_time, stub
from hypothesis import given
from hypothesis import strategies as st
from pluggable_payloads import payload

from debugger.store import codec, schema
from debugger.store.caps import Caps
from debugger.store.recording import Recording, Unreadable, is_recording
from debugger.store.writer import Writer
from debugger.trace import Trace
from kernel import VirtualClock
from kernel.errors import BadInput
from kernel.facts import Asked, Decided, Entered, Event, Left, Opened
from kernel.reach import GoPlugin, Secret
from kernel.values import Chain, Subscription

SAYS = {"A": "ack", "B": "+x", "C": "none", "D": "hang"}
SEATS = "A:o B:t C:o D:o"


def told(name: str = "d", seats: str = SEATS, says: dict[str, str] = SAYS) -> list[Event]:
    """The events of a real dispatch, under an id of their own."""

    async def body(clock: VirtualClock) -> Told:
        return await Told().run(seats, {who: stub(does) for who, does in says.items()}, clock)

    return [replace(event, dispatch=name) for event in on_virtual_time(body).events]


def recorded(path: Path, *runs: list[Event], caps: Caps | None = None) -> Writer:
    """Everything written and closed."""
    writer = Writer(path, caps=caps, about={"config": "x"})
    for run in runs:
        for event in run:
            writer.see(event)
    writer.close()
    return writer


def test_what_was_told_is_read_back_event_for_event(tmp_path: Path) -> None:
    """Facts, numbers and times; the same trace is folded from both."""
    events = told()
    recorded(tmp_path / "r.hookscope", events)
    with Recording(tmp_path / "r.hookscope") as recording:
        assert list(recording.events()) == events
        assert list(recording.events("d")) == events
        assert list(recording.events("other")) == []
        assert recording.about == {"config": "x"}
        [row] = recording.rows()
        assert (row.id, row.number, row.point, row.decision, row.status) == ("d", 1, "pre-model-call", "allow", "ok")
        trace = Trace()
        for event in events:
            trace.take(event)
        assert recording.trace("d") == trace.dispatches[0]
        with pytest.raises(BadInput, match="no dispatch nobody"):
            recording.trace("nobody")


def test_a_dispatch_is_stored_with_its_end_and_not_before(tmp_path: Path) -> None:
    """What is cut off in the middle is not half there."""
    recorded(tmp_path / "r.hookscope", told("whole"), told("half")[:-1])
    with Recording(tmp_path / "r.hookscope") as recording:
        assert [row.id for row in recording.rows()] == ["whole"]
        assert {event.dispatch for event in recording.events()} == {"whole"}


def test_stretches_and_what_a_host_decides_are_kept(tmp_path: Path) -> None:
    """Around a dispatch, and after its end."""
    facts = [
        Event("s", 0, 1, Entered("pluggable", "session", "one", "", 5, {"a": [1, {"b": None}], "big": 2**80})),
        *told("d"),
        Event("d", 99, 7, Decided("it", "run", "host", "R", "why")),
        Event("s", 1, 9, Left("", {"total": 1.5})),
    ]
    recorded(tmp_path / "r.hookscope", facts)
    with Recording(tmp_path / "r.hookscope") as recording:
        assert list(recording.events()) == facts


def test_payloads_are_kept_once(tmp_path: Path) -> None:
    """A hundred dispatches of the same payload: two payloads in the file, that and the changed one."""
    recorded(tmp_path / "r.hookscope", *(told(f"d{number}") for number in range(100)))
    with sqlite3.connect(tmp_path / "r.hookscope") as plain:
        assert plain.execute("SELECT count(*) FROM payloads").fetchone() == (2,)
    with Recording(tmp_path / "r.hookscope") as recording:
        assert len(recording) == 100
        assert [row.number for row in recording.rows(after=98)] == [99, 100]


def test_how_a_subscriber_is_reached_is_not_in_the_file(tmp_path: Path) -> None:
    """The environment of a plugin may hold secrets: neither in clear nor in any other form."""
    reach = GoPlugin(("prog-hidden",), "/m", ("c", "v"), env=(("TOKEN", Secret("hunter2-secret")), ("B", "plain-env")))
    seat = Subscription("A", "plan-ready", "veto", reach=reach)
    first, *rest = told("d", "A:o", {"A": "ack"})
    assert isinstance(first.fact, Opened)
    opened = replace(first, fact=replace(first.fact, chain=Chain("plan-ready", (seat,))))
    recorded(tmp_path / "r.hookscope", [opened, *rest])
    stored = (tmp_path / "r.hookscope").read_bytes()
    assert not [word for word in (b"hunter2", b"plain-env", b"prog-hidden") if word in stored]
    with Recording(tmp_path / "r.hookscope") as recording:
        fact = next(iter(recording.events())).fact
        assert isinstance(fact, Opened)
        assert fact.chain.subscriptions == (replace(seat, reach=None),)


def test_over_its_cap_the_oldest_whole_dispatches_go_and_are_counted(tmp_path: Path) -> None:
    """And the payloads that only they used."""
    other = told("other", "A:t", {"A": "+y"})
    writer = recorded(tmp_path / "r.hookscope", other, *(told(f"d{n}") for n in range(20)), caps=Caps(dispatches=5))
    assert (writer.kept.dispatches, writer.kept.dropped) == (5, 16)
    with Recording(tmp_path / "r.hookscope") as recording:
        assert [row.id for row in recording.rows()] == [f"d{n}" for n in range(15, 20)]
        assert len(list(recording.events())) == 5 * len(told())
    with sqlite3.connect(tmp_path / "r.hookscope") as plain:
        assert plain.execute("SELECT count(*) FROM payloads").fetchone() == (2,)


def test_a_cap_on_bytes_keeps_the_file_small(tmp_path: Path) -> None:
    """What is dropped makes room for what comes."""
    writer = Writer(tmp_path / "r.hookscope", caps=Caps(bytes=200_000))
    for number in range(400):
        for event in told(f"d{number}"):
            writer.see(event)
        if number % 40 == 0:
            time.sleep(0.06)  # so that it is not one batch
    writer.close()
    assert writer.kept.dropped > 0
    assert (tmp_path / "r.hookscope").stat().st_size < 800_000


def test_a_cap_on_spans(tmp_path: Path) -> None:
    """Each dispatch is one, and so is each asking: as many whole dispatches as fit are kept, and it is told once."""
    said: list[str] = []
    each = 1 + sum(isinstance(event.fact, Asked) for event in told())
    writer = Writer(tmp_path / "r.hookscope", caps=Caps(spans=4 * each + 1), on_full=said.append)
    for number in range(20):
        for event in told(f"d{number}"):
            writer.see(event)
        if number % 7 == 0:
            time.sleep(0.06)  # so that it is not one batch
    writer.close()
    assert (writer.kept.dispatches, writer.kept.dropped, len(said)) == (4, 16, 1)


def test_a_cap_on_time_counts_back_from_the_newest(tmp_path: Path) -> None:
    """By when dispatches began."""

    def at(second: int) -> list[Event]:
        events = told(f"d{second}")
        assert isinstance(events[0].fact, Opened)
        return [replace(events[0], fact=replace(events[0].fact, wall_ns=second * 10**9)), *events[1:]]

    writer = recorded(tmp_path / "r.hookscope", *map(at, (1, 5, 9, 12, 15)), caps=Caps(time_ns=6 * 10**9))
    assert (writer.kept.dispatches, writer.kept.dropped) == (3, 2)
    with Recording(tmp_path / "r.hookscope") as recording:
        assert [row.id for row in recording.rows()] == ["d9", "d12", "d15"]


def test_what_comes_faster_than_the_disk_is_lost_as_whole_dispatches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And counted; what was under way before is written to its end."""
    monkeypatch.setattr("debugger.store.writer.MOST_WAITING", 30)
    writer = recorded(tmp_path / "r.hookscope", *(told(f"d{number}") for number in range(200)))
    assert writer.kept.lost > 0
    assert writer.kept.dispatches + writer.kept.lost == 200
    with Recording(tmp_path / "r.hookscope") as recording:
        assert len(recording) == writer.kept.dispatches
        assert all(recording.trace(row.id).result is not None for row in recording.rows())
        assert len(list(recording.events())) == writer.kept.dispatches * len(told())


def test_many_bytes_that_wait_are_bounded_too_and_a_few_huge_dispatches_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can wait asks whether there is room."""
    monkeypatch.setattr("debugger.store.writer.MOST_BYTES_WAITING", 1)
    few = recorded(tmp_path / "few.hookscope", *(told(f"d{number}") for number in range(3)))
    assert (few.kept.dispatches, few.kept.lost) == (3, 0), "few events may be large"
    monkeypatch.setattr("debugger.store.writer.FEW_WAITING", 0)
    many = recorded(tmp_path / "many.hookscope", *(told(f"d{number}") for number in range(200)))
    assert many.kept.lost > 0
    assert many.kept.dispatches + many.kept.lost == 200
    with Writer(tmp_path / "patient.hookscope") as patient:
        for number in range(20):
            while not patient.has_room:
                time.sleep(0.001)
            for event in told(f"d{number}"):
                patient.see(event)
    assert (patient.kept.dispatches, patient.kept.lost) == (20, 0)


def test_what_is_counted_as_kept_can_be_read(tmp_path: Path) -> None:
    """At any moment: the count is told when the transaction is over, and not before."""
    with Writer(tmp_path / "r.hookscope") as writer:
        for number in range(300):
            for event in told(f"d{number}"):
                writer.see(event)
            counted = writer.kept.dispatches
            if counted:
                with Recording(tmp_path / "r.hookscope") as recording:
                    assert len(recording) >= counted


# -- trouble with the file ---------------------------------------------------------------------------------------


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A second recording into the same file is refused, a first one left as it is."""
    recorded(tmp_path / "r.hookscope", told())
    before = (tmp_path / "r.hookscope").read_bytes()
    with pytest.raises(BadInput, match="is there already; name another file"):
        Writer(tmp_path / "r.hookscope")
    assert (tmp_path / "r.hookscope").read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(BadInput, match="cannot be written"):
        Writer(tmp_path / "r.hookscope")


def test_a_missing_folder_is_said_so(tmp_path: Path) -> None:
    """Before anything runs."""
    with pytest.raises(BadInput, match="cannot be written: No such file or directory"):
        Writer(tmp_path / "missing" / "r.hookscope")


@pytest.mark.parametrize("what", ["deleted", "replaced"])
def test_a_file_that_goes_away_under_us_is_told_once_and_the_rest_counted(tmp_path: Path, what: str) -> None:
    """The session goes on; nothing is written into a stranger's file."""
    path, said = tmp_path / "r.hookscope", list[str]()
    writer = Writer(path, on_trouble=said.append)
    for event in told("first"):
        writer.see(event)
    while writer.kept.dispatches == 0:
        time.sleep(0.01)
    path.unlink()
    if what == "replaced":
        path.write_bytes(b"somebody else's")
    for name in ("second", "third"):
        for event in told(name):
            writer.see(event)
    writer.close()
    assert len(said) == 1
    assert f"the file was {what}" in said[0]
    assert writer.kept.lost == 2
    assert writer.kept.trouble == said[0]
    if what == "replaced":
        assert path.read_bytes() == b"somebody else's"


def test_a_full_disk_is_told_and_the_session_goes_on(tmp_path: Path) -> None:
    """A real limit of the operating system on the size of files, in a process of its own."""
    program = (
        "import resource, sys, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "sys.path[:0] = sys.argv[2:]\n"
        "from test_store import told\n"
        "from debugger.store.writer import Writer\n"
        "from pathlib import Path\n"
        "said = []\n"
        "writer = Writer(Path(sys.argv[1]), on_trouble=said.append)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "import time\n"
        "for n in range(300):\n"
        "    [writer.see(event) for event in told(f'd{n}')]\n"
        "    n % 30 or time.sleep(0.06)\n"
        "writer.close()\n"
        "print(len(said), writer.kept.lost > 0, writer.kept.dispatches)\n"
    )
    here = Path(__file__)
    roots = [str(here.parent), str(here.parents[2]), str(here.parents[3])]
    path = tmp_path / "r.hookscope"
    done = subprocess.run(
        [sys.executable, "-c", program, path, *roots], capture_output=True, text=True, timeout=60, check=True
    )
    count, has_lost, kept = done.stdout.split()
    assert (count, has_lost) == ("1", "True"), done.stderr
    with Recording(path) as recording:
        assert len(recording) == int(kept)
        assert all(recording.trace(row.id).result is not None for row in recording.rows())


ENDLESS = Path(__file__).with_name("endless.py")


def test_killed_at_any_moment_it_is_whole_up_to_the_last_stored_dispatch(tmp_path: Path) -> None:
    """A hundred kills: every file opens, every dispatch in it has its end, and every one that was counted is in it."""
    promised: dict[Path, int] = {}
    for round in range(20):
        names = [tmp_path / f"{round}-{each}.hookscope" for each in range(5)]
        running = [subprocess.Popen([sys.executable, ENDLESS, name], stdout=subprocess.PIPE) for name in names]
        try:
            for each, process in enumerate(running):
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(0.03 * each)
                process.send_signal(signal.SIGKILL)
        finally:
            for name, process in zip(names, running, strict=True):
                process.kill()
                told, _ = process.communicate()
                whole, _, _ = told.rpartition(b"\n")  # the last line may be cut by the kill
                promised[name] = int((whole.split() or [b"0"])[-1])
        for name in names:
            with Recording(name) as recording:
                rows = recording.rows(most=100_000)
                assert len(rows) >= promised[name]
                assert [row.number for row in rows] == list(range(1, len(rows) + 1))
                for row in rows[-3:]:
                    assert recording.trace(row.id).result is not None
    assert sum(map(bool, promised.values())) > 10, "some were killed after they had promised something"


def test_strangers_are_told_apart(tmp_path: Path) -> None:
    """No file, no SQLite, another program's SQLite, a newer format, a damaged file: a sentence for each."""
    good = tmp_path / "good.hookscope"
    recorded(good, told())
    assert is_recording(good)
    with pytest.raises(BadInput, match="does not exist"):
        Recording(tmp_path / "none")
    with pytest.raises(BadInput, match="is no file"):
        Recording(tmp_path)
    (tmp_path / "text").write_text("hello")
    with pytest.raises(BadInput, match="not even an SQLite file"):
        Recording(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE t (a)")
    assert not is_recording(tmp_path / "other")
    with pytest.raises(BadInput, match="not a recording of hookscope"):
        Recording(tmp_path / "other")
    newer = tmp_path / "newer"
    shutil.copy(good, newer)
    with sqlite3.connect(newer) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    with pytest.raises(BadInput, match=r"recorded by a newer hookscope.*install that version"):
        Recording(newer)
    bare = tmp_path / "bare"
    with sqlite3.connect(bare) as connection:
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("CREATE TABLE about (a)")
    with pytest.raises(BadInput, match="no table dispatches, events, payloads"):
        Recording(bare)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording to damage copies of."""
    path = tmp_path_factory.mktemp("good") / "r.hookscope"
    recorded(path, told())
    return path


@given(data=st.data())
def test_a_damaged_file_is_a_sentence_or_still_right(good: Path, data: st.DataObject) -> None:
    """Bytes overwritten anywhere behind the header: no traceback of another kind, whatever is read."""
    path = good.with_name("damaged")
    body = bytearray(good.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(100, len(body) - 1))
        body[place] = data.draw(st.integers(0, 255))
    path.write_bytes(body[: data.draw(st.sampled_from([len(body), len(body) // 2, 200]))])
    with contextlib.suppress(BadInput), Recording(path) as recording:
        for row in recording.rows():
            recording.trace(row.id)
        list(recording.events())


def test_a_payload_that_its_dialect_does_not_take_is_shown_as_bytes(tmp_path: Path) -> None:
    """A refused dispatch: the payload belongs to another point than the chain."""

    async def body(clock: VirtualClock) -> Told:
        return await Told().run("A:o", {"A": stub("ack")}, clock)

    run = on_virtual_time(body).events
    assert isinstance(run[0].fact, Opened)
    wrong = replace(run[0], fact=replace(run[0].fact, payload=payload("plan-ready")))
    recorded(tmp_path / "r.hookscope", [wrong, *run[1:]])
    with Recording(tmp_path / "r.hookscope") as recording:
        fact = next(iter(recording.events())).fact
        assert isinstance(fact, Opened)
        assert isinstance(fact.payload, Unreadable)
        assert fact.payload.body == payload("plan-ready").body


@given(st.binary(max_size=60))
def test_any_bytes_are_an_event_or_bad_input(body: bytes) -> None:
    """Nothing else ever comes out of the codec."""
    with contextlib.suppress(BadInput):
        codec.decode(body, lambda digest: payload("plan-ready"))


def test_a_temporary_recording_goes_with_its_writer() -> None:
    """And is readable meanwhile."""
    writer = Writer()
    path = writer.kept.path
    for event in told():
        writer.see(event)
    while writer.kept.dispatches == 0:
        time.sleep(0.01)
    with Recording(path) as recording:
        assert len(recording) == 1
    writer.close()
    assert not path.exists()
    writer.close()


def test_a_recording_that_is_closed_under_others_ends_their_queries(tmp_path: Path) -> None:
    """Whoever asks then gets BadInput, and the process lives."""
    file = tmp_path / "run.hookscope"
    recorded(file, *(told(f"d{number}") for number in range(200))).close()
    for _ in range(20):
        recording, ends = Recording(file), list[str]()

        def read(recording: Recording = recording, ends: list[str] = ends) -> None:
            try:
                while True:
                    assert len(recording) == 200
            except BadInput as error:
                ends.append(error.message)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        recording.rows()
        recording.close()
        for thread in threads:
            thread.join(20)
        assert ["closed" in end for end in ends] == [True] * 3
