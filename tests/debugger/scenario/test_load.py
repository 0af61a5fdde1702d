"""Claims about loading scenario files: what is wrong is said with file, line, column, key and the nearest known key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_texts import refusal, scenario

from debugger.scenario.load import dotted, find, load, parse
from debugger.scenario.model import Scenario
from kernel.errors import BadInput

HEAD = "scenario: s\ndialect: pluggable\n"
SHOT = HEAD + "fire: [{point: session-end}]\n"
WRONG = [
    ("nothing", "", "f holds no scenario"),
    ("nothing but lines", "---\n---\n", "f holds no scenario"),
    ("a word", "hello", "f:1:1: a mapping is expected, not text"),
    ("a list of words", "- hello", "f:1:3: a mapping is expected, not text"),
    ("no name", "dialect: pluggable", "f:1:1: the key 'scenario' is missing"),
    ("an empty name", "scenario: ''\ndialect: x", "f:1:1: scenario: it cannot be empty"),
    ("no dialect", "scenario: s", "f:1:1: the key 'dialect' is missing"),
    ("an unknown key", HEAD + "subscriber: []", "f:3:1: subscriber: unknown key; did you mean 'subscribers'?"),
    ("a key far from any", HEAD + "zzz: 1", "f:3:1: zzz: unknown key; there are scenario, dialect, about,"),
    ("an unknown key below", HEAD + "fire:\n  - pont: a", "f:4:5: fire[0].pont: unknown key; did you mean 'point'?"),
    ("a missing key below", HEAD + "fire:\n  - payload: 1", "f:4:5: fire[0]: the key 'point' is missing"),
    ("text for a list", HEAD + "fire: x", "f:3:1: fire: a list is expected, not text"),
    ("a number for text", "scenario: 1\ndialect: x", "f:1:1: scenario: text is expected, not a whole number"),
    ("text for a number", SHOT + "timeout_ms: soon", "f:4:1: timeout_ms: a whole number is expected, not text"),
    ("a negative time", SHOT + "caller: {gives_up_after_ms: -1}", "f:4:10: caller.gives_up_after_ms: it has to be >="),
    ("text for a switch", SHOT + "switches: {a: x}", "f:4:1: switches: true or false is expected, not text"),
    ("an unknown word", SHOT + "clock: virtul", "f:4:1: clock: no such word 'virtul'; did you mean 'virtual'?"),
    ("nothing for something", SHOT + "expect:\n  - decision:",
     "f:5:5: expect[0].decision: text is expected, not nothing"),
    ("an unknown status", SHOT + "expect: [{steps: [{subscriber: a, status: oky}]}]",
     "f:4:35: expect[0].steps[0].status: no such word 'oky'; did you mean 'ok'?"),
    ("an unknown claim", SHOT + "expect: [{payload: {contians: x}}]",
     "f:4:21: expect[0].payload.contians: unknown key; did you mean 'contains'?"),
    ("an unknown payload word", SHOT + "expect: [{payload: changed}]",
     "f:4:11: expect[0].payload: no such word 'changed'; did you mean 'unchanged'?"),
    ("an unknown doing", SHOT + "subscribers: [{name: a, stub: {hagn: true}}]",
     "f:4:32: subscribers[0].stub.hagn: unknown key; did you mean 'hang'?"),
    ("an unknown doing in a list", SHOT + "subscribers: [{name: a, stub: [ack, {hagn: true}]}]",
     "f:4:38: subscribers[0].stub[1].hagn: unknown key; did you mean 'hang'?"),
    ("no stub at all", SHOT + "subscribers: [{name: a, stub: []}]", "f:4:25: subscribers[0].stub: it cannot be empty"),
    ("an unknown span key", SHOT + "expect: [{spans: {children: [{stats: ok}]}}]",
     "f:4:31: expect[0].spans.children[0].stats: unknown key; did you mean 'status'?"),
    ("nothing to fire", HEAD,
     "f:1:1: fire: a scenario fires at least once, plays a session, or expects a config_error"),
    ("too few expectations", HEAD + "fire: [{point: a}, {point: b}]\nexpect: [{}]",
     "f:4:1: expect: one for each dispatch is needed, {} where nothing is expected; not 1 for 2"),
    ("a config error that is fired at", SHOT + "config_error: {code: X}",
     "f:3:1: fire: there is nothing to dispatch where config_error is expected"),
    ("a session and dispatches", SHOT + "config: c\nplay: {session: {}}",
     "f:3:1: fire: a scenario plays a session or fires dispatches, not both"),
    ("a session judged as dispatches", HEAD + "config: c\nplay: {session: {}}\nexpect: [{}]",
     "f:5:1: expect: a scenario plays a session or fires dispatches, not both"),
    ("dispatches judged as a session", SHOT + "expect_played: {}",
     "f:4:1: expect_played: nothing is played; dispatches that are fired have expect"),
    ("no description", HEAD + "config: c\nplay: {}", "f:4:1: play: one of session and session_file is needed"),
    ("two descriptions", HEAD + "config: c\nplay: {session: {}, session_file: x}",
     "f:4:1: play: one of session and session_file is needed"),
    ("a session without a configuration", HEAD + "play: {session: {}}",
     "f:3:1: play: a session is played under a configuration"),
    ("questions that nobody hears", HEAD + "config: c\nplay: {session: {}}\nexpect_played: {questions: []}",
     "f:5:17: expect_played.questions: questions are seen where the scenario answers them"),
    ("some dispatches selected", HEAD + "config: c\nplay: {session: {}}\n"
     "expect_played: {dispatches: [{in: {point: a}}, {decision: x}]}",
     "f:5:48: expect_played.dispatches[1]: either all of them say in which dispatches"),
    ("a selection where there is nothing to select", SHOT + "expect: [{in: {point: a}}]",
     "f:4:11: expect[0].in: unknown key"),
    ("an unknown reply", HEAD + "play: {answers: [twice]}", "f:3:18: play.answers[0]: no such word 'twice'"),
    ("an unknown key of a reply", HEAD + "play: {answers: [{anser: once}]}",
     "f:3:19: play.answers[0].anser: unknown key; did you mean 'answer'?"),
    ("an unknown key of a selection", HEAD + "play: {steer: [{in: {poin: x}}]}",
     "f:3:22: play.steer[0].in.poin: unknown key; did you mean 'point'?"),
    ("an unknown expectation of a session", HEAD + "expect_played: {dispatchs: []}",
     "f:3:17: expect_played.dispatchs: unknown key; did you mean 'dispatches'?"),
    ("a config error that is played", HEAD + "config_error: {code: X}\nexpect_played: {status: x}",
     "f:4:1: expect_played: there is nothing to dispatch where config_error is expected"),
    *((f"a claim without a claim under {key}", SHOT + f"expect: [{{{key}: {claim}}}]",
       f"f:4:11: expect[0].{key}: {sentence}")
      for key, claim, sentence in [
          ("payload", "{}", "it claims nothing; say `is` or `contains`"),
          ("payload", "{jmespath: model}", "it claims nothing; say `is` or `contains`"),
          ("payload", "[]", "it cannot be empty"),
          ("payload", "{contains: {}}", "everything contains this; say what is in it, or `is`"),
          ("payload", "{contains: ''}", "everything contains this"),
          ("extras", "{contains: []}", "everything contains this"),
          ("took_ms", "{}", "everything takes so long; say at_least or at_most"),
          ("took_ms", "{at_least: 0}", "everything takes so long"),
          ("steps", "[]", "it cannot be empty"),
          ("rules", "[]", "it cannot be empty"),
          ("metrics", "[]", "it cannot be empty"),
          ("facts", "[]", "it cannot be empty"),
      ]),
    ("a claim without a claim below", SHOT + "expect: [{asked: [{subscriber: a, payload: [{is: 1}, {}]}]}]",
     "f:4:54: expect[0].asked[0].payload[1]: it claims nothing"),
    ("any fact", SHOT + "expect: [{facts: [{}]}]", "f:4:19: expect[0].facts[0]: it cannot be empty"),
    ("any reason", SHOT + "expect: [{steps: [{subscriber: a, why: ''}]}]",
     "f:4:35: expect[0].steps[0].why: it cannot be empty"),
    ("any outcome", SHOT + "expect: [{steps: [{subscriber: a, outcome: {}}]}]",
     "f:4:35: expect[0].steps[0].outcome: it cannot be empty"),
    ("any message", SHOT + "expect: [{errors: [{message: ''}]}]", "f:4:21: expect[0].errors[0].message: it cannot be"),
    ("any attributes", SHOT + "expect: [{spans: {attributes: {}}}]",
     "f:4:19: expect[0].spans.attributes: it cannot be empty"),
    ("any error of a span", SHOT + "expect: [{spans: {error: ''}}]",
     "f:4:19: expect[0].spans.error: it cannot be empty"),
    ("any stretches", HEAD + "expect_played: {stretches: []}", "f:3:17: expect_played.stretches: it cannot be empty"),
    ("any totals", HEAD + "expect_played: {totals: {}}", "f:3:17: expect_played.totals: it claims nothing"),
    ("any refusal of a code", HEAD + "config_error: {code: ''}", "f:3:16: config_error.code: it cannot be empty"),
    ("an unknown metric", SHOT + "expect: [{metrics: [{name: pluggableharness.hook.erors, value: 0}]}]",
     "f:4:22: expect[0].metrics[0].name: pluggable publishes no metric 'pluggableharness.hook.erors'; "
     "did you mean 'pluggableharness.hook.errors'?"),
    ("a metric where there are none", SHOT.replace("pluggable", "rig") + "expect: [{metrics: [{name: x, value: 0}]}]",
     "f:4:22: expect[0].metrics[0].name: rig publishes no metric 'x'; there are none"),
    ("an unknown attribute", SHOT + "expect: [{metrics: [{name: pluggableharness.hook.errors, value: 0, attributes: "
     "{pluggableharness.hook.pont: x}}]}]",
     "f:4:81: expect[0].metrics[0].attributes['pluggableharness.hook.pont']: pluggableharness.hook.errors has no "
     "attribute 'pluggableharness.hook.pont'; did you mean 'pluggableharness.hook.point'?"),
    *((f"an unknown rule under {key}", SHOT + f"expect: [{{{key}: {value}}}]",
       "pluggable has no rule 'PL-VETO-TIMEOT'; did you mean 'PL-VETO-TIMEOUT'?")
      for key, value in [
          ("rule", "PL-VETO-TIMEOT"),
          ("rules", "[PL-VETO-TIMEOT]"),
          ("steps", "[{subscriber: a, rule: PL-VETO-TIMEOT}]"),
          ("errors", "[{rule: PL-VETO-TIMEOT}]"),
          ("not_reached", "[a, {subscriber: a, rule: PL-VETO-TIMEOT}]"),
          ("decisions", "[{rule: PL-VETO-TIMEOT}]"),
          ("facts", "[{rule: PL-VETO-TIMEOT}]"),
      ]),
    ("an unknown rule of a session", HEAD + "config: c\nplay: {session: {}}\n"
     "expect_played: {dispatches: [{rules: [PL-GATE-VETO]}, {rules: [PL-GATE-VETOO]}]}",
     "f:5:64: expect_played.dispatches[1].rules[0]: pluggable has no rule 'PL-GATE-VETOO'"),
    ("the first of several", SHOT + "expect: [{rules: [PL-NOPE]}]\n---\n" + HEAD + "fre: 1",
     "f:4:19: expect[0].rules[0]: pluggable has no rule 'PL-NOPE'"),
    ("the second document", SHOT + "---\n" + HEAD + "fre: 1", "f:7:1: fre: unknown key; did you mean 'fire'?"),
    ("the second of a list", "- {scenario: a, dialect: b, fire: [{point: c}]}\n- {scenaro: a}",
     "f:2:4: scenaro: unknown key"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_said_with_place_key_and_remedy(text: str, sentence: str) -> None:
    """One sentence, which an editor can jump to."""
    with pytest.raises(BadInput) as raised:
        parse(text.encode(), Path("f"))
    assert str(raised.value).startswith(sentence) or (not sentence.startswith("f") and sentence in str(raised.value))
    assert "\n" not in str(raised.value)


def test_several_scenarios_stand_in_documents_and_lists() -> None:
    """In the order of the file, each with its own place."""
    one = "{scenario: %s, dialect: pluggable, fire: [{point: a}]}"
    text = f"---\n{one % 'a'}\n---\n- {one % 'b'}\n- {one % 'c'}\n---\n"
    found = parse(text.encode(), Path("f"))
    assert [(each.name, each.place.line) for each in found] == [("a", 2), ("b", 4), ("c", 5)]


def test_files_are_found_by_name_and_in_folders(tmp_path: Path) -> None:
    """A folder stands for its scenario files, sorted; a file is a file, whatever it is called; nothing comes twice."""
    for name in ("b.scenario.yaml", "inner/a.scenario.yaml", "other.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(scenario())
    first, second, other = (tmp_path / name for name in ("b.scenario.yaml", "inner/a.scenario.yaml", "other.yaml"))
    assert find([tmp_path]) == [first, second]
    assert find([other, tmp_path, second]) == [other, first, second]
    assert [loaded.file for loaded in load(other)] == [other]
    for name in (".c.scenario.yaml", ".hidden/d.scenario.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("broken: [")
    assert find([tmp_path]) == [first, second]
    assert find([tmp_path / ".hidden"]) == [tmp_path / ".hidden/d.scenario.yaml"]  # it was named
    with pytest.raises(BadInput, match="does not exist"):
        find([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"holds no \*\.scenario\.yaml"):
        find([tmp_path / "empty"])


def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    """A folder in the place of a file, for example."""
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_a_path_is_written_as_people_write_it() -> None:
    """Names with dots, positions in brackets."""
    assert dotted(("expect", 0, "steps", 12, "why")) == "expect[0].steps[12].why"
    assert dotted((0, "a")) == "[0].a"
    assert dotted(("files", "agent.hcl", "\x1b[2J")) == r"files['agent.hcl']['\x1b[2J']"
    assert dotted(("a" * 99,)).endswith("...]")


_KEYS = st.sampled_from(
    [*Scenario.__struct_encode_fields__, "point", "name", "mode", "stub", "payload", "is", "contains", "jmespath",
     "children", "subscriber", "answer", "hang"]
)  # fmt: skip
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["pluggable", "unchanged", "virtual", "plan-ready", "veto", "deny", "ok"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS | st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(_VALUES)
def test_no_value_in_a_file_gives_a_traceback(value: object) -> None:
    """Whatever stands there, it is a scenario or a sentence."""
    import yaml

    text = yaml.safe_dump(value, allow_unicode=True)
    error = refusal(lambda: parse(text.encode("utf-8", "surrogatepass"), Path("f")))
    assert error is None or error.message


@pytest.mark.timeout(400)
@given(st.dictionaries(st.sampled_from(Scenario.__struct_encode_fields__), _VALUES))
def test_no_value_of_a_key_gives_a_traceback(members: dict[str, object]) -> None:
    """The same for mappings that begin like scenarios."""
    import yaml

    text = yaml.safe_dump({"scenario": "s", "dialect": "pluggable", **members}, allow_unicode=True)
    error = refusal(lambda: parse(text.encode("utf-8", "surrogatepass"), Path("f")))
    assert error is None or error.message
