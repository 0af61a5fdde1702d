"""Verdicts for people, for programs and for build servers. Pure: verdicts in, text out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.etree import ElementTree

import msgspec
from msgspec import UNSET

from debugger.fact_json import result_json
from debugger.scenario.fired import Fired, Session
from debugger.scenario.judge import Miss
from debugger.scenario.load import dotted
from debugger.scenario.run import Verdict
from debugger.session import SessionView
from debugger.views import chain
from debugger.views.story import Story
from debugger.views.text import visible
from kernel.facts import Entered, Opened
from kernel.values import JSON

WIDTH: Final = 110
_LONGEST_LINE: Final = 90
_MOST_LINES: Final = 24
_LONGEST_STORY: Final = 120
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def lines(verdict: Verdict) -> Iterator[str]:
    """One scenario as text: its name, and where something is wrong, what."""
    loaded = verdict.loaded
    mark = "✓" if verdict.is_held else "✗" if verdict.problem is None else "!"
    yield visible(f"{mark} {loaded.name}")
    if verdict.is_held:
        return
    yield visible(f"    {loaded.place}")
    yield from trouble(verdict)


def trouble(verdict: Verdict) -> Iterator[str]:
    """Everything that is wrong with one scenario: what was played, each dispatch concerned, expected beside actual."""
    if verdict.problem is not None:
        yield visible(f"    {verdict.problem}")
    if verdict.session is not None:
        yield from _story(verdict.session)
    others, is_fired = list(verdict.misses), verdict.loaded.scenario.play is UNSET
    for number, fired in enumerate(verdict.fired):
        here = [miss for miss in others if miss.dispatch == number]
        if here or (verdict.problem is not None and number == len(verdict.fired) - 1):
            yield ""
            yield from _strip(fired, f"fire[{number}]" if is_fired else f"dispatch {number + 1}")
        for miss in here:
            others.remove(miss)
            yield from _miss(miss)
    for miss in others:
        yield from _miss(miss)
    yield ""


def _story(session: Session) -> Iterator[str]:
    """What was played, point by point, with an end; and how it ended."""
    story = Story(session.trace, session.playable.label, session.playable.details)
    began = (event for event in session.events if isinstance(event.fact, Entered | Opened) and not event.fact.parent)
    told = [line.text for event in began for line in story.of(event.dispatch, 2)]
    yield ""
    yield from (visible(text.rstrip()) for text in told[:_LONGEST_STORY])
    if len(told) > _LONGEST_STORY:
        yield f"    ... and {len(told) - _LONGEST_STORY} lines more"
    if session.played is not None:
        reason = f" ({session.played.reason})" if session.played.reason else ""
        yield visible(f"    {session.played.status}{reason}: {session.played.why}")


def _strip(fired: Fired, name: str) -> Iterator[str]:
    view = chain.chain_view(fired.trace, SessionView(), None, None)
    yield visible(f"    {name}  {fired.trace.point} {fired.label}".rstrip())
    for row in chain.render(view, WIDTH):
        yield f"    {''.join(segment.text for segment in row).rstrip()}"


def _miss(miss: Miss) -> Iterator[str]:
    yield ""
    yield visible(f"    {dotted(miss.path)}   {miss.place}")
    yield from _labelled("expected", miss.expected)
    actual = _said(miss.actual)
    if not miss.difference or len(actual) == 1:
        yield from _labelled("actual", miss.actual)
    if miss.difference:
        yield "      from expected to actual"
        for line in miss.difference:
            yield visible(f"        {line}")


def _labelled(label: str, value: JSON) -> Iterator[str]:
    first, *rest = _said(value)
    yield visible(f"      {label:<9} {first}")
    for line in rest:
        yield visible(f"      {'':<9} {line}")


def _said(value: JSON) -> list[str]:
    """A value as short as can be: in a line if it fits, else as a person would lay it out."""
    if isinstance(value, str):
        return value.splitlines() or ["(empty)"]
    compact = json.dumps(value, ensure_ascii=False)
    if len(compact) <= _LONGEST_LINE:
        return [compact]
    laid_out = json.dumps(value, ensure_ascii=False, indent=2).splitlines()
    return laid_out if len(laid_out) <= _MOST_LINES else [*laid_out[:_MOST_LINES], "..."]


def summary(verdicts: Sequence[Verdict]) -> str:
    """All of them in a line."""
    held = sum(verdict.is_held for verdict in verdicts)
    unusable = sum(verdict.problem is not None for verdict in verdicts)
    failed = len(verdicts) - held - unusable
    counts = ((held, "held"), (failed, "failed"), (unusable, "could not be run"))
    return ", ".join(f"{count} {word}" for count, word in counts if count or word == "held")


def as_json(verdict: Verdict) -> bytes:
    """One scenario as one line of JSON; docs/scenarios.md has the members."""
    loaded = verdict.loaded
    fired: list[JSON] = [
        {"point": each.trace.point, "took_ns": each.took_ns, "result": dict(result_json(each.result))}
        for each in verdict.fired
    ]
    misses: list[JSON] = [
        {
            "key": dotted(miss.path),
            "file": miss.place.file,
            "line": miss.place.line,
            "column": miss.place.column,
            "expected": miss.expected,
            "actual": miss.actual,
        }
        for miss in verdict.misses
    ]
    return msgspec.json.encode(
        {
            "scenario": loaded.name,
            "file": loaded.place.file,
            "line": loaded.place.line,
            "held": verdict.is_held,
            "fired": fired,
            "played": None if verdict.session is None else _played(verdict.session),
            "misses": misses,
            "problem": None if verdict.problem is None else str(verdict.problem),
        }
    )


def _played(session: Session) -> JSON:
    """How a session ended, and what was asked meanwhile; its dispatches are among those that are fired."""
    played = session.played
    questions: list[JSON] = [
        {
            "subject": each.question.subject,
            "asked_by": each.question.asked_by,
            "answer": each.word,
            "by": None if each.answer is None else each.answer.by,
        }
        for each in session.questions
    ]
    return {
        "status": None if played is None else played.status,
        "reason": None if played is None else played.reason,
        "is_fine": None if played is None else played.is_fine,
        "why": None if played is None else played.why,
        "totals": None if played is None else dict(played.totals),
        "took_ns": session.took_ns,
        "questions": questions,
    }


def as_junit(verdicts: Iterable[Verdict], took_s: Sequence[float]) -> bytes:
    """All of them as JUnit XML: a suite a file, a case a scenario."""
    suites = ElementTree.Element("testsuites")
    of_file: dict[str, ElementTree.Element] = {}
    for verdict, seconds in zip(verdicts, took_s, strict=True):
        file = verdict.loaded.place.file
        if file not in of_file:
            of_file[file] = ElementTree.SubElement(
                suites, "testsuite", name=_xml(file), tests="0", failures="0", errors="0"
            )
        suite = of_file[file]
        _count(suite, "tests")
        case = ElementTree.SubElement(
            suite, "testcase", name=_xml(verdict.loaded.name), classname=_xml(file), time=f"{seconds:.3f}"
        )
        if verdict.is_held:
            continue
        tag, counter = ("failure", "failures") if verdict.problem is None else ("error", "errors")
        _count(suite, counter)
        what = dotted(verdict.misses[0].path) if verdict.misses else str(verdict.problem)
        ElementTree.SubElement(case, tag, message=_xml(what)).text = _xml("\n".join(trouble(verdict)))
    written: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return written


def _count(suite: ElementTree.Element, counter: str) -> None:
    suite.set(counter, str(int(suite.get(counter, "0")) + 1))


def _xml(text: str) -> str:
    return _NOT_IN_XML.sub("�", text)
