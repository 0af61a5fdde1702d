"""How limits are written."""

from __future__ import annotations

import pytest

from debugger.store.caps import Caps, caps
from kernel.errors import BadInput


def test_limits_of_every_kind() -> None:
    """Of one kind the last one counts; none is none."""
    assert caps(()) == Caps()
    assert caps(("dispatches=1000", "spans=5M", "bytes=500MB", "time=2h")) == Caps(
        1000, 5_000_000, 500_000_000, 7200 * 10**9
    )
    assert caps(("time=90s", "dispatches=1k", "dispatches=7")) == Caps(7, 0, 0, 90 * 10**9)


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("1000", "is no limit"),
        ("rows=5", "is no limit"),
        ("spans=-5", "is no limit"),
        ("spans=", "is no limit"),
        ("dispatches=0", "keeps nothing"),
        ("bytes=10kB", "keeps nothing"),
        ("bytes=5mb", "the unit 'mb'; write one of kB, MB, GB"),
        ("time=5", "write one of s, m, h, d"),
        ("spans=9999999999999999", "is no limit"),
    ],
)
def test_a_limit_that_is_none_says_how_to_write_one(limit: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        caps((limit,))
    assert says in str(caught.value)
