"""Claims about setting a scenario up: seats, who sits in them, payloads, and how wrong ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario_texts import loaded, scenario

from debugger.scenario import stage
from debugger.scenario.stage import Stage
from kernel.errors import BadInput
from kernel.reach import GoPlugin
from kernel.values import Producer

CONFIG = """config:
  files:
    agent.hcl: |
      provider "A" {}
      provider "B" {}
      hook "plan-ready" {
        provider = "A"
        mode     = "veto"
      }
      hook "plan-ready" {
        provider = "B"
        mode     = "observe"
      }
      hook "session-end" {
        provider = "A"
        mode     = "observe"
      }
    config.hcl: |
      dev_overrides {
        A = "a-program"
        B = "b-program"
      }"""


NO_PROGRAMS = CONFIG.partition("    config.hcl")[0].rstrip()
NO_VARIABLE = CONFIG.replace(
    'provider "A" {}',
    """provider "A" {
        environment {
          T = env("HOOKSCOPE_NOBODY_SETS_THIS")
        }
      }""",
)


def staged(text: str, file: Path = Path("f.scenario.yaml")) -> Stage:
    found = loaded(text, file)
    with stage.materials(found) as config:
        return stage.staged(found, config)


def seats(setting: Stage, point: str) -> list[tuple[str, str, int | None, bool]]:
    """Name, mode, deadline, and whether it is a program."""
    return [
        (seat.name, seat.mode, seat.timeout_ms, seat.reach is not None) for seat in setting.chains[point].subscriptions
    ]


def test_seats_without_a_configuration_come_in_the_order_of_the_file() -> None:
    """The deadline is the seat's own, the scenario's, or the dialect's."""
    chain = """
  - {name: B, point: plan-ready, mode: veto, stub: allow, timeout_ms: 7}
  - {name: A, point: plan-ready, mode: observe, stub: ack, producer: {name: a, version: "2", category: model}}"""
    setting = staged(scenario(chain, fire="{point: plan-ready}"))
    assert seats(setting, "plan-ready") == [("B", "veto", 7, False), ("A", "observe", 5000, False)]
    assert [seat.producer for seat in setting.chains["plan-ready"].subscriptions] == [
        Producer("B", category="tool"),
        Producer("a", "2", category="model"),
    ]
    setting = staged(scenario(chain, fire="{point: plan-ready}", more="timeout_ms: 9"))
    assert [timeout for _, _, timeout, _ in seats(setting, "plan-ready")] == [7, 9]


def test_a_configuration_brings_seats_and_programs() -> None:
    """Whoever is not named by the scenario is the real program."""
    setting = staged(scenario(more=CONFIG))
    assert seats(setting, "plan-ready") == [("A", "veto", 5000, True), ("B", "observe", 5000, True)]


def test_a_subscriber_without_a_point_takes_every_seat_of_its_name() -> None:
    """Its program is not started at all."""
    setting = staged(scenario("[{name: A, stub: pass}]", more=CONFIG))
    assert seats(setting, "plan-ready") == [("A", "veto", 5000, False), ("B", "observe", 5000, True)]
    assert seats(setting, "session-end") == [("A", "observe", 5000, False)]
    assert setting.stubs.keys() == {("A", "")}


def test_a_subscriber_with_a_point_takes_that_seat_and_changes_it() -> None:
    """Mode and deadline where it says so; the place in the chain stays."""
    setting = staged(scenario("[{name: A, point: plan-ready, mode: observe, timeout_ms: 3, stub: ack}]", more=CONFIG))
    assert seats(setting, "plan-ready") == [("A", "observe", 3, False), ("B", "observe", 5000, True)]
    assert seats(setting, "session-end") == [("A", "observe", 5000, True)]


def test_only_the_deadline_of_a_real_program_can_be_changed_too() -> None:
    """A subscriber that names no way to reach it keeps the one that it has."""
    setting = staged(scenario("[{name: B, timeout_ms: 3}]", more=CONFIG))
    assert seats(setting, "plan-ready")[1] == ("B", "observe", 3, True)


