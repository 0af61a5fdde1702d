"""The counters of restarts as a table (hookbus spec 4.7)."""

from __future__ import annotations

import pytest

from kernel.transports.stdio.restarts import Restarts, State


@pytest.mark.parametrize(
    ("in_a_row", "delay_ms"), [(1, 250), (2, 500), (3, 1000), (4, 2000), (5, 4000), (6, 5000), (7, 5000), (10**6, 5000)]
)
def test_delays_double_up_to_five_seconds(in_a_row: int, delay_ms: int) -> None:
    """250 ms before the first attempt."""
    assert Restarts(in_a_row, in_a_row).delay_ms == delay_ms


@pytest.mark.parametrize(
    ("restarts", "with_process", "without"),
    [
        (Restarts(0, 0), State.RUNNING, State.RUNNING),
        (Restarts(0, 1), State.DEGRADED, State.RESTARTING),
        (Restarts(1, 1), State.DEGRADED, State.RESTARTING),
        (Restarts(2, 7), State.DEGRADED, State.RESTARTING),
        (Restarts(3, 3), State.FAILED, State.FAILED),
        (Restarts(4, 4), State.FAILED, State.FAILED),
        (Restarts(0, 9), State.DEGRADED, State.RESTARTING),
    ],
)
def test_health_is_a_function_of_the_counters(restarts: Restarts, with_process: State, without: State) -> None:
    """And of whether there is a process."""
    assert (restarts.state(True), restarts.state(False)) == (with_process, without)


def test_three_attempts_in_a_row_and_no_fourth() -> None:
    """What was ever attempted is counted on; an answer makes the row begin anew."""
    restarts = Restarts()
    spent = []
    for _ in range(5):
        restarts = restarts.one_more()
        spent.append(restarts.is_spent)
    assert spent == [False, False, False, True, True]
    assert restarts.answered() == Restarts(0, 5)
