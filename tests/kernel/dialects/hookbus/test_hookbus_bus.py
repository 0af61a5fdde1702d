"""Claims about the HookBus itself: registration, ways to emit, deliveries, workers, sessions (spec 2)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest
from dispatch_runs import Scripted, Told, on_virtual_time
from hookbus_runs import HANG, LC, SL, TI, TX, H, at, bm, bt, mc, nk, se, ss
from hookbus_runs import Handler as Stubbed

from kernel import Probes, VirtualClock
from kernel.control import PROCEED, Directive, Proceed, Seam, Skip
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.answers import (
    CONTINUE,
    Block,
    Confirm,
    Continue,
    HookResult,
    Inject,
    Modify,
    Replace,
)
from kernel.dialects.hookbus.audit import AuditLine
from kernel.dialects.hookbus.bus import MOST_IN_FLIGHT, HandlerPanic, HookBus
from kernel.dialects.hookbus.handlers import Reached
from kernel.dialects.hookbus.logs import LogBook, LogLine
from kernel.dialects.hookbus.payload import HookEvent
from kernel.errors import BadInput
from kernel.facts import Decided, Entered, Left, Opened
from kernel.faults import Fault

ALL = (TI, TX, LC, SL)


class Plain:
    """A handler in the field's words."""

    def __init__(self, handler_id: str, answer: Callable[[HookEvent], object]) -> None:
        self.id = handler_id
        self.seen: list[HookEvent] = []
        self._answer = answer

    def handle(self, event: HookEvent) -> HookResult | None:
        self.seen.append(event)
        return self._answer(event)  # type: ignore[return-value]


def saying(handler_id: str, result: HookResult | None = CONTINUE) -> Plain:
    return Plain(handler_id, lambda event: result)


def reached(seat: H) -> Reached:
    return Reached(seat.name, Stubbed(seat.does, seat.after_ms))


def emitted(bus: HookBus, event: HookEvent) -> HookResult:
    return asyncio.run(bus.emit(event))


def with_bus(body: Callable[[HookBus, VirtualClock], Awaitable[None]], **options: object) -> None:
    """Run with a bus on virtual time."""

    async def started(clock: VirtualClock) -> None:
        bus = HookBus(clock=clock, **options)  # type: ignore[arg-type]
        await body(bus, clock)
        await bus.close()

    on_virtual_time(started)


# -- registration ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        ("before_tool_call", TI),
        ("after_tool_call", TI),
        ("before_message", LC),
        ("on_message_complete", LC),
        ("on_compaction", LC),
        ("on_session_start", SL),
        ("on_session_end", SL),
    ],
)
def test_a_subscription_needs_the_permission_of_its_kind(kind: str, needed: str) -> None:
    """In the host's words, and nothing is registered."""
    bus = HookBus()
    with pytest.raises(BadInput) as raised:
        bus.subscribe(kind, saying("ext"), permissions=set(ALL) - {needed})
    assert str(raised.value) == f"Extension 'ext' lacks permission '{needed}' required for hook '{kind}'"
    assert bus.is_empty
    bus.subscribe(kind, saying("ext"), permissions=[needed])
    assert bus.handler_count == 1


@pytest.mark.parametrize("kind", ["BeforeToolCall", "", "on_crash"])
def test_an_unknown_kind_cannot_be_hooked(kind: str) -> None:
    """Never a default."""
    with pytest.raises(BadInput, match="no kind"):
        HookBus().subscribe(kind, saying("A"), permissions=ALL)


def test_v045_records_are_counted_and_removed_by_extension() -> None:
    """V045: over all kinds, silently."""
    bus = HookBus()
    a, b = saying("A"), saying("B")
    for kind, handler in (("before_tool_call", a), ("after_tool_call", a), ("before_tool_call", b)):
        bus.subscribe(kind, handler, permissions=ALL)
    assert (bus.handler_count, bus.is_empty) == (3, False)
    bus.unsubscribe_all("A")
    assert (bus.handler_count, bus.is_empty) == (1, False)
    bus.unsubscribe_all("nobody")
    bus.unsubscribe_all("B")
    assert (bus.handler_count, bus.is_empty) == (0, True)
    assert bus.subscriptions_for("A") == []


