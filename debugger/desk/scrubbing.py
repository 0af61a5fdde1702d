"""Keys that go through a recording: fact by fact, seam by seam, played, and to the next error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from debugger.choosing import Choosing, Jump, here
from debugger.desk.place import Deeds, Place
from debugger.scrubbing import Scrub

NOTHING: Final = "Choose a dispatch first."


class Scrubbed(Place, Protocol):
    """A desk on which one can stand inside a dispatch."""

    @property
    def scrub(self) -> Scrub | None:
        """Where one stands in the chosen dispatch, at its end unless somebody moved; None where none is chosen."""
        ...

    def stand(self, scrub: Scrub) -> None:
        """Stand somewhere else, or play on from there."""
        ...


def deeds(place: Scrubbed) -> Deeds:
    """By the ids of their actions."""

    def on(move: Callable[[Scrub], Scrub]) -> Callable[[], None]:
        """From the end it goes on at the start: whoever chose a dispatch sees all of it at first."""
        return lambda: _move(place, lambda scrub: scrub.to(1) if scrub.is_at_end else move(scrub))

    def moves(move: Callable[[Scrub], Scrub]) -> Callable[[], None]:
        return lambda: _move(place, move)

    async def error() -> None:
        await _to_error(place)

    return {
        "fact.next": on(lambda scrub: scrub.moved(1)),
        "fact.previous": moves(lambda scrub: scrub.moved(-1)),
        "seam.next": on(lambda scrub: scrub.to_seam(1)),
        "seam.previous": moves(lambda scrub: scrub.to_seam(-1)),
        "scrub.start": moves(lambda scrub: scrub.to(1)),
        "scrub.end": moves(lambda scrub: scrub.to(len(scrub.events))),
        "scrub.faster": lambda: _speed(place, 1),
        "scrub.slower": lambda: _speed(place, -1),
        "scrub.play": lambda: _play(place),
        "scrub.error": error,
    }


def _move(place: Scrubbed, move: Callable[[Scrub], Scrub]) -> None:
    """Who moves by hand does not play."""
    scrub = place.scrub
    if scrub is None:
        place.say(NOTHING)
    else:
        place.stand(move(scrub).playing(False))


def _speed(place: Scrubbed, by: int) -> None:
    scrub = place.scrub
    if scrub is None:
        place.say(NOTHING)
        return
    other = scrub.faster(by)
    place.stand(other)
    place.say(f"Played at ×{other.speed:g}.", timeout=2)


def _play(place: Scrubbed) -> None:
    """From the start, where one stands at the end."""
    scrub = place.scrub
    if scrub is None:
        place.say(NOTHING)
    elif scrub.is_playing:
        place.stand(scrub.playing(False))
    else:
        place.stand((scrub.to(1) if scrub.is_at_end else scrub).playing(True))


async def _to_error(place: Scrubbed) -> None:
    """The next step that went wrong, and the fact that says so; from the first dispatch where none is chosen."""
    at = here(place.chosen, place.choosing.step)
    found = await asyncio.to_thread(place.listing.jumped, at, Jump.ERROR, 1)
    if found is None:
        place.say("There is no further error.", timeout=2)
    else:
        place.choose(Choosing(found.dispatch, found.step, is_following=False))
