"""Claims about sessions that a scenario plays: real dispatches, steered where it says, to an end whatever happens."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenario_texts import SESSION, loaded, played, refusal, verdict

from debugger.scenario import report
from debugger.scenario.run import run

GUARD = "{name: A, point: pre-tool-call, mode: veto, stub: allow}"
JUDGE = "{name: B, point: plan-ready, mode: veto, stub: allow}"
CHAINS = f"[{GUARD}, {JUDGE}]"


def held(text: str, file: Path = Path("f.scenario.yaml")) -> None:
    found = verdict(text, file)
    assert found.is_held, "\n".join(report.lines(found))


@pytest.mark.parametrize(
    ("play", "expect"),
    [
        pytest.param(
            "faults: [{in: {point: pre-tool-call, nth: 2}, at: A, kind: hang}]",
            "{took_ms: 5000, dispatches: [{in: {point: pre-tool-call, nth: 1}, decision: allow}, "
            "{in: {point: pre-tool-call, nth: 2}, decision: deny, errors: [{category: TIMEOUT}]}, "
            "{in: {point: pre-tool-call, nth: 3}, decision: allow}]}",
            id="trouble in the second",
        ),
        pytest.param(
            "faults: [{in: {point: pre-tool-call, text: run}, at: A, kind: crash}]",
            "{errors: [{subscriber: A, category: PROCESS_CRASHED}], decisions: "
            "[{subject: shell.run (x), decision: deny}, {}, {}, {decision: deny, by: 'policy:default+resolver:nobody'},"
            " {}]}",
            id="trouble where a text is",
        ),
        pytest.param(
            "faults: [{at: A, kind: crash, when: first}]",
            "{errors: [{}, {}, {}]}",
            id="trouble everywhere; when counts the calls of one dispatch",
        ),
        pytest.param(
            'steer: [{in: {payload: {jmespath: call.id, is: w}}, after: A, answer: deny}]',
            "{dispatches: [{in: {point: pre-tool-call, text: write}, decision: deny, decided_by: A, "
            "facts: [{fact: steered, by: scenario, what: replaced answer}]}, {in: {point: plan-ready}, "
            'payload: {jmespath: "plan.items[].call_id", is: [x]}}]}',
            id="a hand where the payload says so",
        ),
        pytest.param(
            "steer: [{in: {point: pre-tool-call}, before: A, skip: true}, {in: {point: plan-ready}, before: B, "
            "answer: deny}]",
            "{dispatches: [{in: {point: pre-tool-call}, asked: []}, {in: {point: plan-ready}, decision: deny}], "
            "questions: []}",
            id="a hand in each of a point, and another elsewhere",
        ),
        pytest.param(
            "steer: [{in: {point: plan-ready}, before: B, edit: {plan: {turn_id: other}}}]",
            "{dispatches: [{in: {point: plan-ready}, payload: {is: {plan: {turn_id: other}}}, rules: [PL-EDITED]}]}",
            id="an edit",
        ),
        pytest.param(
            "steer: [{in: {point: plan-ready}, before: B, stop: true}]",
            "{status: cancelled, rules: [PL-STOP-CANCELLED], dispatches: [{in: {point: plan-ready}, "
            "ending: cancelled, error: stopped by scenario}]}",
            id="a stop",
        ),
    ],
)  # fmt: skip
def test_a_session_is_steered_where_the_scenario_says(play: str, expect: str) -> None:
    """In the dispatches that fit, counted from 1 among those that do, and in no others."""
    held(played(CHAINS, play=f"answers: []\n  {play}", expect=expect))


def test_what_never_came_is_a_miss() -> None:
    """Trouble for a third plan would make any scenario hold that expects none."""
    steer = "steer: [{in: {point: plan-ready, nth: 3}, before: B, skip: true}]"
    play = f"answers: []\n  {steer}\n  faults: [{{at: B, kind: hang, in: {{text: no}}}}]"
    misses = verdict(played(CHAINS, play=play)).misses
    assert [(miss.path, miss.actual) for miss in misses] == [
        (("play", "steer", 0, "in"), "there was no such dispatch"),
        (("play", "faults", 0, "in"), "there was no such dispatch"),
    ]


def test_questions_are_answered_in_the_order_of_the_script() -> None:
    """By the first entry that fits and is not used up; takes its time on the virtual clock; nobody else denies."""
    answers = (
        "answers: [{answer: deny, about: shell.run, by: eve, takes_ms: 7}, "
        "{answer: once, details: {contains: {call_id: w}}}]"
    )
    held(
        played(
            play=answers,
            expect="{questions: [{subject: fs.write, answer: once, by: person, asked_by: 'policy:default'}, "
            "{subject: shell.run, answer: deny, by: eve}], took_ms: 7}",
        )
    )
    [miss] = verdict(played(play="answers: [once]", expect="{questions: [fs.write]}")).misses
    assert miss.actual == [
        {"subject": "fs.write", "asked_by": "policy:default", "answer": "once", "by": "person"},
        {"subject": "shell.run", "asked_by": "policy:default", "answer": "deny", "by": "nobody"},
    ]


def test_an_entry_is_used_as_often_as_it_says() -> None:
    """Once, where it does not say."""
    for times, last in ((1, "nobody"), (2, "person")):
        play = f"answers: [{{answer: once, times: {times}}}]"
        held(played(play=play, expect=f"{{questions: [fs.write, {{subject: shell.run, by: {last}}}]}}"))


def test_the_answers_of_a_description_count_where_the_scenario_has_none() -> None:
    """Nobody is put before them."""
    session = f"{SESSION}\n    answers: [{{answer: once, by: described}}]"
    held(
        played(
            session=session,
            expect="{decisions: [{}, {}, {}, {by: 'policy:default+resolver:described'}, "
            "{by: 'policy:default+resolver:nobody'}, {}]}",
        )
    )


def test_a_caller_who_gives_up_while_somebody_thinks_has_no_answer() -> None:
    """The question was asked all the same."""
    play = "answers: [{answer: once, takes_ms: 50}]\n  caller: {gives_up_after_ms: 20}"
    expect = "{status: cancelled, took_ms: 20, questions: [{subject: fs.write, answer: null, by: ''}]}"
    held(played(play=play, expect=expect))


def test_a_caller_keeps_count_of_the_whole_session() -> None:
    """It gives up in the second dispatch that takes long, not after the first."""
    chain = "[{name: A, point: pre-tool-call, mode: observe, stub: {answer: ack, after_ms: 10}}]"
    play = "answers: []\n  caller: {gives_up_after_ms: 15}"
    expect = "{status: cancelled, took_ms: 15, dispatches: [{in: {point: pre-tool-call, nth: 1}, ending: finished}, "
    held(played(chain, play=play, expect=expect + "{in: {point: pre-tool-call, nth: 2}, ending: cancelled}]}"))


def test_switches_can_be_those_of_the_session() -> None:
    """Two observers look together in it."""
    one = "{name: %s, point: session-end, mode: observe, stub: {answer: ack, after_ms: 10}}"
    chain = f"[{one % 'A'}, {one % 'B'}]"
    for is_on, expect in (("true", "took_ms: 10, together: [[A, B]]"), ("false", "took_ms: 20, together: []")):
        play = f"answers: []\n  switches: {{concurrent_observe: {is_on}}}"
        held(played(chain, play=play, expect=f"{{dispatches: [{{in: {{point: session-end}}, {expect}}}]}}"))


def test_a_description_may_stand_in_a_file(tmp_path: Path) -> None:
    """Relative to the scenario; a wrong one is told of under its key, with its name and the path inside."""
    description = {
        "profile": "test", "models": [{"provider": "p", "id": "m"}], "messages": [], "turns": [{"says": "done"}],
    }  # fmt: skip
    (tmp_path / "session.json").write_text(json.dumps(description))
    text = played(expect="{status: completed}").replace(f"  session:{SESSION}", "  session_file: session.json")
    held(text, tmp_path / "f.yaml")
    (tmp_path / "session.json").write_text(json.dumps(description | {"turn": 1}))
    problem = str(verdict(text, tmp_path / "f.yaml").problem)
    assert problem.startswith(f"{tmp_path}/f.yaml:11:3: play.session_file: session.json: $: no key 'turn'")


def test_a_real_process_is_asked_in_every_dispatch(tmp_path: Path) -> None:
    """One process serves the session on the virtual clock; what it prints is there to be expected."""
    (tmp_path / "real.py").write_text(
        """
