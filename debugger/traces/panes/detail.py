"""The details of one span: a list of lines, of which one is chosen to be copied or unfolded."""

from __future__ import annotations

from debugger.traces.detail import DetailLine, Subject, lines
from debugger.traces.durations import split
from debugger.traces.hooks import Hook
from debugger.traces.panes.lines import Rows
from debugger.traces.panes.place import Place
from debugger.traces.rows import Drawing
from debugger.views.text import Kind, Line, Segment, crop
from kernel.errors import BadInput

MOST_STEPS = 500
"""Steps of one dispatch that are looked up to say who had the time."""


class DetailPane(Rows):
    """Shows one span at a time."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, hint="the details of the chosen span")
        self._subject: Subject | None = None
        self._lines: tuple[DetailLine, ...] = ()
        self._unfolded: set[str] = set()

    def clear(self) -> None:
        self._subject, self._lines = None, ()
        self._unfolded.clear()
        self.set_rows(0, self._draw_line, None)

    def show_span(self, place: Place, drawing: Drawing, at: int) -> None:
        """Look a span up and show all that is known of it."""
        try:
            subject = looked_up(place, drawing, at)
        except BadInput as error:
            place.tell(str(error), is_trouble=True)
            return
        if subject != self._subject:
            is_same = self._subject is not None and _about(subject) == _about(self._subject)
            if not is_same:
                self._unfolded.clear()
            self._subject = subject
            self._lay(self.cursor if is_same else 0)

    def toggle(self) -> None:
        """Unfold the long value of the chosen line, or fold it; without one, the first of the span."""
        line = self._chosen_line
        if line is None or not line.folds:
            line = next((each for each in self._lines if each.folds), None)
        if line is None:
            return
        self._unfolded ^= {line.path}
        path = line.path
        self._lay(None)
        self.set_rows(
            len(self._lines), self._draw_line, next(n for n, each in enumerate(self._lines) if each.path == path)
        )

    @property
    def _chosen_line(self) -> DetailLine | None:
        return None if self.chosen is None or self.chosen >= len(self._lines) else self._lines[self.chosen]

    @property
    def value(self) -> str:
        """All of the value of the chosen line."""
        line = self._chosen_line
        return "" if line is None else line.copied

    @property
    def path(self) -> str:
        """Where that is in the span."""
        line = self._chosen_line
        return "" if line is None else line.path

    def _lay(self, cursor: int | None) -> None:
        assert self._subject is not None
        self._lines = lines(self._subject, self._unfolded)
        self.set_rows(len(self._lines), self._draw_line, cursor or 0)

    def _draw_line(self, index: int, width: int) -> tuple[Segment, ...]:
        line = Line(Kind.SAME, None, None, (Segment(" "), *self._lines[index].segments))
        return crop(line, width).segments


def _about(subject: Subject) -> tuple[int, bytes]:
    made = subject.skeleton
    return made.handle, made.ids[subject.place]


def looked_up(place: Place, drawing: Drawing, at: int) -> Subject:
    """A span with everything that is known beyond it; raises BadInput where it is gone."""
    made = drawing.skeleton
    span = place.source.span(made, at)
    hook = drawing.hooks.get(at)
    own = drawing.own[at] if drawing.own else None
    shares = None
    if drawing.own and hook is not None and hook.point:
        hooks: dict[int, Hook] = {at: hook}
        if not hook.is_step:
            below = [child for _, child in zip(range(MOST_STEPS), made.below(at), strict=False)]
            hooks |= place.source.hooks(made, below)
        shares = split(made, at, drawing.own, hooks)
    lane = drawing.lanes.of(at)
    told = f"{lane.lane + 1} of {lane.lanes} that were under way at once" if lane.lanes > 1 else ""
    return Subject(made, at, span, hook, own, shares, told)
