"""Dispatches as one page of HTML that needs nothing else: no network, and no script to be read.

Text from outside is text, never markup; the page's policy runs our own script and nothing besides. Quotes around our
own words and ends of paragraphs are left out, as HTML allows: a thousand dispatches are to fit into an e-mail.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping

from debugger.diff import diff
from debugger.export import page_parts as parts
from debugger.export import words
from debugger.export.material import Material, dialect_of
from debugger.export.page_parts import Once, attribute, details, text
from debugger.export.page_script import SCRIPT, STYLE
from debugger.trace import DispatchTrace, StepTrace, StretchTrace
from debugger.views import diff_lines
from debugger.views.diffs import Comparison, comparisons
from debugger.views.dispatches import MARK, NOTE
from debugger.views.json_lines import json_lines
from debugger.views.outcomes import came
from debugger.views.states import LOOKS, duration, state_of
from kernel.dialect import Dialect, Rule
from kernel.facts import Decided
from kernel.values import JSON, Answered

POLICY = (
    f"default-src 'none'; script-src {parts.hash_of(SCRIPT)}; style-src {parts.hash_of(STYLE)}; "
    "base-uri 'none'; form-action 'none'"
)


def page(material: Material) -> Iterator[str]:
    """The whole page, piece by piece."""
    dispatches = material.dispatches
    title = f"hookscope: {material.source}"
    yield f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{attribute(POLICY)}">
<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">
<title>{text(title)}</title><style>{STYLE}</style></head><body>
<header><h1>{text(title)}</h1>"""
    yield f"<p>{_about(material)}</p>"
    yield '<div id="find" hidden><input type="search" placeholder="search (/)" aria-label="search"><span id="found">'
    yield '</span><button id="open">open all</button><button id="close">close all</button></div></header><main>\n'
    telling = _Page(material)
    is_short = len(dispatches) <= 5
    for content in _outermost(material):
        yield from telling.content(content, is_open=is_short)
    yield "</main>\n"
    yield from _glossary(telling.rules)
    yield f"<footer><p>{text(material.redaction)}</p></footer><script>{SCRIPT}</script></body></html>\n"


def _about(material: Material) -> str:
    dispatches = material.dispatches
    said = [
        f"{len(dispatches)} of {material.total} dispatches"
        if len(dispatches) < material.total
        else (f"{material.total} dispatches")
    ]
    trouble = sum(map(words.is_trouble, dispatches))
    said += [f"{trouble} with trouble"] if trouble else []
    said += [f"configuration {material.config}"] if material.config else []
    said += [f"recorded by hookscope {material.version}"] if material.version else []
    said += [dt.datetime.fromtimestamp(dispatches[0].opened.wall_ns / 1e9, tz=dt.UTC).isoformat(" ", "seconds")]
    return text(" · ".join(said))


def _outermost(material: Material) -> Iterator[str]:
    """Whatever is in nothing else that is exported, in order of beginning."""
    known = {*material.stretches, *(each.id for each in material.dispatches)}
    for event in material.events:
        parent = getattr(event.fact, "parent", None)
        if parent is not None and parent not in known and event.number == 0:
            yield event.dispatch


def _glossary(rules: Mapping[str, tuple[int, Rule]]) -> Iterator[str]:
    if not rules:
        return
    yield "<section><h2>Rules</h2><dl>"
    for number, each in sorted(rules.values(), key=lambda numbered: numbered[1].id):
        yield f"<dt id=r{number}>{text(each.id)}<dd>{text(each.text)} (spec {text(each.source)})"
    yield "</dl></section>\n"


