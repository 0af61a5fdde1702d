"""What comes of a provider's contribution to the context of a turn (spec B.11). Pure.

A contribution is the whole chain of sections so far, never a delta, so it says what became of the sections of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from kernel.errors import HookscopeError
from kernel.values import JSON

DEFAULT_TOKEN_BUDGET: Final = 4000
"""Tokens for a provider that says nothing of its budget."""


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of context."""

    provider: str
    label: str
    content: tuple[Mapping[str, JSON], ...]
    """Content blocks as JSON, such as `{"text": {"text": "..."}}`."""
    tokens: int = 0
    """As the kernel counts them; what the provider says does not matter."""
    is_truncated: bool = False
    stability: int = 0
    """Number of the wire's enum; nothing here depends on it."""
    unknown: Mapping[str, JSON] = field(default_factory=dict)
    """What a newer provider said beyond that."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider says of itself before it is asked for anything."""

    token_budget: int = DEFAULT_TOKEN_BUDGET
    is_compactor: bool = False


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a provider is asked with."""

    session_id: str
    turn_id: str
    working_directory: str
    token_budget: int
    model: str
    prior: tuple[Section, ...]
    history_tokens: int
    tokens_last_turn: int
    history: tuple[JSON, ...] | None
    """The conversation; only compactors get it."""
    parent_session_id: str = ""
    context_window: int = 0
    """Of the model, in tokens; 0 is not known."""
    effective_ceiling: int = 0
    """What of that may be filled."""
    files_touched: tuple[str, ...] = ()
    """By the calls of the session so far, in order of first touch."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a provider answers."""

    sections: tuple[Section, ...]
    rewritten_history: tuple[JSON, ...] = ()
    """A compactor's new conversation; empty leaves it as it is."""
    printed: tuple[str, ...] = ()
    """Lines that its process wrote meanwhile, for people."""


class ContributeError(HookscopeError):
    """A provider's call failed: the rest of the chain is not asked, and the turn fails.

    `failure` is a word for how (`status`, `timed_out`, `crashed`, `invalid`), `category` the contract's, if any.
    """

    def __init__(
        self,
        message: str,
        *,
        rule: str = "PL-CONTEXT-FAILED",
        failure: str = "status",
        category: str = "",
        printed: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.failure = failure
        self.category = category
        self.printed = printed


def late(timeout_ms: int, printed: tuple[str, ...] = ()) -> ContributeError:
    """The failure of a provider that gave no answer in time, whatever it is."""
    why = f"no answer within its deadline ({timeout_ms} ms)"
    return ContributeError(why, rule="PL-CONTEXT-TIMEOUT", failure="timed_out", printed=printed)


class Contributor(Protocol):
    """A context provider, however far away."""

    @property
    def name(self) -> str: ...

    @property
    def token_budget(self) -> int: ...

    @property
    def is_compactor(self) -> bool: ...

    async def contribute(self, request: ContextRequest) -> Contribution:
        """The whole chain with this provider's part; raises ContributeError."""
        ...


@dataclass(frozen=True, slots=True)
class Violation:
    """What was not accepted, and why."""

    subject: str
    reason: str
    """`scope`, `budget` or `non_text`, which the host counts; `history`, which it does not."""
    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """The chain after a contribution."""

    sections: tuple[Section, ...]
    violations: tuple[Violation, ...] = ()
    history: tuple[JSON, ...] | None = None
    """The conversation from here on, where a compactor rewrote it."""
    counted: int = 0
    """Sections whose tokens were counted for this."""


def text(content: str) -> tuple[Mapping[str, JSON], ...]:
    """The content of a section that is one text, as it comes back from the wire: what is empty is not there."""
    return ({"text": {"text": content} if content else {}},)


def accept(prior: tuple[Section, ...], contribution: Contribution, provider: Contributor) -> Accepted:
    """What of a contribution counts."""
    if provider.is_compactor:
        return _compacted(prior, contribution, provider)
    name = provider.name
    foreign = tuple(section for section in contribution.sections if section.provider != name)
    if foreign != tuple(section for section in prior if section.provider != name):
        why = f"{name} touched a section of somebody else, so nothing of its answer counts"
        return Accepted(prior, (Violation(name, "scope", "PL-CONTEXT-SCOPE", why),))
    kept = _kept(contribution.sections, name, provider.token_budget)
    if not contribution.rewritten_history:
        return kept
    why = f"{name} rewrote the conversation, which only a compactor may; its sections count all the same"
    ignored = Violation(f"{name}/rewritten_history", "history", "PL-CONTEXT-HISTORY", why)
    return replace(kept, violations=(*kept.violations, ignored))


def _kept(sections: Sequence[Section], provider: str, budget: int) -> Accepted:
    """Every section but those of the provider's own that must not be there."""
    kept: list[Section] = []
    violations: list[Violation] = []
    count = 0
    for section in sections:
        if section.provider != provider:
            kept.append(section)
            continue
        subject = f"{section.provider}/{section.label}"
        if (other := _other_than_text(section)) is not None:
            why = f"section {section.label!r} holds a block of {other}, and only text is context"
            violations.append(Violation(subject, "non_text", "PL-CONTEXT-NON-TEXT", why))
            continue
        counted = replace(section, tokens=_tokens_of(section))
        count += 1
        if counted.tokens > budget:
            why = f"section {section.label!r} has {counted.tokens} tokens, {budget} are allowed"
            violations.append(Violation(subject, "budget", "PL-CONTEXT-BUDGET", why))
            continue
        kept.append(counted)
    return Accepted(tuple(kept), tuple(violations), counted=count)


def _compacted(prior: tuple[Section, ...], contribution: Contribution, provider: Contributor) -> Accepted:
    """A compactor may rewrite everything, and the whole chain that it returns has to fit its budget."""
    texts = [section for section in contribution.sections if _other_than_text(section) is None]
    violations = tuple(
        Violation(
            f"{section.provider}/{section.label}",
            "non_text",
            "PL-CONTEXT-NON-TEXT",
            f"section {section.label!r} holds a block of {_other_than_text(section)}, and only text is context",
        )
        for section in contribution.sections
        if section not in texts
    )
    counted = tuple(replace(section, tokens=_tokens_of(section)) for section in texts)
    total = sum(section.tokens for section in counted)
    if total > provider.token_budget:
        why = f"the chain that {provider.name} returned has {total} tokens, {provider.token_budget} are allowed"
        violation = Violation(provider.name, "budget", "PL-CONTEXT-BUDGET", why)
        return Accepted(prior, (*violations, violation), counted=len(counted))
    return Accepted(counted, violations, contribution.rewritten_history or None, len(counted))


def _other_than_text(section: Section) -> str | None:
    """The first kind of block in a section that is not text."""
    for block in section.content:
        for kind in block:
            if kind != "text":
                return kind
    return None if all(section.content) else "no kind"


def tokens(text: str) -> int:
    """What a text counts where nobody can count better: a quarter of its bytes, rounded up (spec B.11)."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def _tokens_of(section: Section) -> int:
    return tokens("".join(_text(block) for block in section.content))


def _text(block: Mapping[str, JSON]) -> str:
    text = block.get("text")
    return str(text.get("text", "")) if isinstance(text, dict) else ""
