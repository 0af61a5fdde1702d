"""Which tools and which model a profile comes to (spec C.7)."""

from __future__ import annotations

import pytest

from kernel.dialects.pluggable.agent_hcl.settings import DEFAULT_PROFILE, AgentProfile, ModelChoice, ModelRef
from kernel.dialects.pluggable.session.described import Model, Tool
from kernel.dialects.pluggable.session.policy import ToolKind
from kernel.dialects.pluggable.session.scope import bounds_of, candidates, eligible, granted, profile_named
from kernel.dialects.pluggable.session.stops import Bounds
from kernel.errors import BadInput

TOOLS = [Tool(name, ToolKind.DATA_SOURCE) for name in ("fs.read", "fs.list", "web.get")]


@pytest.mark.parametrize(
    ("entries", "names"),
    [
        ((), []),
        (("fs.*",), ["fs.read", "fs.list"]),
        (("fs.list", "web.get"), ["fs.list", "web.get"]),
        (("fs.read", "fs.*"), ["fs.read", "fs.list"]),
        (("git.*", "git.push"), []),
        (("*.*", "*.read"), []),
    ],
)
def test_a_profile_grants_what_it_lists(entries: tuple[str, ...], names: list[str]) -> None:
    """Nothing for an empty list, nothing for a provider that is not there."""
    assert list(granted(entries, TOOLS)) == names


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ("fs", "ErrMalformedToolScope"),
        (".read", "ErrMalformedToolScope"),
        ("fs.", "ErrMalformedToolScope"),
        (".", "ErrMalformedToolScope"),
        ("", "ErrMalformedToolScope"),
        ("fs.write", "ErrUnknownTool"),
        ("fs.re*", "ErrUnknownTool"),
        ("fs.read.all", "ErrUnknownTool"),
    ],
)
def test_an_entry_that_means_nothing_is_refused(entry: str, error: str) -> None:
    """A typo in a loaded provider's tool is no silent refusal of it."""
    with pytest.raises(BadInput, match=error):
        granted([entry], TOOLS)


def test_the_default_profile_exists_by_itself() -> None:
    """200 turns, 5 USD, an hour, no tools; one that is written takes its place."""
    assert profile_named("default", []) is DEFAULT_PROFILE
    assert bounds_of(DEFAULT_PROFILE) == Bounds(200, 5.0, 3600) == Bounds()
    own = AgentProfile("default", max_turns=1)
    assert profile_named("default", [own]) is own
    assert bounds_of(own) == Bounds(1, 0, 0)


def test_a_model_is_the_first_that_fits() -> None:
    """Four fifths of a window can be used; a window that is not known fits everything."""
    models = [Model("small", "p", 100), Model("large", "p", 1000), Model("any", "p")]
    assert eligible(models, 80) == models[0]
    assert eligible(models, 81) == models[1]
    assert eligible(models, 801) == models[2]
    assert eligible(models[:2], 801) is None


def test_the_profile_says_which_models_are_wanted() -> None:
    """With the windows that the session knows; without a choice, whatever is there in order."""
    known = [Model("b", "p", 7), Model("a", "p", 9)]
    choice = ModelChoice(ModelRef("p", "a"), (ModelRef("q", "c"),))
    assert candidates(choice, known) == (known[1],), "one that is not there is skipped"
    assert candidates(ModelChoice(ModelRef("q", "c"), (ModelRef("p", "b"),)), known) == (known[0],)
    assert candidates(ModelChoice(ModelRef("q", "a")), known) == (), "whose it is counts"
    assert candidates(choice, ()) == (Model("a", "p"), Model("c", "q")), "nobody says what is there"
    assert candidates(None, known) == tuple(known)
