"""Spans of a hook host, read back as chains: who was asked at which point, in which mode, together with whom. Pure.

Spans say less than facts do. What they do not say is not made up: a verdict that only the host knew is UNKNOWN here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from debugger.otlp.spans import Attributes, Span, text_of
from kernel.dialects.published import PUBLISHED, Published


class SpanVerdict(StrEnum):
    """What a step's span, and what came after it, say about the step."""

    OK = "ok"
    """It answered, and the chain went on or was over anyway."""
    FAILED = "failed"
    """Its call failed, or its answer could not be used; the chain went on."""
    ABORTED = "aborted"
    """The same, and the dispatch ended with an error because of it."""
    DENIED = "denied"
    """The same, and the dispatch ended with a denial, as the gate is closed where a veto gives no verdict."""
    UNKNOWN = "unknown"
    """It was the last to be asked, and may have said no: its span is OK either way."""
    RUNNING = "running"
    """Its span has no end."""


BADGES: Final[Mapping[str, str]] = {"observe": "O", "transform": "T", "veto": "V"}


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One subscriber that was asked."""

    span_id: bytes
    subscriber: str
    """Empty where the span names nobody: the host's own gate."""
    mode: str
    badge: str
    """One letter for the mode; empty for a mode that has none."""
    verdict: SpanVerdict
    why: str
    """What the span says about its error."""
    started_ns: int
    """From the beginning of the dispatch; negative where clocks differ."""
    took_ns: int | None
    """None while it runs."""
    together: int
    """Steps with the same number were asked at once; numbers count from 1 in order."""
    producer: str = ""
    """Category and version, where the span has them."""


@dataclass(frozen=True, slots=True)
class ChainOfSpans:
    """A dispatch as its spans tell it."""

    dialect: str
    trace_id: bytes
    span_id: bytes
    point: str
    steps: tuple[ChainStep, ...]
    start_ns: int
    took_ns: int | None
    decision: str
    """`error`, `denied`, `ok`, or `not told`: a chain that ended with a gate whose word is not in its span."""
    why: str


def chains(spans: Iterable[Span]) -> tuple[ChainOfSpans, ...]:
    """Every dispatch among the spans of a trace, by its beginning; empty for a trace of anything else."""
    below: dict[bytes, list[Span]] = defaultdict(list)
    tops: dict[tuple[bytes, bytes], tuple[Span, Published]] = {}
    for span in spans:
        if (published := _published(span)) is not None:
            tops.setdefault((span.trace_id, span.span_id), (span, published))
        if span.parent_id:
            below[span.parent_id].append(span)
    found = [_chain(span, published, below[span.span_id]) for span, published in tops.values()]
    return tuple(sorted(found, key=lambda chain: (chain.start_ns, chain.span_id)))


def is_chain(span: Span) -> bool:
    """Whether a span is that of a dispatch."""
    return _published(span) is not None


def _published(span: Span) -> Published | None:
    for published in PUBLISHED:
        is_named = not published.names or span.name in published.names
        is_step = any(key == published.known_by for key, _ in span.attributes)
        if is_named and not is_step and text_of(span.attributes, published.point):
            return published
    return None


def _chain(top: Span, published: Published, below: Sequence[Span]) -> ChainOfSpans:
    asked: dict[bytes, Span] = {}
    for span in sorted(below, key=lambda each: (each.start_ns, each.span_id)):
        is_step = any(key == published.known_by for key, _ in span.attributes)
        if is_step and span.trace_id == top.trace_id:
            asked.setdefault(span.span_id, span)
    order = list(asked.values())
    groups = _groups(order)
    steps = tuple(
        _step(span, top, published, group, is_last=at == len(order) - 1)
        for at, (span, group) in enumerate(zip(order, groups, strict=True))
    )
    why = top.status.message if top.is_error and top.status is not None else ""
    return ChainOfSpans(
        published.dialect,
        top.trace_id,
        top.span_id,
        text_of(top.attributes, published.point),
        steps,
        top.start_ns,
        _took(top),
        _decision(top, steps),
        why,
    )


def _groups(order: Sequence[Span]) -> list[int]:
    """A number for each span, the same for those that were under way at once."""
    groups: list[int] = []
    until = -1
    for span in order:
        is_beside = bool(groups) and span.start_ns < until
        groups.append(groups[-1] if is_beside else len(set(groups)) + 1)
        until = max(until, span.end_ns) if is_beside else span.end_ns
    return groups


def _step(span: Span, top: Span, published: Published, together: int, *, is_last: bool) -> ChainStep:
    attributes = span.attributes
    mode = text_of(attributes, published.mode)
    return ChainStep(
        span.span_id,
        next((name for key in published.subscriber if (name := text_of(attributes, key))), ""),
        mode,
        BADGES.get(mode, ""),
        _verdict(span, top, published, mode, is_last=is_last),
        span.status.message if span.is_error and span.status is not None else "",
        span.start_ns - top.start_ns,
        _took(span),
        together,
        _producer(attributes),
    )


def _verdict(span: Span, top: Span, published: Published, mode: str, *, is_last: bool) -> SpanVerdict:
    if not span.end_ns:
        return SpanVerdict.RUNNING
    if span.is_error:
        if is_last and top.is_error and mode in published.transforms | published.gates:
            return SpanVerdict.ABORTED
        return SpanVerdict.DENIED if mode in published.gates else SpanVerdict.FAILED
    return SpanVerdict.UNKNOWN if is_last and mode in published.gates and not top.is_error else SpanVerdict.OK


def _decision(top: Span, steps: Sequence[ChainStep]) -> str:
    if not top.end_ns:
        return "not told"
    if top.is_error:
        return "error"
    last = steps[-1].verdict if steps else SpanVerdict.OK
    if last is SpanVerdict.DENIED:
        return "denied"
    return "not told" if last in (SpanVerdict.UNKNOWN, SpanVerdict.RUNNING) else "ok"


def _took(span: Span) -> int | None:
    return span.end_ns - span.start_ns if span.end_ns else None


def _producer(attributes: Attributes) -> str:
    category = text_of(attributes, "pluggableharness.producer.category").removeprefix("CATEGORY_").lower()
    version = text_of(attributes, "pluggableharness.producer.version")
    return " ".join(part for part in (category, version) if part)
