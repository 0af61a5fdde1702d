"""A realistic payload for each point, made up from a seed: the same seed gives the same bytes, today and tomorrow.

All payloads of one seed tell of one turn of one session: ids, calls and decisions of one point come back at the next.
They obey what the contract asks beyond types: a plan holds resource calls only, a call that only reads has no other
risk, what was denied has no result, and no session that ended is still running.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.points import BY_LABEL
from kernel.errors import BadInput
from kernel.values import JSON

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BEGINNING_MS: Final = 1_772_355_600_000  # 2026-03-01T09:00:00Z
_READ_ONLY: Final = "READ_ONLY"
_USD_PER_INPUT_TOKEN: Final = 3e-6
_USD_PER_OUTPUT_TOKEN: Final = 15e-6


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a tool, as a task would have it."""

    provider: str
    operation: str
    kind: str
    """A ToolKind, without its prefix; only a RESOURCE has another risk than reading."""
    risk: str
    arguments: Mapping[str, JSON]
    result: Mapping[str, JSON]
    why: str
    preview: JSON = None
    rule: str = "default"
    """The policy that decides about it."""
    decision: str = "ALLOW"


@dataclass(frozen=True, slots=True)
class _Task:
    """What somebody asks of an agent, and what the agent does about it."""

    profile: str
    folder: str
    asked: str
    looking: str
    """What the model says before it looks."""
    look: _Use
    doing: str
    """What it says when it has a plan."""
    plan: tuple[_Use, ...]


def _diff(path: str, line: int, before: str, after: str) -> JSON:
    """A preview of an edit of one line."""
    lines: JSON = [
        {"op": "DIFF_LINE_OP_REMOVE", "text": before},
        {"op": "DIFF_LINE_OP_ADD", "text": after},
    ]
    hunk: JSON = {"old_start": line, "old_lines": 1, "new_start": line, "new_lines": 1, "lines": lines}
    heading: JSON = {"text": {"content": path, "style": "TEXT_STYLE_BOLD"}}
    return {"root": {"group": {"children": [heading, {"diff": {"hunks": [hunk]}}]}}}


