"""What the inspector shows of what is chosen, through one of its lenses. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias, assert_never

from debugger.expressions import Expression
from debugger.session import Hold
from debugger.trace import DispatchTrace
from debugger.views import diffs, inspect
from debugger.views.blame import blame
from debugger.views.diff_lines import SidePair
from debugger.views.diffs import DiffStyle
from debugger.views.stuck import stack_lines
from debugger.views.text import Emphasis, Line, Segment
from debugger.views.watches import watches
from debugger.views.whatif import why_not
from kernel.dialect import Dialect
from kernel.transports.callback_threads import Stuck
from kernel.values import Effect

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

LARGE = 64 * 1024
"""Bytes of payload beyond which a diff takes too long for the screen's own loop."""
MANY = 40
"""Steps beyond which it takes too long to try what would have altered a verdict."""


class Lens(StrEnum):
    """What the inspector can show."""

    DIFF = "diff"
    BLAME = "blame"
    """The payload, and who last wrote each part of it."""
    PAYLOAD = "payload"
    ANSWER = "answer"
    WHY = "why"
    SPAN = "span"
    OUTPUT = "output"
    STORY = "story"
    """The played session around the dispatch, from its beginning."""
    WATCH = "watch"
    """Expressions that are pinned, along the chain."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a lens is turned to. Compares by content: an equal subject looks the same."""

    trace: DispatchTrace
    step: int | None
    hold: Hold | None
    lens: Lens
    style: DiffStyle
    is_wide: bool
    """Whether there is room for two columns."""
    story: tuple[Line, ...] = ()
    """The played session so far, where the lens is turned to it."""
    watches: tuple[Expression, ...] = ()
    """What is pinned, where the lens is turned to it."""
    stuck: tuple[Stuck, ...] = ()
    """Who is stuck, where the lens is turned to the reasons."""
    scope: diffs.Scope = diffs.USUAL
    """What is compared, where the lens is turned to that."""

    def is_about(self, other: Subject | None) -> bool:
        """Whether another subject is the same thing at another time, so that a reader may keep their place."""
        return other is not None and self._about == other._about

    @property
    def _about(self) -> tuple[object, ...]:
        return self.trace.id, self.step, self.lens, self.style, self.is_wide

    @property
    def title(self) -> str:
        """Name of the subject, for the inspector's border."""
        name = self.trace.point if self.step is None else self.trace.step(self.step).subscription.name
        style = f" · {self.style}" if self.lens is Lens.DIFF else ""
        return f"#{self.trace.number} {name}{style}"

    @property
    def is_slow(self) -> bool:
        """Whether drawing may take long enough to be felt."""
        if self.lens is Lens.WHY and self.trace.result is not None and len(self.trace.steps) > MANY:
            return True
        is_of_payload = self.lens in (Lens.DIFF, Lens.BLAME, Lens.PAYLOAD, Lens.ANSWER, Lens.WHY, Lens.WATCH)
        return is_of_payload and len(self.trace.payload.body) > LARGE


@dataclass(frozen=True, slots=True)
class OneColumn:
    """Lines to read from top to bottom."""

    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class TwoColumns:
    """Lines that stand beside each other."""

    pairs: Sequence[SidePair]


Drawn: TypeAlias = OneColumn | TwoColumns

_NO_STORY = (inspect.line(Segment("This dispatch stands alone. P plays a session that is described.", Emphasis.DIM)),)
_CHOOSE = (inspect.line(Segment("Choose a subscriber to see what it answered.", Emphasis.DIM)),)


def draw(subject: Subject, dialect: Dialect, span: ReadableSpan | None) -> Drawn:
    """The subject through its lens; `span` is its finished span, if it has one."""
    trace, step, hold = subject.trace, subject.step, subject.hold
    match subject.lens:
        case Lens.DIFF:
            return _diff(subject, dialect)
        case Lens.BLAME:
            return OneColumn(blame(trace, is_wide=subject.is_wide))
        case Lens.PAYLOAD:
            return OneColumn(_payload(trace, step, dialect, hold))
        case Lens.ANSWER:
            return OneColumn(_CHOOSE if step is None else inspect.answer(trace.step(step), dialect, hold))
        case Lens.WHY:
            stacks = stack_lines(trace, step, subject.stuck)
            return OneColumn((*inspect.why(trace, step, dialect, hold), *stacks, *_why_not(trace, step, dialect)))
        case Lens.SPAN:
            return OneColumn(inspect.span(span))
        case Lens.OUTPUT:
            return OneColumn(inspect.output(trace, step))
        case Lens.STORY:
            return OneColumn(subject.story or _NO_STORY)
        case Lens.WATCH:
            return OneColumn(watches(trace, step, subject.watches, hold))
        case never:
            assert_never(never)


def _why_not(trace: DispatchTrace, step: int | None, dialect: Dialect) -> Sequence[Line]:
    """For the dispatch, and for whoever ended it."""
    if step is not None:
        verdict = trace.step(step).verdict
        if verdict is None or verdict.effect not in (Effect.STOP, Effect.ABORT):
            return ()
    return tuple(why_not(trace, dialect))


def _payload(trace: DispatchTrace, step: int | None, dialect: Dialect, hold: Hold | None) -> Sequence[Line]:
    if step is None:
        return inspect.payload(trace.payload)
    if hold is not None:
        return inspect.payload(hold.edited or hold.ask.payload, dialect.beside(hold.ask.request))
    asked = trace.step(step)
    return inspect.payload(asked.given, dialect.beside(asked.request))


def _diff(subject: Subject, dialect: Dialect) -> Drawn:
    found = diffs.comparisons(subject.trace, subject.step, dialect, subject.hold, subject.scope)
    if subject.style is DiffStyle.SIDE_BY_SIDE and subject.is_wide and found:
        return TwoColumns(diffs.pairs(found))
    nothing = "" if subject.step is None else diffs.nothing_to_compare(subject.trace, subject.step)
    return OneColumn(diffs.lines(found, subject.style, nothing))
