"""What spans say about hook chains."""

from __future__ import annotations

import pytest
from otlp_made import made

from debugger.otlp.chains import chains
from debugger.otlp.spans import Attributes
from debugger.traces.hooks import closeness, deadline_of, of_dispatch, of_step, plain
from debugger.views.text import Emphasis

MS = 1_000_000
POINT = "pluggableharness.hook.point"
MODE = "pluggableharness.subscriber.mode"
NAME = "pluggableharness.producer.name"


@pytest.mark.parametrize(
    ("attributes", "deadline"),
    [
        ((), None),
        ((("timeout_ms", 200),), 200 * MS),
        ((("rpc.timeout_ms", 1.5),), 1_500_000),
        ((("my.deadline_ns", 7),), 7),
        ((("hook.timeout.ms", 3),), 3 * MS),
        ((("timeout_ms", "200"),), None),
        ((("timeout_ms", True),), None),
        ((("timeout_ms", 0),), None),
        ((("notimeout_msx", 3),), None),
        ((("timeout_ms", 1e300),), None),
    ],
)
def test_a_deadline_is_a_number_under_a_key_that_says_so(attributes: Attributes, deadline: int | None) -> None:
    """Milliseconds or nanoseconds, whatever stands before it."""
    assert deadline_of(attributes) == deadline


@pytest.mark.parametrize(
    ("took", "deadline", "look"),
    [
        (79, 100, None),
        (80, 100, Emphasis.HELD),
        (100, 100, Emphasis.HELD),
        (101, 100, Emphasis.ERROR),
        (5, None, None),
        (5, 0, None),
    ],
)
def test_a_deadline_is_close_from_four_fifths_on(took: int, deadline: int | None, look: Emphasis | None) -> None:
    """And past once it is exceeded."""
    assert closeness(took, deadline) is look


def test_a_chain_of_spans_becomes_hooks() -> None:
    """Badges and verdicts; a failure after the whole deadline is a timeout."""
    step = ((MODE, "veto"), (NAME, "bot"))
    spans = (
        made(1, name="hook.dispatch", took=300 * MS, attributes=((POINT, "plan-ready"),)),
        made(2, 1, name="hook.subscriber", took=200 * MS, attributes=step, is_error=True),
    )
    [chain] = chains(spans)
    dispatch = of_dispatch(chain)
    assert (dispatch.point, dispatch.word, dispatch.is_denied, dispatch.is_step) == (
        "plan-ready",
        "denied",
        True,
        False,
    )
    found = of_step(chain, chain.steps[0], 200 * MS)
    assert (found.subscriber, found.badge, found.word) == ("bot", "V", "denied")
    assert (found.is_timeout, found.is_error, found.is_denied, found.is_step) == (True, True, True, True)
    assert not of_step(chain, chain.steps[0], 201 * MS).is_timeout
    assert not of_step(chain, chain.steps[0], None).is_timeout


def test_other_spans_say_nothing_but_a_deadline() -> None:
    """And mostly not even that."""
    assert plain(made(1)) is None
    found = plain(made(1, attributes=(("timeout_ms", 5),)))
    assert found is not None
    assert (found.deadline_ns, found.point, found.is_step) == (5 * MS, "", False)