def test_a_new_subscriber_sits_behind_those_of_the_configuration() -> None:
    """In the order of the file."""
    setting = staged(scenario("[{name: C, point: plan-ready, mode: veto, stub: deny}]", more=CONFIG))
    assert [name for name, _, _, _ in seats(setting, "plan-ready")] == ["A", "B", "C"]


def test_a_process_is_a_program_in_the_folder_of_the_scenario(tmp_path: Path) -> None:
    """Python is ours, a file beside the scenario is that file, anything else is looked for."""
    (tmp_path / "own").write_text("")
    chain = """
  - {name: A, point: plan-ready, mode: veto, process: [python, x.py], env: {K: v}}
  - {name: B, point: plan-ready, mode: veto, process: [own]}
  - {name: C, point: plan-ready, mode: veto, process: [no-such-program-anywhere]}"""
    setting = staged(scenario(chain), tmp_path / "f.yaml")
    reaches = [seat.reach for seat in setting.chains["plan-ready"].subscriptions]
    assert all(isinstance(reach, GoPlugin) and reach.cwd == str(tmp_path) for reach in reaches)
    first, second, third = (reach for reach in reaches if isinstance(reach, GoPlugin))
    assert (first.argv[0][0], first.argv[1], first.env) == ("/", "x.py", (("K", "v"),))
    assert second.argv == (str(tmp_path / "own"),)
    assert third.argv == ("no-such-program-anywhere",)


def test_the_kernels_own_veto_sits_before_every_plugin() -> None:
    """Whatever its place in the file, and without a producer."""
    chain = """
  - {name: A, point: plan-ready, mode: veto, stub: allow}
  - {name: K, point: plan-ready, mode: veto, options: {kernel: true}, stub: allow}"""
    seats_of = staged(scenario(chain)).chains["plan-ready"].subscriptions
    assert [(seat.name, seat.producer is None) for seat in seats_of] == [("K", True), ("A", False)]