class _Page:
    """Tells dispatches and stretches one after the other; remembers what it told already."""

    def __init__(self, material: Material) -> None:
        self.rules: dict[str, tuple[int, Rule]] = {}
        """Every rule that is named, with the number of its place among them."""
        self._material = material
        self._once = Once()
        self._dispatches = {each.id: each for each in material.dispatches}
        self._around: Dialect | None = None
        """Of the stretch that is being told."""

    def content(self, content: str | Decided, *, is_open: bool) -> Iterator[str]:
        """A dispatch or a stretch by its id, with everything inside, or a decision."""
        if isinstance(content, Decided):
            yield self._decided(content, self._around)
        elif (stretch := self._material.stretches.get(content)) is not None:
            yield from self._stretch(stretch, is_open=is_open)
        elif (dispatch := self._dispatches.get(content)) is not None:
            yield from self._dispatch(dispatch, is_open=is_open)

    def _stretch(self, stretch: StretchTrace, *, is_open: bool) -> Iterator[str]:
        error = stretch.left.error if stretch.left is not None else ""
        name = stretch.entered.name.removeprefix(f"{stretch.entered.kind} ")
        shown = stretch.entered.kind if name == stretch.entered.kind else f"{stretch.entered.kind} {name}"
        wrong = f" <i class=error>✗ {text(error)}</i>" if error else ""
        summary = f"{text(shown)}{wrong} <small>{duration(stretch.took_ns)}</small>"

        def body() -> Iterator[str]:
            if stretch.attributes:
                yield from self._value("attributes", dict(stretch.attributes), shown)
            for each in stretch.contents:
                self._around = dialect_of(stretch.entered.dialect, self._material.switches)
                yield from self.content(each, is_open=is_open)

        yield from details(summary, body(), kind="w", is_open=True)

    def _dispatch(self, trace: DispatchTrace, *, is_open: bool) -> Iterator[str]:
        dialect = self._material.dialect(trace)
        found, by = words.verdict(trace), words.by_whom(trace.result)
        changed = f" ±{len(trace.changes)}" if trace.changes else ""
        remark = self._material.remarks.get(trace.id)
        noted = f" {MARK if remark.is_marked else NOTE}" if remark is not None else ""
        summary = (
            f"<small>#{trace.number}</small> <b>{text(trace.point)}</b> "
            f"<i class={found.emphasis}>{found.glyph} {text(found.word)}</i>{text(f' by {by}') if by else ''} "
            f"<small>{changed} {duration(trace.took_ns)}{noted}</small>"
        )
        yield from details(summary, self._inside(trace, dialect), named=f"d{trace.number}", kind="d", is_open=is_open)

    def _inside(self, trace: DispatchTrace, dialect: Dialect) -> Iterator[str]:
        where = f"#{trace.number}"
        if said := words.remark(self._material.remarks.get(trace.id)):
            yield f"<p class=held>{text(said)}"
        yield from _strip(trace)
        if trace.result is not None and trace.result.error:
            yield f"<p class=error>{text(trace.result.error)}"
        if trace.result is not None and trace.result.rule:
            yield f"<p>{self._rule(trace.result.rule, dialect)}"
        for decided in trace.decided:
            yield self._decided(decided, dialect)
        yield from self._view("fired", trace.opened.payload.digest, trace.opened.payload.view, where)
        for step in trace.steps:
            yield from self._step(trace, step, dialect)
        if len(trace.changes) > 1:
            for comparison in comparisons(trace, None, dialect, None):
                yield from self._diff(comparison, where)
        if trace.result is not None and trace.result.extras:
            yield from self._value("what the caller gets beside", dict(trace.result.extras), where)
        if others := list(words.otherwise(trace, dialect)):
            yield "<p>It would have been otherwise with</p><ul>"
            yield "".join(f"<li>{text(each)}</li>" for each in others)
            yield "</ul>"
        for content in trace.contents:
            yield from self.content(content, is_open=False)

    def _step(self, trace: DispatchTrace, step: StepTrace, dialect: Dialect) -> Iterator[str]:
        state = state_of(step, None)
        look = parts.STATES.get(state, "dim")
        summary = (
            f"<i class={look}>{LOOKS[state].glyph}</i> {text(step.subscription.name)} "
            f"<small>{text(words.duty(step))}</small> {_bar(trace, step, look)} <small>{text(words.note(step))}</small>"
        )
        yield from details(summary, self._about_step(trace, step, dialect))

    def _about_step(self, trace: DispatchTrace, step: StepTrace, dialect: Dialect) -> Iterator[str]:
        where = f"#{trace.number} {step.subscription.name}"
        because, rule = words.why(step)
        if because:
            yield f"<p>{text(because)} {self._rule(rule, dialect)}"
        for raised in step.raised:
            yield f"<p class=error>{text(raised.category)}: {text(raised.message)}"
        for steered in step.steered:
            detail = f": {steered.detail}" if steered.detail else ""
            yield f"<p class=held>{text(f'{steered.what} by the {steered.by}{detail}')}"
        for comparison in comparisons(trace, step.step, dialect, None):
            yield from self._diff(comparison, where)
        if step.given is not None and _is_news(step, trace):
            yield from self._view("asked about", step.given.digest, step.given.view, where)
        for title, outcome in (("answered", step.outcome), ("its own answer", step.replaced)):
            if isinstance(outcome, Answered) and _is_the_change(step, outcome, dialect):
                yield f"<p>{title} with the payload as it is after that change"
            elif isinstance(outcome, Answered):
                view = dialect.answer_view(outcome)
                yield from self._view(title, outcome.body.hex(), view, where)
            elif outcome is not None:
                yield f"<p>{title}: {text(came(outcome))}</p>"
        for late in step.late:
            title = f"too late, {duration(late.took_ns)} after it was asked"
            if isinstance(late.outcome, Answered):
                yield from self._view(title, late.outcome.body.hex(), dialect.answer_view(late.outcome), where)
            else:
                yield f"<p>{title}: {text(came(late.outcome))}</p>"
        if step.printed:
            said = [f"{each.stream} | {each.text}" for each in step.printed]
            yield from details("printed", [parts.printed(said)])

    def _view(self, title: str, digest: str, view: JSON, where: str) -> Iterator[str]:
        def body() -> Iterator[str]:  # drawn only where it was not told before
            yield parts.lines(json_lines(view), is_plain=True)

        yield from self._once.block(("view", digest), title, body(), where)

    def _value(self, title: str, value: JSON, where: str) -> Iterator[str]:
        shown = parts.lines(json_lines(value), is_plain=True)
        yield from self._once.block(("value", shown), title, [shown], where)

    def _diff(self, comparison: Comparison, where: str) -> Iterator[str]:
        before, after = comparison.before, comparison.after
        difference = diff(before, after)
        if not difference:
            return
        shown = parts.lines(diff_lines.unified(before, after, difference))
        title = f"{''.join(segment.text for segment in comparison.heading)}  {difference.summary}"
        yield from self._once.block(("diff", shown), title, [shown], where)

    def _rule(self, rule: str, dialect: Dialect | None) -> str:
        if dialect is None or rule not in dialect.rules:
            return text(rule)
        number = self.rules.setdefault(rule, (len(self.rules), dialect.rules[rule]))[0]
        return f"<a href=#r{number}>{text(rule)}</a>"

    def _decided(self, decided: Decided, dialect: Dialect | None) -> str:
        by = f" by {decided.by}" if decided.by else ""
        head = f"→ {text(decided.subject)}: <b>{text(decided.decision)}</b>"
        return f"<p>{head}{text(by)}. {text(decided.why)} {self._rule(decided.rule, dialect)}</p>"


