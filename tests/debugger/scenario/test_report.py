"""Claims about reports: text for people, JSON for programs, JUnit XML for build servers."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from scenario_texts import played, scenario, verdict

from debugger.scenario import report

HELD = verdict(scenario())
FAILED = verdict(
    scenario(
        "[{name: A, point: plan-ready, mode: veto, stub: deny},"
        " {name: B, point: plan-ready, mode: observe, stub: ack}]",
        fire="{point: plan-ready, payload: {}}",
        expect="{decision: allow, errors: [{category: TIMEOUT}]}",
    ).replace("scenario: s", 'scenario: "it \\e[31m & <fails>"')
)
PLAYED = verdict(
    played(
        "[{name: A, point: plan-ready, mode: veto, stub: deny}]",
        play="answers: []",
        expect="{status: failed, dispatches: [{in: {point: plan-ready}, decision: allow}]}",
    )
)
BROKEN = verdict(scenario(fire="{point: nowhere}"))


def test_a_scenario_that_holds_is_a_line() -> None:
    """Nothing more to say."""
    assert list(report.lines(HELD)) == ["✓ s"]


def test_a_failure_shows_the_chain_and_expected_beside_actual() -> None:
    """With the place of each expectation, and with escape sequences shown instead of sent."""
    assert [line for line in report.lines(FAILED) if line] == [
        "✗ it ␛[31m & <fails>",
        "    f.scenario.yaml:1:1",
        "    fire[0]  plan-ready",
        "     A                         B                         │ result",
        "     veto                      observe                   │ ⊘ DENY",
        "     ⊘ denied                  ┄ not reached             │ by A",
        "     0.0 ms                    by A                      │",
        "    expect[0].decision   f.scenario.yaml:5:11",
        "      expected  allow",
        "      actual    deny",
        "    expect[0].errors   f.scenario.yaml:5:28",
        '      expected  [{"category": "TIMEOUT"}]',
        "      actual    []",
    ]


def test_what_could_not_be_run_says_why() -> None:
    """Told apart from a failure by its mark."""
    first, _, third, *_ = report.lines(BROKEN)
    assert (first, third[:27]) == ("! s", "    f.scenario.yaml:4:9: fi")


def test_a_long_value_is_laid_out_and_has_an_end() -> None:
    """A payload of a megabyte does not fill the screen."""
    found = verdict(scenario(expect="{extras: {contains: {a: [" + "1, " * 500 + "1]}}}"))
    lines = list(report.lines(found))
    assert len(lines) < 60
    assert any(line.strip() == "..." for line in lines)


def test_the_summary_counts() -> None:
    """What there is none of is not mentioned."""
    assert report.summary([HELD]) == "1 held"
    assert report.summary([HELD, FAILED, BROKEN]) == "1 held, 1 failed, 1 could not be run"
    assert report.summary([FAILED]) == "0 held, 1 failed"


def test_json_has_everything() -> None:
    """The members that docs/scenarios.md promises."""
    failed, broken, held = (json.loads(report.as_json(each)) for each in (FAILED, BROKEN, HELD))
    assert failed.keys() == {"scenario", "file", "line", "held", "fired", "played", "misses", "problem"}
    assert (failed["held"], broken["held"], held["held"]) == (False, False, True)
    assert failed["misses"][0] == {
        "key": "expect[0].decision",
        "file": "f.scenario.yaml",
        "line": 5,
        "column": 11,
        "expected": "allow",
        "actual": "deny",
    }
    [fired] = failed["fired"]
    assert fired.keys() == {"point", "took_ns", "result"}
    assert (fired["point"], fired["result"]["decided_by"]) == ("plan-ready", "A")
    assert "no hook point 'nowhere'" in broken["problem"]
    assert (held["misses"], held["problem"]) == ([], None)


def test_junit_has_a_suite_for_each_file_and_a_case_for_each_scenario() -> None:
    """Failures and errors are counted apart; what XML cannot hold is replaced."""
    root = ElementTree.fromstring(report.as_junit([HELD, FAILED, BROKEN], [0.1, 0.25, 0]))
    [suite] = root
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) == (
        "f.scenario.yaml", "3", "1", "1",
    )  # fmt: skip
    held, failed, broken = suite
    assert (held.get("name"), held.get("time"), len(held)) == ("s", "0.100", 0)
    assert failed.get("name") == "it �[31m & <fails>"
    [failure] = failed
    assert (failure.tag, failure.get("message")) == ("failure", "expect[0].decision")
    assert "expected  allow" in (failure.text or "")
    assert broken[0].tag == "error"


def test_a_failed_session_is_told_before_what_is_wrong_with_it() -> None:
    """Point by point, then the chain of each dispatch concerned with its misses, then those of the session."""
    lines = [line for line in report.lines(PLAYED) if line]
    assert lines[2].startswith("    session s  0.0 ms  session.status completed  turns 2")
    assert "        ✓ pre-tool-call  write  allow  nobody is asked" in lines
    assert "          → fs.write (w): deny by hook-veto:A" in lines
    end = lines.index("    completed: the model called no tool, so it is done")
    assert lines[end + 1 :] == [
        "    dispatch 7  plan-ready",
        "     A                         │ result",
        "     veto                      │ ⊘ DENY",
        "     ⊘ denied                  │ by A",
        "     0.0 ms                    │",
        "    expect_played.dispatches[0].decision   f.scenario.yaml:19:72",
        "      expected  allow",
        "      actual    deny",
        "    expect_played.status   f.scenario.yaml:19:17",
        "      expected  failed",
        "      actual    completed",
    ]


def test_a_long_story_has_an_end() -> None:
    """Sessions of hundreds of turns do not fill the screen."""
    session = (
        """
    models: [{provider: p, id: m}]
    messages: []
    turns: ["""
        + "{calls: [{tool: no.thing}]}, " * 60
        + "{says: done}]"
    )
    lines = list(report.lines(verdict(played(session=session.replace("session:", ""), expect="{status: failed}"))))
    assert len(lines) < 140
    assert any(line.endswith("lines more") for line in lines)


def test_json_of_a_session_says_how_it_ended_and_what_was_asked() -> None:
    """Its dispatches are listed as those that are fired are."""
    text = played(play="answers: [{answer: once, by: dana}]", expect="{status: failed}")
    found = json.loads(report.as_json(verdict(text)))
    assert [each["point"] for each in found["fired"]][-1] == "session-end"
    played_as = found["played"]
    assert (played_as["status"], played_as["is_fine"], played_as["totals"]["turns"]) == ("completed", True, 2)
    assert played_as["questions"] == [
        {"subject": "fs.write", "asked_by": "policy:default", "answer": "once", "by": "dana"},
        {"subject": "shell.run", "asked_by": "policy:default", "answer": "deny", "by": "nobody"},
    ]
    assert json.loads(report.as_json(HELD))["played"] is None


def test_junit_tells_the_story_of_a_failed_session() -> None:
    """As the text does."""
    [[[failure]]] = ElementTree.fromstring(report.as_junit([PLAYED], [0]))
    assert failure.get("message") == "expect_played.status"
    assert "pre-tool-call  write" in (failure.text or "")