WRONG = [
    ("dialect", scenario().replace("pluggable", "plugable"), "f.scenario.yaml:2:1: dialect: no dialect 'plugable'"),
    ("switch", scenario(more="switches: {concurrent_observ: true}"),
     "f.scenario.yaml:3:12: switches.concurrent_observ: pluggable has no such switch; did you mean 'concurrent_obser"),
    ("config", scenario(more="config: nowhere"), "f.scenario.yaml:3:1: config: "),
    ("no config", scenario(more="config: {options: {}}"), "config: a path or files are needed"),
    ("file outside", scenario(more="config: {files: {../x: ''}}"), "a relative path without '..' is needed"),
    ("file at the root", scenario(more="config: {files: {/x: ''}}"), "a relative path without '..' is needed"),
    ("option", scenario(more=CONFIG + "\n  options: {implict: []}"), "implict"),
    ("point", scenario("[{name: A, point: plan-redy, mode: veto, stub: deny}]"),
     "f.scenario.yaml:3:25: subscribers[0].point: ErrUnknownPoint: no hook point 'plan-redy'; did you mean 'plan-re"),
    ("mode", scenario("[{name: A, point: plan-ready, mode: vto, stub: deny}]"), "ErrUnknownMode: no mode 'vto'"),
    ("no mode", scenario("[{name: A, point: plan-ready, stub: deny}]"), "ErrUnknownMode"),
    ("veto", scenario("[{name: A, point: session-end, mode: veto, stub: deny}]"), "ErrVetoNotPermitted"),
    ("nobody", scenario("[{name: A, point: plan-ready, mode: veto}]"),
     "subscribers[0]: one of stub, in_process and process is needed"),
    ("two ways", scenario("[{name: A, point: plan-ready, mode: veto, stub: deny, process: [x]}]"),
     "one way to reach it is enough, not stub and process"),
    ("env", scenario("[{name: A, point: plan-ready, mode: veto, stub: deny, env: {A: b}}]"),
     "subscribers[0].env: only a process has an environment"),
    ("no seat", scenario("[{name: C, stub: deny}]", more=CONFIG),
     "subscribers[0].name: no configuration has a seat for 'C'"),
    ("twice", scenario("[{name: A, point: plan-ready, mode: veto, stub: deny},"
                       " {name: A, point: plan-ready, mode: observe, stub: ack}]"), "ErrDuplicateSubscription"),
    ("twice in a seat", scenario("[{name: A, stub: pass}, {name: A, stub: pass}]", more=CONFIG), "'A' is there twice"),
    ("deadline of the kernel", scenario(
        "[{name: K, point: plan-ready, mode: veto, timeout_ms: 5, stub: deny, options: {kernel: true}}]"),
     "subscribers[0].timeout_ms: a seat with the option 'kernel' has the deadline of those that name none"),
    ("option of a seat", scenario("[{name: A, point: plan-ready, mode: veto, stub: deny, options: {kernl: true}}]"),
     "subscribers[0]: no option kernl"),
    ("kernel that observes",
     scenario("[{name: A, point: plan-ready, mode: observe, stub: ack, options: {kernel: true}}]"),
     "the kernel's own seat is a veto"),
    ("two programs", scenario("[{name: A, point: plan-ready, process: [x]}]", more=CONFIG),
     "'A' would be two programs"),
    ("context-assemble", scenario("[{name: A, point: context-assemble, mode: observe, stub: ack}]"),
     "subscribers[0].point: ErrUnknownPoint: context-assemble takes no hooks; context plugins are asked there th"),
    ("a negative deadline", scenario("[{name: A, point: plan-ready, mode: veto, stub: deny, timeout_ms: -1}]"),
     "f.scenario.yaml:3:15: subscribers[0]: ErrInvalidTimeout: timeout_ms is -1"),
    ("a negative deadline of a seat", scenario("[{name: A, stub: pass, timeout_ms: -1}]", more=CONFIG),
     "subscribers[0]: ErrInvalidTimeout: timeout_ms is -1"),
    ("a deadline for all of 0", scenario("[{name: A, point: nowhere, stub: deny}]", more="timeout_ms: 0"),
     ": timeout_ms: ErrInvalidTimeout: "),
    ("no program", scenario("[{name: A, stub: pass}]", fire="{point: plan-ready}", more=NO_PROGRAMS),
     "provider 'B' has no program; name its program in config.hcl"),
    ("no program in some seat", scenario("[{name: A, point: plan-ready, stub: allow}, {name: B, stub: ack}]",
     fire="{point: plan-ready}, {point: session-end}", expect="{}, {}", more=NO_PROGRAMS),
     "provider 'A' has no program"),
    ("no variable", scenario("[{name: B, stub: ack}]", fire="{point: plan-ready}", more=NO_VARIABLE), "ErrEnvUnset"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_cannot_be_set_up_is_said_with_its_key(text: str, sentence: str) -> None:
    """And with the place in the scenario file."""
    with pytest.raises(BadInput) as raised:
        staged(text)
    assert sentence in str(raised.value)
    assert raised.value.place is not None


@pytest.mark.parametrize(
    ("subscribers", "fire"),
    [
        ("[{name: A, stub: pass}, {name: B, stub: ack}]", "{point: plan-ready}, {point: session-end}"),
        ("[{name: A, point: session-end, stub: ack}]", "{point: session-end}"),
        ("[{name: A, point: session-end, in_process: 'json:loads'}]", "{point: session-end}"),
        ("[{name: A, process: [a]}, {name: B, process: [b]}]", "{point: plan-ready}"),
        ("[]", "{point: session-start}"),
    ],
)
@pytest.mark.parametrize("config", [NO_PROGRAMS, NO_VARIABLE.partition("    config.hcl")[0].rstrip()])
def test_whoever_is_asked_is_enough(subscribers: str, fire: str, config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat with somebody else in it, and one that is never asked, need no program and no environment."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")
    expect = ", ".join("{}" for _ in fire.split(", "))
    setting = staged(scenario(subscribers, fire=fire, expect=expect, more=config))
    assert setting.setup is not None
    assert list(setting.setup.missing) == ["A", "B"]


@pytest.mark.parametrize(
    ("fire", "view"),
    [
        ("{point: session-end, payload: {session_id: x}}", {"session_id": "x"}),
        ("{point: session-end, payload_bytes: 42 03 0a 01 79}", {"session_id": "y"}),
        ("{point: session-end, payload_file: p.json}", {"session_id": "z"}),
    ],
)
def test_a_payload_is_json_or_a_file_or_bytes(tmp_path: Path, fire: str, view: object) -> None:
    """A file is beside the scenario."""
    (tmp_path / "p.json").write_text('{"session_id": "z"}')
    found = loaded(scenario(fire=fire), tmp_path / "f.yaml")
    payload = stage.staged(found, None).payload(found.scenario.fire[0], found, ("fire", 0))
    assert payload.view == view


def test_without_a_payload_there_is_a_sample_or_the_prepared_one() -> None:
    """As `fire` has it."""
    found = loaded(scenario())
    payload = stage.staged(found, None).payload(found.scenario.fire[0], found, ("fire", 0))
    assert payload.view
    sample = Path(__file__).parents[3] / "sample_configs"
    found = loaded(scenario(fire="{point: plan-ready}", more="config: first_chain"), sample / "f.yaml")
    payload = stage.staged(found, sample / "first_chain").payload(found.scenario.fire[0], found, ("fire", 0))
    assert isinstance(payload.view, dict)
    assert (sample / "first_chain/payloads/plan-ready.json").read_text().count(payload.view["plan"]["turn_id"])  # type: ignore[index,call-overload,arg-type]


@pytest.mark.parametrize(
    ("fire", "sentence"),
    [
        (
            "{point: session-end, payload: {}, payload_bytes: ''}",
            "one payload is enough, not payload and payload_bytes",
        ),
        ("{point: session-end, payload: {sesion_id: x}}", "fire[0].payload: $: SessionEndPayload has no member"),
        (
            "{point: session-end, payload_point: ''}",
            "fire[0].payload_point: nobody's payload cannot be written as JSON",
        ),
        ("{point: session-end, payload_point: '', payload: {}}", "give its own form as payload_bytes"),
        ("{point: session-end, payload_bytes: xx}", "fire[0].payload_bytes: not hexadecimal"),
        ("{point: session-end, payload_bytes: ff}", "fire[0].payload_bytes: not a HookPayload"),
        ("{point: session-end, payload_file: nowhere.json}", "nowhere.json cannot be read"),
    ],
)
def test_a_payload_that_is_none_is_said_with_its_key(fire: str, sentence: str) -> None:
    """And with the place in the scenario file, unless the payload's file has one."""
    found = loaded(scenario(fire=fire))
    with pytest.raises(BadInput) as raised:
        stage.staged(found, None).payload(found.scenario.fire[0], found, ("fire", 0))
    assert sentence in str(raised.value)


def test_callables_are_found_in_modules_and_in_files(tmp_path: Path) -> None:
    """A file is read anew: two folders may have one of the same name."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.py").write_text(f"def answer(request):\n    return b'{name}'\n")
    assert [stage.callee("x.py:answer", tmp_path / name)(b"") for name in ("one", "two")] == [b"one", b"two"]
    assert stage.callee("json:dumps", tmp_path)(b"x".decode()) == '"x"'  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("x", "neither module:attribute nor file.py:attribute"),
        ("no_such_module:x", "cannot be had: ModuleNotFoundError"),
        ("json:no_such", "cannot be had: AttributeError"),
        ("nowhere.py:x", "cannot be had: FileNotFoundError"),
        ("json:__name__", "cannot be called"),
    ],
)
def test_a_callable_that_is_not_there_is_bad_input(tmp_path: Path, target: str, sentence: str) -> None:
    """Whatever goes wrong in somebody else's module."""
    with pytest.raises(BadInput) as raised:
        stage.callee(target, tmp_path)
    assert sentence in str(raised.value)
