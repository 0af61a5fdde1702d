"""What happened beside what was expected. Pure: values in, misses out; a key that is absent is not judged.

claims     what can be said of a value, and misses     told       errors, rules, questions, decisions, lines, facts
dispatch   one dispatch                                telemetry  spans and metrics
session    a played session                            refusal    a configuration that is refused
"""

from __future__ import annotations

from msgspec import UNSET

from debugger.scenario.fired import Fired, Session
from debugger.scenario.judge import dispatch, refusal, session
from debugger.scenario.judge.claims import Claims, Miss, miss
from debugger.scenario.load import Loaded
from debugger.scenario.refused import Refused

__all__ = ["Miss", "of_fired", "of_refusal", "of_session", "of_start"]


def of_refusal(loaded: Loaded, refusals: tuple[Refused, ...]) -> tuple[Miss, ...]:
    """What of an expected refusal does not hold."""
    return tuple(refusal.misses(loaded, refusals))


def of_start(loaded: Loaded, not_ready: tuple[str, ...]) -> tuple[Miss, ...]:
    """That somebody had not started in time."""
    limit = f"everybody has started within {loaded.scenario.at_most_s:g} s"
    return (miss(loaded, ("at_most_s",), limit, f"still starting: {', '.join(not_ready)}"),)


def of_fired(loaded: Loaded, fired: tuple[Fired, ...]) -> tuple[Miss, ...]:
    """Every expectation of dispatches that does not hold; raises BadInput for one that cannot be judged."""
    scenario, found = loaded.scenario, list[Miss]()
    for place, each in enumerate(fired):
        if each.is_given_up:
            found.append(_endless(loaded, ("fire", place), place))
        if scenario.expect is not UNSET:
            claims = Claims(loaded, ("expect", place), place)
            dispatch.judge(claims, scenario.expect[place], each)
            found += claims.misses
    return tuple(found)


def of_session(loaded: Loaded, played: Session) -> tuple[Miss, ...]:
    """Every expectation of a session that does not hold; raises BadInput for one that cannot be judged."""
    if played.played is None:
        return (_endless(loaded, ("play",), None),)  # whatever else is wrong with it is so because of that
    claims = Claims(loaded, ("expect_played",))
    if loaded.scenario.expect_played is not UNSET:
        session.judge(claims, loaded.scenario.expect_played, played, played.played)
    unused = (miss(loaded, path, loaded.written(path), "there was no such dispatch") for path in played.unused)
    return (*claims.misses, *unused)


def _endless(loaded: Loaded, path: tuple[str | int, ...], dispatch: int | None) -> Miss:
    limit = f"it ends within {loaded.scenario.at_most_s:g} s"
    return miss(loaded, path, limit, "it was still going on, and nobody else ended it", dispatch=dispatch)
