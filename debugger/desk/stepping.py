"""Keys that say how dispatches under way go on."""

from __future__ import annotations

from collections.abc import Callable

from debugger.desk.place import Deeds, Place
from debugger.runcontrol import Command
from debugger.session import Session


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    def commands(command: Command) -> Callable[[], None]:
        return lambda: _command(place, command)

    return {
        "next": commands(Command.NEXT),
        "step": commands(Command.STEP),
        "finish": commands(Command.FINISH),
        "continue": commands(Command.CONTINUE),
        "skip": commands(Command.SKIP),
        "pause": lambda: _pause(place),
        "stop": lambda: _stop(place),
        "continue_all": lambda: _continue_all(place),
        "clock": lambda: _clock(place),
    }


def _command(place: Place, command: Command) -> None:
    """For the step that is held, if one is."""
    dispatch, hold = place.choosing.dispatch, place.choosing.any_hold(place.seen)
    if dispatch is not None:
        step = None if hold is None else hold.step
        place.wish(lambda session: session.command(dispatch, command, step))


def _pause(place: Place) -> None:
    if place.seen.is_playing:
        place.wish(lambda session: session.pause_play())
    else:
        _command(place, Command.PAUSE)


def _stop(place: Place) -> None:
    if place.seen.is_playing:
        place.wish(lambda session: session.stop_play())
    else:
        _command(place, Command.STOP)


def _continue_all(place: Place) -> None:
    held = {hold.dispatch for hold in place.seen.holds}

    def let_all_go(session: Session) -> None:
        for dispatch in held:
            session.command(dispatch, Command.CONTINUE)

    place.wish(let_all_go)


def _clock(place: Place) -> None:
    does_run = not place.seen.does_time_run
    place.wish(lambda session: session.let_time_run(does_run))
    words = "Deadlines pass while a dispatch is held." if does_run else "A held dispatch stops its clock."
    place.say(words, timeout=3)
