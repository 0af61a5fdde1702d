"""What tests of the stdio transport share: the extension that does what it is told, started, and calls to it."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

from plugin_runs import PLUGINS, Heard, call

from kernel.clock import REAL, Clock
from kernel.faults import FarSide
from kernel.reach import StdioExtension
from kernel.transports.stdio import StdioSubscriber, Store, start
from kernel.values import Outcome

Play: TypeAlias = dict[str, Any]
"""What one process of the extension does, in the words of `plugins/stdio/extension.py`."""

PROGRAM = PLUGINS / "stdio" / "extension.py"
CONTINUE: Play = {"result": {"action": "continue"}}
EVENT = b'{"kind":"before_tool_call","data":null}'


def hooks(*acts: Play, **more: Any) -> Play:
    """A process that does these things when it is asked, one after the other."""
    return {"hooks": list(acts), **more}


class Stage:
    """A folder in which an extension notes what it sees."""

    def __init__(self, folder: Path, *plays: Play) -> None:
        self.folder = folder
        self.plays = plays or (hooks(CONTINUE),)

    def reach(self, **more: Any) -> StdioExtension:
        args = (str(PROGRAM), str(self.folder), json.dumps(self.plays), *more.pop("args", ()))
        given: dict[str, Any] = {"id": "ext", "plugin_dir": str(self.folder), "command": sys.executable, **more}
        return StdioExtension(args=args, **given)

    @property
    def log(self) -> list[dict[str, Any]]:
        path = self.folder / "log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def requests(self) -> list[tuple[int, int, str]]:
        """Number of the process, id and method of each request that it received."""
        return [(line["spawn"], line["id"], line["method"]) for line in self.log if "method" in line]

    @property
    def pids(self) -> list[int]:
        return [line[key] for line in self.log for key in ("pid", "child") if key in line]


@asynccontextmanager
async def running(
    stage: Stage, *, between: Heard | None = None, store: Store | None = None, **more: Any
) -> AsyncIterator[StdioSubscriber]:
    """An extension that lives as long as the block."""
    between = Heard() if between is None else between
    extension = await start("ext", stage.reach(**more), on_output=between, store=store)
    try:
        yield extension
    finally:
        await extension.stop()


async def ask(
    extension: StdioSubscriber,
    request: bytes = EVENT,
    *,
    far_side: FarSide | None = None,
    heard: Heard | None = None,
    clock: Clock = REAL,
) -> Outcome:
    """Ask without a deadline of ours."""
    return await extension.answer(call(request, far_side=far_side, heard=heard, clock=clock))