def test_v047_subscriptions_are_listed_sorted_and_called_as_registered() -> None:
    """V047: no filter first, then bytewise; kinds by their strings."""
    bus = HookBus()
    a = saying("A")
    for tool in ("write", None, "bash", "é", "z"):
        bus.subscribe("before_tool_call", a, permissions=ALL, tool_filter=tool)
    bus.subscribe("after_tool_call", a, permissions=ALL)
    bus.subscribe("before_tool_call", saying("B"), permissions=ALL, tool_filter="x")
    assert bus.subscriptions_for("A") == [
        ("after_tool_call", None),
        *(("before_tool_call", tool) for tool in (None, "bash", "write", "z", "é")),
    ]
    assert [seat.options.get("tool") for seat in bus.records_of("before_tool_call")] == [
        "write", None, "bash", "é", "z", "x",
    ]  # fmt: skip


def test_subscribing_twice_makes_two_records() -> None:
    """Both are called."""
    bus, a = HookBus(), saying("A")
    bus.subscribe("before_tool_call", a, permissions=ALL)
    bus.subscribe("before_tool_call", a, permissions=ALL)
    emitted(bus, bt())
    assert a.seen == [bt(), bt()]


def test_several_handlers_may_have_one_id() -> None:
    """Spec 2.1, 2.2: identity for removal is the id; each is called for its own records, also where they alternate."""
    bus, first, second = HookBus(), saying("A"), saying("A", Block("second"))
    bus.subscribe("before_tool_call", first, permissions=ALL, tool_filter="read")
    bus.subscribe("before_tool_call", second, permissions=ALL, tool_filter="bash")
    bus.subscribe("before_tool_call", first, permissions=ALL)
    assert bus.handler_count == 3
    assert emitted(bus, bt("read")) == CONTINUE
    assert (len(first.seen), len(second.seen)) == (2, 0)
    assert emitted(bus, bt("bash")) == Block("second")
    assert (len(first.seen), len(second.seen)) == (2, 1)
    bus.unsubscribe_all("A")
    assert (bus.is_empty, bus.extension_generation("A")) == (True, 1)
    assert emitted(bus, bt("bash")) == CONTINUE
    assert (len(first.seen), len(second.seen)) == (2, 1)


def test_handlers_of_one_id_are_told_apart_when_called_together() -> None:
    """Also in a concurrent emit, where the first is still at work when the second is called."""
    bus, slow, quick = HookBus(), saying("A", Inject("slow")), saying("A", Inject("quick"))
    for handler in (slow, quick, saying("B")):
        bus.subscribe("on_session_end", handler, permissions=ALL)

    async def both() -> HookResult:
        return await bus.emit_concurrent(se())

    assert asyncio.run(both()) == Inject("slow\n\nquick")
    assert (len(slow.seen), len(quick.seen)) == (1, 1)


def test_whoever_steers_is_asked_where_handlers_have_one_id() -> None:
    """A control of the bus counts as ever, and sees which record it is."""
    seen = []

    class Leaving:
        async def before(self, seam: Seam) -> Directive:
            await asyncio.sleep(0)
            seen.append(seam.ask.subscription.id)
            return Skip("me") if seam.ask.subscription.id == "A-2" else PROCEED

        async def after(self, seam: Seam) -> Directive:
            return PROCEED

    bus, handlers = HookBus(control=Leaving()), [saying("A"), saying("A", Block("left out")), saying("A")]
    for handler in handlers:
        bus.subscribe("before_tool_call", handler, permissions=ALL)
    assert emitted(bus, bt()) == CONTINUE
    assert seen == ["", "A-2", "A-3"]
    assert [len(handler.seen) for handler in handlers] == [1, 0, 1]


def test_a_filter_where_there_are_no_tools_is_taken_and_never_met() -> None:
    """Only manifests are held to it."""
    bus, a = HookBus(), saying("A")
    bus.subscribe("before_message", a, permissions=ALL, tool_filter="bash")
    assert emitted(bus, bm()) == CONTINUE
    assert a.seen == []


