"""Descriptions of sessions: what is read, and how a mistake is told."""

from __future__ import annotations

from typing import Any

import pytest
from played_runs import session

from kernel.dialects.pluggable.session.loading import load
from kernel.dialects.pluggable.session.policy import Risk, ToolKind
from kernel.errors import BadInput


def test_a_description_is_read_with_its_defaults() -> None:
    """Risk follows the kind, and so does whether calls may run side by side."""
    described = load(session("fs.write a, fs.read b"), "x")
    tools = {tool.name: tool for tool in described.tools}
    assert (tools["fs.read"].harm, tools["fs.read"].is_safe) == (Risk.READ_ONLY, True)
    assert (tools["shell.run"].harm, tools["shell.run"].is_safe) == (Risk.HIGH, False)
    assert (tools["fs.read"].provider, tools["fs.read"].operation) == ("fs", "read")
    assert described.turns[0].calls[1].arguments == {"word": "b"}
    assert load({**session(), "tools": [{"name": "a.b", "kind": "resource"}]}, "x").tools[0].harm is Risk.MODERATE
    assert tools["ui.ask"].kind is ToolKind.INTERACTIVE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"turn": []}, "$: no key 'turn'; did you mean 'turns'?"),
        ({"turns": [{"cals": []}]}, "$.turns[0]: no key 'cals'; did you mean 'calls'?"),
        ({"turns": [{"calls": [{"tool": "a.b", "error": {"massage": "no"}}]}]},
         "$.turns[0].calls[0].error: no key 'massage'; did you mean 'message'?"),
        ({"turns": [{"cost_usd": "much"}]}, "Expected `float`, got `str` - at `$.turns[0].cost_usd`"),
        ({"turns": [{"fails": ["tired"]}]}, "Invalid enum value 'tired' - at `$.turns[0].fails[0]`; there is "
         "rate_limited, overloaded, context_length, auth, invalid_request"),
        ({"tools": [{"name": "a.b", "kind": "resourse"}]}, "; did you mean 'resource'? there is resource, data_s"),
        ({"tools": [{"name": "a.b", "kind": "resource", "risk": "hi"}]}, "did you mean 'high'? there is read_only"),
        ({"session": ""}, "$.session: the id of a session is not empty"),
        ({"parent": "s"}, "$.parent: 's' is the id of the session itself"),
        ({"models": [{"provider": "p", "id": "m"}, {"provider": "p", "id": "m", "context_window": 1}]},
         "$.models: 'm' of 'p' is there 2 times"),
        ({"models": [{"provider": "p", "id": ""}]}, "$.models[0]: a model has an id and a provider"),
        ({"models": [{"provider": "", "id": "m"}]}, "$.models[0]: a model has an id and a provider"),
        ({"context": [{"name": ""}]}, "$.context[0].name: the name of a context provider is not empty"),
        ({"messages": None}, "at `$.messages`"),
        ({"tools": [{"name": "read", "kind": "data_source"}]}, "$.tools[0].name: 'read' is not <provider>.<tool>"),
        ({"tools": [{"name": "a.b", "kind": "data_source"}] * 2}, "$.tools: 'a.b' is there 2 times"),
        ({"tools": [{"name": "a.b", "kind": "data_source", "risk": "high"}]}, "changes nothing"),
        ({"tools": [{"name": "a.b", "kind": "resource", "risk": "read_only"}]}, "changes something"),
        ({"tools": [{"name": "a.b", "kind": "interactive", "terminates_turn": True}]}, "only resource tools"),
        ({"turns": [{"calls": [{"tool": "a.b", "id": "x"}, {"tool": "a.b", "id": "x"}]}]}, "'x' is used 2 times"),
        ({"turns": [{"calls": [{"tool": "a.b", "result": {}, "error": {"message": ""}}]}]}, "a result and an error"),
        ({"answers": [{"answer": "maybe"}]}, "Invalid enum value 'maybe'"),
        ({"turns": [{"calls": [{"tool": "a.b", "error": {"message": "", "category": "PROCES_CRASHED"}}]}]},
         "Invalid enum value 'PROCES_CRASHED' - at `$.turns[0].calls[0].error.category`; did you mean 'PROCESS_CR"),
        ({"turns": [{"cost_usd": -1}]}, "Expected `float` >= 0.0 - at `$.turns[0].cost_usd`"),
        ({"turns": [{"takes_ms": -1}]}, "Expected `float` >= 0.0 - at `$.turns[0].takes_ms`"),
        ({"turns": [{"input_tokens": -1}]}, "Expected `int` >= 0 - at `$.turns[0].input_tokens`"),
        ({"turns": [{"cost_usd": float("nan")}]}, "$.turns[0].cost_usd"),
        ({"turns": [{"calls": [{"tool": "a.b", "arguments": {"n": [10**400]}}]}]}, "calls[0].arguments.n[0]"),
        ({"turns": [{"calls": [{"tool": "a.b", "result": {"t": "\ud800"}}]}]}, "$.turns[0].calls[0].result.t"),
        ({"turns": [{"says": "a\udc00"}]}, "$.turns[0].says: it has half of a surrogate pair in it"),
        ({"context": [{"name": "a", "sections": [{"label": "l", "content": [{"txt": {}}]}]}]},
         "$.context[0].sections[0].content[0]: ContentBlock has no member 'txt'; did you mean 'text'?"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_path(change: dict[str, Any], words: str) -> None:
    """The description's name in front, the path inside, the nearest key where one is unknown."""
    with pytest.raises(BadInput) as refused:
        load({**session(), **change}, "session.json")
    assert str(refused.value).startswith("session.json: ")
    assert words in str(refused.value)


@pytest.mark.parametrize("view", [None, [], "text", 3, {}])
def test_what_is_no_description_is_refused(view: Any) -> None:
    """Whatever it is instead."""
    with pytest.raises(BadInput):
        load(view, "x")
