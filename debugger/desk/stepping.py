"""Keys that say how dispatches under way go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from debugger.breakpoints import Breakpoint, side_for
from debugger.desk.place import CHOOSE_FIRST, Deeds, Place
from debugger.runcontrol import Command
from debugger.session import Session, key_of


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    def commands(command: Command) -> Callable[[], None]:
        return lambda: _command(place, command)

    async def run_to_filter() -> None:
        await _run_to_filter(place)

    async def held() -> None:
        await _held(place)

    async def let_go() -> None:
        await _let_go(place)

    return {
        "next": commands(Command.NEXT),
        "step": commands(Command.STEP),
        "finish": commands(Command.FINISH),
        "continue": commands(Command.CONTINUE),
        "back": commands(Command.BACK),
        "restart": commands(Command.RESTART),
        "retry": commands(Command.RETRY),
        "run_to": lambda: _run_to(place),
        "run_to_filter": run_to_filter,
        "skip": commands(Command.SKIP),
        "skip_always": lambda: _skip_always(place),
        "undo": lambda: _undo(place),
        "held": held,
        "let_go": let_go,
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


def _run_to(place: Place) -> None:
    """To before the chosen subscriber, which is not the one that is held."""
    dispatch, seat, hold = place.choosing.dispatch, place.seat, place.choosing.any_hold(place.seen)
    step = place.choosing.step
    if dispatch is None or seat is None or step is None or hold is None:
        place.say(CHOOSE_FIRST)
    elif step == hold.step:
        place.say("It is held right there: choose another subscriber with [ and ] first.")
    else:
        place.wish(lambda session: session.run_to(dispatch, Breakpoint(f"step:={step}")))


async def _run_to_filter(place: Place) -> None:
    from debugger.desk.writing import filter_text

    dispatch = place.choosing.dispatch
    text = await filter_text(place, "Run on to where", "", of_steps=True)
    if text and dispatch is not None:
        goal = Breakpoint(text, side_for(text, place.book.saved))
        place.wish(lambda session: session.run_to(dispatch, goal))


def _skip_always(place: Place) -> None:
    seat = place.seat
    if seat is None:
        place.say(CHOOSE_FIRST)
        return
    is_out = key_of(seat) in place.seen.skipping
    place.wish(lambda session: session.toggle_skipping(seat))
    words = "is asked again" if is_out else "is left out of every dispatch until K takes it back in"
    place.say(f"{seat.name} at {seat.point} {words}.", timeout=3)


def _undo(place: Place) -> None:
    dispatch = place.choosing.dispatch
    if dispatch is not None:
        place.wish(lambda session: session.undo(dispatch))


async def _held(place: Place) -> None:
    """Go to one of those that are held."""
    from debugger.lenses.picker import Choice, Picker
    from debugger.stuck import clock

    session, seen = place.session, place.seen
    if session is None or not seen.holds:
        place.say("Nothing is held.")
        return
    now_ns = session.clock.elapsed_ns()
    choices = []
    for hold in sorted(seen.holds, key=lambda hold: hold.since_ns):
        trace = place.trace.find(hold.dispatch)
        name = hold.dispatch if trace is None else f"#{trace.number} {trace.point}"
        told = f"{hold.side} {hold.subscriber}, for {clock(now_ns - hold.since_ns)}"
        choices.append(Choice(f"{hold.dispatch} {hold.step}", name, told))
    picked = await place.host.push_screen_wait(Picker("Held now: go to", choices))
    if picked is not None:
        dispatch, _, step = picked.partition(" ")
        place.choose(replace(place.choosing, dispatch=dispatch, step=int(step), is_following=False))


async def _let_go(place: Place) -> None:
    from debugger.desk.writing import number
    from debugger.lenses.picker import Choice, Picker

    now = place.seen.release_after_s
    choices = [Choice("0", "never", "held until somebody lets go"), *(
        Choice(str(seconds), f"{seconds} s", "") for seconds in (10, 30, 60, 300)
    ), Choice("other", "another time", "")]  # fmt: skip
    title = f"A hold lets go by itself after (now: {'never' if now is None else f'{now:g} s'})"
    picked = await place.host.push_screen_wait(Picker(title, choices))
    if picked is None:
        return
    seconds = await number(place, "Seconds", "120") if picked == "other" else int(picked)
    if seconds is not None:
        place.wish(lambda session: session.let_go_after(seconds or None))


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