def test_v077_the_generation_moves_with_each_unload() -> None:
    """V077: 0 before, and a confirm carries that of its registration; Q12."""
    bus = HookBus()
    assert bus.extension_generation("A") == 0
    a = saying("A", Confirm("m"))
    bus.subscribe("before_tool_call", a, permissions=ALL)
    assert bus.extension_generation("A") == 0
    assert emitted(bus, bt()) == Confirm("m", ("A",), (0,), "bash")
    bus.unsubscribe_all("A")
    assert bus.extension_generation("A") == 1
    bus.subscribe("before_tool_call", a, permissions=ALL)
    assert emitted(bus, bt()) == Confirm("m", ("A",), (1,), "bash")
    bus.unsubscribe_all("A")
    bus.unsubscribe_all("A")
    assert bus.extension_generation("A") == 3
    bus.unsubscribe_all("never")
    assert bus.extension_generation("never") == 0


# -- emitting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "result"),
    [
        (bt(), Block("b")),
        (bt(), Modify({"a": [1]})),
        (bt(), Modify(None)),
        (bt(), Confirm("m", ("A",), (0,), "bash")),
        (at(), Replace("S")),
        (bm(), Inject("x")),
        (ss(), Inject("x")),
        (mc(), CONTINUE),
    ],
)
def test_an_emit_returns_results_in_the_fields_words(event: HookEvent, result: HookResult) -> None:
    """Those of a handler in process."""
    bus = HookBus()
    said = Confirm("m") if isinstance(result, Confirm) else result
    bus.subscribe(event.kind, saying("A", said), permissions=ALL)
    assert emitted(bus, event) == result


def test_a_confirm_of_modified_input_carries_it() -> None:
    """With who did it."""
    bus = HookBus()
    bus.subscribe("before_tool_call", saying("A", Modify(None)), permissions=ALL)
    bus.subscribe("before_tool_call", saying("B", Confirm("m")), permissions=ALL)
    assert emitted(bus, bt()) == Confirm("m", ("B",), (0,), "bash", None, ("A",))


def test_a_handler_cannot_forge_what_the_bus_adds() -> None:
    """Only its message counts."""
    bus = HookBus()
    bus.subscribe("before_tool_call", saying("A", Confirm("m", ("X",), (7,), "y", 1, ("Z",))), permissions=ALL)
    assert emitted(bus, bt()) == Confirm("m", ("A",), (0,), "bash")


def test_nobody_hooked_it() -> None:
    """Continue at once, told only where somebody watches."""
    told = Told()
    assert emitted(HookBus(), bt()) is CONTINUE
    assert emitted(HookBus(probes=Probes(told)), bt()) == CONTINUE
    assert told.story == ["opened", "ended finished"]


def test_v057_a_subscription_during_an_emit_counts_from_the_next_one_on() -> None:
    """V057: the list is a snapshot."""
    bus = HookBus()
    late = saying("C", Block("c"))

    def subscribing(event: HookEvent) -> HookResult:
        if not bus.subscriptions_for("C"):
            bus.subscribe("before_tool_call", late, permissions=ALL)
        return CONTINUE

    a = Plain("A", subscribing)
    bus.subscribe("before_tool_call", a, permissions=ALL)
    assert emitted(bus, bt()) == CONTINUE
    assert late.seen == []
    assert emitted(bus, bt()) == Block("c")
    assert len(a.seen) == 2


def test_an_unload_during_an_emit_counts_from_the_next_one_on() -> None:
    """Whoever was in the list is still called."""
    bus = HookBus()
    b = saying("B", Block("b"))

    def unloading(event: HookEvent) -> HookResult:
        bus.unsubscribe_all("B")
        return CONTINUE

    bus.subscribe("before_tool_call", Plain("A", unloading), permissions=ALL)
    bus.subscribe("before_tool_call", b, permissions=ALL)
    assert emitted(bus, bt()) == Block("b")
    assert emitted(bus, bt()) == CONTINUE


def test_a_handler_that_changes_its_event_changes_its_own() -> None:
    """Everybody gets a copy."""
    bus, b = HookBus(), saying("B")

    def spoiling(event: HookEvent) -> HookResult:
        event.view["tool_input"] = "spoilt"
        return CONTINUE

    bus.subscribe("before_tool_call", Plain("A", spoiling), permissions=ALL)
    bus.subscribe("before_tool_call", b, permissions=ALL)
    emitted(bus, bt())
    assert b.seen == [bt()]