_TASKS: Final = (
    _Task(
        profile="coder",
        folder="/home/ada/src/tidepool",
        asked="test_cache_expires fails since yesterday. Please find out why and fix it.",
        looking="I will read the test first.",
        look=_Use(
            "fs", "read", "DATA_SOURCE", _READ_ONLY,
            {"path": "tests/test_cache.py", "from_line": 40, "lines": 30},
            {"text": "def test_cache_expires(clock):\n    clock.advance(seconds=60)\n    assert 'a' not in cache\n"},
            "Read part of tests/test_cache.py",
        ),
        doing="The cache keeps an entry in the very second in which it expires. I will fix that and run the test.",
        plan=(
            _Use(
                "fs", "write", "RESOURCE", "LOW",
                {"path": "src/tidepool/cache.py", "line": 88, "text": "        return now >= self.expires_at"},
                {"path": "src/tidepool/cache.py", "bytes": 4211},
                "Change one line of src/tidepool/cache.py",
                _diff("src/tidepool/cache.py", 88, "        return now > self.expires_at",
                      "        return now >= self.expires_at"),
                "edits-in-workspace",
            ),
            _Use(
                "shell", "run", "RESOURCE", "MODERATE",
                {"command": "pytest -q tests/test_cache.py", "timeout_s": 120},
                {"exit_code": 0, "stdout": "12 passed in 0.41s\n"},
                "Run pytest -q tests/test_cache.py",
                rule="test-runners",
            ),
        ),
    ),
    _Task(
        profile="operator",
        folder="/srv/ferry",
        asked="The disk of the build machine is full. Make some room, but keep this week's builds.",
        looking="Let me see what takes the room.",
        look=_Use(
            "shell", "disk_usage", "DATA_SOURCE", _READ_ONLY,
            {"path": "/srv/ferry/builds", "depth": 1},
            {"entries": [{"path": "2026-02", "megabytes": 48210}, {"path": "2026-03", "megabytes": 3120}]},
            "Measure /srv/ferry/builds",
        ),
        doing="February's builds take 48 GB. I will pack the logs of them and remove the rest.",
        plan=(
            _Use(
                "archive", "pack", "RESOURCE", "LOW",
                {"from": "builds/2026-02", "only": ["*.log"], "to": "archive/2026-02-logs.tar.zst"},
                {"to": "archive/2026-02-logs.tar.zst", "files": 611, "megabytes": 37},
                "Pack 611 logs into archive/2026-02-logs.tar.zst",
                rule="edits-in-workspace",
            ),
            _Use(
                "shell", "run", "RESOURCE", "HIGH",
                {"command": "rm -r builds/2026-02", "timeout_s": 60},
                {"exit_code": 0, "stdout": ""},
                "Run rm -r builds/2026-02",
                {"root": {"code_block": {"language": "sh", "content": "rm -r builds/2026-02"}}},
                "ask-before-removing",
                "ASK",
            ),
        ),
    ),
    _Task(
        profile="coder",
        folder="/home/lin/work/atlas",
        asked="Move staging to the new region, and tell the team when it is done.",
        looking="I will look how production is set up there.",
        look=_Use(
            "git", "show", "DATA_SOURCE", _READ_ONLY,
            {"revision": "HEAD", "path": "deploy/production.yaml"},
            {"text": "region: eu-north-1\nreplicas: 6\n"},
            "Show deploy/production.yaml as it is committed",
        ),
        doing="I will change the region, push a branch and write to the team.",
        plan=(
            _Use(
                "fs", "write", "RESOURCE", "LOW",
                {"path": "deploy/staging.yaml", "line": 1, "text": "region: eu-north-1"},
                {"path": "deploy/staging.yaml", "bytes": 36},
                "Change one line of deploy/staging.yaml",
                _diff("deploy/staging.yaml", 1, "region: eu-west-1", "region: eu-north-1"),
                "edits-in-workspace",
            ),
            _Use(
                "git", "push", "RESOURCE", "MODERATE",
                {"branch": "staging-region", "remote": "origin", "force": False},
                {"branch": "staging-region", "commit": "9f3c1e7"},
                "Push the branch staging-region to origin",
                rule="ask-before-publishing",
                decision="ASK",
            ),
            _Use(
                "chat", "post", "RESOURCE", "CRITICAL",
                {"channel": "#everyone", "text": "Staging is in eu-north-1 now."},
                {"message_id": "m-20931"},
                "Post a message to #everyone",
                rule="no-announcements",
                decision="DENY",
            ),
        ),
    ),
    _Task(
        profile="researcher",
        folder="/home/noor/thesis",
        asked="Which of my references have newer editions? Update the bibliography, and ask me where you are not sure.",
        looking="One of the titles is ambiguous, so I ask.",
        look=_Use(
            "terminal", "choose", "INTERACTIVE", _READ_ONLY,
            {"question": "Which Knuth do you cite?", "options": ["Volume 1", "Volume 4A", "Volume 4B"]},
            {"chosen": "Volume 4B"},
            "Ask which Knuth is cited",
        ),
        doing="Two entries have newer editions. I will update both.",
        plan=(
            _Use(
                "bibliography", "update", "RESOURCE", "LOW",
                {"key": "knuth-4b", "fields": {"edition": 2, "year": 2025}, "note": None},
                {"key": "knuth-4b", "changed": ["edition", "year"]},
                "Update the entry knuth-4b",
                {"root": {"table": {"headers": ["field", "before", "after"],
                                    "rows": [{"cells": ["edition", "1", "2"]}, {"cells": ["year", "2022", "2025"]}]}}},
                decision="ASK",
            ),
            _Use(
                "bibliography", "update", "RESOURCE", "LOW",
                {"key": "tufte-display", "fields": {"edition": 3}, "note": "checked by hand"},
                {"key": "tufte-display", "changed": ["edition", "note"]},
                "Update the entry tufte-display",
                rule="edits-in-workspace",
            ),
        ),
    ),
)  # fmt: skip

_MODELS: Final = (
    ("anthropic", "claude-sonnet-4-5", "1.4.0", "github.com/pluggableharness/model-anthropic"),
    ("openai", "gpt-5-mini", "0.11.2", "github.com/pluggableharness/model-openai"),
    ("local", "qwen3-coder-30b", "2.0.1", "github.com/tinyforge/model-llamacpp"),
)
_ERRORS: Final = (
    ("EXECUTION_FAILED", "exit status 2: no such file or directory", False, {"exit_code": 2}),
    ("TIMEOUT", "no result within 120 s", True, {"timeout_s": 120}),
    ("CONCURRENCY_CONFLICT", "the file has changed since it was read", True, {"expected": "a41f", "found": "77c0"}),
)
_UNUSUAL: Final = ("ERROR_MAX_TURNS", "ERROR_MAX_BUDGET_USD", "ERROR_MAX_WALL_CLOCK", "CANCELLED", "FAILED")
_ENDINGS: Final = (*["COMPLETED"] * len(_UNUSUAL), *_UNUSUAL)


