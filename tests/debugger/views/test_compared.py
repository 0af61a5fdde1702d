"""Two dispatches beside each other, compared as lines: nothing is wider than the page that shows them."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from view_runs import run

from debugger.comparing import compare
from debugger.views.compared import WIDE, comparison

SEATS = "a-subscriber-of-a-long-name:t b:v c:o"


@pytest.mark.parametrize("width", [40, 60, 68, 82, WIDE - 1, WIDE, 120])
def test_a_step_is_a_line_that_fits(width: int) -> None:
    """Names and both states always; rules as far as there is room."""
    first = run(SEATS, {"a-subscriber-of-a-long-name": "same", "b": "allow", "c": "ack"}, point="plan-ready")
    second = run(SEATS, {"a-subscriber-of-a-long-name": "same", "b": "deny", "c": "ack"}, point="plan-ready")
    lines = [line.text.rstrip() for line in comparison(compare(first, second), width)]
    rows = [row for row in lines if row.lstrip()[:1] in "=≠"]
    assert len(rows) == 3
    if width >= 60:
        assert all(cell_len(row) <= width for row in rows)
    gate = next(row for row in rows if "≠ b" in row)
    assert gate.index("✓ ok") < gate.index("⊘ denied")
