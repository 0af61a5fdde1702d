"""Looking for dispatches: which are listed, what is asked again, and that looking never takes long at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from view_runs import run

from debugger.filters import BadFilter, Sight
from debugger.sifting import AT_ONCE_S, Finding, Sieve, summary
from debugger.trace import DispatchTrace

PLAIN = run("A:v", {"A": "allow"}, point="plan-ready")
DENIED = run("A:v", {"A": "deny"}, point="plan-ready")


def many(pattern: str) -> list[DispatchTrace]:
    """A dispatch for each letter: d denied, p plain."""
    kinds = {"d": DENIED, "p": PLAIN}
    return [replace(kinds[each], id=f"{at}", number=at + 1) for at, each in enumerate(pattern)]


def still() -> float:
    return 0.0


def sieve(text: str, clock: Callable[[], float] = still) -> Sieve:
    made = Sieve(Sight(), clock)
    made.use(text, {"bad": "status:denied"})
    return made


@pytest.mark.parametrize(
    ("finding", "listed", "matching", "said"),
    [
        (Finding(), "1 2 3 4", "", ""),
        (Finding("status:denied"), "2 4", "2 4", "/status:denied  2 of 4"),
        (Finding("@bad"), "2 4", "2 4", "/@bad  2 of 4"),
        (Finding("status:denied", is_highlight=True), "1 2 3 4", "2 4", "◆status:denied  2 of 4"),
        (Finding("status:denied", is_suspended=True), "1 2 3 4", "", "\\ suspended: status:denied"),
        (Finding("sub:nobody"), "", "", "/sub:nobody  0 of 4"),
    ],
)
def test_what_is_listed_follows_from_what_is_looked_for(
    finding: Finding, listed: str, matching: str, said: str
) -> None:
    """A filter hides, a highlight only marks, a suspended one does nothing."""
    found = sieve(finding.text).sift(many("pdpd"), finding)
    assert " ".join(str(each.number) for each in found.listed) == listed
    assert " ".join(str(each.number) for each in found.listed if each.id in found.matching) == matching
    assert summary(finding, found) == said


def test_looking_stops_in_time_and_goes_on_where_it_stopped() -> None:
    """The newest first; what is known is not asked again unless more is known of it."""
    ticks = iter(range(10_000))

    def each_takes_half() -> float:
        return next(ticks) * AT_ONCE_S / 2

    looking = sieve("status:denied", each_takes_half)
    dispatches, finding = many("d" * 10), Finding("status:denied")
    first = looking.sift(dispatches, finding)
    assert 0 < first.unseen < 10
    assert dispatches[-1].id in first.matching
    assert "…" in summary(finding, first)
    rounds = 1
    while looking.sift(dispatches, finding).unseen:
        rounds += 1
    assert rounds < 10
    done = looking.sift(dispatches, finding)
    assert len(done.matching) == 10
    dispatches[3] = replace(PLAIN, id="3", number=4)
    assert "3" not in looking.sift(dispatches, finding).matching


def test_a_bad_filter_leaves_the_one_that_was() -> None:
    """It is refused with the place, and the list goes on as before."""
    looking = sieve("status:denied")
    for text in ("nofield:x", "@nobody"):
        with pytest.raises(BadFilter):
            looking.use(text, {})
    assert len(looking.sift(many("dp"), Finding("status:denied")).listed) == 1


def test_another_filter_counts_at_once() -> None:
    """Whatever was suspended."""
    assert Finding("a", is_suspended=True).with_text(" b ") == Finding("b")
    assert Finding("", is_highlight=True).hides is False
    assert Finding("a").hides
