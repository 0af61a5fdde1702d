"""Claims about short notices: they hide nothing that frames the panes."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugin_runs import until
from textual.widgets._toast import Toast

from debugger.app import Hookscope
from debugger.opening import Opening

SAMPLE = Path(__file__).parents[2] / "sample_configs" / "first_chain"


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_notice_stands_above_the_lower_border(size: tuple[int, int]) -> None:
    """However small the screen."""
    app = Hookscope(Opening(SAMPLE))
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started, 30)
        app.notify("one line")
        await until(lambda: any(toast.region.height for toast in app.screen.query(Toast)), 20)
        await pilot.pause()
        border = app.desk.query_one("#inspector").region.bottom - 1
        assert all(toast.region.bottom <= border for toast in app.screen.query(Toast))
