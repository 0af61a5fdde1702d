"""Claims about what a scenario scripts: edits, answers, skips, stops, and faults for some of the calls."""

from __future__ import annotations

import pytest
from scenario_texts import loaded, refusal, scenario, verdict

from kernel.faults import Draw

CHAIN = """
  - {name: A, point: plan-ready, mode: veto, stub: deny}
  - {name: B, point: plan-ready, mode: observe, stub: ack}"""
PAYLOAD = "payload: {plan: {turn_id: t}}"


def fire(more: str) -> str:
    return f"{{point: plan-ready, {PAYLOAD}, {more}}}"


@pytest.mark.parametrize(
    ("steer", "expect"),
    [
        ("{before: A, answer: allow}", "{decision: allow, asked: [A, B], facts: [{fact: steered, what: answered}]}"),
        ("{after: A, answer: allow}",
         "{decision: allow, facts: [{fact: steered, what: replaced answer, by: scenario}]}"),
        ("{after: A, json: {veto: {}}}", "{decision: deny, errors: [{category: INVALID_RESPONSE}]}"),
        ("{after: A, bytes: 1a 02 08 01}", "{decision: allow}"),
        ("{before: A, nothing: true}", "{errors: [{category: INVALID_RESPONSE}]}"),
        ("{before: A, status: UNAVAILABLE}", "{errors: [{category: PROCESS_CRASHED}]}"),
        ("{before: A, skip: true}", "{decision: allow, asked: [B], rules: [PL-SKIPPED]}"),
        ("{after: A, skip: true}", "{decision: allow, asked: [A, B], rules: [PL-SKIPPED]}"),
        ("{before: B, stop: true}", "{decision: deny}"),
        ("{before: A, stop: true}", "{ending: cancelled, asked: [], error: stopped by scenario}"),
        ("{before: A, edit: {plan: {turn_id: u}}}",
         "{decision: deny, payload: {is: {plan: {turn_id: u}}}, rules: [PL-EDITED]}"),
        ("{before: A, phase: begin, skip: true}", "{decision: deny, asked: [A]}"),
        ("{before: A, phase: '', skip: true}", "{decision: allow, asked: [B]}"),
    ],
)  # fmt: skip
def test_a_hand_at_the_seams_does_as_it_is_told(steer: str, expect: str) -> None:
    """What it does is told as steered by the scenario."""
    found = verdict(scenario(CHAIN, fire=fire(f"steer: [{steer}]"), expect=expect))
    assert found.problem is None
    assert found.misses == ()


def test_several_hands_and_a_fault_at_one_seam() -> None:
    """An edit leaves room for the fault; of two wishes for a seam the first counts."""
    more = (
        "steer: [{before: A, edit: {plan: {turn_id: u}}}, {before: A, skip: true}, {before: B, skip: true}], "
        "faults: [{at: A, kind: grpc_status, code: INTERNAL}]"
    )
    expect = "{payload: {is: {plan: {turn_id: u}}}, errors: [{category: VETO_FAILED}], not_reached: [B]}"
    assert verdict(scenario(CHAIN, fire=fire(more), expect=expect)).is_held


@pytest.mark.parametrize("seed", range(6))
def test_chance_draws_the_same_in_every_run(seed: int) -> None:
    """Whether it strikes is what the draw of this seed says, and stands in the record; other seeds draw otherwise."""
    is_hit = Draw(0.5, seed, 1).is_hit
    expect = f"{{errors: [{'{category: PROCESS_CRASHED}' if is_hit else ''}]}}"
    more = f"faults: [{{at: A, kind: crash, chance: 50, seed: {seed}}}]"
    assert verdict(scenario(CHAIN, fire=fire(more), expect=expect)).is_held
    assert len({Draw(0.5, each, 1).is_hit for each in range(6)}) == 2


