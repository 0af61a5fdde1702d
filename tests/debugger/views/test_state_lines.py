"""What a session file says on the screen: lines compared as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from session_files import write_session

from debugger.state import Request, report
from debugger.views import state as views
from debugger.views.text import Emphasis, Line
from kernel.dialects import open_state
from kernel.stored import CostTotal, Decoded, HookFailure, PlanItemRow, SessionMeta, StoredEvent, Undecodable
from kernel.values import Producer

META = SessionMeta("01JN", "01JM", "coder", "running", 1, "2026-03-01T09:00:00.000Z", None)
GATE = Producer("policy-bot", "0.9.0", category="tool")
EVENT = StoredEvent(
    7, "01JN7", "2026-03-01T09:00:07.000Z", "message", GATE, "1", 3, Decoded("MessageEvent", "user: hi", {}), b"abc"
)
FAILURE = HookFailure(
    "plan-ready", "veto", "TIMEOUT", "no answer\nat all", GATE, "HookError", "TIMEOUT at plan-ready", {}
)


def texts(lines: Iterable[Line]) -> list[str]:
    return [line.text.rstrip() for line in lines]


def test_a_session_is_told_in_a_few_rows() -> None:
    """With its parent and whether it goes on."""
    assert texts(views.session(META, {"message": 2, "plan": 1})) == [
        "session     01JN",
        "parent      01JM, at depth 1",
        "profile     coder",
        "status      running",
        "started     2026-03-01T09:00:00.000Z",
        "ended       still going on when this was read",
        "events      3: 2 message, 1 plan",
    ]


@pytest.mark.parametrize(
    ("status", "ended_at", "ended"),
    [
        ("running", None, "still going on when this was read"),
        ("completed", None, "at a time that is not stored"),
        ("cancelled", None, "at a time that is not stored"),
        ("error_max_turns", "2026-03-01T09:01:00.000Z", "2026-03-01T09:01:00.000Z"),
        ("running", "2026-03-01T09:01:00.000Z", "2026-03-01T09:01:00.000Z"),
    ],
)
def test_whether_a_session_goes_on_is_said_by_its_status(status: str, ended_at: str | None, ended: str) -> None:
    """A time that is missing does not make it go on."""
    assert f"ended       {ended}" in texts(views.session(replace(META, status=status, ended_at=ended_at), {}))


def test_a_session_without_a_row_of_its_own_says_so() -> None:
    """And that it has no events."""
    assert texts(views.session(None, {})) == [
        "There is no row about the session: the agent had not written it yet.",
        "events      0",
    ]


def test_an_event_is_one_line() -> None:
    """Sequence, time, kind, producer, summary, in columns."""
    assert views.event(EVENT).text == (
        "     7  2026-03-01T09:00:07.000Z  message               tool/policy-bot/0.9.0       user: hi"
    )
    long = replace(EVENT, sequence=1234567, kind="k" * 30, payload=Decoded("M", "x" * 1000, {}))
    assert views.event(long).text.endswith(f"{'k' * 19}…  tool/policy-bot/0.9.0       {'x' * 300}…")


@pytest.mark.parametrize(
    ("payload", "emphasis"),
    [(Decoded("M", "s", {}), Emphasis.NONE), (FAILURE, Emphasis.ERROR), (Undecodable("r"), Emphasis.SUBTLE)],
)
def test_what_failed_and_what_cannot_be_read_stand_out(payload: Decoded, emphasis: Emphasis) -> None:
    """Not by colour alone: their text says it as well."""
    shown = views.event(replace(EVENT, payload=payload)).segments[-1]
    assert (shown.text, shown.emphasis) == (payload.summary, emphasis)


def test_a_hook_error_is_told_in_full() -> None:
    """Point, mode, category, message of several lines, and who stored it for whom."""
    stored = replace(EVENT, kind="hook_error", payload=FAILURE)
    assert texts(views.hook_error(stored)) == [
        "✗ TIMEOUT  veto at plan-ready  event 7  2026-03-01T09:00:07.000Z",
        "    producer    tool/policy-bot/0.9.0",
        "    message     no answer",
        "                at all",
    ]
    other = replace(stored, producer=Producer("kernel"), payload=replace(FAILURE, message=""))
    assert texts(views.hook_error(other))[1:] == [
        "    producer    kernel",
        "    subscriber  tool/policy-bot/0.9.0, says the error itself",
        "    message     (no message)",
    ]


def test_a_hook_error_that_cannot_be_read_is_not_left_out() -> None:
    """Its reason takes the place of its content."""
    stored = replace(EVENT, kind="hook_error", payload=Undecodable("it is empty"), producer=Producer(""))
    assert texts(views.hook_error(stored)) == ["✗ not decoded: it is empty  event 7", "    producer    nobody"]


def test_a_decision_says_what_about_and_by_whom() -> None:
    """A sign and a word; a word that no agent writes is shown as it is."""
    row = PlanItemRow(1, 6, "t1", "c1", "fs", "remove", "deny", "hook-veto:policy-bot")
    assert views.plan_item(row).text == (
        "⊘ deny   fs.remove                       hook-veto:policy-bot                call c1, turn t1, event 6"
    )
    assert views.plan_item(replace(row, decision="allow")).text.startswith("✓ allow  fs.remove")
    assert views.plan_item(replace(row, decision="maybe")).text.startswith("? maybe  fs.remove")


def test_costs_are_a_table_with_a_sum() -> None:
    """The sum only where it says something new."""
    one = CostTotal("anthropic", "sonnet", 2, 1_500, 105, 10, 20, 0.0061)
    rows = texts(views.costs([one, replace(one, model="haiku", cost_usd=0.0001)]))
    assert [row.split() for row in rows] == [
        ["answers", "input", "output", "cache", "read", "cache", "write", "USD"],
        ["anthropic/sonnet", "2", "1,500", "105", "20", "10", "0.006100"],
        ["anthropic/haiku", "2", "1,500", "105", "20", "10", "0.000100"],
        ["together", "4", "3,000", "210", "40", "20", "0.006200"],
    ]
    assert len(texts(views.costs([one]))) == 2


def test_what_is_left_out_is_counted() -> None:
    """And an empty list says what would not be empty."""
    assert texts(views.left_out(20, 120, None)) == ["… 100 earlier events"]
    assert texts(views.left_out(1, 3, "plan")) == ["… 2 earlier events of kind plan"]
    assert texts(views.left_out(3, 3, None)) == []
    assert (
        views.no_events("plan", {"message": 1, "apply": 2}).text
        == "No event is of kind plan; there are message, apply."
    )
    assert views.no_events("plan", {}).text == views.no_events(None, {}).text == "No event is stored."


def test_text_from_the_file_is_shown_literally() -> None:
    """Nothing that an agent stored can steer the terminal."""
    evil = "\x1b[2J\u202e"
    stored = replace(
        EVENT, timestamp=evil, kind=evil, producer=Producer(evil, evil, category=evil), payload=Decoded(evil, evil, {})
    )
    failure = replace(FAILURE, point=evil, mode=evil, category=evil, message=evil, subscriber=Producer(evil * 2))
    lines = [
        *views.session(SessionMeta(evil, evil, evil, evil, 0, evil, evil), {evil: 1}),
        views.event(stored),
        *views.hook_error(replace(stored, payload=failure)),
        *views.hook_error(replace(stored, payload=Undecodable(evil))),
        views.plan_item(PlanItemRow(1, 1, evil, evil, evil, evil, evil, evil)),
        *views.costs([CostTotal(evil, evil, 1, 1, 1, 1, 1, 1.0)]),
        *views.left_out(1, 2, evil),
        views.no_events(evil, {evil: 1}),
    ]
    assert all(line.text.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("kind", "limit", "shown"),
    [
        (None, None, range(1, 14)),
        (None, 2, [12, 13]),
        ("message", 2, [2, 13]),
        ("hook_error", None, [4, 5]),
        ("no", 1, []),
    ],
)
def test_a_report_has_the_parts_in_order(tmp_path: Path, kind: str | None, limit: int | None, shown: list[int]) -> None:
    """What is picked concerns the list of events; hook errors, decisions and costs are always told whole."""
    with open_state(write_session(tmp_path / "s.sqlite")) as session:
        lines = texts(report(session, Request(tmp_path, kind, limit, False)))
    titles = [line for line in lines if line in ("Events", "Hook errors", "Plan items", "Cost")]
    assert titles == ["Events", "Hook errors", "Plan items", "Cost"]
    events = lines[lines.index("Events") + 1 : lines.index("Hook errors") - 1]
    assert [int(line.split()[0]) for line in events if line.split()[0].isdigit()] == list(shown)
    assert sum(line.startswith("✗ ") for line in lines) == 2
    assert ("… 11 earlier events" in lines) == (kind is None and limit == 2)
