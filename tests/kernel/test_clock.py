"""Claims about time: real, held and virtual, and about what ends when it is up."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

import pytest
from dispatch_runs import on_virtual_time

from kernel.clock import NS_PER_MS, REAL, Caller, Clock, HeldClock, Limit, RealClock, VirtualClock, sleep


def marks(clock: Clock, *at_ms: float) -> list[float]:
    """A list that gets each of these moments when the clock shows it."""
    seen: list[float] = []
    for ms in at_ms:
        clock.call_at(round(ms * NS_PER_MS), lambda ms=ms: seen.append(ms))  # type: ignore[misc]
    return seen


def ms(clock: Clock) -> float:
    return clock.now_ns() / NS_PER_MS


# RealClock


async def test_the_real_clock_is_the_monotonic_clock() -> None:
    """It shows what the machine shows, never goes back, and has nothing outside of it."""
    before = time.monotonic_ns()
    shown = RealClock().now_ns()
    assert before <= shown <= time.monotonic_ns()
    with REAL.outside(), REAL.outside():
        assert REAL.now_ns() >= shown


async def test_a_real_timer_wakes_no_earlier_than_asked_and_at_once_for_the_past() -> None:
    """A wake-up call comes at or after its time; one for a moment long gone comes without delay."""
    start = REAL.now_ns()
    await sleep(REAL, 5)
    assert REAL.now_ns() - start >= 4.9 * NS_PER_MS
    past = asyncio.get_running_loop().create_future()
    REAL.call_at(0, lambda: past.set_result(None))
    await asyncio.wait_for(past, 5)


async def test_a_cancelled_real_timer_does_not_come() -> None:
    """Cancelling takes the wake-up call back."""
    called = []
    REAL.call_at(REAL.now_ns(), lambda: called.append("cancelled")).cancel()
    await sleep(REAL, 1)
    assert called == []


# VirtualClock


def test_virtual_time_jumps_to_the_next_deadline() -> None:
    """An hour passes as soon as everybody waits, and the clock shows exactly that moment."""

    async def body(clock: VirtualClock) -> None:
        start = time.monotonic()
        await sleep(clock, 3_600_000)
        assert ms(clock) == 3_600_000
        assert time.monotonic() - start < 5

    on_virtual_time(body)


def test_virtual_time_stands_still_while_anything_is_left_to_do() -> None:
    """However many turns of the loop somebody takes, no deadline passes meanwhile."""

    async def body(clock: VirtualClock) -> None:
        seen = marks(clock, 1)
        for _ in range(50):
            await asyncio.sleep(0)
            assert (seen, clock.now_ns()) == ([], 0)
        await sleep(clock, 2)
        assert seen == [1]

    on_virtual_time(body)


def test_timers_wake_in_the_order_of_their_time_and_then_of_their_making() -> None:
    """Deadlines at the same moment come in the order in which they were asked for."""

    async def body(clock: VirtualClock) -> None:
        seen: list[str] = []
        for when, name in ((20, "c"), (10, "a"), (20, "d"), (10, "b")):
            clock.call_at(when * NS_PER_MS, lambda name=name: seen.append(f"{name}{ms(clock):.0f}"))  # type: ignore[misc]
        await sleep(clock, 30)
        assert seen == ["a10", "b10", "c20", "d20"]

    on_virtual_time(body)


def test_a_cancelled_virtual_timer_does_not_come_and_takes_no_time() -> None:
    """A timer that was taken back neither wakes anybody nor is jumped to, even if another one takes it back."""

    async def body(clock: VirtualClock) -> None:
        seen = marks(clock, 5)
        clock.call_at(500 * NS_PER_MS, lambda: seen.append(500)).cancel()
        doomed = clock.call_at(7 * NS_PER_MS, lambda: seen.append(7))
        clock.call_at(6 * NS_PER_MS, doomed.cancel)
        await sleep(clock, 8)
        assert (seen, ms(clock)) == ([5], 8)

    on_virtual_time(body)


def test_a_timer_for_the_past_comes_without_moving_the_clock() -> None:
    """Time never goes back."""

    async def body(clock: VirtualClock) -> None:
        await sleep(clock, 10)
        seen = marks(clock, 3)
        await sleep(clock, 0)
        assert (seen, ms(clock)) == ([3], 10)

    on_virtual_time(body)


def test_with_nothing_pending_a_virtual_loop_waits_like_any_other() -> None:
    """Timers of the loop itself and bytes from a pipe arrive in real time, and cost no virtual time."""

    async def body(clock: VirtualClock) -> None:
        start = time.monotonic()
        await asyncio.sleep(0.02)
        assert time.monotonic() - start >= 0.019
        assert await asyncio.to_thread(lambda: 42) == 42
        assert clock.now_ns() == 0

    on_virtual_time(body)


def test_bytes_that_are_there_already_come_before_a_jump() -> None:
    """A loop with input waiting is not idle: the input is handled before time moves."""

    async def body(clock: VirtualClock) -> None:
        ours, theirs = os.pipe()
        seen: list[object] = marks(clock, 10)  # type: ignore[assignment]

        def arrived() -> None:
            seen.append((os.read(ours, 1), clock.now_ns()))
            asyncio.get_running_loop().remove_reader(ours)

        asyncio.get_running_loop().add_reader(ours, arrived)
        os.write(theirs, b"x")
        await sleep(clock, 20)
        assert seen == [(b"x", 0), 10]
        os.close(ours)
        os.close(theirs)

    on_virtual_time(body)


def test_while_something_outside_is_waited_for_time_passes_at_its_real_speed() -> None:
    """A process under way gets its full deadline; what is left afterwards is jumped over again."""

    async def body(clock: VirtualClock) -> None:
        late = marks(clock, 60_000)
        start = time.monotonic_ns()
        with clock.outside():
            seen = marks(clock, 30)
            await sleep(clock, 30)
            took = time.monotonic_ns() - start
            assert took >= 30 * NS_PER_MS, "no deadline came early"
            assert seen == [30]
            with clock.outside():
                inner = clock.now_ns()
            assert clock.now_ns() >= inner, "the outer stretch goes on"
        stood = clock.now_ns()
        assert 30 * NS_PER_MS <= stood <= time.monotonic_ns() - start
        await asyncio.sleep(0)
        assert clock.now_ns() == stood, "outside nothing counts any more, so time stands"
        assert late == []
        await sleep(clock, 60_000)
        assert late == [60_000]

    on_virtual_time(body)


# HeldClock


def test_a_held_clock_stands_and_then_goes_on_where_it_stood() -> None:
    """What passes during a hold never happened, for the time shown as for the deadlines."""

    async def body(base: VirtualClock) -> None:
        held = HeldClock(base)
        seen = marks(held, 30)
        await sleep(base, 20)
        held.hold()
        assert held.is_held
        await sleep(base, 1000)
        assert (ms(held), seen) == (20, [])
        held.release()
        assert not held.is_held
        await sleep(base, 9)
        assert (ms(held), seen) == (29, [])
        await sleep(base, 1)
        assert (ms(held), seen) == (30, [30])

    on_virtual_time(body)


def test_holds_nest() -> None:
    """Time runs again when the last one who held has let go."""

    async def body(base: VirtualClock) -> None:
        held = HeldClock(base)
        seen = marks(held, 10)
        held.hold()
        await sleep(base, 100)
        held.hold()
        held.release()
        assert held.is_held
        await sleep(base, 100)
        assert (ms(held), seen) == (0, [])
        held.release()
        await sleep(base, 10)
        assert (ms(held), seen) == (10, [10])

    on_virtual_time(body)


def test_every_hold_is_counted_out() -> None:
    """Several holds one after the other add up, and a timer asked for during one is armed by its release."""

    async def body(base: VirtualClock) -> None:
        held = HeldClock(base)
        seen = marks(held, 25)
        for _ in range(3):
            await sleep(base, 5)
            held.hold()
            await sleep(base, 50)
            seen_during = marks(held, held.now_ns() / NS_PER_MS + 1)
            await sleep(base, 50)
            assert seen_during == []
            held.release()
        await sleep(base, 9)
        assert (ms(held), seen) == (24, [])
        assert seen_during == [16]
        await sleep(base, 1)
        assert seen == [25]

    on_virtual_time(body)


def test_what_really_elapsed_goes_on_during_a_hold() -> None:
    """Besides the time that it shows, a clock tells how long something took, looking included."""

    async def body(base: VirtualClock) -> None:
        held = HeldClock(base)
        await sleep(held, 5)
        held.hold()
        await sleep(base, 20)
        assert (ms(held), held.elapsed_ns()) == (5, 25 * NS_PER_MS)
        held.release()
        await sleep(held, 5)
        assert (ms(held), held.elapsed_ns()) == (10, 30 * NS_PER_MS)

    on_virtual_time(body)
    assert REAL.elapsed_ns() <= REAL.now_ns() <= REAL.elapsed_ns()


def test_a_release_that_nobody_held_for_is_a_bug() -> None:
    """Unbalanced releases would leave the next hold unable to end."""
    with pytest.raises(AssertionError, match="nobody holds"):
        HeldClock().release()


@pytest.mark.parametrize("cancel_when", ["before the hold", "during the hold", "after the release"])
def test_a_timer_can_be_cancelled_whether_held_or_not(cancel_when: str) -> None:
    """A timer taken back stays away, whenever that was."""

    async def body(base: VirtualClock) -> None:
        held, seen = HeldClock(base), []
        timer = held.call_at(10 * NS_PER_MS, lambda: seen.append("came"))
        moments: list[tuple[str, Callable[[], None]]] = [
            ("before the hold", held.hold),
            ("during the hold", held.release),
            ("after the release", lambda: None),
        ]
        for name, go_on in moments:
            if name == cancel_when:
                timer.cancel()
            go_on()
        await sleep(base, 100)
        timer.cancel()
        assert seen == []

    on_virtual_time(body)


def test_a_timer_that_holds_the_clock_stops_the_others_of_its_moment() -> None:
    """A hold set by one deadline keeps the next one of the same moment from passing."""

    async def body(base: VirtualClock) -> None:
        held = HeldClock(base)
        held.call_at(5 * NS_PER_MS, held.hold)
        seen = marks(held, 5)
        await sleep(base, 100)
        assert seen == []
        held.release()
        await sleep(base, 0)
        assert seen == [5]

    on_virtual_time(body)


def test_a_held_clock_over_real_time_holds_too() -> None:
    """The base may be the real clock; outside stretches are the base's business."""

    async def body() -> None:
        held = HeldClock()
        start = held.now_ns()
        held.hold()
        stood = held.now_ns()
        await sleep(REAL, 5)
        assert held.now_ns() == stood
        held.release()
        with held.outside():
            await sleep(held, 2)
        assert held.now_ns() - start >= 2 * NS_PER_MS

    asyncio.run(body())


