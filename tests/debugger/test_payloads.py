"""Payloads from files: which are found, and where a bad one says it is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pluggable_payloads import VIEWS, payload
from plugin_runs import ROOT
from session_runs import setup_of

from debugger.json_text import decode
from debugger.payloads import default, editable, generated, parse, read, samples, session
from debugger.views.text import visible
from kernel.dialects import load_setup
from kernel.dialects.pluggable import Pluggable
from kernel.errors import BadInput
from kernel.setup import Setup
from kernel.values import JSON, Place
from sample_configs import FIRST_CHAIN

PRE, PLAN = "pre-model-call", "plan-ready"


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """A configuration in a folder of its own; payloads may lie beside it."""
    (tmp_path / "payloads").mkdir()
    return replace(setup_of("A:o", PRE), path=tmp_path / "agent.hcl")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("{", 1, 2),
        ('{"a": }', 1, 7),
        ('{\n  "a": 1,\n  "b": oops\n}', 3, 8),
        ('{"é日": oops}', 1, 8),
        ('{\n"a": 1} x', 2, 9),
        ("[1, 2", 1, 6),
        ("\n\n  nul", 3, 6),
    ],
)  # fmt: skip
def test_what_is_no_json_names_line_and_column(tmp_path: Path, text: str, line: int, column: int) -> None:
    """Counted in characters from 1, as editors count; the file comes first."""
    path = tmp_path / "payload.json"
    path.write_text(text)
    with pytest.raises(BadInput, match="not JSON") as error:
        read(Pluggable(), PRE, path)
    assert error.value.place == Place(str(path), line, column)
    assert str(error.value).startswith(f"{path}:{line}:{column}: not JSON: ")


@pytest.mark.parametrize("text", [b"\xff\xfe", b'{"a": "\xff"}', b"[" * 100_000])
def test_bytes_that_no_editor_wrote_are_bad_input_too(text: bytes) -> None:
    """Not UTF-8, or nested beyond reason: a sentence with a place, never another exception."""
    with pytest.raises(BadInput, match=r"^standard input:1:"):
        decode(text, "standard input")


def test_json_that_is_no_payload_names_file_and_path(tmp_path: Path) -> None:
    """The text is fine, so the place is the path inside."""
    path = tmp_path / "payload.json"
    path.write_text('{"messages": [{"role": "ROLE_KING"}]}')
    with pytest.raises(BadInput, match=r"messages\[0\]\.role") as error:
        read(Pluggable(), PRE, path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    """With its name and the system's reason; a folder cannot be read either."""
    for path, reason in ((tmp_path / "nowhere.json", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(BadInput, match=reason) as error:
            read(Pluggable(), PRE, path)
        assert str(path) in str(error.value)


def test_a_good_text_is_its_payload() -> None:
    """Whatever the text is called."""
    assert parse(Pluggable(), PLAN, b'{"plan": {"turn_id": "t"}}', "x").view == {"plan": {"turn_id": "t"}}


def test_samples_come_in_the_order_of_the_dialect_and_the_usual_one_first(setup: Setup) -> None:
    """Files named for a point are found; others beside them are nobody's business."""
    folder = setup.path.parent / "payloads"
    names = ["plan-ready.harmful.json", "plan-ready.json", f"{PRE}.json", "no-such-point.json", "plan-ready.txt"]
    for name in names:
        (folder / name).write_text("{}")
    assert [(each.point, each.name) for each in samples(setup)] == [(PRE, ""), (PLAN, ""), (PLAN, "harmful")]


def test_samples_are_found_from_the_folder_too() -> None:
    """Opened by its folder or by its file, a configuration has the same payloads."""
    by_file, by_folder = (load_setup(path) for path in (FIRST_CHAIN, FIRST_CHAIN.parent))
    assert [each.path.name for each in samples(by_file)] == [each.path.name for each in samples(by_folder)]
    assert len(samples(by_file)) == 3


def test_without_a_folder_of_payloads_there_are_none(tmp_path: Path) -> None:
    """That is no error: then the default is a generated one."""
    setup = replace(setup_of("A:o", PRE), path=tmp_path / "agent.hcl")
    assert samples(setup) == ()
    assert default(setup, PRE) == Pluggable().sample_payload(PRE)


def test_what_is_generated_is_what_can_be_fired() -> None:
    """As text that gives the payload back; whose point it is, a configuration says, or the point's name alone."""
    for point in Pluggable().points:
        text = generated(None, point, 7).encode()
        assert parse(Pluggable(), point, text, "text") == Pluggable().sample_payload(point, 7)
    assert generated(FIRST_CHAIN, PLAN, 7) == generated(None, PLAN, 7) != generated(None, PLAN, 8)


def test_a_point_that_no_dialect_has_is_bad_input() -> None:
    """With the points that there are; a configuration that is none is told as ever."""
    with pytest.raises(BadInput, match=r"no point 'plan-raedy'; .*pluggable has session-start, .*plan-ready"):
        generated(None, "plan-raedy", 0)
    with pytest.raises(BadInput, match="no hook point 'plan-raedy'"):
        generated(FIRST_CHAIN, "plan-raedy", 0)
    with pytest.raises(BadInput, match="nowhere does not exist"):
        generated(Path("nowhere"), PLAN, 0)


def test_the_default_is_the_usual_sample(setup: Setup) -> None:
    """A prepared payload of another point or another name is not."""
    folder = setup.path.parent / "payloads"
    (folder / "plan-ready.json").write_text('{"plan": {"turn_id": "usual"}}')
    (folder / "plan-ready.a.json").write_text('{"plan": {"turn_id": "other"}}')
    assert default(setup, PLAN).view == {"plan": {"turn_id": "usual"}}
    assert default(setup, PRE).view != payload(PRE).view


@pytest.mark.parametrize(
    "view",
    [
        VIEWS[PRE],
        {"a": "\x1b[31m red \x9b31m \u202e \u200b \U000e0041 é日本 ❤ \\u0041 \n \"quoted\""},
        {"\x9b": ["\x7f", 1.5, None, True, {}, []]},
    ],
)  # fmt: skip
def test_what_is_given_to_edit_says_the_same_and_cannot_steer_a_terminal(view: JSON) -> None:
    """Found by reading: C1 controls and bidi marks went into the editor raw. As escapes they survive the round trip."""
    text = editable(view)
    assert decode(text.encode(), "text") == view
    assert all(visible(line) == line for line in text.split("\n"))


def test_what_is_given_to_edit_stays_readable() -> None:
    """Letters of any script are themselves, a member a line."""
    assert editable({"a": "é日本", "b": [1]}) == '{\n  "a": "é日本",\n  "b": [\n    1\n  ]\n}'


AGENT = 'agent_profile "p" {\n  tools = []\n}\n'
SESSION = """{
  "profile": "p", "models": [{"provider": "p", "id": "m"}], "messages": [],
  "turns": [{"says": "a"}, MORE]
}"""


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('{"cals": []}', ":3:29: $.turns[1]: no key 'cals'; did you mean 'calls'?"),
        (
            '{"fails": ["overloaded", "no"]}',
            ":3:53: Invalid enum value 'no' - at `$.turns[1].fails[1]`; there is rate_",
        ),
        ('{"takes_ms": "7"}', ":3:41: Expected `float`, got `str` - at `$.turns[1].takes_ms`"),
        ('{"calls": [{}]}', ":3:39: Object missing required field `tool` - at `$.turns[1].calls[0]`"),
        ('{"calls": [{"tool": "a.b", "id": "x"}, {"tool": "a.b", "id": "x"}]}', ":3:12: $.turns: the call id 'x' is u"),
        ("{]", ":3:29: not JSON"),
    ],
)
def test_a_description_is_wrong_at_a_line_and_a_column(tmp_path: Path, more: str, problem: str) -> None:
    """Of its file; what is no key is pointed at itself, and the path inside is told all the same."""
    (tmp_path / "agent.hcl").write_text(AGENT)
    path = tmp_path / "session.json"
    path.write_text(SESSION.replace("MORE", more))
    with pytest.raises(BadInput) as refused:
        session(tmp_path, path, {})
    assert str(refused.value).startswith(f"{path}{problem}")


