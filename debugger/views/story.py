"""A played session told in order: what was dispatched, what each subscriber made of it, what the host decided. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from textwrap import shorten

from debugger.trace import DispatchTrace, StretchTrace, Trace
from debugger.views.inspect import line, said
from debugger.views.outcomes import came
from debugger.views.states import LOOKS, SeatState, duration, name_of, state_of, verdict_of
from debugger.views.text import Emphasis, Line, Segment
from kernel.facts import Decided
from kernel.values import JSON, Payload

LONGEST_QUOTE = 160
"""Characters of what a model says that are told."""
TELLING = frozenset({SeatState.DENIED, SeatState.ERROR, SeatState.TIMED_OUT, SeatState.CANCELLED})
"""States of a step that a reader wants the reason for."""


class Story:
    """Tells the stretches of a trace. `label` says what a payload is about, `details` which stretches to leave out."""

    def __init__(self, trace: Trace, label: Callable[[Payload], str], details: Collection[str]) -> None:
        self._trace = trace
        self._label = label
        self._details = details

    def of(self, content: str | Decided, depth: int = 0) -> Iterator[Line]:
        """A dispatch or a stretch by its id, with everything inside, or a decision."""
        if isinstance(content, Decided):
            yield from _decision(content, depth)
        elif (stretch := self._trace.find_stretch(content)) is not None:
            yield from self._stretch(stretch, depth)
        elif (dispatch := self._trace.find(content)) is not None:
            yield from self._dispatch(dispatch, depth)

    def _stretch(self, stretch: StretchTrace, depth: int) -> Iterator[Line]:
        error = "" if stretch.left is None else stretch.left.error
        if stretch.entered.kind in self._details and not error:
            for content in stretch.contents:
                yield from self.of(content, depth)
            return
        left = {} if stretch.left is None else stretch.left.attributes
        yield line(
            _indent(depth),
            Segment(stretch.entered.kind, Emphasis.STRONG),
            said(_name(stretch)),
            Segment(f"  {duration(stretch.took_ns)}{_scalars(left)}", Emphasis.DIM),
        )
        if isinstance(text := left.get("says"), str) and text:
            yield line(_indent(depth + 1), said(f"“{shorten(text, LONGEST_QUOTE, placeholder=' ...')}”"))
        for content in stretch.contents:
            yield from self.of(content, depth + 1)
        if error:
            yield line(_indent(depth + 1), said(f"✗ {error}", Emphasis.ERROR))

    def _dispatch(self, trace: DispatchTrace, depth: int) -> Iterator[Line]:
        verdict = verdict_of(trace, is_held=False)
        label = self._label(trace.opened.payload)
        seats = [(LOOKS[state_of(step, None)], name_of(trace, step)) for step in trace.steps]
        asked = "".join(f"  {look.glyph} {name}" for look, name in seats) or "  nobody is asked"
        yield line(
            _indent(depth),
            Segment(f"{verdict.glyph} ", verdict.emphasis),
            f"{trace.point}  ",
            said(f"{label}  " if label else ""),
            Segment(verdict.word, verdict.emphasis),
            said(asked, Emphasis.NONE if seats else Emphasis.DIM),
        )
        for content in trace.contents:
            yield from self.of(content, depth + 1)
        for step in trace.steps:
            state = state_of(step, None)
            if step.verdict is not None and state in TELLING:
                why = f"{name_of(trace, step)}: {step.verdict.why}  "
                yield line(_indent(depth + 2), said(why), Segment(step.verdict.rule, Emphasis.ACCENT))
            for raised in step.raised:
                if step.verdict is None or raised.rule != step.verdict.rule:
                    what = f"{name_of(trace, step)}: {raised.category}: {raised.message}  "
                    yield line(_indent(depth + 2), said(what), Segment(raised.rule, Emphasis.ACCENT))
            for late in step.late:
                what = f"{name_of(trace, step)}: {came(late.outcome)} after {duration(late.took_ns)}, "
                yield line(_indent(depth + 2), said(what), "when nobody waited any more")
        for decided in trace.decided:
            yield from _decision(decided, depth + 1)


def _decision(decided: Decided, depth: int) -> Iterator[Line]:
    by = f" by {decided.by}" if decided.by else ""
    yield line(
        _indent(depth),
        "→ ",
        said(f"{decided.subject}: "),
        Segment(decided.decision, Emphasis.STRONG),
        said(by),
    )
    yield line(_indent(depth + 2), said(f"{decided.why}  "), Segment(decided.rule, Emphasis.ACCENT))


def _name(stretch: StretchTrace) -> str:
    """A stretch's name where it says more than its kind."""
    kind, name = stretch.entered.kind, stretch.entered.name
    return name.removeprefix(kind) if name.startswith(f"{kind} ") else f" {name}"


def _scalars(attributes: Mapping[str, JSON]) -> str:
    """Numbers and short words that are known of a stretch in the end."""
    shown = {key: _scalar(value) for key, value in attributes.items() if key != "says"}
    return "".join(f"  {key} {value}" for key, value in shown.items() if value)


def _scalar(value: JSON) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        return ""
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _indent(depth: int) -> str:
    return "  " * depth
