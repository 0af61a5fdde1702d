"""What is offered while a filter is typed."""

from __future__ import annotations

import pytest
from filter_traces import DENIED, EVERY, TROUBLED, A, P, dispatch, seat, sight, step
from hypothesis import given
from hypothesis import strategies as st

from debugger.filters import FIELDS, Completion, Seen, completion, parse, typed
from debugger.filters.completion import Sort
from debugger.filters.parser import Bad
from debugger.trace import StretchTrace
from kernel.facts import Entered


def seen() -> Seen:
    """What the traces of these tests have in them, and a subscriber with an awkward name."""
    known = Seen(sight())
    for each in EVERY:
        known.take(each)
    known.take(dispatch(step(0, seat("odd (one)"))))
    known.take_payload(P.view)
    known.take_stretch(StretchTrace("t", Entered("plain", "turn", "turn 3", "", 0), 0))
    return known


SEEN = seen()
SAVED = {"slow-vetoes": "mode:veto slow:>80%", "calm": "every(status:ok)"}


def offered(text: str) -> Completion:
    """What is offered where the | stands in the text... written as a caret, since | means something."""
    cursor = text.index("^")
    return completion(text.replace("^", "", 1), cursor, SEEN, SAVED)


def texts(found: Completion) -> list[str]:
    return [each.text for each in found.candidates]


@pytest.mark.parametrize(
    ("text", "first", "replaced"),
    [
        ("^", ["point:", "dialect:", "mode:"], (0, 0)),
        ("poi^", ["point:"], (0, 3)),
        ("sub:a st^", ["status:", "steered:", "step:"], (6, 8)),
        ("st^atus:ok", ["status:", "steered:", "step:"], (0, 7)),
        ("sub:^", ["audit-log", "policy-bot"], (4, 4)),
        ("sub: ^", ["audit-log", "policy-bot"], (5, 5)),
        ("sub:pol^", ["policy-bot"], (4, 7)),
        ("sub:p^ol", ["policy-bot"], (4, 7)),
        ("sub:bot^", ["policy-bot"], (4, 7)),
        ("sub:=RED^ mode:veto", ["Redactor"], (5, 8)),
        ("sub:od^", ['"odd (one)"'], (4, 6)),
        ('sub:"odd (^', ['"odd (one)"'], (4, 10)),
        ("sub:(audit-log | p^)", ["policy-bot"], (17, 18)),
        ("sub:(audit-log | ^", ["audit-log"], (17, 17)),
        ("sub:audit-log|p^", ["policy-bot"], (14, 15)),
        ("!sub:pol^", ["policy-bot"], (5, 8)),
        ("(mode:v^", ["veto"], (6, 7)),
        ("subscriber:pol^", ["policy-bot"], (11, 14)),
        ("status:de^", ["denied"], (7, 9)),
        ("status:not^", ["not-reached"], (7, 10)),
        ("changed:^", ["yes", "no"], (8, 8)),
        ("dur:^", [">100ms", ">1s"], (4, 4)),
        ("path:$.mo^", ["$.model", "$.model.heat", "$.model.name"], (5, 9)),
        ("path:^", ["$.messages", "$.messages[*]"], (5, 5)),
        ("within:tu^", ["turn", '"turn 3"'], (7, 9)),
        ("@^", ["@calm", "@slow-vetoes"], (0, 1)),
        ("x @sl^", ["@slow-vetoes"], (2, 5)),
        ("slow-v^", ["@slow-vetoes"], (0, 6)),
        ("audit^", ["sub:audit-log"], (0, 5)),
        ("odd^", ['sub:"odd (one)"'], (0, 3)),
        ("veto-t^", ["rule:PL-VETO-TIMEOUT"], (0, 6)),
        ("fault:h^", ["hang"], (6, 7)),
        ("sub:audit-log ^", ["point:"], (14, 14)),
        ("som^", ["some("], (0, 3)),
    ],
)
def test_what_is_offered(text: str, first: list[str], replaced: tuple[int, int]) -> None:
    """The likeliest first, and what it would take the place of."""
    found = offered(text)
    assert texts(found)[: len(first)] == first
    assert (found.start, found.end) == replaced


@pytest.mark.parametrize("text", ["sub:~a^", "nowhere:a^", '"poi^"', "sub:audit-log ok:^", "status:zzz^"])
def test_nothing_is_offered(text: str) -> None:
    """Rather than something that makes no sense there."""
    assert texts(offered(text)) == []


def test_taking_a_candidate_gives_the_text_and_the_cursor() -> None:
    """Both, since more is typed behind it."""
    found = offered("sub:pol^ mode:veto")
    assert found.taken("sub:pol mode:veto", found.candidates[0]) == ("sub:policy-bot mode:veto", 14)
    assert found.candidates[0].sort is Sort.VALUE
    assert found.candidates[0].detail == "seen 4×"


@given(st.text(alphabet="subtadermo:|()!\"'@ >=~*.$", max_size=16), st.integers(0, 17))
def test_any_text_and_cursor_can_be_completed(text: str, cursor: int) -> None:
    """Never an error; what is replaced is a stretch of the text around the cursor."""
    found = completion(text, cursor, SEEN, SAVED)
    at = min(cursor, len(text))
    assert 0 <= found.start <= at <= found.end <= len(text)


def test_what_is_taken_is_never_bad() -> None:
    """Whatever is offered leads to a filter, or to the beginning of one."""
    for text in ("^", "s^", "o^", "@^", *(f"{name}:^" for name in FIELDS), *(f"{name}:=^" for name in FIELDS)):
        found = offered(text)
        for candidate in found.candidates:
            taken, cursor = found.taken(text.replace("^", ""), candidate)
            assert cursor == len(taken)
            if ":=" not in text or text.removesuffix(":=^") not in ("path", "in", "out"):
                assert not isinstance(typed(taken), Bad), taken


def test_counts_are_of_what_there_was() -> None:
    """How often, the most frequent first; a name that comes as often as another goes by the alphabet."""
    known = Seen(sight())
    known.take(DENIED)
    known.take(TROUBLED)
    assert known.names("sub")[:2] == (("audit-log", 2), ("policy-bot", 2))
    assert known.names("point") == (("plan-ready", 1), ("pre-model-call", 1))
    assert known.names("id") == ()
    assert known.names("error") == ()


def test_what_is_kept_has_a_bound() -> None:
    """Names that never come again do not fill the memory."""
    known = Seen(sight())
    for number in range(700):
        known.take(dispatch(step(0, seat(f"s{number}"))))
        known.take_payload({f"k{number}": 1})
    assert len(known.names("sub")) == 500
    assert len(known.names("path")) == 500
    known.take(dispatch(step(0, A), step(1, seat("s7"))))
    assert ("s7", 2) in known.names("sub")
    assert parse("sub:s7") is not None