# Limit and Caller


async def guarded(
    clock: Clock, deadline_ms: float | None, caller: Caller, inside: Callable[[], Awaitable[object]]
) -> str:
    """Run something under a limit; says how it went."""
    deadline_ns = None if deadline_ms is None else clock.now_ns() + round(deadline_ms * NS_PER_MS)
    with Limit(clock, deadline_ns, caller) as limit:
        await inside()
        return f"done at {ms(clock):.0f}"
    assert limit.expired != limit.given_up
    return f"{'expired' if limit.expired else 'given up'} at {ms(clock):.0f}"


@pytest.mark.parametrize(
    ("takes_ms", "deadline_ms", "caller_ms", "went"),
    [
        (10, None, None, "done at 10"),
        (10, 20, None, "done at 10"),
        (10, 20, 15, "done at 10"),
        (30, 20, None, "expired at 20"),
        (30, 20, 40, "expired at 20"),
        (30, None, 10, "given up at 10"),
        (30, 20, 10, "given up at 10"),
        (30, 20, 20, "given up at 20"),  # nobody wants the answer any more
        (30, 0, 0, "given up at 0"),
        (30, 0, None, "expired at 0"),
    ],
)
def test_a_limit_says_who_ended_what_it_guards(
    takes_ms: float, deadline_ms: float | None, caller_ms: float | None, went: str
) -> None:
    """Whichever comes first, end, deadline or caller, is how it went; the task itself is as it was."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        if caller_ms is not None:
            caller.give_up_at(clock, round(caller_ms * NS_PER_MS), "enough")
        assert await guarded(clock, deadline_ms, caller, lambda: sleep(clock, takes_ms)) == went
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await sleep(clock, 100)

    on_virtual_time(body)


def test_of_a_deadline_and_a_caller_at_once_exactly_one_counts() -> None:
    """The one that cuts first says why; the other finds nothing left to cut."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        with Limit(clock, 5 * NS_PER_MS, caller) as limit:
            clock.call_at(5 * NS_PER_MS, lambda: caller.cancel("at the same moment"))
            await sleep(clock, 50)
        assert (limit.expired, limit.given_up) == (True, False)
        assert caller.reason == "at the same moment"
        await sleep(clock, 50)

    on_virtual_time(body)


