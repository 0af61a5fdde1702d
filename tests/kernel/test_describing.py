"""What descriptions of every dialect share: keys, schema, and people who answer as described."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pytest
from dispatch_runs import on_virtual_time

from kernel import VirtualClock, describing
from kernel.asking import Answer, Question, ReplyWord, Scope
from kernel.describing import Reaction, Reactions, converted, schema_of
from kernel.errors import BadInput
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part."""

    size: int = 1
    """How large it is."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole."""

    leaves: tuple[Leaf, ...] = ()
    top: Leaf | None = None
    answers: tuple[Reaction, ...] = ()


def test_a_description_becomes_a_value() -> None:
    """`$schema` is for editors."""
    view: JSON = {"$schema": "x", "leaves": [{"size": 2}, {}], "top": {"size": 3}}
    assert converted(view, Tree, "t") == Tree((Leaf(2), Leaf()), Leaf(3))


@pytest.mark.parametrize(
    ("view", "problem"),
    [
        ({"leafs": []}, "t: $: no key 'leafs'; did you mean 'leaves'?"),
        ({"leaves": [{}, {"sise": 1}]}, "t: $.leaves[1]: no key 'sise'; did you mean 'size'?"),
        ({"top": {"zzzz": 1}}, "t: $.top: no key 'zzzz'"),
        ({"top": {"size": "large"}}, "t: Expected `int`, got `str` - at `$.top.size`"),
        ({"answers": [{"answer": "perhaps"}]}, "t: Invalid enum value 'perhaps' - at `$.answers[0].answer`"),
        ([], "t: Expected `object`, got `array`"),
        ({"$schema": 7}, "t: $: no key '$schema'"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(view: JSON, problem: str) -> None:
    """And the nearest key, where one is near."""
    with pytest.raises(BadInput) as caught:
        converted(view, Tree, "t")
    assert caught.value.message.startswith(problem)


@pytest.mark.parametrize(
    ("view", "fix"),
    [
        ({"answers": [{}, {"answer": "perhaps"}]}, ""),
        ({"answers": [{"answer": "onse"}]}, "did you mean 'once'? there is once, session, always"),
        ({"answers": [{"answer": "perhaps"}]}, "there is once, session, always, deny, deny-session, deny-always"),
        ({"answers": [{"answer": 5}]}, ""),
        ({"size": "x"}, ""),
    ],
)
def test_a_word_that_there_is_not_is_told_with_those_that_there_are(view: JSON, fix: str) -> None:
    """Wherever it stands; any other complaint says by itself what is wanted."""
    with pytest.raises(BadInput) as caught:
        converted(view, Tree, "t")
    assert caught.value.fix.startswith(fix)
    assert bool(caught.value.fix) is bool(fix)


def test_the_schema_says_what_the_classes_say() -> None:
    """Members with the text below them, and no key beyond."""
    schema = schema_of(Tree, (describing, sys.modules[__name__]), "a tree")
    leaf, reaction = schema["$defs"]["Leaf"], schema["$defs"]["Reaction"]
    assert leaf["properties"]["size"]["description"] == "How large it is."
    assert reaction["properties"]["about"]["description"].startswith("The subject")
    assert not any(schema["$defs"][name]["additionalProperties"] for name in ("Tree", "Leaf", "Reaction"))
    assert (schema["title"], "$schema" in schema["$defs"]["Tree"]["properties"]) == ("a tree", True)


def test_each_reaction_is_used_once_and_the_first_that_fits() -> None:
    """Beyond that there is nobody."""

    async def body(clock: VirtualClock) -> list[Answer]:
        reactions = (
            Reaction(ReplyWord.DENY, about="b", by="ann"),
            Reaction(ReplyWord.SESSION, by="bob", takes_ms=7),
            Reaction(ReplyWord.ONCE, about="a"),
        )
        people = Reactions(reactions, clock)
        found = [await people.resolve(Question("s", subject, {}, "x")) for subject in ("a", "b", "b", "a")]
        assert clock.now_ns() == 7_000_000
        return found

    assert on_virtual_time(body) == [
        Answer(True, Scope.SESSION, "bob"),
        Answer(False, Scope.ONCE, "ann"),
        Answer(False, Scope.ONCE, "nobody"),
        Answer(True, Scope.ONCE, "person"),
    ]
