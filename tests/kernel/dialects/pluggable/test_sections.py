"""What of a contribution to the context counts (spec B.11, vectors G173 and G175)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from played_runs import run, script, session

from kernel.dialects.pluggable.sections import ContextRequest, Contribution, Section, accept, tokens
from kernel.values import JSON


def section(provider: str, label: str, *texts: str) -> Section:
    return Section(provider, label, tuple({"text": {"text": text}} for text in texts))


IMAGE = Section("b", "picture", ({"image": {"media_type": "image/png"}},))
A1, A2 = section("a", "one", "abcd"), section("a", "two", "abcd")


@dataclass
class Provider:
    """A context provider that answers with a chain of its own making."""

    name: str
    sections: tuple[Section, ...] = ()
    token_budget: int = 10
    is_compactor: bool = False
    rewrites: tuple[JSON, ...] = ()
    asked: ContextRequest | None = None

    async def contribute(self, request: ContextRequest) -> Contribution:
        self.asked = request
        kept = tuple(each for each in request.prior if each.provider != self.name)
        return Contribution(self.sections or kept, self.rewrites)


def accepted(provider: Provider, *prior: Section, rewrites: tuple[JSON, ...] = ()) -> tuple[list[str], list[str]]:
    """Labels of what counts in the end, and the reasons for what does not."""
    found = accept(prior, Contribution(provider.sections, rewrites), provider)
    return [each.label for each in found.sections], [each.reason for each in found.violations]


EDITED = section("a", "one", "other")
LONG = section("b", "long", "x" * 41)


@pytest.mark.parametrize(
    ("sections", "kept", "reasons"),
    [
        pytest.param((A1, section("b", "new", "x")), ["one", "new"], [], id="its own section is added"),
        pytest.param((section("b", "new", "x"), A1), ["new", "one"], [], id="before the others, too"),
        pytest.param((EDITED, section("b", "new", "x")), ["one"], ["scope"], id="G173 another's is edited"),
        pytest.param((section("b", "new", "x"),), ["one"], ["scope"], id="another's is dropped"),
        pytest.param((A1, A2), ["one"], ["scope"], id="one is added in another's name"),
        pytest.param((A1, IMAGE), ["one"], ["non_text"], id="G175 an image"),
        pytest.param((A1, Section("b", "none", ({},))), ["one"], ["non_text"], id="a block of no kind"),
        pytest.param((A1, IMAGE, section("b", "new", "x")), ["one", "new"], ["non_text"], id="the rest of it counts"),
        pytest.param((A1, LONG), ["one"], ["budget"], id="11 tokens of 10"),
        pytest.param((A1, section("b", "exact", "x" * 40)), ["one", "exact"], [], id="10 tokens of 10"),
    ],
)
def test_a_provider_answers_for_its_own_sections_only(
    sections: tuple[Section, ...], kept: list[str], reasons: list[str]
) -> None:
    """Scope discards the whole answer, anything else the one section."""
    assert accepted(Provider("b", sections), A1) == (kept, reasons)


def test_the_order_of_others_is_theirs() -> None:
    """Turning two sections of somebody else round is touching them."""
    assert accepted(Provider("b", (A2, A1)), A1, A2) == (["one", "two"], ["scope"])


def test_a_provider_may_replace_what_it_said_before() -> None:
    """Its own sections are its own, however often it is asked."""
    assert accepted(Provider("a", (EDITED,)), A1) == (["one"], [])


def test_only_a_compactor_rewrites_the_conversation() -> None:
    """From anybody else it is ignored, and the sections beside it count: only they can violate a scope (B.11)."""
    history: tuple[JSON, ...] = ({"role": "ROLE_USER"},)
    assert accepted(Provider("b", (A1,)), A1, rewrites=history) == (["one"], ["history"])
    own = section("b", "new", "x")
    found = accept((A1,), Contribution((A1, own), history), Provider("b"))
    assert ([each.label for each in found.sections], found.history) == (["one", "new"], None)
    assert accepted(Provider("b", (EDITED, own)), A1, rewrites=history) == (["one"], ["scope"])
    assert accepted(Provider("b", (A1, LONG)), A1, rewrites=history) == (["one"], ["budget", "history"])
    compactor = Provider("b", (EDITED,), is_compactor=True)
    found = accept((A1, A2), Contribution((EDITED,), history), compactor)
    assert ([each.label for each in found.sections], found.history) == (["one"], history)


def test_the_whole_chain_of_a_compactor_has_to_fit() -> None:
    """What it returns is measured together; text only, for it as for anybody."""
    many = tuple(section("a", str(number), "x" * 16) for number in range(3))
    assert accepted(Provider("b", many, is_compactor=True), A1) == (["one"], ["budget"])
    assert accepted(Provider("b", (*many[:2], IMAGE), is_compactor=True), A1) == (["0", "1"], ["non_text"])


def test_tokens_are_counted_here() -> None:
    """A quarter of the bytes, rounded up, whatever the provider says; sections of others keep theirs."""
    claimed = Section("b", "x", ({"text": {"text": "äöü"}}, {"text": {"text": "a"}}), tokens=99)
    found = accept((), Contribution((claimed,)), Provider("b", token_budget=2))
    assert [each.tokens for each in found.sections] == [2]


def test_being_truncated_does_not_excuse_a_section() -> None:
    """Over budget is over budget."""
    flagged = Section("b", "long", LONG.content, is_truncated=True)
    assert accepted(Provider("b", (flagged,))) == ([], ["budget"])


@pytest.mark.parametrize(
    ("answer", "decided"),
    [
        ((EDITED, section("b", "x", "y")), "b dropped context:scope"),
        ((A1, IMAGE), "b/picture dropped context:non_text"),
    ],
)
def test_the_turn_goes_on_after_a_violation(answer: tuple[Section, ...], decided: str) -> None:
    """G173 and G175 in a played session: the prior chain stays, no hook is involved, no record is made."""
    first, last = Provider("a", (A1,)), Provider("c")
    second = Provider("b", answer)
    counted = Section("a", "one", A1.content, tokens=1)
    second.sections = tuple(counted if each == A1 else each for each in answer)
    seen = run(script(session(), contributors=(first, second, last)))
    assert seen.decided[0] == decided
    assert last.asked is not None
    assert last.asked.prior == (counted,)
    assert seen.played is not None
    assert seen.played.is_fine
    assert seen.raised == []
    assert not [span for span in seen.spans if span.name == "hook.subscriber"]
    assert seen.hooks == ["session-start", "pre-model-call", "post-model-response", "session-end"]


def test_only_compactors_are_shown_the_conversation() -> None:
    """Everybody gets the chain so far, the budget and the counts."""
    plain, compactor = Provider("a", (A1,), token_budget=7), Provider("b", is_compactor=True)
    run(script(session("fs.read d", working_directory="/w"), contributors=(plain, compactor)))
    for provider in (plain, compactor):
        assert provider.asked is not None
        assert (provider.asked.turn_id, provider.asked.working_directory) == ("s/turn-2", "/w")
        assert provider.asked.tokens_last_turn == 1
        assert provider.asked.history_tokens > 0
    asked: Any = compactor.asked
    assert [each["role"] for each in asked.history] == ["ROLE_USER", "ROLE_ASSISTANT", "ROLE_USER"]
    assert plain.asked is not None
    assert (plain.asked.history, plain.asked.token_budget) == (None, 7)


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("ä", 1), ("äöü", 2)])
def test_four_bytes_are_a_token(text: str, count: int) -> None:
    """Bytes of UTF-8, rounded up."""
    assert tokens(text) == count