def test_a_caller_that_has_given_up_before_ends_the_block_at_its_first_wait() -> None:
    """A limit for a caller that is gone already does not wait for anything."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        caller.cancel("long ago")
        assert await guarded(clock, 1000, caller, lambda: sleep(clock, 500)) == "given up at 0"

    on_virtual_time(body)


def test_giving_up_afterwards_changes_nothing() -> None:
    """A block that is through is not ended by a caller that gives up later, or in its very last moment."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        with Limit(clock, None, caller) as limit:
            caller.cancel("at the end of the block, with nothing left to wait for")
        caller.cancel("after it")
        await sleep(clock, 50)
        assert (limit.expired, limit.given_up) == (False, False)
        assert caller.reason == "at the end of the block, with nothing left to wait for"

    on_virtual_time(body)


def test_a_block_may_make_its_own_caller_give_up() -> None:
    """A cancel called inside the guarded block ends this block, not something later."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()

        async def inside() -> None:
            caller.cancel("from inside")
            await sleep(clock, 50)
            raise AssertionError("not reached")

        assert await guarded(clock, None, caller, inside) == "given up at 0"
        await sleep(clock, 50)

    on_virtual_time(body)


@pytest.mark.parametrize("ours", ["nobody", "deadline", "caller"])
def test_a_cancellation_by_others_passes_through_untouched(ours: str) -> None:
    """Whoever else cancels the task is obeyed, even at the moment at which we cut it ourselves."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        deadline = 10 if ours == "deadline" else None
        victim = asyncio.ensure_future(guarded(clock, deadline, caller, lambda: sleep(clock, 50)))
        if ours == "caller":
            clock.call_at(10 * NS_PER_MS, lambda: caller.cancel("as well"))
        clock.call_at(10 * NS_PER_MS, lambda: asyncio.get_running_loop().call_soon(victim.cancel) and None)
        with pytest.raises(asyncio.CancelledError):
            await victim
        assert victim.cancelled()
        assert ms(clock) == 10

    on_virtual_time(body)


