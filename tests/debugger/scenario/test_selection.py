"""Claims about selections: what fits is counted, and only what is meant is taken."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scenario_texts import loaded, scenario

from debugger.scenario.parts import Match, Which
from debugger.scenario.selection import Selector
from kernel.dialects.pluggable import PLUGGABLE
from kernel.errors import BadInput
from kernel.values import JSON

SEEN: list[tuple[str, str, JSON]] = [
    ("session-start", "", {"session_id": "s", "profile": "writer"}),
    ("pre-tool-call", "read", {"call": {"id": "c1", "tool_name": "read", "arguments": {"path": "a b"}}}),
    ("pre-tool-call", "write", {"call": {"id": "c2", "tool_name": "write", "arguments": {"write": "x"}}}),
    ("pre-tool-call", "write", {"call": {"id": "c3", "tool_name": "write"}}),
    ("session-end", "", {"session_id": "s", "status": "SESSION_STATUS_COMPLETED"}),
]


def taken(which: Which | None) -> list[int]:
    """Places of those that are taken, of five dispatches of a session."""
    selector = Selector(which, loaded(scenario()), ("play",))
    found = [
        place
        for place, (point, label, view) in enumerate(SEEN)
        if selector.takes(PLUGGABLE.payload_from_view(point, view), point, label)
    ]
    assert selector.taken == len(found)
    return found


@pytest.mark.parametrize(
    ("which", "places"),
    [
        (None, [0, 1, 2, 3, 4]),
        (Which(), [0, 1, 2, 3, 4]),
        (Which(nth=2), [1]),
        (Which(nth=6), []),
        (Which(point="pre-tool-call"), [1, 2, 3]),
        (Which(point="pre-tool-call", nth=3), [3]),
        (Which(point="plan-ready"), []),
        (Which(text="write"), [0, 2, 3]),
        (Which(text="write", nth=3), [3]),
        (Which(text="a b"), [1]),
        (Which(text="path"), []),
        (Which(payload=Match(jmespath="call.id", is_="c2")), [2]),
        (Which(payload=[Match(jmespath="call.tool_name", is_="write"), Match(contains={"call": {"id": "c3"}})]), [3]),
        (Which(payload=Match(jmespath="length(call.id)", is_=2), nth=2), [2]),
    ],
)
def test_every_key_of_a_selection_holds_for_what_is_taken(which: Which | None, places: Sequence[int]) -> None:
    """Text is looked for in values, not in keys; claims that cannot be asked of a payload do not hold for it."""
    assert taken(which) == list(places)


def test_a_claim_that_is_none_is_bad_input() -> None:
    """With its place in the scenario."""
    with pytest.raises(BadInput, match=r"play\.payload: not JMESPath"):
        taken(Which(payload=Match(jmespath="a[[", is_=1)))