def _is_the_change(step: StepTrace, answer: Answered, dialect: Dialect) -> bool:
    """Whether the answer is nothing but the payload that the diff shows already."""
    if step.given is None:
        return False
    shown = [change.after.view for change in (step.changed, step.amended) if change is not None]
    return bool(shown) and dialect.proposed(step.given, answer) in shown


def _is_news(step: StepTrace, trace: DispatchTrace) -> bool:
    """Whether it was asked about something that neither was fired nor was asked about before."""
    assert step.given is not None
    before = (each.given.digest for each in trace.steps if each.given is not None and each.step < step.step)
    return step.given.digest not in (trace.opened.payload.digest, *before)


def _strip(trace: DispatchTrace) -> Iterator[str]:
    if not trace.steps:
        yield "<p>Nobody subscribed: it passes as it is.</p>"
        return
    yield "<ol class=strip>"
    for step in trace.steps:
        state = state_of(step, None)
        shown = f"<i class={parts.STATES.get(state, 'dim')}>{LOOKS[state].glyph} {state}</i>"
        yield f"<li>{text(step.subscription.name)} {shown}"
    yield "</ol>"


def _bar(trace: DispatchTrace, step: StepTrace, look: str) -> str:
    if step.asked_at_ns is None or step.took_ns is None:
        return ""
    whole = max(trace.took_ns or 0, step.asked_at_ns - trace.opened_at_ns + step.took_ns, 1)
    return parts.bar((step.asked_at_ns - trace.opened_at_ns) / whole, step.took_ns / whole, look)
