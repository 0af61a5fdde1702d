"""The keys about one call: what travelled, and asking a subscriber by itself."""

from __future__ import annotations

import json
from pathlib import Path

from app_at_desk import stub_reader
from dispatch_runs import stub
from pluggable_payloads import VIEWS
from textual.widgets import TextArea

from debugger.lenses.editor import Editor
from debugger.lenses.help import AskingPage
from kernel.facts import Fork

PLAN = "plan-ready"


async def test_a_call_is_shown_as_it_travelled(tmp_path: Path) -> None:
    """Question and answer, as JSON and as bytes; whoever was not asked has none."""
    async with stub_reader("A:v B:v", {"A": stub("deny"), "B": stub("allow")}, tmp_path, point=PLAN) as reader:
        await reader.press("r")
        await reader.over(1)
        await reader.press("C")
        assert "Choose a subscriber first" in reader.notified()
        await reader.press("right_square_bracket", "C")
        await reader.on(AskingPage)
        page = reader.page()
        assert "#1 the call of A" in reader.label("#title")
        assert page.index("→ to A") < page.index('"payload"') < page.index("\n  00 ") < page.index("← from A")
        assert "deadline 1000 ms" in page
        assert "HOOK_DECISION_DENY" in page
        await reader.press("escape")
        await reader.at_desk()
        await reader.press("right_square_bracket", "C")
        await reader.on(AskingPage)
        assert "B was not asked, because of A: nothing travelled." in reader.page()


async def test_a_subscriber_is_asked_by_itself(tmp_path: Path) -> None:
    """About what it was asked before, what was prepared, something made up, or any JSON; nobody else is asked."""
    (tmp_path / "payloads").mkdir()
    (tmp_path / "payloads" / f"{PLAN}.mine.json").write_text(json.dumps(VIEWS[PLAN]))
    stubs = {"A": stub("allow"), "B": stub("deny")}
    async with stub_reader("A:v B:v", stubs, tmp_path, point=PLAN) as reader:
        await reader.press("right_square_bracket", "right_square_bracket", "U")
        await reader.pick(f"{PLAN}.mine.json")
        alone = await reader.over(1)
        assert [step.subscription.name for step in alone.steps] == ["B"]
        assert (alone.opened.fork, alone.opened.payload.view) == (None, VIEWS[PLAN])
        await reader.press("r")
        whole = await reader.over(2)
        await reader.press("right_square_bracket", "right_square_bracket", "U")
        await reader.pick("what it was asked about in #2")
        alone = await reader.over(3)
        assert [step.subscription.name for step in alone.steps] == ["B"]
        assert alone.opened.fork == Fork(whole.id, 1, "B alone")
        assert [name for name, _ in reader.host.calls] == ["B", "A", "B", "B"]
        assert alone.result is not None
        assert alone.result.decision == "deny"
        await reader.press("right_square_bracket", "U")
        await reader.pick("made up for plan-ready, seed 2")
        await reader.over(4)
        await reader.press("right_square_bracket", "U")
        await reader.pick("JSON ...")
        await reader.on(Editor)
        reader.app.screen.query_one(TextArea).load_text("{}")
        await reader.press("ctrl+s")
        last = await reader.over(5)
        assert last.opened.payload.view == {}
        assert [step.subscription.name for step in last.steps] == ["B"]
