"""Session files as the agent writes them (spec F.3): every table and index, WAL mode, version 1. The tests' own writer.

Run as a program it is an agent at work: it writes one event for each line that it reads, and says when it is stored.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable
from pathlib import Path

from google.protobuf.message import Message

from kernel.dialects.pluggable.view import fill
from kernel.dialects.pluggable.wire.pluggableharness.event.v1 import events_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import errors_pb2
from kernel.values import JSON

SCHEMA = """
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    timestamp TEXT NOT NULL,
    kind TEXT NOT NULL,
    producer_category TEXT NOT NULL,
    producer_name TEXT NOT NULL,
    producer_version TEXT NOT NULL,
    schema_version TEXT NOT NULL,
    payload BLOB NOT NULL
);
CREATE INDEX idx_events_kind ON events (kind);
CREATE INDEX idx_events_producer ON events (producer_category, producer_name, producer_version);
CREATE TABLE session_meta (
    session_id TEXT PRIMARY KEY,
    parent_session_id TEXT,
    profile TEXT NOT NULL,
    status TEXT NOT NULL,
    depth INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT
);
CREATE TABLE cost_ledger (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    event_sequence INTEGER NOT NULL REFERENCES events (sequence),
    provider_name TEXT NOT NULL,
    model_id TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL
);
CREATE TABLE plan_items (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    event_sequence INTEGER NOT NULL REFERENCES events (sequence),
    turn_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    provider_name TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    decision TEXT NOT NULL,
    decided_by TEXT NOT NULL
);
CREATE TABLE producers (
    category TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    first_seen_sequence INTEGER NOT NULL REFERENCES events (sequence),
    PRIMARY KEY (category, name, version)
);
"""
KERNEL = ("kernel", "kernel", "1")
SONNET = ("model", "anthropic", "1.4.0")
GATE = ("tool", "policy-bot", "0.9.0")
DISK = ("tool", "fs", "2.0.1")

MESSAGES: dict[str, type[Message]] = {
    "message": events_pb2.MessageEvent,
    "tool_call": events_pb2.ToolCallEvent,
    "tool_result": events_pb2.ToolResultEvent,
    "plan": events_pb2.PlanEvent,
    "apply": events_pb2.ApplyEvent,
    "context_contribution": events_pb2.ContextContributionEvent,
    "memory_write": events_pb2.MemoryMutationEvent,
    "memory_update": events_pb2.MemoryMutationEvent,
    "memory_delete": events_pb2.MemoryMutationEvent,
    "hook_error": events_pb2.HookErrorEvent,
}


def encoded(kind: str, view: JSON) -> bytes:
    """The payload of an event, written as JSON."""
    message = MESSAGES[kind]()
    fill(message, view, "$")
    return message.SerializeToString(deterministic=True)


def hook_error(view: JSON, *, is_wrapped: bool) -> bytes:
    """A hook_error in one of its two encodings."""
    if is_wrapped:
        return encoded("hook_error", {"error": view})
    error = errors_pb2.HookError()
    fill(error, view, "$")
    return error.SerializeToString(deterministic=True)


class Agent:
    """The one who writes a session file. Holds it open, so that what it wrote last is in the WAL only."""

    def __init__(self, path: Path, *, journal: str = "WAL", version: int = 1) -> None:
        self.path = path
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute(f"PRAGMA journal_mode = {journal}").fetchone()
        self.database.execute("PRAGMA foreign_keys = ON")
        if not path.stat().st_size or not self.database.execute("SELECT 1 FROM sqlite_master").fetchone():
            self.database.executescript(SCHEMA)
            self.database.execute(f"PRAGMA user_version = {version}")

    def event(
        self,
        kind: str,
        payload: JSON | bytes,
        producer: tuple[str, str, str] = KERNEL,
        schema_version: str = "1",
    ) -> int:
        """Append one event; gives its sequence."""
        body = payload if isinstance(payload, bytes) else encoded(kind, payload)
        [(last,)] = self.database.execute("SELECT coalesce(max(sequence), 0) FROM events")
        number = last + 1
        stamp = f"2026-03-01T09:{number // 60 % 60:02}:{number % 60:02}.{number % 1000:03}Z"
        self.database.execute(
            "INSERT INTO events (id, timestamp, kind, producer_category, producer_name, producer_version,"
            " schema_version, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (f"01JNEVENT{number:017}", stamp, kind, *producer, schema_version, body),
        )
        self.database.execute("INSERT OR IGNORE INTO producers VALUES (?, ?, ?, ?)", (*producer, number))
        return number

    def events(self, rows: Iterable[tuple[str, JSON]]) -> None:
        """Append many events in one transaction."""
        self.database.execute("BEGIN")
        for kind, payload in rows:
            self.event(kind, payload)
        self.database.execute("COMMIT")

    def meta(self, status: str = "completed", ended_at: str | None = "2026-03-01T09:05:00.000Z") -> None:
        """The row about the session."""
        self.database.execute(
            "INSERT OR REPLACE INTO session_meta VALUES (?, ?, ?, ?, ?, ?, ?)",
            ("01JNSESSION0000000000000AB", None, "coder", status, 0, "2026-03-01T09:00:00.000Z", ended_at),
        )

    def cost(self, event: int, model: str, tokens: tuple[int, int], cost_usd: float) -> None:
        """An entry of the ledger."""
        self.database.execute(
            "INSERT INTO cost_ledger (event_sequence, provider_name, model_id, input_tokens, output_tokens, cost_usd)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (event, "anthropic", model, *tokens, cost_usd),
        )

    def plan_item(self, event: int, call: str, tool: str, decision: str, decided_by: str) -> None:
        """A decision."""
        self.database.execute(
            "INSERT INTO plan_items (event_sequence, turn_id, tool_call_id, provider_name, tool_name, decision,"
            " decided_by) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (event, "01JNTURN000000000000000001", call, "fs", tool, decision, decided_by),
        )

    def close(self) -> None:
        self.database.close()


FAILURE: JSON = {
    "point": "HOOK_POINT_PLAN_READY",
    "subscriber": {"name": "policy-bot", "version": "0.9.0", "category": "CATEGORY_TOOL", "protocol_version": 1},
    "mode": "HOOK_MODE_VETO",
    "category": "HOOK_ERROR_CATEGORY_TIMEOUT",
    "message": "no answer within 1500 ms",
}


def write_session(path: Path) -> Path:
    """A short session with an event of every kind, closed."""
    agent = Agent(path)
    agent.meta()
    asked = {"role": "ROLE_USER", "content": [{"text": {"text": "Delete the old\nlogs, please"}}], "id": "m1"}
    agent.event("message", {"message": asked})
    said = agent.event(
        "message",
        {
            "message": {
                "role": "ROLE_ASSISTANT",
                "content": [
                    {"text": {"text": "I will look first."}},
                    {"tool_use": {"id": "c1", "name": "fs.remove", "arguments": {"path": "/var/log/old"}}},
                ],
                "id": "m2",
            },
            "model": {"name": "anthropic", "version": "1.4.0", "category": "CATEGORY_MODEL"},
            "usage": {"input_tokens": 1200, "output_tokens": 85},
            "cost_usd": 0.0049,
        },
        SONNET,
    )
    agent.cost(said, "sonnet", (1200, 85), 0.0049)
    agent.event("tool_call", {"call": {"id": "c1", "tool_name": "remove", "arguments": {"path": "/var/log/old"}}}, DISK)
    agent.event("hook_error", hook_error(FAILURE, is_wrapped=True), GATE)
    assert isinstance(FAILURE, dict)
    bare = {**FAILURE, "category": "HOOK_ERROR_CATEGORY_PROCESS_CRASHED", "message": "its process died"}
    agent.event("hook_error", hook_error(bare, is_wrapped=False), GATE, "v1")
    plan = agent.event(
        "plan",
        {
            "plan": {
                "turn_id": "t1",
                "items": [
                    {"id": "i1", "call_id": "c1", "decision": "PLAN_DECISION_DENY"},
                    {"id": "i2", "call_id": "c2", "decision": "PLAN_DECISION_ALLOW"},
                ],
            }
        },
    )
    agent.plan_item(plan, "c1", "remove", "deny", "hook-veto:policy-bot")
    agent.plan_item(plan, "c2", "read", "allow", "policy:default")
    outcomes = [
        {"plan_item_id": "i1", "call_id": "c1", "outcome": "APPLY_OUTCOME_DENIED"},
        {"plan_item_id": "i2", "call_id": "c2", "outcome": "APPLY_OUTCOME_APPLIED", "tool_result": {"payload": {}}},
    ]
    agent.event("apply", {"result": {"turn_id": "t1", "items": outcomes}})
    refused = {"category": "TOOL_ERROR_CATEGORY_PERMISSION_DENIED", "message": "hook-veto:policy-bot"}
    agent.event("tool_result", {"tool_call_id": "c1", "error": refused}, DISK)
    agent.event(
        "context_contribution", {"content": [{"text": {"text": "a note"}}], "tokens": 3}, ("context", "ctx", "1")
    )
    memory = {"record_id": "r1", "content": [{"text": {"text": "likes tea"}}], "attributes": {"of": "user"}}
    for kind in ("memory_write", "memory_update", "memory_delete"):
        agent.event(kind, memory, ("memory", "mem", "1"))
    late = agent.event(
        "message", {"message": {"role": "ROLE_ASSISTANT", "content": [{"text": {"text": "Done."}}]}}, SONNET
    )
    agent.cost(late, "haiku", (400, 10), 0.0001)
    agent.cost(late, "sonnet", (300, 20), 0.0012)
    agent.close()
    return path


def main() -> None:
    agent = Agent(Path(sys.argv[1]))
    agent.meta("running", None)
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "lock":
            agent.database.execute("BEGIN EXCLUSIVE")
        else:
            agent.event("message", {"message": {"role": "ROLE_USER", "content": [{"text": {"text": line.strip()}}]}})
        print("stored", flush=True)


if __name__ == "__main__":
    main()
