"""The line that a host writes for each output that an extension replaced: lengths, never contents (spec 2.8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from kernel.dialects.hookbus.json_text import compact
from kernel.dialects.hookbus.payload import HookEvent
from kernel.values import Result

FILE = Path("extensions", "intercept.jsonl")
"""Where the product keeps these lines, under its base directory."""


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One replaced output. Lengths are bytes."""

    timestamp: str
    """RFC 3339, in UTC."""
    plugin_id: str
    hook: str
    tool_name: str
    action: str
    observed_len: int
    """Of the output in the event, which is cut where it was long."""
    replacement_len: int


def audit_line(result: Result, event: HookEvent, now: datetime) -> AuditLine:
    """The line for an emit of `event` that ended with a replace."""
    lengths = (int(str(result.extras[key])) for key in ("observed_len", "replacement_len"))
    stamp = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return AuditLine(stamp, result.decided_by, event.kind, event.tool_name, "replace", *lengths)


def to_file(path: Path) -> Callable[[AuditLine], None]:
    """A sink that appends lines to a file and makes its folder; raises OSError, which the bus ignores."""

    def write(line: AuditLine) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(compact(asdict(line)) + b"\n")

    return write
