"""The page about filters teaches by examples that hold, and leaves no field out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from filter_traces import DENIED, predicate

from debugger.filters import FIELDS, BadFilter, Known, known_from, parse, printed, resolved
from debugger.filters.fields import ALIASES, STATUS, Field
from debugger.filters.keeping import load_filters, problems
from kernel.values import Answered, Status

PAGE = (Path(__file__).parent.parent / "docs" / "filters.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.S)


def rows(head: str) -> list[list[str]]:
    """The cells of a table, given the text of its first line."""
    lines = PAGE[PAGE.index(f"| {head}") :].split("\n\n")[0].splitlines()[2:]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    return [[cell.strip().replace("\\|", "|") for cell in each] for each in cells]


def code(cell: str) -> str:
    return cell.strip("`")


@pytest.mark.parametrize("row", rows("filter | the dispatch"), ids=lambda row: row[0])
def test_an_example_finds_what_the_page_says(row: list[str]) -> None:
    """In the dispatch that the page describes."""
    text, of_dispatch, of_steps = row
    asked = predicate(code(text))
    assert asked.matches(DENIED) is (of_dispatch == "yes")
    steps = [str(each.step) for each in DENIED.steps if asked.matches_step(DENIED, each)]
    assert " ".join(steps or ["none"]) == of_steps


def test_the_dispatch_of_the_page_is_the_one_that_is_asked() -> None:
    """Names, modes, states and times as they are told."""
    described = rows("step | subscriber")
    assert len(described) == len(DENIED.steps)
    for (number, name, mode, status, took, also), step in zip(described, DENIED.steps, strict=True):
        state = "not reached" if step.verdict is None else step.verdict.status
        assert (int(number), name, mode, status) == (step.step, step.subscription.name, step.subscription.mode, state)
        assert took == ("" if step.took_ns is None else f"{step.took_ns // 10**6} ms")
        for printed_ in step.printed:
            assert printed_.text in also
    answer = DENIED.steps[2].outcome
    assert isinstance(answer, Answered)
    assert f"`{answer.body.decode()}`" in described[2][5]
    assert DENIED.number == 14


def test_the_first_examples_are_filters() -> None:
    """Each, without its explanation, and written as the language writes it."""
    lines = [re.split(r"\s{2,}", line)[0] for line in BLOCKS[0][1].splitlines()]
    assert len(lines) > 5
    for line in lines:
        assert printed(parse(line)) in (line, line.replace('"', ""))


def test_every_field_has_its_row() -> None:
    """In the order of the table, with its summary, and of what it can be read."""

    def of(field: Field) -> str:
        readers = (("step", field.of_step), ("dispatch", field.of_dispatch), ("stretch", field.of_stretch))
        return ", ".join(name for name, reader in readers if reader is not None)

    assert rows("field | of") == [[f"`{each.name}`", of(each), each.summary] for each in FIELDS.values()]
    assert all(f"`{alias}`" in PAGE for alias in ALIASES)
    words = [*(word.replace(" ", "-") for word in Status), "not-reached", "aborted", "refused", "running", "waiting"]
    assert all(f"`{word}`" in PAGE for word in words)
    assert [word.replace(" ", "-") for word in STATUS.words] == words


def test_the_page_says_when_what_is_known() -> None:
    """As the table of fields says it."""
    told = {row[0]: re.findall(r"`([^`]*)`", row[1]) for row in rows("known | of a step")}
    first, of_dispatch = told["always"]
    knowns = {
        Known.ALWAYS: [*first.split(), *of_dispatch.split()],
        Known.ASKED: told["when it is asked"][0].split(),
        Known.ANSWERED: told["when it has answered"][0].split(),
        Known.ENDED: told["at the end"][0].split(),
    }
    for known, names in knowns.items():
        assert sorted(names) == sorted(name for name, field in FIELDS.items() if known_of(field) is known)


def known_of(field: Field) -> Known:
    value = {"n": "1", "step": "1", "dur": "1s", "deadline": "1s", "slow": "1", "changed": "yes", "edited": "yes"}
    words = {"status": "ok", "effect": "stop", "outcome": "empty", "ending": "aborted"}
    return known_from(parse(f"{field.name}:{(value | words).get(field.name, 'x')}"))


def test_the_errors_of_the_page_look_like_that() -> None:
    """Sentence, text and caret."""
    [block] = [text for _, text in BLOCKS if "^^^" in text]
    shown = [tuple(each.splitlines()) for each in block.strip("\n").split("\n\n")]
    assert len(shown) == 4
    for sentence, text, caret in shown:
        source = "@lost" if "@lost" in sentence else text
        with pytest.raises(BadFilter) as caught:
            resolved(parse(source), {"lost": text}, source)
        assert caught.value.shown == (sentence, text, caret)


def test_the_project_file_of_the_page_can_be_loaded(tmp_path: Path) -> None:
    """And its filters can be used."""
    [text] = [text for language, text in BLOCKS if language == "yaml"]
    file = tmp_path / ".hookscope.yaml"
    file.write_text(text)
    filters = load_filters(file)
    assert len(filters) == 2
    assert problems(filters) == {}


def test_what_stands_in_backticks_is_right() -> None:
    """Every claim that the prose names is one that can be written."""
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.S)
    quoted = [one or other for one, other in re.findall(r"``(.+?)``|`([^`\n]+)`", prose)]
    claims = [each for each in quoted if re.match(r"!?[a-z]+:[^\s.:]", each)]
    assert len(claims) > 30
    for each in claims:
        if each.rstrip(":") not in FIELDS:
            parse(each.replace("\\|", "|"))