@pytest.mark.parametrize(
    ("when", "hits"),
    [
        ("always", True), ("first", True), ("1", True), ("2", False), ("every", True), ("first 3", True),
        ("call 1", True), ("call 2", False), ("always, chance: 100, seed: 9", True),
    ],
)  # fmt: skip
def test_a_fault_befalls_the_calls_that_it_is_meant_for(when: str, hits: bool) -> None:
    """Counted within a dispatch, for each subscriber by itself."""
    expect = f"{{errors: [{'{category: PROCESS_CRASHED}' if hits else ''}]}}"
    found = verdict(scenario(CHAIN, fire=fire(f"faults: [{{at: A, kind: crash, when: {when}}}]"), expect=expect))
    assert found.is_held, found


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            "steer: [{before: C, skip: true}]",
            "fire[0].steer[0].before: nobody called 'C' sits at plan-ready; there are A, B",
        ),
        ("steer: [{skip: true}]", "fire[0].steer[0]: one of before and after is needed"),
        ("steer: [{before: A, after: A, skip: true}]", "one of before and after is needed"),
        ("steer: [{before: A}]", "fire[0].steer[0]: one of answer, json, bytes"),
        ("steer: [{before: A, skip: true, stop: true}]", "one thing at a time, not skip and stop"),
        ("steer: [{before: A, skip: true, answer: allow}]", "one thing at a time, not skip and answer"),
        ("steer: [{before: A, skip: false}]", "fire[0].steer[0].skip: leave the key out"),
        ("steer: [{after: A, edit: {}}]", "fire[0].steer[0].edit: a payload is edited before"),
        ("steer: [{before: A, edit: {plen: 1}}]", "fire[0].steer[0].edit: $: PlanReadyPayload has no member 'plen'"),
        ("steer: [{before: A, answer: alow}]", "fire[0].steer[0].answer: no answer 'alow'; did you mean 'allow'?"),
        ("steer: [{before: A, answr: allow}]", "unknown key; did you mean 'answer'?"),
        ("faults: [{kind: hang}]", "fire[0].faults[0].at: text is needed here"),
        ("faults: [{at: A}]", "fire[0].faults[0].kind: text is needed here"),
        ("faults: [{at: C, kind: hang}]", "fire[0].faults[0].at: nobody called 'C'"),
        ("faults: [{at: A, kind: hagn}]", "fire[0].faults[0].kind: no fault 'hagn'; did you mean 'hang'?"),
        ("faults: [{at: A, kind: hang, ms: 3}]", "fire[0].faults[0]: fault 'hang' has no setting 'ms'"),
        ("faults: [{at: A, kind: delay, ms: soon}]", "fire[0].faults[0]: ms must be a number of milliseconds"),
        ("faults: [{at: A, kind: hang, when: never}]", "fire[0].faults[0].when: always, first, or a number from 1 on"),
        (
            "faults: [{at: A, kind: hang, when: first 0}]",
            "fire[0].faults[0].when: always, first, or a number from 1 on",
        ),
        ("faults: [{at: A, kind: hang, when: true}]", "fire[0].faults[0].when: always, first, or a number from 1 on"),
        ("faults: [{at: A, kind: hang, chance: 0}]", "fire[0].faults[0].chance: a chance of 0 %"),
        ("faults: [{at: A, kind: hang, chance: half}]", "fire[0].faults[0].chance: a number is needed here"),
        ("faults: [{at: A, kind: hang, chance: 50, seed: x}]", "fire[0].faults[0].seed: a number is needed here"),
        ("faults: [{at: A, kind: hang, chance: 50, seed: 1.5}]", "fire[0].faults[0].seed: '1.5' is no seed"),
        ("faults: [{at: A, kind: hang, when: 0}]", "fire[0].faults[0].when: always, first, or a number from 1 on"),
        ("faults: [{at: A, kind: hang, when: [1]}]", "fire[0].faults[0].when: always, first, or a number from 1 on"),
    ],
)
def test_what_cannot_be_scripted_is_said_with_its_key(more: str, sentence: str) -> None:
    """Before anything is fired."""
    text = scenario(CHAIN, fire=fire(more))
    error = refusal(lambda: loaded(text)) or verdict(text).problem  # an unknown key is found while loading
    assert sentence in str(error)
