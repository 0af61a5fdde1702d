"""The ends of pipes that we hold: bytes arrive whole and in order, and nobody's slowness blocks the loop."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import FileIO

import pytest
from plugin_runs import until

from kernel.transports.processes.pipes import Feed, Pipe


@asynccontextmanager
async def feed_and_reader() -> AsyncIterator[tuple[Feed, int, list[OSError]]]:
    theirs, ours = os.pipe()
    broken: list[OSError] = []
    feed = Feed(FileIO(ours, "w"), broken.append)
    try:
        yield feed, theirs, broken
    finally:
        feed.close()
        try:  # noqa: SIM105
            os.close(theirs)
        except OSError:
            pass


async def test_what_the_pipe_does_not_take_at_once_follows_in_order() -> None:
    """Much more than a pipe holds, put in without waiting."""
    async with feed_and_reader() as (feed, theirs, broken):
        parts = [bytes([number]) * 50_000 for number in range(8)]
        for part in parts:
            feed.put(part)
        assert not feed.is_idle
        assert feed.waiting == 7
        waiting = asyncio.create_task(feed.room())
        got = b""
        while len(got) < 400_000:
            got += await asyncio.to_thread(os.read, theirs, 30_000)
        assert got == b"".join(parts)
        await waiting
        assert feed.is_idle
        assert broken == []


async def test_a_reader_that_goes_away_is_told_once() -> None:
    """At once, or with what was waiting; afterwards nothing is written, and nobody waits for room."""
    async with feed_and_reader() as (feed, theirs, broken):
        feed.put(b"x" * 200_000)
        os.close(theirs)
        await asyncio.wait_for(feed.room(), 5)
        feed.put(b"y")
        assert [type(error) for error in broken] == [BrokenPipeError]
    async with feed_and_reader() as (feed, theirs, broken):
        os.close(theirs)
        feed.put(b"x")
        feed.put(b"y")
        assert len(broken) == 1


async def test_closing_lets_the_other_side_see_the_end() -> None:
    """And lets go whoever waits."""
    async with feed_and_reader() as (feed, theirs, _):
        feed.put(b"x" * 200_000)
        waiting = asyncio.create_task(feed.room())
        await asyncio.sleep(0)
        feed.close()
        await asyncio.wait_for(waiting, 5)
        while await asyncio.to_thread(os.read, theirs, 65536):
            pass


async def test_a_paused_pipe_takes_nothing_until_it_goes_on() -> None:
    """Whoever writes has to wait, and nothing is lost."""
    theirs, ours = os.pipe()
    got: list[bytes] = []
    ended: list[bool] = []
    pipe = Pipe(FileIO(theirs), got.append, lambda: ended.append(True), bite=1000)
    pipe.pause()
    pipe.pause()
    os.write(ours, b"x" * 5000)
    await asyncio.sleep(0.01)  # not to wait for anything: nothing may come
    await pipe.drain()
    assert got == []
    pipe.resume()
    pipe.resume()
    await until(lambda: sum(map(len, got)) == 5000)
    assert max(map(len, got)) == 1000
    os.close(ours)
    await until(lambda: ended == [True])
    pipe.pause()
    pipe.resume()
    pipe.close()


@pytest.mark.parametrize("bite", [1, 4096, 65536, 10**6])
async def test_a_drain_takes_what_is_there(bite: int) -> None:
    """At least a bite of it, without waiting for more."""
    theirs, ours = os.pipe()
    got: list[bytes] = []
    pipe = Pipe(FileIO(theirs), got.append, bite=bite)
    os.write(ours, b"x" * 4000)
    await pipe.drain()
    assert b"".join(got) == b"x" * 4000
    pipe.close()
    os.close(ours)
