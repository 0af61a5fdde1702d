"""The HookBus in the field's words, over the kernel's dispatch (spec 2): who hooked what, and the ways to emit."""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from kernel.clock import REAL, Clock
from kernel.control import Control
from kernel.dialects.hookbus.answers import CONTINUE, HookResult
from kernel.dialects.hookbus.audit import AuditLine, audit_line
from kernel.dialects.hookbus.dialect import HOOKBUS, Hookbus
from kernel.dialects.hookbus.handlers import AnyHandler, is_being_ended
from kernel.dialects.hookbus.kinds import KINDS
from kernel.dialects.hookbus.logs import LogBook
from kernel.dialects.hookbus.matching import GENERATION, MATCH, PERMISSIONS, TOOL
from kernel.dialects.hookbus.outcome import hook_result
from kernel.dialects.hookbus.payload import Delivery, HookEvent
from kernel.dialects.hookbus.records import Handlers
from kernel.dialects.hookbus.resolve import has_both_keys
from kernel.dialects.hookbus.rules import RULES
from kernel.dialects.hookbus.staging import HANDLE, record
from kernel.dispatch import dispatch
from kernel.errors import BadInput, HookscopeError
from kernel.probe import Probes
from kernel.stretch import Stretches, random_id
from kernel.subscriber import Subscriber
from kernel.values import JSON, Chain, Ending, Result, Subscription

MOST_IN_FLIGHT = 64
"""Deliveries of one bus that may be under way; the next one is dropped."""
Built: TypeAlias = HookEvent | Iterable[HookEvent] | None
Builder: TypeAlias = Callable[[], Built | Awaitable[Built]]
"""Makes the events of a delivery, on its task; never run where the delivery is dropped."""


async def _events_of(builder: Builder) -> tuple[HookEvent, ...]:
    """What a builder yields; raises TypeError for anything but events."""
    built = builder()
    built = await built if isinstance(built, Awaitable) else built
    events = () if built is None else (built,) if isinstance(built, HookEvent) else tuple(built)
    for each in events:
        if not isinstance(each, HookEvent):
            raise TypeError(f"events are needed, not {type(each).__name__}")
    return events


class HandlerPanic(HookscopeError):
    """A handler in our own process raised, and this bus lets that through (`panics_propagate`)."""


