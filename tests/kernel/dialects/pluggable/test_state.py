"""Claims about a session in its file: everything comes out in order, whole, and while the agent writes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from plugin_runs import ROOT
from session_files import DISK, GATE, KERNEL, SONNET, Agent, write_session

from kernel.dialects.pluggable import state
from kernel.dialects.pluggable.events import KINDS
from kernel.dialects.pluggable.state import CostRow, SessionFile, cost_totals
from kernel.errors import BadInput
from kernel.stored import CostTotal, Decoded, HookFailure, PlanItemRow, SessionMeta, Undecodable
from kernel.values import JSON, Producer


@pytest.fixture
def session(tmp_path: Path) -> Iterator[SessionFile]:
    """The short session, open."""
    with SessionFile.open(write_session(tmp_path / "s.sqlite")) as opened:
        yield opened


def said(text: str) -> JSON:
    return {"message": {"role": "ROLE_USER", "content": [{"text": {"text": text}}]}}


def test_the_session_s_own_row(session: SessionFile) -> None:
    """Absent and empty stay apart."""
    assert session.meta == SessionMeta(
        "01JNSESSION0000000000000AB", None, "coder", "completed", 0,
        "2026-03-01T09:00:00.000Z", "2026-03-01T09:05:00.000Z",
    )  # fmt: skip


def test_events_come_in_the_order_of_their_sequence(session: SessionFile) -> None:
    """Each with who made it and with its payload; no kind that the agent writes is unknown."""
    events = list(session.events())
    assert [event.sequence for event in events] == list(range(1, 14))
    assert {event.kind for event in events} == set(KINDS)
    assert not [event for event in events if isinstance(event.payload, Undecodable)]
    first, second = events[:2]
    assert (first.id, first.timestamp) == ("01JNEVENT00000000000000001", "2026-03-01T09:00:01.001Z")
    assert (first.kind, first.schema_version, first.size) == ("message", "1", len(first.body))
    makers = [Producer(name, version, category=category) for category, name, version in (KERNEL, SONNET, DISK, GATE)]
    assert [event.producer for event in events[:4]] == makers
    assert isinstance(second.payload, Decoded)
    assert second.payload.summary == "assistant: I will look first.; calls fs.remove  [anthropic, 1200+85 tokens]"


def test_both_encodings_of_a_hook_error_lie_in_one_file(session: SessionFile) -> None:
    """As written by hosts before and after the contract."""
    failures = [event.payload for event in session.failures()]
    assert all(isinstance(failure, HookFailure) for failure in failures)
    assert [(f.category, f.form) for f in failures if isinstance(f, HookFailure)] == [
        ("TIMEOUT", "HookErrorEvent"),
        ("PROCESS_CRASHED", "HookError"),
    ]


@pytest.mark.parametrize(
    ("kind", "last", "sequences"),
    [
        (None, 1, [13]),
        (None, 3, [11, 12, 13]),
        (None, 13, list(range(1, 14))),
        (None, 999, list(range(1, 14))),
        ("message", None, [1, 2, 13]),
        ("message", 2, [2, 13]),
        ("plan", 5, [6]),
        ("nothing", 5, []),
        ("nothing", None, []),
    ],
)
def test_the_last_ones_and_one_kind_can_be_picked(
    session: SessionFile, kind: str | None, last: int | None, sequences: list[int]
) -> None:
    """In order all the same."""
    assert [event.sequence for event in session.events(kind=kind, last=last)] == sequences


def test_pages_follow_each_other_without_gap_or_overlap(session: SessionFile) -> None:
    """From a sequence on, at most so many; none at the end."""
    first = session.page(limit=5)
    assert [event.sequence for event in first] == [1, 2, 3, 4, 5]
    assert [event.sequence for event in session.page(5, limit=100)] == list(range(6, 14))
    assert session.page(13) == ()


def test_a_page_ends_early_where_payloads_are_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded by bytes as well as by rows, and nothing is left out for that."""
    monkeypatch.setattr(state, "PAGE_BYTES", 100)
    with SessionFile.open(write_session(tmp_path / "s.sqlite")) as session:
        assert 0 < len(session.page()) < 13
        assert len(list(session.events())) == 13


