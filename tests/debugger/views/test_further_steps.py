"""Who is asked more than their seat is for is shown with what for: a finish, the wrap-up of what was blocked."""

from __future__ import annotations

from collections.abc import Callable

from rig_played import Hook, around, call, guard, play, session, turn
from rig_played import Story as Seen
from view_runs import as_text

from debugger.session import SessionView
from debugger.trace import DispatchTrace, Trace
from debugger.views import spans
from debugger.views.chain import chain_view, render
from debugger.views.diffs import DiffStyle
from debugger.views.inspect import why
from debugger.views.lens import Lens, OneColumn, Subject, draw
from debugger.views.states import duty_of, is_further, name_of
from debugger.views.story import Story
from kernel.dialects.rig import RIG, Call, Context, Result, new_denial, with_cancel, with_value

FREE = SessionView()


def denied(*more: Hook) -> tuple[Trace, DispatchTrace]:
    """A session with a call of a tool that is denied under an around, everything of it, and that call."""
    hooks = [
        *(more or Seen().watching("ToolCall")),
        guard("ToolCall", lambda context, seen: new_denial("no.shell", "not here")),
    ]
    run = play(session(turn({"calls": [call("shell")]})), hooks)
    trace = Trace()
    for event in run.events:
        trace.take(event)
    [blocked] = [each for each in trace.dispatches if each.point == "ToolCall"]
    return trace, blocked


def test_a_further_question_is_named_by_what_it_is_for() -> None:
    """A question that the seat is for is named by the seat alone, whatever its phase."""
    _, blocked = denied()
    assert [(is_further(blocked, step), name_of(blocked, step), duty_of(blocked, step)) for step in blocked.steps] == [
        (False, "A0", "around"),
        (False, "G0", "guard"),
        (False, "operation", "operation"),
        (True, "operation blocked", "blocked"),
        (True, "A0 finish", "finish"),
    ]


def test_the_strip_tells_the_two_apart() -> None:
    """The seat that was not reached, and its owner who acts on that, also in narrow cells."""
    _, blocked = denied()
    for width in (80, 120):
        _, duties, states, _ = as_text(render(chain_view(blocked, FREE, None, 3), width))
        assert "operation" in duties
        assert "blocked" in duties
        assert "┄ not reached" in states
    assert "finish" in as_text(render(chain_view(blocked, FREE, None, 4), 80))[1]


def test_story_tree_and_reasons_say_it_in_a_line() -> None:
    """In the same words."""
    trace, blocked = denied()
    told, *_ = [line.text for line in Story(trace, lambda payload: "shell", ()).of(blocked.id)]
    assert told.endswith("DENIED  ✓ A0  ⊘ G0  ┄ operation  ✓ operation blocked  ✓ A0 finish")
    found = spans.rows(blocked, FREE, None)
    assert [row.name for row in found] == ["ToolCall", "A0", "G0", "operation", "operation blocked", "A0 finish"]
    drawn = as_text(spans.render(row, spans.scale_of(found), 46, spans.longest_name(found)) for row in found)
    assert drawn[4].startswith("  ✓ operation blocked ")
    lines = [line.text for line in why(blocked, None, RIG, None)]
    [seat] = [line for line in lines if line.startswith("┄ operation ")]
    [wrapped_up] = [line for line in lines if line.startswith("✓ operation blocked ")]
    assert seat.index("not reached") == wrapped_up.index("ok")
    assert "✓ ok  operation, blocked at ToolCall" in why(blocked, 3, RIG, None)[0].text


def test_the_payload_of_a_step_shows_what_was_asked_beside_it() -> None:
    """The context as a callback found it, and at the end how it ended; the dispatch itself was asked nothing."""

    def begin(context: Context, seen: Call) -> tuple[Context, Callable[[Result], None]]:
        derived, cancel = with_cancel(with_value(context, "span", "one"))
        cancel()
        return derived, lambda result: None

    _, blocked = denied(around("ToolCall", begin))
    _, guarded, _, owned, *finishes = (drawn(blocked, step) for step in range(len(blocked.steps)))
    for each in (guarded, owned, *finishes):
        assert each.index('"span": "one"') < each.index('"cancelled": "context canceled"') < each.index("\nabout\n")
    assert '"code": "no.shell"' in owned
    assert '"outcome": 2' in owned
    assert ("asked with" in drawn(blocked, None), '"result"' in guarded) == (False, False)
    assert drawn(blocked, None).startswith("{")


def drawn(trace: DispatchTrace, step: int | None) -> str:
    found = draw(Subject(trace, step, None, Lens.PAYLOAD, DiffStyle.UNIFIED, False), RIG, None)
    assert isinstance(found, OneColumn)
    return "\n".join(line.text for line in found.lines)