class HookBus:
    """Who hooked which kind of event, and the ways to tell them. Belongs to one event loop."""

    is_worker_view = False

    def __init__(
        self,
        *,
        dialect: Hookbus = HOOKBUS,
        probes: Probes | None = None,
        control: Control | None = None,
        clock: Clock = REAL,
        log: LogBook | None = None,
        quiet_log: LogBook | None = None,
        audit: Callable[[AuditLine], None] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = random_id,
    ) -> None:
        """`log` sees sequential emits, `quiet_log` all others; `audit` gets a line for each replaced output."""
        traits = dialect.traits
        one_by_one = replace(traits, concurrent=False, concurrent_session_end=False)
        self._sequential = Hookbus(one_by_one)
        self._concurrent = Hookbus(replace(traits, concurrent=True))
        self._for_workers = Hookbus(replace(one_by_one, worker_view=True))
        self._probes = Probes() if probes is None else probes
        self._control = control
        self._clock = clock
        self._log, self._quiet_log = log, quiet_log
        self._audit = audit
        self._now = now
        self._new_id = new_id
        self._chains: dict[str, Chain] = {}  # only of kinds that somebody hooked
        self._handlers: dict[str, Handlers] = {}
        """By kind: whoever handles its records."""
        self._generations: dict[str, int] = {}
        self._injections: dict[str, str] = {}
        self._deliveries: set[asyncio.Task[None]] = set()

    # -- who hooked what ---------------------------------------------------------------------------------------------

    def subscribe(
        self,
        kind: str,
        handler: AnyHandler,
        *,
        permissions: Iterable[str],
        tool_filter: str | None = None,
        matcher: Mapping[str, JSON] | None = None,
        timeout_ms: int | None = None,
    ) -> None:
        """Append a record to the kind's list; raises BadInput in the host's words, and then nothing is registered.

        Several handlers may have one id, under which they are removed together.
        """
        options: dict[str, JSON] = {PERMISSIONS: [*sorted(set(permissions))]}
        options |= {} if tool_filter is None else {TOOL: tool_filter}
        options |= {} if matcher is None else {MATCH: dict(matcher)}
        if generation := self._generations.get(handler.id):
            options[GENERATION] = generation
        seat = record(Subscription(handler.id, kind, HANDLE, timeout_ms), options, is_of_manifest=False)
        seats = self._chains[kind].subscriptions if kind in self._chains else ()
        twins = sum(other.name == seat.name for other in seats)
        seat = replace(seat, id=f"{seat.name}-{twins + 1}") if twins else seat
        self._chains[kind] = Chain(kind, (*seats, seat))
        self._handlers.setdefault(kind, Handlers()).add(seat, handler)
        self._generations.setdefault(handler.id, 0)

    def unsubscribe_all(self, extension: str) -> None:
        """Remove every record of an extension, whatever the kind; silent when there is none."""
        for kind, chain in tuple(self._chains.items()):
            left = tuple(seat for seat in chain.subscriptions if seat.name != extension)
            if left:
                self._chains[kind] = Chain(kind, left)
            else:
                del self._chains[kind]
        for handlers in self._handlers.values():
            handlers.remove(extension)
        if extension in self._generations:
            self._generations[extension] += 1

    @property
    def handler_count(self) -> int:
        """Records over all kinds; an extension may have several."""
        return sum(len(chain.subscriptions) for chain in self._chains.values())

    @property
    def is_empty(self) -> bool:
        return not self._chains

    def subscriptions_for(self, extension: str) -> list[tuple[str, str | None]]:
        """Kind and tool filter of its records, sorted; within a kind the one without a filter comes first."""
        found = [
            (kind, str(seat.options[TOOL]) if TOOL in seat.options else None)
            for kind, chain in self._chains.items()
            for seat in chain.subscriptions
            if seat.name == extension
        ]
        return sorted(found, key=lambda each: (each[0], each[1] is not None, (each[1] or "").encode()))

    def extension_generation(self, extension: str) -> int:
        """How often it was unloaded; 0 for one that never was, known or not."""
        return self._generations.get(extension, 0)

    # -- emitting ----------------------------------------------------------------------------------------------------

    async def emit(self, event: HookEvent) -> HookResult:
        """Call the handlers one after the other and return what they came to.

        Raises BadInput for a kind that is only notified, and HandlerPanic where this bus lets exceptions through.
        """
        chain = self._chains.get(event.kind)
        if chain is None and not self._probes:
            return CONTINUE
        if KINDS[event.kind].is_notification:
            raise BadInput(f"{event.kind} is a notification", fix="use notify")
        return await self._emitted(self._sequential, event, chain, self._log)

    async def emit_concurrent(self, event: HookEvent) -> HookResult:
        """Call the handlers all at once. Raises AssertionError for a kind whose handlers build on one another."""
        if KINDS[event.kind].is_notification:
            raise BadInput(f"{event.kind} is a notification", fix="use notify")
        return await self._emitted(self._concurrent, event, self._chains.get(event.kind), self._quiet_log)

    async def emit_for_worker(self, event: HookEvent) -> HookResult:
        """What `WorkerView.emit` does: see there."""
        chain = self._chains.get(event.kind)
        if chain is None and not self._probes:
            return CONTINUE
        return await self._emitted(self._for_workers, event, chain, self._log)

    async def _emitted(
        self, dialect: Hookbus, event: HookEvent, chain: Chain | None, log: LogBook | None
    ) -> HookResult:
        subscribers = self._subscribers(event.kind)
        result = await dispatch(
            dialect,
            chain or Chain(event.kind),
            event,
            subscribers,
            probes=self._watching(log),
            control=self._control,
            clock=self._clock,
            dispatch_id=self._new_id(),
        )
        if result.decision == "replace":
            self._audited(result, event)
        if result.ending is Ending.REFUSED:
            raise AssertionError(result.error)
        if result.ending is Ending.ABORTED:
            raise HandlerPanic(result.error)
        return hook_result(result)

    def _subscribers(self, kind: str) -> Mapping[str, Subscriber]:
        return self._handlers.get(kind, Handlers()).subscribers

    def _watching(self, log: LogBook | None) -> Probes:
        return self._probes if log is None else Probes(self._probes, log)

    def _audited(self, result: Result, event: HookEvent) -> None:
        if self._audit is None:
            return
        line = audit_line(result, event, self._now())
        with contextlib.suppress(OSError):  # the replacement counts all the same (spec 2.8)
            self._audit(line)

    # -- notifying ---------------------------------------------------------------------------------------------------

    def notify(self, event: HookEvent) -> None:
        """Deliver one event to everybody who hooked its kind, and do not wait. Never raises."""
        self.notify_with(event.kind, lambda: event)

    def notify_with(self, kind: str, builder: Builder) -> None:
        """Deliver what the builder makes: no event, one, or several. Never raises; what is too much is dropped."""
        if kind not in KINDS or not KINDS[kind].is_notification:
            self._dropped(kind, "HB-NOTIFY-KIND")
        elif kind not in self._chains:
            self._dropped(kind, "HB-NOTIFY-NOBODY")
        elif len(self._deliveries) >= MOST_IN_FLIGHT:
            self._dropped(kind, "HB-NOTIFY-FULL")
        else:
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                self._dropped(kind, "HB-NOTIFY-NO-LOOP")
                return
            task = loop.create_task(self._deliver(kind, builder), name=f"delivery of {kind}")
            self._deliveries.add(task)
            task.add_done_callback(self._deliveries.discard)

    @property
    def in_flight(self) -> int:
        """Deliveries under way."""
        return len(self._deliveries)

    async def drained(self) -> None:
        """Come back once no delivery is under way any more."""
        while self._deliveries:
            await asyncio.wait(tuple(self._deliveries))

    async def close(self) -> None:
        """End the deliveries that are under way."""
        for task in tuple(self._deliveries):
            task.cancel()
        await self.drained()

    async def _deliver(self, kind: str, builder: Builder) -> None:
        stretches = Stretches(HOOKBUS.name, self._watching(self._quiet_log), self._clock, new_id=self._new_id)
        with stretches.entered("delivery", kind, None) as stretch:
            try:
                events = await _events_of(builder)
            except (KeyboardInterrupt, GeneratorExit):
                raise  # not the builder's doing, wherever it struck
            except BaseException as error:  # the builder's trouble, of which nobody may hear (spec 2.10)
                if isinstance(error, asyncio.CancelledError) and is_being_ended():
                    raise
                stretch.fail(f"{type(error).__name__}: {error}")
                return
            is_single = len(events) == 1 and events[0].kind == kind
            subscribers = self._subscribers(kind)
            await dispatch(
                self._sequential,
                self._chains.get(kind) or Chain(kind),
                events[0] if is_single else Delivery(kind, events),
                subscribers,
                probes=self._watching(self._quiet_log),
                control=self._control,
                clock=self._clock,
                dispatch_id=self._new_id(),
                parent=stretch.id,
            )

    def _dropped(self, kind: str, rule: str) -> None:
        stretches = Stretches(HOOKBUS.name, self._watching(self._quiet_log), self._clock, new_id=self._new_id)
        with stretches.entered("delivery", kind, None) as stretch:
            stretch.decided(kind, "dropped", by="bus", rule=rule, why=RULES[rule].text)

    # -- workers and sessions ----------------------------------------------------------------------------------------

    def worker_transforms(self) -> WorkerView:
        """The view of a subagent's worker on this bus: always as the bus is at that moment."""
        return WorkerView(self)

    def records_of(self, kind: str) -> tuple[Subscription, ...]:
        """The records of a kind, in order of registration, as of now."""
        chain = self._chains.get(kind)
        return () if chain is None else chain.subscriptions

    def dropped_for_worker(self, kind: str) -> None:
        """What `WorkerView.notify` does: see there."""
        self._dropped(kind, "HB-NOTIFY-WORKER")

    def set_session_injection_for(self, session_id: str, text: str) -> None:
        """Keep what is to be told at each turn of a session, in the place of what was kept before."""
        self._injections[session_id] = text

    def session_injection_for(self, session_id: str) -> str | None:
        return self._injections.get(session_id)

    def clear_session_injection(self, session_id: str) -> None:
        self._injections.pop(session_id, None)

    def set_session_injection(self, text: str) -> None:
        """Deprecated: keeps it under the empty session id."""
        warnings.warn("use set_session_injection_for", DeprecationWarning, stacklevel=2)
        self.set_session_injection_for("", text)

    def session_injection(self) -> str | None:
        """Deprecated: what is kept under the empty session id."""
        warnings.warn("use session_injection_for", DeprecationWarning, stacklevel=2)
        return self.session_injection_for("")


class WorkerView:
    """A bus on which only holders of tools.transform_output are called, after tool calls, and nobody is started."""

    is_worker_view = True

    def __init__(self, host: HookBus) -> None:
        self._host = host

    async def emit(self, event: HookEvent) -> HookResult:
        """The same order, actions and deadlines as the host's; Continue at once for every other kind."""
        return await self._host.emit_for_worker(event)

    async def emit_concurrent(self, event: HookEvent) -> HookResult:
        """Nobody is called."""
        return CONTINUE

    def notify(self, event: HookEvent) -> None:
        """Dropped."""
        self._host.dropped_for_worker(event.kind)

    def notify_with(self, kind: str, builder: Builder) -> None:
        """Dropped, and the builder is not run."""
        self._host.dropped_for_worker(kind)

    @property
    def handler_count(self) -> int:
        """The host's records that it would call."""
        return sum(has_both_keys(seat.options) for seat in self._host.records_of("after_tool_call"))

    @property
    def is_empty(self) -> bool:
        return self.handler_count == 0

    def extension_generation(self, extension: str) -> int:
        return self._host.extension_generation(extension)