def test_a_payload_beyond_reason_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its event is there, and says why it is not shown."""
    monkeypatch.setattr(state, "MAX_PAYLOAD", 50)
    agent = Agent(tmp_path / "s.sqlite")
    agent.event("message", said("x" * 100))
    agent.event("message", said("y"))
    agent.close()
    with SessionFile.open(agent.path) as session:
        large, small = session.events()
    assert large.payload == Undecodable(f"its {large.size} bytes are more than we read (50)")
    assert (large.body, large.size > 100) == (b"", True)
    assert isinstance(small.payload, Decoded)


def test_plan_items_and_costs_are_rows(session: SessionFile) -> None:
    """Under the names that the wire has today."""
    assert next(session.plan_items()) == PlanItemRow(
        1, 6, "01JNTURN000000000000000001", "c1", "fs", "remove", "deny", "hook-veto:policy-bot"
    )
    assert [row.decision for row in session.plan_items()] == ["deny", "allow"]
    assert next(session.costs()) == CostRow(1, 2, "anthropic", "sonnet", 1200, 85, 0, 0, 0.0049)


def test_costs_add_up_for_each_provider_and_model(session: SessionFile) -> None:
    """The dearest first."""
    assert cost_totals(session.costs()) == (
        CostTotal("anthropic", "sonnet", 2, 1500, 105, 0, 0, pytest.approx(0.0061)),  # type: ignore[arg-type]
        CostTotal("anthropic", "haiku", 1, 400, 10, 0, 0, pytest.approx(0.0001)),  # type: ignore[arg-type]
    )
    assert cost_totals([]) == ()


def test_a_session_that_just_began_has_nothing_yet(tmp_path: Path) -> None:
    """No row about itself, no events: that is no damage."""
    agent = Agent(tmp_path / "s.sqlite")
    with SessionFile.open(agent.path) as session:
        assert session.meta is None
        assert dict(session.kinds) == {}
        assert list(session.events()) == list(session.events(last=3)) == list(session.plan_items()) == []
    agent.close()


def test_kinds_are_counted_the_most_frequent_first(session: SessionFile) -> None:
    """What a person asks first about a file."""
    assert list(session.kinds.items())[:2] == [("message", 3), ("hook_error", 2)]
    assert sum(session.kinds.values()) == 13


@pytest.mark.parametrize("payload", ["text", 3, 2.5])
def test_whatever_stands_in_the_place_of_a_payload_is_told(tmp_path: Path, payload: object) -> None:
    """SQLite lets any column hold anything; an event like that is shown as what it is."""
    agent = Agent(tmp_path / "s.sqlite")
    agent.event("message", said("a"))
    agent.database.execute("UPDATE events SET payload = ?, id = x'ff41', timestamp = 5", (payload,))
    agent.close()
    with SessionFile.open(agent.path) as session:
        [event] = session.events()
    assert event.payload == Undecodable("it is no BLOB, as the agent writes them")
    assert (event.id, event.timestamp) == ("\ufffdA", "5")


def test_a_number_that_is_none_is_refused_where_sums_depend_on_it(tmp_path: Path) -> None:
    """Better no sum than a wrong one."""
    agent = Agent(tmp_path / "s.sqlite")
    agent.cost(agent.event("message", said("a")), "sonnet", (1, 2), 0.5)
    agent.database.execute("UPDATE cost_ledger SET cost_usd = 'a lot'")
    agent.close()
    with (
        SessionFile.open(agent.path) as session,
        pytest.raises(BadInput, match="has 'a lot' for cost_usd in cost_ledger, where a number belongs"),
    ):
        list(session.costs())


@contextmanager
def agent_at_work(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the file open and writes what it is told to."""
    command = [sys.executable, str(ROOT / "tests" / "session_files.py"), str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(ROOT)}
    ) as running:
        try:
            assert running.stdout is not None
            assert running.stdout.readline() == "ready\n"
            yield running
        finally:
            running.kill()


def store(running: subprocess.Popen[str], text: str) -> None:
    """Have the other process write, and wait until it has."""
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(f"{text}\n")
    running.stdin.flush()
    assert running.stdout.readline() == "stored\n"


def test_a_session_is_read_while_its_agent_writes(tmp_path: Path) -> None:
    """What is only in the WAL is there, what is written later comes with the next page, and nobody has to wait."""
    path = tmp_path / "s.sqlite"
    with agent_at_work(path) as running:
        store(running, "one")
        with SessionFile.open(path) as session:
            assert session.meta is not None
            assert (session.meta.status, session.meta.ended_at) == ("running", None)
            assert [event.payload.summary for event in session.page()] == ["user: one"]
            store(running, "two")
            assert [event.payload.summary for event in session.page(1)] == ["user: two"]
            walking = session.events()
            next(walking)
            store(running, "three")
            assert [event.sequence for event in walking] == [2, 3]
            store(running, "lock")
            assert session.kinds["message"] == 3, "in WAL mode a writer is in nobody's way"


def test_an_agent_that_is_killed_leaves_a_session_that_can_be_read(tmp_path: Path) -> None:
    """Up to the last event that it stored."""
    path = tmp_path / "s.sqlite"
    with agent_at_work(path) as running:
        for number in range(20):
            store(running, str(number))
    with SessionFile.open(path) as session:
        assert [event.payload.summary for event in session.events(last=2)] == ["user: 18", "user: 19"]


def test_ten_thousand_events_are_walked_page_by_page(tmp_path: Path) -> None:
    """None is lost between pages, and no more than a page is ever held."""
    agent = Agent(tmp_path / "s.sqlite")
    agent.events(("message" if number % 2 else "plan", said(str(number)) if number % 2 else {"plan": {}})
                 for number in range(10_000))  # fmt: skip
    agent.close()
    with SessionFile.open(agent.path) as session:
        assert sum(1 for _ in session.events()) == 10_000
        assert [event.sequence for event in session.events(kind="plan", last=2)] == [9997, 9999]
        assert len(session.page()) == state.PAGE
