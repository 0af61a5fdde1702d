"""Keys that come between the key that opens a dialog and the dialog wait for it, in their order."""

from __future__ import annotations

import asyncio

from textual.events import Key

from debugger.desk.ahead import TypedAhead

A, B, C = (Key(each, each) for each in "abc")


def test_without_an_opening_no_key_waits() -> None:
    """Keys go their way."""
    ahead = TypedAhead()
    assert not ahead.keeps(A)
    assert ahead.next_key() is None


def test_keys_wait_until_the_dialog_stands() -> None:
    """Those that come while others still wait stay behind them; an opening counts from the moment it is wished."""
    ahead, ready = TypedAhead(), []
    ahead.on_ready = lambda: ready.append(True)

    async def opening() -> None:
        await asyncio.sleep(0)

    waiting = ahead.until(opening())
    assert ahead.keeps(A)
    assert ahead.next_key() is None
    ahead.let_go()
    assert ready == [True]
    assert ahead.keeps(B), "behind A"
    assert [ahead.next_key(), ahead.next_key(), ahead.next_key()] == [A, B, None]
    asyncio.run(waiting)
    assert not ahead.keeps(C)


def test_a_deed_that_opens_nothing_lets_the_keys_go_at_its_end() -> None:
    """Also where it breaks; and a key that opens again keeps those behind it."""

    async def run() -> None:
        ahead = TypedAhead()

        async def broken() -> None:
            raise ZeroDivisionError

        task = asyncio.create_task(ahead.until(broken()))
        assert ahead.keeps(A)
        assert ahead.keeps(B)
        await asyncio.wait([task])
        assert isinstance(task.exception(), ZeroDivisionError)
        assert ahead.next_key() is A
        again = asyncio.create_task(ahead.until(asyncio.sleep(0)))
        assert ahead.next_key() is None
        await again
        assert ahead.next_key() is B

    asyncio.run(run())
