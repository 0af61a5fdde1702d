"""Claims about log lines and audit lines: codes, levels and fields (spec 2.8, 2.11)."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from dispatch_runs import on_virtual_time
from hookbus_runs import CRASH, HANG, I1, PANIC, TI, TX, H, Raw, at, bm, bt, chain_of, run, se
from hookbus_runs import Handler as Stubbed

from kernel import Probes, VirtualClock, dispatch
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.audit import audit_line, to_file
from kernel.dialects.hookbus.logs import Condition, Level, LogBook, LogLine, is_tracing
from kernel.dialects.hookbus.payload import HookEvent
from kernel.values import JSON

BOTH = {"permissions": [TI, TX]}
A: dict[str, JSON] = {"hook": "before_tool_call", "extension": "A"}


@pytest.mark.parametrize(
    ("event", "does", "options", "lines"),
    [
        (bt(), {"block": "r"}, {}, [LogLine("block", Level.INFO, {**A, "reason": "r"})]),
        (bt(), {"modify": I1}, {}, [LogLine("modify", Level.INFO, A)]),
        (bt(), {"confirm": "m"}, {}, [LogLine("confirm", Level.INFO, A)]),
        (bt(), {"inject": "x"}, {}, [LogLine("disallowed", Level.WARN, {**A, "action": "inject"})]),
        (bt(), HANG, {}, [LogLine("timeout", Level.WARN, {**A, "timeout_secs": 5})]),
        (bt(), CRASH, {}, [LogLine("call_failed", Level.WARN,
                                   {"extension": "A", "error": "its process is gone: killed by signal 9"})]),
        (bt(), PANIC, {}, [LogLine("panic", Level.WARN, {"extension": "A", "error": "it raised ValueError: boom"})]),
        (bt(), Raw({"a": 1}), {}, [LogLine("invalid_result", Level.WARN,
                                           {"extension": "A", "error": "missing member 'action'",
                                            "response": '{"a":1}'})]),
        (bt(), Raw({"action": "modify"}), {}, [
            LogLine("invalid_result", Level.WARN, {"extension": "A", "error": "modify without 'input'",
                                                   "response": '{"action":"modify"}'}),
            LogLine("block", Level.INFO, {**A, "reason": "Extension returned malformed modify result"})]),
        (bm(), Raw({"action": "modify"}), {}, [
            LogLine("invalid_result", Level.WARN, {"extension": "A", "error": "modify without 'input'",
                                                   "response": '{"action":"modify"}'}),
            LogLine("disallowed", Level.WARN, {"hook": "before_message", "extension": "A", "action": "block"})]),
        (bm(), {"inject": "é"}, {}, [LogLine("inject", Level.DEBUG,
                                             {"hook": "before_message", "extension": "A", "len": 2})]),
        (at("räw"), {"replace": "x"}, BOTH, [LogLine("replace", Level.INFO, {
            "hook": "after_tool_call", "extension": "A", "observed_len": 4, "replacement_len": 1})]),
        (at(), {"replace": "x"}, {}, [LogLine("replace_denied", Level.WARN,
                                              {"hook": "after_tool_call", "extension": "A"})]),
        (se(), HANG, {}, [LogLine("timeout_conc", Level.WARN, {"hook": "on_session_end", "timeout_secs": 5})]),
        (bt(), "continue", {}, []),
    ],
)  # fmt: skip
def test_what_is_logged_of_an_answer(
    event: HookEvent, does: object, options: dict[str, JSON], lines: list[LogLine]
) -> None:
    """Every field, and nothing else."""
    assert run(event, H("A", does, options)).logs == lines


def test_a_late_modify_is_warned_of() -> None:
    """With no input in it."""
    ran = run(bt(), H("B", {"confirm": "m"}), H("A", {"modify": I1}))
    assert ran.logs[-1] == LogLine("modify_late", Level.WARN, A)


@pytest.mark.parametrize(
    ("does", "level", "fields"),
    [
        ("continue", Level.INFO, {"action": "continue", "duration_ms": 7}),
        ({"inject": "x"}, Level.INFO, {"action": "inject", "duration_ms": 7}),
        (HANG, Level.WARN, {"action": "timeout", "timeout_secs": 5, "duration_ms": 5000}),
        (Raw(None), Level.INFO, {"action": "continue", "duration_ms": 7}),
    ],
)
def test_a_trace_record(does: object, level: Level, fields: dict[str, JSON]) -> None:
    """What the handler said, how long it took, and how its process is."""
    lines: list[LogLine] = []

    async def body(clock: VirtualClock) -> None:
        book = LogBook(lines.append, traces=lambda: True, condition_of=lambda name: Condition(f"{name} degraded", 2))
        handlers = {"A": Stubbed(does, 7 if does != HANG else 0)}
        await dispatch(HOOKBUS, chain_of("before_tool_call", H("A")), bt(), handlers, probes=Probes(book), clock=clock)

    on_virtual_time(body)
    trace = lines[0]
    assert trace.level is level
    assert trace.fields == {**A, "trace": True, **fields, "health": "A degraded", "restart_count": 2}


@pytest.mark.parametrize(
    ("value", "is_on"),
    [("1", True), (" TRUE ", True), ("yes", True), ("On", True), ("", False), ("0", False), ("y", False), ("2", False)],
)
def test_when_tracing_is_on(value: str, is_on: bool) -> None:
    """Trimmed and in any case; absent it is off."""
    assert is_tracing({"SYNAPS_EXTENSIONS_TRACE": value}) is is_on
    assert not is_tracing({})


def test_an_audit_line_is_appended_as_json(tmp_path: Path) -> None:
    """Lengths only; the folder is made."""
    event = at("secret")
    ran = run(event, H("A", {"replace": "hidden"}, BOTH))
    now = datetime(2026, 3, 1, 10, 0, tzinfo=timezone(timedelta(hours=1)))
    write = to_file(tmp_path / "extensions" / "intercept.jsonl")
    write(audit_line(ran.came_to, event, now))
    write(audit_line(ran.came_to, event, now))
    lines = (tmp_path / "extensions" / "intercept.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0]) == {
        "timestamp": "2026-03-01T09:00:00.000Z",
        "plugin_id": "A",
        "hook": "after_tool_call",
        "tool_name": "bash",
        "action": "replace",
        "observed_len": 6,
        "replacement_len": 6,
    }