import sys
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("real")

@plugin.veto("pre-tool-call")
def judge(payload):
    print("judging", payload.call.id, file=sys.stderr, flush=True)
    return payload.call.id != "w"

if __name__ == "__main__":
    plugin.serve()
"""
    )
    root = Path(__file__).parents[3]
    chain = f"""
  - {{name: real, point: pre-tool-call, mode: veto, process: [python, real.py], env: {{PYTHONPATH: {root}}}}}"""
    expect = (
        "{decisions: [{subject: fs.write (w), by: 'hook-veto:real'}, {}, {}, {}, {}], "
        "printed: [judging r, judging w, judging x]}"
    )
    held(played(chain, play="answers: []", expect=expect), tmp_path / "f.yaml")


def test_a_process_that_dies_is_started_again_before_it_is_asked(tmp_path: Path) -> None:
    """As when the session is played by itself; it takes none of the scenario's time, and is told of."""
    (tmp_path / "frail.py").write_text(
        """
import os
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("frail")

@plugin.observe("pre-tool-call")
def look(payload):
    if payload.call.id == "r":
        os._exit(3)

if __name__ == "__main__":
    plugin.serve()
"""
    )
    root = Path(__file__).parents[3]
    chain = f"""
  - {{name: frail, point: pre-tool-call, mode: observe, process: [python, frail.py], env: {{PYTHONPATH: {root}}}}}"""
    expect = "{errors: [{subscriber: frail, category: PROCESS_CRASHED}], took_ms: {at_most: 4000}}"
    told: list[str] = []
    found = run(loaded(played(chain, play="answers: []", expect=expect), tmp_path / "f.yaml"), told.append)
    assert found.is_held, "\n".join(report.lines(found))
    assert "frail had died and was started again" in told