def sample(point: str, seed: int = 0) -> HookPayload:
    """A payload for a point; raises BadInput where there is no such point."""
    if point not in BY_LABEL:
        raise BadInput(f"no point {point!r}; there are {', '.join(BY_LABEL)}")
    return from_view(point, _Turn(seed).views()[point])


class _Turn:
    """The one turn that a seed tells of. Everything by chance is drawn in `__init__`, in a fixed order."""

    def __init__(self, seed: int) -> None:
        chance = self._chance = random.Random(seed)
        self._now_ms = _BEGINNING_MS + chance.randrange(10**9)
        self.task = chance.choice(_TASKS)
        self.session_id, self.turn_id = self._ulid(), self._ulid()
        self.parent_id = self._ulid() if chance.random() < 0.3 else None
        self.message_ids = [self._ulid() for _ in range(4)]
        self.call_ids = {use: f"call_{self._ulid()}" for use in self._uses_by_number()}
        self.item_ids = {use: self._ulid() for use in self._uses_by_number()}
        self.model = chance.choice(_MODELS)
        self.signature = chance.randbytes(24)
        self.input_tokens, self.output_tokens = chance.randrange(2_000, 40_000), chance.randrange(80, 900)
        self.cached_tokens = self.input_tokens * chance.randrange(10, 80) // 100
        self.called = chance.randrange(len(self.task.plan) + 1)
        self.error = chance.choice(_ERRORS)
        self.has_failed = chance.random() < 0.25
        self.is_approved = chance.random() < 0.6
        self.ending = chance.choice(_ENDINGS)

    def _uses_by_number(self) -> range:
        """Numbers of the task's uses: 0 is the look, the plan's follow."""
        return range(len(self.task.plan) + 1)

    def _ulid(self) -> str:
        """Text like a ULID: ten characters of time, which goes on with each, and sixteen by chance."""
        self._now_ms += self._chance.randrange(1, 2_000)
        number = self._now_ms << 80 | self._chance.getrandbits(80)
        return "".join(_CROCKFORD[number >> 5 * place & 31] for place in reversed(range(26)))

    def _use(self, number: int) -> _Use:
        return self.task.look if number == 0 else self.task.plan[number - 1]

    @property
    def planned(self) -> list[int]:
        return list(self._uses_by_number())[1:]

    def views(self) -> dict[str, JSON]:
        """The payload of every point, as JSON."""
        start: dict[str, JSON] = {
            "session_id": self.session_id,
            "profile": self.task.profile,
            "working_directory": self.task.folder,
        }
        if self.parent_id is not None:
            start["parent_session_id"] = self.parent_id
        pending = self._item(self.called, "PENDING", "")
        return {
            "session-start": start,
            "pre-model-call": {"messages": self._history(), "model": {"provider": self.model[0], "id": self.model[1]}},
            "post-model-response": self._response(),
            "pre-tool-call": {"call": self._call(self.called), "plan_item": pending},
            "plan-ready": {"plan": {"turn_id": self.turn_id, "items": [self._judged(each) for each in self.planned]}},
            "post-tool-call": {"call": self._call(self.called), **self._outcome(self.called)},
            "post-apply": {"apply": {"turn_id": self.turn_id, "items": [self._applied(each) for each in self.planned]}},
            "session-end": {"session_id": self.session_id, "status": f"SESSION_STATUS_{self.ending}"},
        }

    # -- messages --------------------------------------------------------------------------------------------------

    def _history(self) -> JSON:
        looked: JSON = {
            "tool_use_id": self.call_ids[0],
            "content": [{"text": {"text": _told(self.task.look.result)}}],
        }
        return [
            {"role": "ROLE_USER", "content": [{"text": {"text": self.task.asked}}], "id": self.message_ids[0]},
            self._said(1, self.task.looking, [0]),
            {"role": "ROLE_USER", "content": [{"tool_result": looked}], "id": self.message_ids[2]},
        ]

    def _response(self) -> JSON:
        provider, _, version, source = self.model
        cost = self.input_tokens * _USD_PER_INPUT_TOKEN + self.output_tokens * _USD_PER_OUTPUT_TOKEN
        return {
            "message": self._said(3, self.task.doing, self.planned),
            "model": {
                "name": provider,
                "version": version,
                "source": source,
                "category": "CATEGORY_MODEL",
                "protocol_version": 1,
            },
            "usage": {
                "input_tokens": self.input_tokens,
                "output_tokens": self.output_tokens,
                "cache_read_tokens": self.cached_tokens,
                "cache_write_tokens": 0,
            },
            "cost_usd": round(cost, 6),
        }

    def _said(self, message: int, text: str, uses: list[int]) -> JSON:
        """A message of the model that ends in tool calls."""
        calls: list[JSON] = []
        for number in uses:
            use = self._use(number)
            name = f"{use.provider}.{use.operation}"
            calls.append({"tool_use": {"id": self.call_ids[number], "name": name, "arguments": dict(use.arguments)}})
        return {
            "role": "ROLE_ASSISTANT",
            "content": [{"text": {"text": text}}, *calls],
            "id": self.message_ids[message],
            "produced_by_model_id": self.model[1],
            "produced_by_provider": self.model[0],
        }

    # -- calls and plans -------------------------------------------------------------------------------------------

    def _call(self, number: int) -> JSON:
        use = self._use(number)
        return {
            "id": self.call_ids[number],
            "tool_name": use.operation,
            "arguments": dict(use.arguments),
            "call_context": {
                "session_id": self.session_id,
                "turn_id": self.turn_id,
                "working_directory": self.task.folder,
            },
        }

    def _item(self, number: int, decision: str, decided_by: str) -> JSON:
        use = self._use(number)
        item: dict[str, JSON] = {
            "id": self.item_ids[number],
            "call_id": self.call_ids[number],
            "provider": use.provider,
            "operation_name": use.operation,
            "input": dict(use.arguments),
            "decision": f"PLAN_DECISION_{decision}",
            "decided_by": decided_by,
            "kind": f"TOOL_KIND_{use.kind}",
            "risk": f"RISK_CLASS_{use.risk}",
            "description": use.why,
            "producer_category": "CATEGORY_TOOL",
        }
        return item if use.preview is None else {**item, "preview": use.preview}

    def _judged(self, number: int) -> JSON:
        use = self._use(number)
        return self._item(number, use.decision, f"policy:{use.rule}")

    def _outcome(self, number: int) -> dict[str, JSON]:
        """What a call came to: the error of a call that was denied or that failed, or its result."""
        use = self._use(number)
        if not self._is_allowed(use):
            message = f"{use.provider}.{use.operation} was denied by policy:{use.rule}"
            return {"error": _error("PERMISSION_DENIED", message, False, {"rule": use.rule})}
        if self._fails(number):
            return {"error": _error(*self.error)}
        return {"result": {"payload": dict(use.result)}}

    def _applied(self, number: int) -> JSON:
        use = self._use(number)
        item: dict[str, JSON] = {"plan_item_id": self.item_ids[number], "call_id": self.call_ids[number]}
        if not self._is_allowed(use):
            return {**item, "outcome": "APPLY_OUTCOME_DENIED"}
        if self._fails(number):
            return {**item, "outcome": "APPLY_OUTCOME_FAILED", "tool_error": _error(*self.error)}
        return {**item, "outcome": "APPLY_OUTCOME_APPLIED", "tool_result": {"payload": dict(use.result)}}

    def _is_allowed(self, use: _Use) -> bool:
        return use.decision == "ALLOW" or (use.decision == "ASK" and self.is_approved)

    def _fails(self, number: int) -> bool:
        return self.has_failed and number == self.called


def _error(category: str, message: str, retryable: bool, details: Mapping[str, JSON]) -> JSON:
    return {
        "category": f"TOOL_ERROR_CATEGORY_{category}",
        "message": message,
        "retryable": retryable,
        "details": dict(details),
    }


def _told(result: Mapping[str, JSON]) -> str:
    """A result as the text that a model gets to read."""
    return "\n".join(f"{name}: {value}" for name, value in result.items())
