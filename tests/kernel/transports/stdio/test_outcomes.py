"""What deliveries come to, as tables."""

from __future__ import annotations

import pytest

from kernel.faults import Die, FarSide, Hang, Late, Rewire
from kernel.transports.stdio.connection import Lost
from kernel.transports.stdio.messages import ErrorReply
from kernel.transports.stdio.outcomes import failure, said, second_act, tool_output, why
from kernel.values import Answered, Cancelled, Crashed, Delivery, Failed, Outcome, TimedOut

TWICE = (Delivery(2), Delivery(4, "x", 1, 250))


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (b'"out"', "out"),
        (b'"\\u00e9\\n"', "é\n"),
        (b'{"content":"c","is_error":true}', "c"),
        (b'{"content":["c"]}', '{"content":["c"]}'),
        (b'{"x": 1.0}', '{"x": 1.0}'),
        (b"[1, 2]", "[1, 2]"),
        (b"null", "null"),
        (b"true", "true"),
    ],
)
def test_what_a_tool_gave_as_text(result: bytes, text: str) -> None:
    """Text, the content of an object, or JSON as it was sent (hookbus spec 4.4)."""
    assert tool_output(result) == text


@pytest.mark.parametrize(
    ("given", "words", "outcome"),
    [
        (ErrorReply(2, "-1", "no"), "it answered with an error (-1): no", Failed("-1", "both", TWICE)),
        (ErrorReply(2, "", "no"), "it answered with an error: no", Failed("error", "both", TWICE)),
        (Lost("it exited with code 1"), "it exited with code 1", Crashed("both", TWICE)),
    ],
)
def test_failures(given: ErrorReply | Lost, words: str, outcome: Outcome) -> None:
    """An error is a failure with its code, anything else means that there is nobody to talk to."""
    assert said(given) == words
    assert failure(given, "both", TWICE) == outcome


def test_only_trouble_that_is_meant_for_both_deliveries_befalls_the_second() -> None:
    """A fault is one piece of trouble otherwise."""

    def same(frame: bytes) -> bytes:
        return frame

    lasting: list[FarSide] = [Die(9, 2), Rewire(same, deliveries=2)]
    single: list[FarSide | None] = [None, Hang(), Late(1), Die(9), Rewire(same)]
    assert [second_act(act) for act in lasting] == lasting
    assert [second_act(act) for act in single] == [None] * len(single)


def test_outcomes_in_words() -> None:
    """For what is only told."""
    assert why(Failed("-1", "no")) == why(Crashed("no")) == "no"
    assert why(TimedOut(5000)) == "no answer after 5000 ms"
    assert why(Cancelled("x")) == "Cancelled"
    assert why(Answered(b"")) == "Answered"