def test_a_session_that_nobody_ends_is_given_up() -> None:
    """A miss, and no further judgement of what was cut short; the report still tells the story."""
    chain = "[{name: A, point: session-end, mode: observe, timeout_ms: 1000000000, stub: {hang: true}}]"
    text = played(chain, play="answers: []", expect="{status: failed}") + "\nat_most_s: 0.05\nclock: real"
    started = time.monotonic()
    found = verdict(text)
    assert time.monotonic() - started < 10
    [miss] = found.misses
    assert (miss.path, miss.expected) == (("play",), "it ends within 0.05 s")
    assert any("session-end" in line for line in report.lines(found))
    assert json.loads(report.as_json(found))["played"]["status"] is None


def test_an_answer_in_words_that_do_not_fit_is_bad_input() -> None:
    """As for a single dispatch; what happened until then is reported."""
    chain = "[{name: A, point: plan-ready, mode: transform, stub: {answer: {append: x}}}]"
    found = verdict(played(chain, play="answers: []"))
    assert found.problem is not None
    assert "f.scenario.yaml:10:1: play: " in str(found.problem)
    assert [fired.trace.point for fired in found.fired][:2] == ["session-start", "pre-model-call"]


@pytest.mark.parametrize(
    ("play", "sentence"),
    [
        ("steer: [{in: {point: plan-redy}, before: B, skip: true}]",
         "11:17: play.steer[0].in.point: ErrUnknownPoint: no hook point 'plan-redy'; did you mean 'plan-ready'?"),
        ("steer: [{in: {point: plan-ready}, before: A, skip: true}]",
         "11:37: play.steer[0].before: nobody called 'A' sits at plan-ready; there are B"),
        ("steer: [{before: C, skip: true}]", "play.steer[0].before: nobody called 'C' sits anywhere; there are A, B"),
        ("steer: [{skip: true}]", "play.steer[0]: one of before and after is needed"),
        ("faults: [{at: C, kind: hang}]", "play.faults[0].at: nobody called 'C' sits anywhere"),
        ("faults: [{at: B, kind: hagn, in: {point: plan-ready}}]",
         "play.faults[0].kind: no fault 'hagn'; did you mean 'hang'?"),
        ("faults: [{at: B, kind: hang, in: {pont: plan-ready}}]",
         "play.faults[0].in.pont: unknown key; did you mean 'point'?"),
        ("faults: [{at: B, kind: hang, in: }]", "play.faults[0].in: a mapping is expected, not nothing"),
        ("faults: [{at: B, kind: hang, in: {nth: 0}}]", "play.faults[0].in.nth: it has to be"),
        ("steer: [{in: {payload: {jmespath: 'a[[', is: 1}}, before: B, skip: true}]",
         "play.steer[0].in.payload: not JMESPath"),
        ("answers: [{answer: once, details: {jmespath: 'a[[', is: 1}}]", "play.answers[0].details: not JMESPath"),
        ("switches: {concurent_observe: true}", "play.switches.concurent_observe: pluggable has no such switch"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_play_is_said_with_its_place(play: str, sentence: str) -> None:
    """File, line, key and the nearest known one."""
    text = played(CHAINS, play=play)
    problem = str(refusal(lambda: loaded(text)) or run(loaded(text)).problem)
    assert sentence in problem
    assert problem.startswith("f.scenario.yaml:11:")


@pytest.mark.parametrize(
    ("session", "sentence"),
    [
        (
            "\n    turns: [{cals: []}]\n    messages: []",
            "12:13: play.session: the description: $.turns[0]: no key 'cals'",
        ),
        ("\n    turns: []\n    messages: {}", "13:5: play.session: the description: Expected `array`, got `object`"),
        ("\n    turns: []", "11:3: play.session: the description: Object missing required field `messages`"),
        (" 7", "11:3: play.session: the description: Expected `object`"),
    ],
)
def test_what_is_wrong_with_a_description_is_said_where_it_stands(session: str, sentence: str) -> None:
    """The dialect names the path inside of it, we the line."""
    assert f"f.scenario.yaml:{sentence}" in str(verdict(played(session=session)).problem)


def test_a_description_that_is_refused_can_be_expected() -> None:
    """Beside a configuration that is; nothing is played."""
    text = played(session="\n    turns: []\n    messages: []\n    profile: nobodys").replace(
        "expect_played: {}", "config_error: {message: nobodys, at: 11}"
    )
    held(text)
    [miss] = verdict(played().replace("expect_played: {}", "config_error: {code: X}")).misses
    assert miss.actual == "it was accepted"


_WORDS = st.sampled_from(
    ["plan-ready", "pre-tool-call", "A", "B", "hang", "first", "deny", "once", "session", "fs.write", "turn", "", "[["]
)  # fmt: skip
_KEYS = st.sampled_from(
    ["in", "at", "kind", "when", "before", "after", "skip", "stop", "answer", "about", "times", "by", "details",
     "point", "nth", "text", "payload", "jmespath", "is", "contains", "subject", "decision", "name", "children",
     "attributes", "decided_by", "asked", "label", "parent", "error"]
)  # fmt: skip
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=8,
)
_WHICH = st.dictionaries(st.sampled_from(["point", "nth", "text", "payload"]), _ANY, max_size=2)
_STEER = st.fixed_dictionaries({"before": _WORDS, "skip": st.just(True)}, optional={"in": _WHICH})
_SESSION = {"turns": [{"says": "x"}], "messages": [], "models": [{"provider": "p", "id": "m"}]}
_PLAY = st.fixed_dictionaries(
    {"session": st.just(_SESSION) | _ANY},
    optional={
        "answers": st.lists(_ANY, max_size=2),
        "faults": st.lists(st.dictionaries(_KEYS, _ANY, max_size=3), max_size=1),
        "steer": st.lists(_STEER, max_size=1),
    },
)
_EXPECT = st.fixed_dictionaries(
    {},
    optional={
        "status": _WORDS,
        "totals": _ANY,
        "points": st.lists(_WORDS, max_size=2),
        "questions": st.lists(_ANY, max_size=2),
        "decisions": st.lists(st.dictionaries(_KEYS, _WORDS, max_size=2), max_size=2),
        "dispatches": st.lists(st.fixed_dictionaries({}, optional={"in": _WHICH, "decision": _WORDS}), max_size=2),
        "stretches": st.lists(st.dictionaries(_KEYS, _ANY, max_size=2), max_size=2),
        "spans": _ANY,
        "facts": st.lists(st.dictionaries(_KEYS, _ANY, max_size=2), max_size=1),
    },
)


@settings(deadline=None)
@given(_PLAY, _EXPECT)
def test_no_play_gives_a_traceback_or_a_hang(play: object, expect: object) -> None:
    """A verdict with a report, or a sentence about the file, whatever stands in it."""
    text = json.dumps({
        "scenario": "s", "dialect": "pluggable", "config": {"files": {"agent.hcl": ""}}, "play": play,
        "subscribers": [{"name": "A", "point": "session-end", "mode": "observe", "stub": "ack"}],
        "expect_played": expect,
    })  # fmt: skip
    if (error := refusal(lambda: loaded(text))) is not None:
        assert error.place is not None
        return
    found = verdict(text)
    assert list(report.lines(found))
    assert json.loads(report.as_json(found))["held"] is found.is_held