def test_an_exception_of_a_handler_is_skipped_or_let_through() -> None:
    """Q13: one switch. Nothing, and a coroutine, are fine."""

    def raising(event: HookEvent) -> HookResult:
        raise ValueError("boom")

    lenient, strict = HookBus(), HookBus(dialect=HOOKBUS.switched("panics_propagate", True))
    for bus in (lenient, strict):
        bus.subscribe("before_tool_call", Plain("A", raising), permissions=ALL)
        bus.subscribe("before_tool_call", saying("B", Block("b")), permissions=ALL)
    assert emitted(lenient, bt()) == Block("b")
    with pytest.raises(HandlerPanic, match="panic: it raised ValueError: boom"):
        emitted(strict, bt())


def test_a_handler_may_be_a_coroutine_and_may_say_nothing() -> None:
    """Nothing is an invalid result, which counts as continue."""

    class Later:
        id = "A"

        async def handle(self, event: HookEvent) -> HookResult:
            await asyncio.sleep(0)
            return Block("later")

    bus = HookBus()
    bus.subscribe("before_tool_call", saying("N", None), permissions=ALL)
    bus.subscribe("before_tool_call", Later(), permissions=ALL)
    assert emitted(bus, bt()) == Block("later")


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), TypeError("no")])
def test_a_handler_cannot_end_more_than_itself(error: BaseException) -> None:
    """Whatever it raises is its own trouble, and so is an answer that is no result."""

    def raising(event: HookEvent) -> HookResult:
        raise error

    bus = HookBus()
    bus.subscribe("before_tool_call", Plain("A", raising), permissions=ALL)
    bus.subscribe("before_tool_call", Plain("B", lambda event: "continue"), permissions=ALL)
    bus.subscribe("before_tool_call", saying("C", Block("c")), permissions=ALL)
    assert emitted(bus, bt()) == Block("c")


def test_a_handler_that_never_answers_in_process_is_left_behind() -> None:
    """After its five seconds, by cancellation."""
    ended = []

    class Stuck:
        id = "A"

        async def handle(self, event: HookEvent) -> HookResult:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                ended.append(event)
            return CONTINUE

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        bus.subscribe("before_tool_call", Stuck(), permissions=ALL)
        bus.subscribe("before_tool_call", saying("B", Block("b")), permissions=ALL)
        assert await bus.emit(bt()) == Block("b")
        assert (clock.now_ns(), ended) == (5_000_000_000, [bt()])

    with_bus(body)


def test_a_plain_handler_has_no_far_side() -> None:
    """A fault that nothing performs is refused, with the way out."""
    bus = HookBus(control=Scripted(before_A=Proceed(fault=Fault("hang"))))
    bus.subscribe("before_tool_call", saying("A"), permissions=ALL)
    with pytest.raises(BadInput, match="reach it over a transport"):
        emitted(bus, bt())


def test_emit_concurrent_and_what_it_refuses() -> None:
    """The assertion names the kind, before anybody is called; empty or not."""
    bus = HookBus()
    a = saying("A", Block("x"))
    bus.subscribe("on_session_end", a, permissions=ALL)
    assert asyncio.run(bus.emit_concurrent(se())) == Block("x")
    assert asyncio.run(bus.emit(se())) == CONTINUE
    bus.subscribe("before_tool_call", a, permissions=ALL)
    for event in (bt(), at(), bm()):
        with pytest.raises(AssertionError, match=event.kind):
            asyncio.run(bus.emit_concurrent(event))
    assert a.seen == [se(), se()]
    for emit in (bus.emit, bus.emit_concurrent):
        bus.subscribe("notification", a, permissions=())
        with pytest.raises(BadInput, match="is a notification; use notify"):
            asyncio.run(emit(nk()))


def test_logs_of_emits_have_traces_and_others_have_none() -> None:
    """The switch is read at each call."""
    lines: list[LogLine] = []
    tracing = [True]
    bus = HookBus(log=LogBook(lines.append, traces=lambda: tracing[0]), quiet_log=LogBook(lines.append))
    bus.subscribe("before_tool_call", saying("A"), permissions=ALL)
    bus.subscribe("on_session_end", saying("B"), permissions=ALL)
    emitted(bus, bt())
    asyncio.run(bus.emit_concurrent(se()))
    tracing[0] = False
    emitted(bus, bt())
    assert [line.code for line in lines] == ["trace"]


