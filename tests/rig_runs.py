"""What tests of the rig dialect share: callbacks in the notation of the specification, and what they saw when."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from kernel.dialects.rig.content import RawJSON
from kernel.dialects.rig.context import BACKGROUND, Context, with_cancel, with_value
from kernel.dialects.rig.context_view import Hostile
from kernel.dialects.rig.hook_set import Around, Finish, Guard, Set
from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.runner import Runner, Started
from kernel.dialects.rig.snapshot import Call, Result, ToolCallPayload, payload_class

ARGS = b'{"path":"README.md"}'


def call_of(operation: int) -> Call:
    """A call of an operation with its own empty payload."""
    known = Operation(operation)
    return Call(known, **{known.payload_field: payload_class(known)()})


def tc5() -> Call:
    """The specification's ToolCall."""
    return Call(
        Operation.TOOL_CALL,
        tool_call=ToolCallPayload(tool_use_id="tool-use-1", tool_name="read", args_json=RawJSON(ARGS)),
    )


@dataclass
class Story:
    """What happened, in the specification's words: `A0.b`, `G0`, `op`, `A0.f`; and what everybody saw."""

    told: list[str] = field(default_factory=list)
    contexts: dict[str, Context] = field(default_factory=dict)
    snapshots: dict[str, Call] = field(default_factory=dict)

    def around(
        self, index: int, what: str | Callable[[Context], Context | None] = "ok", finish: str = "ok", operation: int = 5
    ) -> Around:
        """An around that behaves as the notation says: ok, own, none, boom, hostile, val(k), det(k), or a function.

        `finish` is ok, boom or nothing; `mutates` scribbles on what it is given.
        """

        def begin(context: Context, call: Call) -> tuple[Context | None, Finish | None]:
            self._seen(f"A{index}.b", context, call)
            if what == "boom":
                raise RuntimeError("sensitive begin")

            def ending(result: Result) -> None:
                self.told.append(f"A{index}.f")
                self.snapshots[f"A{index}.f"] = result
                if finish == "mutates":
                    assert result.tool_call is not None
                    result.tool_call.args_json = RawJSON(b"scribbled")
                if finish == "boom":
                    raise RuntimeError("sensitive finish")

            return given(what, context), ending if finish else None

        return Around(operation, begin)

    def guard(
        self, index: int, says: object = None, *, operation: int = 5, raises: BaseException | None = None
    ) -> Guard:
        """A guard that returns something, or raises."""

        def check(context: Context, call: Call) -> object:
            self._seen(f"G{index}", context, call)
            if raises is not None:
                raise raises
            return says

        return Guard(operation, check)

    def _seen(self, name: str, context: Context, call: Call) -> None:
        self.told.append(name)
        self.contexts[name] = context
        self.snapshots[name] = call

    def run(
        self,
        arounds: list[Around],
        guards: list[Guard] | None = None,
        *,
        call: Call | None = None,
        context: Context = BACKGROUND,
        result: Callable[[Call], Result] | None = None,
    ) -> Started:
        """Start, the operation unless it is blocked, and finish, as an owner does."""
        call = call or tc5()
        started = Runner(Set("v1" if guards else "", guards or [], arounds)).start(context, call)
        if started.error is None:
            self.told.append("op")
        self.told.append("|")
        if started.finish is not None:
            started.finish(Result.of(call, outcome=1) if result is None else result(call))
        return started

    @property
    def order(self) -> str:
        return " ".join(self.told)


def given(what: str | Callable[[Context], Context | None], context: Context) -> Context | None:
    """The context that a begin gives which was given this one."""
    if callable(what):
        return what(context)
    match what.partition("("):
        case "none", _, _:
            return None
        case "own", _, _:
            return with_cancel(context)[0]
        case "hostile", _, _:
            return Hostile()
        case "val", _, key:
            return with_value(context, key.rstrip(")"), True)
        case "det", _, key:
            return with_value(BACKGROUND, key.rstrip(")"), True)
        case _:
            return context


@contextmanager
def logged() -> Iterator[list[logging.LogRecord]]:
    """What goes to the default logger meanwhile."""
    records: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    handler = Keep()
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield records
    finally:
        root.removeHandler(handler)


def lines(records: list[logging.LogRecord]) -> list[tuple[str, int, int]]:
    """Log records as (message, operation, callback index)."""
    return [(record.getMessage(), record.operation, record.callback_index) for record in records]  # type: ignore[attr-defined]
