"""A remaining time as gRPC writes it."""

import pytest

from kernel.transports.goplugin.timeouts import timeout_header

S = 1_000_000_000


@pytest.mark.parametrize(
    ("remaining_ns", "value"),
    [
        (-5, "1u"),
        (0, "1u"),
        (1, "1u"),
        (1_001, "2u"),
        (50_000_000, "50000u"),
        (99 * S, "99000000u"),
        (99_999_999_000, "99999999u"),
        (100 * S, "100000m"),
        (100_000 * S, "100000S"),
        (10**8 * S, "1666667M"),
        (2**62, "76861434M"),
        (10**9 * 3600 * S, "99999999H"),
    ],
)
def test_the_finest_unit_that_fits_is_used(remaining_ns: int, value: str) -> None:
    """At most eight digits, rounded up, and never zero: an expired deadline would be refused unread."""
    assert timeout_header(remaining_ns) == ("grpc-timeout", value)