def test_each_replace_that_counts_is_written_down() -> None:
    """V017: one line, with lengths in bytes; a failing sink changes nothing."""
    lines: list[AuditLine] = []

    def audit(line: AuditLine) -> None:
        lines.append(line)
        raise OSError("disk full")

    bus = HookBus(audit=audit, now=lambda: datetime(2026, 3, 1, 9, 0, 0, 500, tzinfo=UTC))
    bus.subscribe("after_tool_call", saying("A", Replace("S")), permissions=[TI])
    bus.subscribe("after_tool_call", saying("B", Replace("é")), permissions=[TI, TX])
    assert emitted(bus, at("raw")) == Replace("é")
    assert lines == [AuditLine("2026-03-01T09:00:00.000Z", "B", "after_tool_call", "bash", "replace", 3, 2)]


# -- deliveries --------------------------------------------------------------------------------------------------


def stuck(bus: HookBus) -> Stubbed:
    """Hook the notification with somebody who never answers."""
    handler = Stubbed(HANG)
    bus.subscribe("notification", Reached("A", handler), permissions=())
    return handler


def full(lines: list[LogLine]) -> list[tuple[str, object]]:
    return [(line.code, line.fields.get("kind")) for line in lines]


def test_v063_the_sixty_fifth_delivery_is_dropped() -> None:
    """V063, V069: logged, not queued, its builder not run; slots come back."""
    lines: list[LogLine] = []

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        handler = stuck(bus)
        for number in range(MOST_IN_FLIGHT):
            bus.notify(nk(str(number)))
        assert bus.in_flight == 64
        built = []
        bus.notify(nk("too many"))
        bus.notify_with("notification", lambda: built.append(1))
        await bus.drained()
        assert (len(handler.seen), built, bus.in_flight) == (64, [], 0)
        dropped = [each for each in full(lines) if each[0] == "notify_full"]
        assert dropped == [("notify_full", "notification")] * 2
        bus.notify(nk("room again"))
        await bus.drained()
        assert len(handler.seen) == 65

    with_bus(body, quiet_log=LogBook(lines.append))


def test_v061_without_a_subscriber_nothing_is_started() -> None:
    """V061: it returns at once."""

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        bus.notify(nk())
        bus.notify_with("notification", lambda: pytest.fail("must not run"))
        bus.notify(bt())
        assert bus.in_flight == 0

    with_bus(body)


def test_the_caller_does_not_wait() -> None:
    """Nobody is called before it goes on."""

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        a = saying("A")
        bus.subscribe("notification", a, permissions=())
        bus.notify(nk("1"))
        assert (a.seen, bus.in_flight) == ([], 1)
        await bus.drained()
        assert a.seen == [nk("1")]

    with_bus(body)


