"""A realistic event for each kind, made up from a seed: the same seed gives the same bytes, today and tomorrow.

All events of one seed tell of one turn of one session.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from kernel.dialects.hookbus import events
from kernel.dialects.hookbus.kinds import KINDS
from kernel.dialects.hookbus.payload import HookEvent, event
from kernel.errors import BadInput
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class _Task:
    """What somebody asks of an agent, and the one call that the agent makes because of it."""

    asked: str
    tool: str
    runtime_name: str | None
    input: Mapping[str, JSON]
    output: str
    done: str


_TASKS = (
    _Task(
        "Clean up the build directory, please.",
        "bash",
        None,
        {"command": "rm -rf ./target/debug", "timeout": 60},
        "",
        "The debug build is gone; the release build is still there.",
    ),
    _Task(
        "Which files changed since the last release?",
        "bash",
        None,
        {"command": "git diff --stat v1.4.0..HEAD", "timeout": 30},
        " src/cache.rs | 41 ++++++++++----\n src/main.rs  |  7 +--\n 2 files changed, 34 insertions, 14 deletions\n",
        "Two files changed: src/cache.rs and src/main.rs.",
    ),
    _Task(
        "What does the README say about caching?",
        "read",
        None,
        {"path": "README.md", "offset": 40, "limit": 20},
        "40  ## Caching\n41  Results are kept for 15 minutes.\n42  Set CACHE_TTL=0 to turn that off.\n",
        "Results are kept for 15 minutes, and CACHE_TTL=0 turns it off.",
    ),
    _Task(
        "Make the retry limit five instead of three.",
        "edit",
        None,
        {"path": "src/retry.rs", "old_string": "const LIMIT: u32 = 3;", "new_string": "const LIMIT: u32 = 5;"},
        "edited src/retry.rs (1 replacement)",
        "The retry limit is five now.",
    ),
    _Task(
        "How warm is it in Zürich?",
        "weather-lens_current",
        "weather-lens:current",
        {"place": "Zürich", "units": "metric"},
        '{"place":"Zürich","temperature":18.5,"sky":"clear"}',
        "18.5 degrees under a clear sky.",
    ),
)


def sample(kind: str, seed: int = 0) -> HookEvent:
    """The event; raises BadInput where there is no such kind."""
    if kind not in KINDS:
        raise BadInput(f"no kind {kind!r}; there are {', '.join(KINDS)}")
    chance = random.Random(f"hookbus {seed}")
    task = _TASKS[seed % len(_TASKS)]
    session, next_session = _session_id(chance), _session_id(chance)
    words = len(task.done.split())
    messages: list[dict[str, JSON]] = [
        {"role": "user", "content": task.asked},
        {"role": "assistant", "content": [{"type": "text", "text": task.done}]},
    ]
    match kind:
        case "on_session_start":
            return events.on_session_start(session)
        case "before_message":
            found = events.before_message(messages, session_id=session)
            assert found is not None, "the user's message has text"
            return found
        case "on_message_complete":
            content: list[dict[str, JSON]] = [{"type": "text", "text": task.done}]
            return events.on_message_complete(content, session_id=session)
        case "before_tool_call":
            return events.before_tool_call(
                task.tool, dict(task.input), runtime_name=task.runtime_name, session_id=session
            )
        case "after_tool_call":
            return events.after_tool_call(
                task.tool, dict(task.input), task.output, runtime_name=task.runtime_name, session_id=session
            )
        case "on_compaction":
            return events.on_compaction(
                f"The user asked: {task.asked} {task.done}",
                old_session_id=session,
                new_session_id=next_session,
                message_count=chance.randint(24, 180),
                source=chance.choice(("manual", "auto")),
            )
        case "on_session_end":
            return events.on_session_end(session, messages)
        case "on_usage":
            tokens = {"input_tokens": chance.randint(800, 40_000), "output_tokens": words * 2}
            return event(kind, session_id=session, data=tokens)
        case _:
            return event(kind, message=task.done, session_id=session, data={"number": chance.randint(1, 99)})


def _session_id(chance: random.Random) -> str:
    day = f"2026{chance.randint(1, 12):02}{chance.randint(1, 28):02}"
    time = f"{chance.randint(0, 23):02}{chance.randint(0, 59):02}{chance.randint(0, 59):02}"
    return f"{day}-{time}-{chance.getrandbits(16):04x}"