def test_what_is_wrong_elsewhere_keeps_its_own_place(tmp_path: Path) -> None:
    """A mistake of the configuration, a profile that is not there, a file that is not there."""
    path, agent = tmp_path / "session.json", tmp_path / "agent.hcl"
    path.write_text(SESSION.replace("MORE", "{}"))
    agent.write_text('hook "$.turns[0]" {\n}\n')
    with pytest.raises(BadInput) as refused:
        session(tmp_path, path, {})
    assert refused.value.place == Place(str(agent), 1, 1)
    agent.write_text("")
    with pytest.raises(BadInput, match=r"\Ano agent_profile 'p'"):
        session(tmp_path, path, {})
    with pytest.raises(BadInput, match=r"none\.json cannot be read"):
        session(tmp_path, tmp_path / "none.json", {})


@pytest.mark.parametrize(
    ("config", "text", "problem"),
    [
        ("hookbus/plugins", '{"steps": [{"usr": "x"}]}', ":1:13: $.steps[0]: no key 'usr'; did you mean 'user'?"),
        ("rig", '{\n"zzz": 1}', ":2:1: $: no key 'zzz'"),
    ],
)
def test_sessions_of_every_dialect_are_wrong_somewhere(tmp_path: Path, config: str, text: str, problem: str) -> None:
    """The words are the dialect's, the place is found in the same way."""
    path = tmp_path / "session.json"
    path.write_text(text)
    with pytest.raises(BadInput) as refused:
        session(ROOT / "sample_configs" / config, path, {})
    assert str(refused.value).startswith(f"{path}{problem}")