@pytest.mark.parametrize(
    ("built", "sent"),
    [
        (None, []),
        ([], []),
        (nk("1"), ["1"]),
        ([nk("1"), bt(), nk("2")], ["1", "2"]),
        (tuple(nk(str(number)) for number in range(100)), [str(number) for number in range(100)]),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_what_a_builder_makes_is_sent_in_order(built: object, sent: list[str], is_async: bool) -> None:
    """V065, V067, V071: nothing, one event, or a list, in one slot."""

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        a = saying("A")
        bus.subscribe("notification", a, permissions=())

        async def later() -> object:
            await asyncio.sleep(0)
            return built

        bus.notify_with("notification", later if is_async else (lambda: built))  # type: ignore[arg-type]
        assert bus.in_flight == 1
        await bus.drained()
        assert [event.view["message"] for event in a.seen] == sent

    with_bus(body)


def test_a_builder_that_fails_is_nobodys_trouble() -> None:
    """Its slot comes back, and it is told where somebody watches."""
    told = Told()

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        a = saying("A")
        bus.subscribe("notification", a, permissions=())
        bus.notify_with("notification", lambda: 1 / 0)  # type: ignore[arg-type,return-value]
        await bus.drained()
        assert a.seen == []

    with_bus(body, probes=Probes(told))
    assert [fact.error for fact in told.facts if isinstance(fact, Left)] == ["ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(
    ("built", "error"),
    [
        (lambda: 7, "TypeError: 'int' object is not iterable"),
        (lambda: [nk(), "an event"], "TypeError: events are needed, not str"),
        (lambda: "event", "TypeError: events are needed, not str"),
        (lambda: sys.exit(3), "SystemExit: 3"),
        (lambda: raising(asyncio.CancelledError()), "CancelledError: "),
        (lambda: raising(BaseExceptionGroup("several", [SystemExit(1)])), "BaseExceptionGroup: several"),
    ],
    ids=["a number", "no event in a list", "text", "exit", "cancelled", "group"],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_whatever_a_builder_does_is_isolated(built: Callable[[], object], error: str, is_async: bool) -> None:
    """Spec 2.10: its delivery fails and gives its slot back; the loop and everybody else go on."""
    told = Told()

    async def later() -> object:
        return built()

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        a = saying("A")
        bus.subscribe("notification", a, permissions=())
        bus.notify_with("notification", later if is_async else built)  # type: ignore[arg-type]
        await bus.drained()
        assert bus.in_flight == 0
        bus.notify(nk())
        await bus.drained()
        assert a.seen == [nk()]

    with_bus(body, probes=Probes(told))
    errors = [fact.error for fact in told.facts if isinstance(fact, Left)]
    assert [each.partition(" (")[0] for each in errors] == [error, ""]


def raising(error: BaseException) -> object:
    raise error


def test_a_bus_that_closes_ends_a_builder_that_is_at_work() -> None:
    """That cancellation is not the builder's."""

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        bus.subscribe("notification", saying("A"), permissions=())
        bus.notify_with("notification", lambda: asyncio.Event().wait())  # type: ignore[arg-type,return-value]
        await asyncio.sleep(0)
        await bus.close()
        assert bus.in_flight == 0

    with_bus(body)


def test_a_delivery_is_a_stretch_around_its_dispatch() -> None:
    """And a dropped one a stretch with a decision."""
    told = Told()

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        bus.notify(nk())
        bus.subscribe("notification", saying("A"), permissions=())
        bus.notify(nk())
        await bus.drained()

    with_bus(body, probes=Probes(told))
    [dropped, sent] = [event for event in told.events if isinstance(event.fact, Entered)]
    [decided] = [event for event in told.events if isinstance(event.fact, Decided)]
    [opened] = [event.fact for event in told.events if isinstance(event.fact, Opened)]
    assert decided.dispatch == dropped.dispatch
    assert isinstance(decided.fact, Decided)
    assert (decided.fact.decision, decided.fact.rule) == ("dropped", "HB-NOTIFY-NOBODY")
    assert opened.parent == sent.dispatch


def test_closing_a_bus_ends_what_is_under_way() -> None:
    """Nobody's task is left."""

    async def body(bus: HookBus, clock: VirtualClock) -> None:
        stuck(bus)
        bus.notify(nk())
        await asyncio.sleep(0)
        await bus.close()
        assert bus.in_flight == 0

    with_bus(body)


# -- workers and sessions ----------------------------------------------------------------------------------------


def test_v075_a_view_counts_what_it_would_call() -> None:
    """V075: and says what it is."""
    host = HookBus()
    host.subscribe("after_tool_call", saying("A"), permissions=[TI, TX])
    host.subscribe("after_tool_call", saying("B"), permissions=[TI])
    host.subscribe("before_tool_call", saying("C"), permissions=[TI, TX])
    view = host.worker_transforms()
    assert (view.handler_count, host.handler_count) == (1, 3)
    assert (view.is_worker_view, host.is_worker_view) == (True, False)
    assert (view.is_empty, HookBus().worker_transforms().is_empty) == (False, True)


def test_v073_a_view_continues_at_once_for_other_kinds() -> None:
    """V073: nobody is called, however it is emitted; notifications are dropped."""
    host = HookBus()
    handlers = [saying(name, Block("x")) for name in "ABCD"]
    for kind, handler in zip(
        ("before_tool_call", "before_message", "on_session_end", "notification"), handlers, strict=True
    ):
        host.subscribe(kind, handler, permissions=ALL)
    view = host.worker_transforms()

    async def body() -> list[HookResult]:
        view.notify(nk())
        view.notify_with("notification", lambda: pytest.fail("must not run"))
        emitted = [await view.emit(event) for event in (bt(), bm(), ss(), se())]
        return [*emitted, await view.emit_concurrent(se()), await view.emit_concurrent(bt())]

    assert asyncio.run(body()) == [CONTINUE] * 6
    assert host.in_flight == 0
    assert all(handler.seen == [] for handler in handlers)


def test_a_view_is_live_and_starts_nobody() -> None:
    """Loads and unloads count from the next call on; `handle_no_spawn` is what is called, where there is one."""

    class Careful:
        id = "A"

        def handle(self, event: HookEvent) -> HookResult:
            return Replace("started")

        def handle_no_spawn(self, event: HookEvent) -> HookResult:
            return CONTINUE

    host = HookBus()
    view = host.worker_transforms()
    assert asyncio.run(view.emit(at())) is CONTINUE
    host.subscribe("after_tool_call", Careful(), permissions=[TI, TX])
    assert asyncio.run(view.emit(at())) == CONTINUE
    assert emitted(host, at()) == Replace("started")
    host.subscribe("after_tool_call", saying("B", Replace("S")), permissions=[TI, TX])
    host.subscribe("after_tool_call", saying("C", Replace("T")), permissions=[TI, TX])
    assert asyncio.run(view.emit(at())) == Replace("S")
    host.unsubscribe_all("B")
    assert asyncio.run(view.emit(at())) == Replace("T")
    assert view.extension_generation("B") == 1
    assert isinstance(asyncio.run(view.emit(bt())), Continue)


def test_v027_injections_are_kept_by_session() -> None:
    """V027: one slot for each id, replaced and removed."""
    bus = HookBus()
    bus.subscribe("on_session_start", saying("A", Inject("h")), permissions=ALL)
    result = emitted(bus, ss("s1"))
    assert isinstance(result, Inject)
    bus.set_session_injection_for("s1", result.content)
    assert (bus.session_injection_for("s1"), bus.session_injection_for("s2")) == ("h", None)
    bus.set_session_injection_for("s1", "again")
    assert bus.session_injection_for("s1") == "again"
    bus.clear_session_injection("s1")
    bus.clear_session_injection("s1")
    assert bus.session_injection_for("s1") is None


def test_v029_calls_without_a_key_use_the_empty_one() -> None:
    """V029: deprecated, and they say so."""
    bus = HookBus()
    with pytest.warns(DeprecationWarning, match="set_session_injection_for"):
        bus.set_session_injection("x")
    with pytest.warns(DeprecationWarning, match="session_injection_for"):
        assert bus.session_injection() == "x"
    assert (bus.session_injection_for(""), bus.session_injection_for("s1")) == ("x", None)


@pytest.mark.parametrize(("tool", "runtime"), [("", "srv/do"), ("srv_do", ""), ("", None)])
def test_an_empty_filter_equals_an_empty_name(tool: str, runtime: str | None) -> None:
    """Spec 2.3: a name that is set may be empty; one that is not there equals nothing."""
    bus, a = HookBus(), saying("A", Block("b"))
    bus.subscribe("before_tool_call", a, permissions=ALL, tool_filter="")
    view = {"kind": "before_tool_call", "tool_name": tool, "tool_runtime_name": runtime}
    event = HOOKBUS.payload_from_view("before_tool_call", view)
    assert isinstance(event, HookEvent)
    assert emitted(bus, event) == Block("b")


def test_an_empty_filter_fits_no_event_without_names() -> None:
    """Neither a missing name nor another one is empty."""
    bus, a = HookBus(), saying("A", Block("b"))
    bus.subscribe("before_tool_call", a, permissions=ALL, tool_filter="")
    nameless = HOOKBUS.payload_from_view("before_tool_call", {"kind": "before_tool_call"})
    assert isinstance(nameless, HookEvent)
    assert (emitted(bus, nameless), emitted(bus, bt())) == (CONTINUE, CONTINUE)


def test_a_confirm_of_a_concurrent_emit_says_who_asks() -> None:
    """Spec 1.5: sources and generations are the bus's to tell, whatever the reply says."""
    bus = HookBus()
    bus.subscribe("on_session_end", saying("B"), permissions=ALL)
    bus.unsubscribe_all("B")
    bus.subscribe("on_session_end", saying("A"), permissions=ALL)
    said = Confirm("m", ("somebody else",), (9,), "tool", {"x": 1}, ("Z",))
    bus.subscribe("on_session_end", saying("B", said), permissions=ALL)
    found = asyncio.run(bus.emit_concurrent(se()))
    assert found == Confirm("m", ("B",), (1,))