def test_an_exception_on_the_way_out_is_not_swallowed() -> None:
    """What the block raises while it is being cut is what its caller sees."""

    async def body(clock: VirtualClock) -> None:
        async def inside() -> None:
            try:
                await sleep(clock, 50)
            finally:
                raise ValueError("a bug in the cleanup")

        with pytest.raises(ValueError, match="cleanup"):
            await guarded(clock, 10, Caller(), inside)

    on_virtual_time(body)


def test_limits_nest() -> None:
    """The inner deadline ends the inner block only; the outer one, met inside, ends both."""

    async def body(clock: VirtualClock) -> None:
        with Limit(clock, 20 * NS_PER_MS, Caller()) as outer:
            with Limit(clock, 10 * NS_PER_MS, Caller()) as inner:
                await sleep(clock, 50)
            assert (inner.expired, outer.expired) == (True, False)
            with Limit(clock, 30 * NS_PER_MS, Caller()) as inner:
                await sleep(clock, 50)
            raise AssertionError("not reached")
        assert (inner.expired, outer.expired, ms(clock)) == (False, True, 20)

    on_virtual_time(body)


def test_a_limit_on_a_held_clock_does_not_expire_while_held() -> None:
    """Looking never causes a timeout."""

    async def body(base: VirtualClock) -> None:
        held = HeldClock(base)
        base.call_at(5 * NS_PER_MS, held.hold)
        base.call_at(500 * NS_PER_MS, held.release)
        assert await guarded(held, 10, Caller(), lambda: sleep(base, 503)) == "done at 8"

    on_virtual_time(body)


def test_a_caller_keeps_its_first_reason_and_ends_everything_it_waits_for() -> None:
    """All blocks under way end together, and later reasons are not news."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        clock.call_at(10 * NS_PER_MS, lambda: caller.cancel("first"))
        clock.call_at(10 * NS_PER_MS, lambda: caller.cancel("second"))
        went = await asyncio.gather(*(guarded(clock, None, caller, lambda: sleep(clock, 50)) for _ in range(3)))
        assert went == ["given up at 10"] * 3
        assert caller.reason == "first"

    on_virtual_time(body)


@pytest.mark.parametrize("after_ms", [0, 10])
def test_an_answer_that_is_there_at_the_callers_deadline_comes_too_late(after_ms: float) -> None:
    """A block that never lets the loop say so is given up all the same."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        await sleep(clock, 10 - after_ms)
        caller.give_up_at(clock, 10 * NS_PER_MS, "enough")
        await sleep(clock, after_ms)
        with Limit(clock, None, caller) as limit:
            pass
        assert (limit.expired, limit.given_up, caller.reason) == (False, True, "enough")

    on_virtual_time(body)


def test_an_exception_at_the_callers_deadline_passes() -> None:
    """What goes wrong in a block is not hidden by a caller that gives up."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        caller.give_up_at(clock, 0, "enough")
        with pytest.raises(ValueError, match="a bug"), Limit(clock, None, caller):
            raise ValueError("a bug")

    on_virtual_time(body)


def test_a_lasting_deadline_outlives_dispatches_and_ends_with_its_block() -> None:
    """`done` does not take it back; leaving the block does."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        with caller.giving_up_at(clock, 10 * NS_PER_MS, "enough"):
            caller.done()
            assert not caller.is_late
        await sleep(clock, 20)
        assert (caller.reason, caller.is_late) == (None, False)
        with caller.giving_up_at(clock, 30 * NS_PER_MS, "enough"):
            caller.done()
            await sleep(clock, 20)
        assert caller.reason == "enough"

    on_virtual_time(body)


def test_a_caller_that_has_its_result_gives_up_no_more() -> None:
    """`done` takes the caller's own deadline back; without one it does nothing."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        caller.done()
        caller.give_up_at(clock, 10 * NS_PER_MS, "too late")
        caller.done()
        await sleep(clock, 20)
        assert caller.reason is None

    on_virtual_time(body)
