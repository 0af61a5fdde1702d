"""What a span says about a hook chain: who was asked at which point, in which mode, and how it went. Pure.

Facts say all of it. Spans of somebody else say less, and what they do not say is not made up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from debugger.otlp.chains import ChainOfSpans, ChainStep, SpanVerdict
from debugger.otlp.spans import Attributes, Span
from debugger.views.text import Emphasis
from kernel.clock import NS_PER_MS

AMBER: Final = 0.8
"""Share of a deadline from which a call is said to be close to it."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A dispatch, or one subscriber that was asked in it."""

    point: str
    subscriber: str = ""
    """Empty for the dispatch itself."""
    mode: str = ""
    badge: str = ""
    word: str = ""
    """How it went, in a word."""
    glyph: str = " "
    emphasis: Emphasis = Emphasis.NONE
    deadline_ns: int | None = None
    """From its beginning; None where there is none, or nobody says."""
    why: str = ""
    rule: str = ""
    is_error: bool = False
    is_timeout: bool = False
    is_changed: bool = False
    is_denied: bool = False

    @property
    def is_step(self) -> bool:
        return bool(self.mode or self.subscriber)


@dataclass(frozen=True, slots=True)
class Look:
    """How a verdict is drawn: with the glyphs of `debugger.views.states`."""

    glyph: str
    emphasis: Emphasis


_OF_VERDICT: Final[Mapping[SpanVerdict, Look]] = MappingProxyType(
    {
        SpanVerdict.OK: Look("✓", Emphasis.OK),
        SpanVerdict.FAILED: Look("✗", Emphasis.ERROR),
        SpanVerdict.ABORTED: Look("✗", Emphasis.ERROR),
        SpanVerdict.DENIED: Look("⊘", Emphasis.DENIED),
        SpanVerdict.UNKNOWN: Look("?", Emphasis.DIM),
        SpanVerdict.RUNNING: Look("▶", Emphasis.RUNNING),
    }
)
_OF_DECISION: Final[Mapping[str, Look]] = MappingProxyType(
    {
        "ok": Look("✓", Emphasis.OK),
        "error": Look("✗", Emphasis.ERROR),
        "denied": Look("⊘", Emphasis.DENIED),
        "not told": Look("?", Emphasis.DIM),
    }
)
_FAILED: Final = frozenset({SpanVerdict.FAILED, SpanVerdict.ABORTED, SpanVerdict.DENIED})


def badge_of(mode: str, known: str = "") -> str:
    """One letter for a mode, for narrow places."""
    return known or mode[:1].upper()


def of_dispatch(chain: ChainOfSpans) -> Hook:
    """The dispatch that a chain was read back from."""
    look = _OF_DECISION.get(chain.decision, Look("?", Emphasis.DIM))
    return Hook(
        chain.point,
        word=chain.decision,
        glyph=look.glyph,
        emphasis=look.emphasis,
        why=chain.why,
        is_error=chain.decision == "error",
        is_denied=chain.decision == "denied",
    )


def of_step(chain: ChainOfSpans, step: ChainStep, deadline_ns: int | None) -> Hook:
    """One of its steps. A call that took its whole deadline and failed is called a timeout."""
    look = _OF_VERDICT[step.verdict]
    is_error = step.verdict in _FAILED
    is_over = deadline_ns is not None and step.took_ns is not None and step.took_ns >= deadline_ns
    return Hook(
        chain.point,
        step.subscriber,
        step.mode,
        badge_of(step.mode, step.badge),
        str(step.verdict),
        look.glyph,
        look.emphasis,
        deadline_ns,
        step.why,
        is_error=is_error,
        is_timeout=is_error and (is_over or is_timeout_text(step.why)),
        is_denied=step.verdict is SpanVerdict.DENIED,
    )


def is_timeout_text(why: str) -> bool:
    """Whether a message is that of a deadline which passed."""
    said = why.casefold()
    return any(word in said for word in ("timed out", "timeout", "deadline", "no answer within"))


DEADLINES: Final[Sequence[tuple[str, int]]] = (
    ("timeout_ms", NS_PER_MS),
    ("deadline_ms", NS_PER_MS),
    ("timeout.ms", NS_PER_MS),
    ("deadline.ms", NS_PER_MS),
    ("timeout_ns", 1),
    ("deadline_ns", 1),
)
"""Ends of the keys under which spans carry how long their call may take, and what one of their units is."""


def deadline_of(attributes: Attributes) -> int | None:
    """Nanoseconds that a span says its call may take; None where it says nothing of the kind."""
    for key, value in attributes:
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            for end, unit in DEADLINES:
                if key == end or key.endswith((f".{end}", f"_{end}")):
                    return round(value * unit) if value < 2**63 else None
    return None


def closeness(took_ns: int, deadline_ns: int | None) -> Emphasis | None:
    """How a bar is to look because of its deadline: amber from 80 % on, red past it."""
    if not deadline_ns:
        return None
    if took_ns > deadline_ns:
        return Emphasis.ERROR
    return Emphasis.HELD if took_ns >= AMBER * deadline_ns else None


def plain(span: Span) -> Hook | None:
    """What a span of anybody's says about a deadline; None where that is nothing."""
    deadline = deadline_of(span.attributes)
    if deadline is None:
        return None
    return Hook("", deadline_ns=deadline, is_error=span.is_error)
