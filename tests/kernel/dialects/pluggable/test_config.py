"""agent.hcl and config.hcl: the configuration cases of the specification (C.8), registry order, programs, secrets."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pluggable_configs import ENVIRON, GATE, S3, hook, in_settings, loaded, policy, profile

from kernel import hcl
from kernel.dialects.pluggable import config
from kernel.dialects.pluggable.agent_hcl.options import Implicit, Options, options_of
from kernel.dialects.pluggable.agent_hcl.overrides import Program
from kernel.dialects.pluggable.agent_hcl.registry import chains
from kernel.dialects.pluggable.agent_hcl.settings import (
    AgentConfig,
    AgentProfile,
    DoomLoop,
    EventBus,
    ModelChoice,
    ModelRef,
    Observability,
    PolicyRule,
    Retry,
    Settings,
)
from kernel.dialects.pluggable.dialect import PLUGGABLE
from kernel.dialects.pluggable.points import COOKIE, METHOD, POINTS, Mode
from kernel.dialects.pluggable.walk import PluggableWalk
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_request_pb2
from kernel.errors import BadInput
from kernel.reach import GoPlugin, Secret
from kernel.values import JSON, Chain, Place, Producer, Subscription


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('provider "g" {\nroot = env("HOME")\nnested {\nx = [1]\n}\n}', id="free provider body"),
        pytest.param("required_providers {\n}", id="nothing required"),
        pytest.param(policy('{ "tool_name" = "x", risk = "low", kind = "resource" }', '"ask"'), id="quoted key"),
        pytest.param(profile('tools = []\nslash_commands = ["/x"]\nmax_cost_usd = 0.5\nmax_turns = 3'), id="profile"),
    ],
)
def test_what_the_host_loads_is_loaded(text: str) -> None:
    """Whatever the host's loader accepts is accepted, also where a later stage will refuse it."""
    assert isinstance(loaded(text), AgentConfig)


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        pytest.param(hook("plan-ready", more="timeout_ms = true"), 4, 14, "a number, not true", id="no number"),
        pytest.param(hook("plan-ready", more="timeout_ms = 2 / 0"), 4, 14, "divides by 0", id="arithmetic"),
        pytest.param(hook("plan-ready", more='timeout_ms = true ? 5 : "x"'), 4, 21, 'not "5"', id="common type"),
        pytest.param(hook("plan-ready", more="timeout_ms = [5, 6][2]"), 4, 20, "that is not there", id="index"),
        pytest.param(policy('{ tool_name = "${"a"}" }') + policy('{ tool_name = "a" }'), 5, 1, "Conflict", id="same"),
        pytest.param(hook("plan-ready", more="timeout = 1"), 4, 1, "did you mean 'timeout_ms'?", id="near argument"),
        pytest.param('hok "plan-ready" {\n}', 1, 1, "did you mean 'hook'?", id="near block"),
        pytest.param("settings = {}", 1, 1, "is a block", id="block as argument"),
        pytest.param("settings {\nlog_level {}\n}", 2, 1, "is an argument", id="argument as block"),
        pytest.param('settings "x" {\n}', 1, 10, "no label", id="label too many"),
        pytest.param(policy("{ tool_name = null }"), 2, 23, "text in quotes, not null", id="null in a match"),
        pytest.param(policy("{ toolname = x }"), 2, 22, "names a variable", id="variable under an ignored key"),
        pytest.param(policy('{ kind = env("K") }'), 2, 18, "functions cannot be called", id="function in a match"),
        pytest.param(profile("tools = [1]"), 2, 10, "tools[0] must be text", id="no text in a list"),
        pytest.param(profile("max_turns = null"), 2, 13, "must be a number, not null", id="null for a number"),
        pytest.param(profile('model {\nprimary {\nprovider = "g"\n}\n}'), 3, 1, "needs id", id="model without id"),
        pytest.param(
            'provider "g" {\nenvironment {\nA = env("")\n}\n}', 3, 5, "ErrEnvNameEmpty", id="variable without a name"
        ),
        pytest.param(
            'provider "g" {\nenvironment {\nA = "\\u0000"\n}\n}', 3, 5, "ErrEnvValueUnusable", id="NUL in a value"
        ),
    ],
)
def test_what_the_host_refuses_to_load_is_refused_at_its_place(text: str, line: int, column: int, part: str) -> None:
    """Each mistake is named, with the sentinel where the host has one, where the mistake stands."""
    with pytest.raises(BadInput) as caught:
        loaded(text)
    assert part in str(caught.value)
    assert caught.value.place == Place("f", line, column)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        pytest.param(
            in_settings("default_hook_timeout_ms = 0") + "\n" + hook("nowhere"), 5, "ErrInvalidTimeout", id="C17"
        ),
        pytest.param(hook("plan-ready", more="timeout_ms = -5"), 4, "ErrInvalidTimeout: timeout_ms is -5", id="C33"),
        pytest.param(
            hook("plan_ready"), 1, "ErrUnknownPoint: no hook point 'plan_ready'; did you mean 'plan", id="C36"
        ),
        pytest.param(hook("context-assemble"), 1, "ContextService.Contribute", id="C37"),
        pytest.param(
            hook("session-start", "veto"),
            3,
            "ErrVetoNotPermitted: veto is not permitted at session-start; veto-bearing points are plan-ready and "
            "pre-tool-call",
            id="C38",
        ),
        pytest.param(hook("pre-model-call", "veto"), 3, "ErrVetoNotPermitted", id="C39"),
        pytest.param(
            hook("plan-ready") + hook("plan-ready", "veto"),
            6,
            "ErrDuplicateSubscription: 'g' already subscribes to plan-ready at f:1:1",
            id="C41",
        ),
        pytest.param(hook("plan-ready", provider="ghost"), 2, "ErrNotFound: provider 'ghost' is unknown", id="C43"),
        pytest.param('provider "x" {}\n' + hook("plan-ready", provider="x"), 2, "has no program", id="no program"),
        pytest.param(
            hook("plan-ready", provider="ghost") + hook("plan-ready") * 2, 11, "ErrDuplicateSub", id="late checks last"
        ),
        pytest.param(hook("nowhere") + hook("session-start", "veto"), 1, "ErrUnknownPoint", id="first entry first"),
        pytest.param(hook("session-start", "veto", more="timeout_ms = -1"), 3, "ErrVetoNot", id="mode before timeout"),
    ],
)
def test_chains_that_the_host_refuses_are_refused_in_its_order(text: str, line: int, part: str) -> None:
    """Checks run over every entry in turn; whether providers can be found is asked last."""
    config = loaded(text)
    with pytest.raises(BadInput) as caught:
        chains(config)
    assert part in str(caught.value)
    assert caught.value.place is not None
    assert caught.value.place.line == line


def test_every_point_has_a_chain() -> None:
    """Points without hooks have empty chains, in the order of the host's loop."""
    built = chains(loaded(""))
    assert list(built) == [point.label for point in POINTS]
    assert set(built.values()) == {Chain(point.label) for point in POINTS}


STAMP = (
    "OTEL_RESOURCE_ATTRIBUTES",
    "pluggableharness.producer.category=memory,pluggableharness.producer.name=g,"
    "pluggableharness.producer.version=~%3E+1.0",
)
"""By which a plugin's telemetry says whose it is, values escaped as in a query (spec E.1)."""


def test_a_subscription_says_who_is_asked_and_how() -> None:
    """A hook becomes a seat with its producer, its deadline, its program and its place."""
    text = (
        'required_providers {\ng = { source = "github.com/a/g", version = "~> 1.0", category = "memory" }\n}\n' + GATE
    )
    assert chains(loaded(text))["plan-ready"].subscriptions == (
        Subscription(
            name="g",
            point="plan-ready",
            mode="veto",
            timeout_ms=5000,
            producer=Producer("g", "~> 1.0", "github.com/a/g", "memory"),
            reach=GoPlugin(("/bin/g",), METHOD, COOKIE, cwd="/etc", env=(STAMP,)),
            place=Place("f", 4, 1),
        ),
    )


@pytest.mark.parametrize(
    ("hook_line", "settings_line", "timeout_ms"),
    [
        ("", "telemetry = true", 5000),
        ("", "default_hook_timeout_ms = 250", 250),
        ("timeout_ms = 500", "default_hook_timeout_ms = 250", 500),
        pytest.param("timeout_ms = 1.9", "telemetry = true", 1, id="C31"),
        pytest.param("timeout_ms = 0", "telemetry = true", 0, id="C32"),
    ],
)
def test_a_deadline_is_the_hooks_own_or_the_default(hook_line: str, settings_line: str, timeout_ms: int) -> None:
    """Fractions of a millisecond are cut off, and zero is a deadline and not the absence of one."""
    built = chains(loaded(in_settings(settings_line) + "\n" + hook("plan-ready", more=hook_line)))
    assert [seat.timeout_ms for seat in built["plan-ready"].subscriptions] == [timeout_ms]


def test_one_provider_may_sit_at_several_points() -> None:
    """C42: only the same point twice is a duplicate; C40: pre-tool-call bears a veto."""
    built = chains(loaded(hook("plan-ready") + hook("pre-tool-call", "veto")))
    assert [len(built[point].subscriptions) for point in ("plan-ready", "pre-tool-call")] == [1, 1]


def order(config: AgentConfig, point: str, implicit: tuple[Implicit, ...] = ()) -> list[str]:
    return [seat.name for seat in chains(config, Options(implicit=implicit))[point].subscriptions]


def test_a_chain_follows_the_text_across_files() -> None:
    """C80: the file's rank counts before the place in the file, and types of blocks do not matter."""
    late = "#" * 900 + "\n" + hook("plan-ready", provider="b")
    assert order(loaded(late, hook("plan-ready", provider="a")), "plan-ready") == ["b", "a"]


def test_an_implicit_subscription_sits_at_its_providers_block() -> None:
    """Vector 129: it takes part in the order of declaration, though no hook states it."""
    text = hook("session-end", provider="a") + 'provider "b" {}\n' + hook("session-end", provider="g")
    wish = Implicit("b", "session-end", "observe")
    assert order(loaded(text), "session-end", (wish,)) == ["a", "b", "g"]


@pytest.mark.parametrize(
    ("wish", "part"),
    [
        (Implicit("a", "session-end", "observe"), "ErrMissingPosition"),
        (
            Implicit("b", "session-end", "watch"),
            "ErrUnknownMode: no mode 'watch'; there is observe, transform and veto",
        ),
        (Implicit("b", "session-end", "veto"), "ErrVetoNotPermitted"),
        (Implicit("b", "nowhere", "observe"), "ErrUnknownPoint"),
    ],
)
def test_implicit_subscriptions_are_checked_before_hooks(wish: Implicit, part: str) -> None:
    """Even a hook that comes first in the text is looked at after them."""
    with pytest.raises(BadInput, match=part):
        chains(loaded(hook("nowhere") + 'provider "b" {}'), Options(implicit=(wish,)))


def test_a_hook_cannot_repeat_an_implicit_subscription() -> None:
    """One provider and one point make one subscription, whatever its origin."""
    config = loaded('provider "g" {}\n' + hook("plan-ready"))
    with pytest.raises(BadInput, match="ErrDuplicateSubscription"):
        chains(config, Options(implicit=(Implicit("g", "plan-ready", "veto"),)))


def test_settings_may_stand_in_one_file_only() -> None:
    """Files are merged before blocks are counted."""
    text = f"settings {{\n{S3}\n}}"
    with pytest.raises(BadInput, match="ErrDuplicateBlock: there is already a settings block at f:1:1") as caught:
        loaded(text, text)
    assert caught.value.place == Place("f1", 1, 1)


def test_settings_are_read_into_values() -> None:
    """Every argument arrives, whole numbers are cut towards zero, and the last block of a kind counts."""
    text = in_settings(
        "default_hook_timeout_ms = 250\ndefault_tool_timeout_ms = 9.9\nmax_depth = 0\n"
        "retry {\nbase_delay_ms = 1\nbackoff_factor = 1.5\nmax_retries = -1.9\n}\n"
        'observability {\nendpoint = "e:1"\nprotocol = "http"\nsampling_ratio = 0.25\ntraces_enabled = false\n'
        'metrics_enabled = false\nlogs_enabled = false\nexport_interval_ms = 7\nservice_name = "s"\n'
        'resource_attrs = { a = "1", "b c" = "2", a = "3" }\n}\n'
        "event_bus {\nsubscribe_queue_bound = 5\n}\nevent_bus {\nsubscribe_queue_bound = 6\n}\n"
        "doom_loop {\nthreshold = 4\n}"
    )
    assert loaded(text).settings == Settings(
        default_frontend="tui",
        log_level="info",
        telemetry=True,
        default_hook_timeout_ms=250,
        default_tool_timeout_ms=9,
        max_depth=0,
        retry=Retry(1, 1.5, -1),
        observability=Observability("e:1", "http", 0.25, False, False, False, 7, "s", (("a", "3"), ("b c", "2"))),
        event_bus=EventBus(6),
        doom_loop=DoomLoop(8, 4),
    )


def test_what_settings_leave_out_has_its_default() -> None:
    """The same without a settings block, except that nobody knows then which frontend was meant."""
    stated = loaded(f"settings {{\n{S3}\n}}").settings
    assert stated == Settings("tui", "info", True)
    assert loaded("").settings == Settings()
    assert (stated.default_hook_timeout_ms, stated.default_tool_timeout_ms, stated.max_depth) == (5000, 30_000, None)
    assert stated.retry == Retry(500, 2, 5)
    assert stated.observability == Observability(
        "localhost:4317", "grpc", 1.0, True, True, True, 10_000, "pluggableharness-agent", ()
    )
    assert (stated.event_bus, stated.doom_loop) == (EventBus(1024), DoomLoop(8, 3))


def test_policies_are_read_into_values() -> None:
    """In their order; what a rule does not look for is None, and an unknown key is nothing that it looks for."""
    text = policy('{ kind = "resource", risk = "high", fine = "x" }', '"ask"') + policy(
        '{ provider = "fs", tool_name = "rm" }', name="q"
    )
    assert loaded(text).policies == (
        PolicyRule("p", None, None, "high", "resource", "ask", Place("f", 1, 1)),
        PolicyRule("q", "rm", "fs", None, None, "deny", Place("f", 5, 1)),
    )


def test_profiles_are_read_into_values() -> None:
    """With the model that is tried first and those after it."""
    model = "\n".join(
        f'{kind} {{\nprovider = "p"\nid = "{name}"\n}}'
        for kind, name in (("fallback", "1"), ("primary", "2"), ("fallback", "3"))
    )
    text = profile(f'tools = ["fs.*"]\nmax_turns = 2.9\nmax_cost_usd = 0.5\nmodel {{\n{model}\n}}') + profile("", "b")
    assert loaded(text).profiles == (
        AgentProfile(
            "a",
            tools=("fs.*",),
            max_turns=2,
            max_cost_usd=0.5,
            model=ModelChoice(ModelRef("p", "2"), (ModelRef("p", "1"), ModelRef("p", "3"))),
            place=Place("f", 1, 1),
        ),
        AgentProfile("b", place=Place("f", 20, 1)),
    )


def test_of_conflicting_rules_the_first_pair_in_the_text_is_named() -> None:
    """The first rule that has a conflict at all, and the first of those that it has one with."""
    rules = ["{}", '{ risk = "low" }', '{ risk = "low" }', "{}"]
    text = "".join(policy(match, name=f"r{index}") for index, match in enumerate(rules))
    with pytest.raises(BadInput, match="rule 'r3' matches what rule 'r0' at f:1:1 matches"):
        loaded(text)


# -- where hosts differ ------------------------------------------------------------------------------------------

TWICE = hook("plan-ready") + hook("plan-ready", "veto", "a") + hook("plan-ready", "veto") + hook("session-end")


def test_a_plugin_may_sit_twice_at_a_point_where_that_is_asked_for() -> None:
    """H1: each of several seats has an id of its own, a single seat has none."""
    built = chains(loaded(TWICE), Options(repeated_subscriptions=True))
    assert [(seat.name, seat.mode, seat.id) for seat in built["plan-ready"].subscriptions] == [
        ("g", "observe", "g-1"),
        ("a", "veto", ""),
        ("g", "veto", "g-2"),
    ]
    assert [seat.id for seat in built["session-end"].subscriptions] == [""]
    asked = [walk.asks[0].request for walk in walks(built["plan-ready"])]
    requests = [rpc_request_pb2.DispatchHookRequest.FromString(request) for request in asked]
    assert [request.subscription_id for request in requests] == ["g-1", "", "g-2"]
    assert [request.HasField("subscription_id") for request in requests] == [True, False, True]
    with pytest.raises(BadInput, match="ErrDuplicateSubscription"):
        chains(loaded(TWICE))


def walks(chain: Chain) -> Iterator[PluggableWalk]:
    """For each seat a dispatch in which it is asked first."""
    payload = PLUGGABLE.payload_from_view(chain.point, {})
    for seat in chain.subscriptions:
        walk, _ = PLUGGABLE.open(Chain(chain.point, (seat,)), payload)
        yield walk


def test_a_hook_may_name_its_point_by_an_argument_where_that_is_asked_for() -> None:
    """C22: it is the same hook then as one with a label."""
    text = 'hook {\npoint = "plan-ready"\nprovider = "g"\nmode = "veto"\n}'
    (seen,) = loaded(text, options=Options(hook_attributes=True)).hooks
    assert (seen.point, seen.provider, seen.mode, seen.place) == ("plan-ready", "g", Mode.VETO, Place("f", 1, 1))


def test_a_point_that_a_plugin_does_not_offer_is_refused_unless_asked_for() -> None:
    """H21: what nobody has said is not held against anybody."""
    config_ = loaded(hook("plan-ready"))
    offered = {"g": ("session-end",), "a": ()}
    with pytest.raises(BadInput, match="ErrPointNotAdvertised: 'g' does not offer plan-ready; it offers session-end"):
        chains(config_, Options(advertised=offered))
    lenient = Options(advertised=offered, unadvertised_points=True)
    assert len(chains(config_, lenient)["plan-ready"].subscriptions) == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ({"generous": True}, "without an option 'generous'; it has hook_attributes"),
        ({"hook_attributes": "yes"}, "hook_attributes is true or false"),
        ({"implicit": [{"provider": "a"}]}, "provider, point and mode"),
        ({"implicit": "a"}, "provider, point and mode"),
        ({"advertised": {"a": "x"}}, "list of points for each provider"),
        ({"advertised": []}, "list of points for each provider"),
    ],
)
def test_wrong_options_are_refused(words: dict[str, JSON], part: str) -> None:
    """Options come from scenario files and command lines, so they can be wrong."""
    with pytest.raises(BadInput, match=part):
        options_of(words)


def test_options_come_out_of_words() -> None:
    """As they are written in a scenario."""
    words: dict[str, JSON] = {
        "repeated_subscriptions": True,
        "implicit": [{"provider": "b", "point": "session-end", "mode": "observe"}],
        "advertised": {"g": ["plan-ready"]},
    }
    assert options_of(words) == Options(
        repeated_subscriptions=True,
        implicit=(Implicit("b", "session-end", "observe"),),
        advertised={"g": ("plan-ready",)},
    )


@pytest.mark.parametrize("category", ['"modell"', "5", "null", '""'])
def test_an_unknown_category_is_ignored(category: str) -> None:
    """The host knows no such key (C.1), so nothing about it stops anybody."""
    config = loaded(f'required_providers {{\nfs = {{ source = "x", version = "1", category = {category} }}\n}}')
    assert {provider.name: provider.category for provider in config.providers}["fs"] == "tool"


# -- secrets -----------------------------------------------------------------------------------------------------

WITH_ENVIRONMENT = 'provider "g" {\nkeep = 1\nenvironment {\nB = "hunter2"\nA = env("TOKEN")\n}\n}\n' + GATE


def test_environment_values_reach_the_process_and_no_repr() -> None:
    """Values are looked up when chains are built, sorted by name, and never shown."""
    config = loaded(WITH_ENVIRONMENT)
    built = chains(config, environ={"TOKEN": "hunter3"})
    (seat,) = built["plan-ready"].subscriptions
    assert isinstance(seat.reach, GoPlugin)
    assert seat.reach.env[1:] == (("A", Secret("hunter3")), ("B", Secret("hunter2")))
    assert "hunter" not in repr(built) + repr(config)
    (provider,) = [each for each in config.providers if each.name == "g"]
    assert [attribute.name for attribute in provider.body.attributes] == ["keep"]


def test_a_variable_that_is_not_set_is_said_at_its_place() -> None:
    """C54's rule for environments: never an empty string instead."""
    with pytest.raises(BadInput, match="ErrEnvUnset: A is taken from 'TOKEN'") as caught:
        chains(loaded(WITH_ENVIRONMENT), environ={})
    assert caught.value.place == Place("f", 5, 5)


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("null", "ErrEnvValueUnusable"),
        ("[5150]", "ErrEnvValueNotString"),
        ("5150", "ErrEnvValueNotString"),
        ('env("5150", "b")', "one variable in quotes"),
        ('env("5150"...)', "one variable in quotes"),
        ('env("${x5150}")', "names a variable"),
        ('file("5150")', "does not exist"),
        ("x5150", "names a variable"),
    ],
)
def test_an_unusable_environment_value_is_refused_and_not_shown(written: str, part: str) -> None:
    """Whatever stands there may be a secret."""
    with pytest.raises(BadInput) as caught:
        loaded(f'provider "g" {{\nenvironment {{\nA = {written}\n}}\n}}')
    assert part in str(caught.value)
    assert "5150" not in str(caught.value)


# -- programs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "argv"),
    [
        ('"./bin/gate"', ("/etc/x/bin/gate",)),
        ('"../gate"', ("/etc/gate",)),
        ('"/opt/gate"', ("/opt/gate",)),
        ('"~/gate"', (os.path.expanduser("~/gate"),)),
        ('"no-such-program"', ("no-such-program",)),
        ('["python", "gate.py", "-v"]', (sys.executable, "gate.py", "-v")),
        ('["python3"]', (sys.executable,)),
        ('["./python", "~/x"]', ("/etc/x/python", "~/x")),
        ('["sh", ""]', (shutil.which("sh"), "")),
    ],
)
def test_a_program_is_found_from_the_folder_of_its_config(written: str, argv: tuple[str, ...]) -> None:
    """Paths are relative to that folder, other words are looked up, and our own Python is the Python."""
    found = config.programs_of(hcl.parse(f"dev_overrides {{ g = {written} }}", "c"), Path("/etc/x"))
    assert found == {"g": Program(argv, "/etc/x", Place("c", 1, 17))}


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("dev_overrides { g = 5 }", 21, "ErrInvalidValue"),
        ('dev_overrides { g = "" }', 21, "ErrInvalidValue"),
        ("dev_overrides { g = [] }", 21, "ErrInvalidValue"),
        ('dev_overrides { g = ["a", 5] }', 27, "ErrInvalidValue"),
        ('dev_overrides { g = env("G") }', 21, "functions cannot be called"),
        ('dev_overides { g = "a" }', 1, "did you mean 'dev_overrides'?"),
        ("g = 1", 1, "unsupported argument"),
    ],
)
def test_an_unusable_override_is_refused_at_its_place(text: str, column: int, part: str) -> None:
    """An override is a path or a list of words."""
    with pytest.raises(BadInput) as caught:
        config.programs_of(hcl.parse(text, "c"), Path("/etc"))
    assert part in str(caught.value)
    assert caught.value.place == Place("c", 1, column)


def test_a_word_that_is_a_file_beside_the_config_means_that_file(tmp_path: Path) -> None:
    """A path needs no slash when the file is there; programs elsewhere of the same name do not matter."""
    (tmp_path / "sh").write_text("")
    found = config.programs_of(hcl.parse('dev_overrides { g = "sh" }', "c"), tmp_path)
    assert found["g"].argv == (str(tmp_path / "sh"),)


# -- files -------------------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration home with an override for b."""
    folder = tmp_path / "home"
    (folder / "agent").mkdir(parents=True)
    (folder / "agent" / "config.hcl").write_text('dev_overrides { b = "./b" }')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder


def test_a_folder_is_all_its_files_in_the_order_of_their_names(tmp_path: Path, home: Path) -> None:
    """C80: b.hcl comes after a.hcl; config.hcl, hidden files and folders are not part of the agent."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "b.hcl").write_text(hook("plan-ready", provider="b"))
    (folder / "a.hcl").write_text("#" * 900 + "\n" + hook("plan-ready", "veto"))
    (folder / ".c.hcl").write_text("not { hcl")
    (folder / "d.hcl").mkdir()
    (folder / "config.hcl").write_text('dev_overrides {\ng = "./g"\nb = ["python", "b.py"]\n}')
    config_ = config.load(folder)
    assert config_.files == (str(folder / "a.hcl"), str(folder / "b.hcl"))
    assert [(each.provider, each.mode, each.place.line) for each in config_.hooks] == [
        ("g", Mode.VETO, 2),
        ("b", Mode.OBSERVE, 1),
    ]
    reaches = [seat.reach for seat in chains(config_)["plan-ready"].subscriptions]
    assert [reach.argv for reach in reaches if isinstance(reach, GoPlugin)] == [
        (str(folder / "g"),),
        (sys.executable, "b.py"),
    ]
    assert {reach.cwd for reach in reaches if isinstance(reach, GoPlugin)} == {str(folder)}


def test_the_users_config_counts_where_none_stands_beside(tmp_path: Path, home: Path) -> None:
    """The one beside the agent's file wins as a whole; the two are not mixed."""
    agent = tmp_path / "agent.hcl"
    agent.write_text(hook("plan-ready", provider="b"))
    (seat,) = chains(config.load(agent))["plan-ready"].subscriptions
    assert isinstance(seat.reach, GoPlugin)
    assert seat.reach.argv == (str(home / "agent" / "b"),)
    (tmp_path / "config.hcl").write_text("")
    with pytest.raises(BadInput, match="ErrNotFound"):
        chains(config.load(agent))


def test_what_cannot_be_read_says_the_way_out(tmp_path: Path, home: Path) -> None:
    """A missing file, an empty folder, and a name that cannot be one."""
    with pytest.raises(BadInput, match="does not exist; name an"):
        config.load(tmp_path / "absent.hcl")
    with pytest.raises(BadInput, match="holds no configuration; put"):
        config.load(home)
    with pytest.raises(BadInput, match="does not exist"):
        config.load(tmp_path / "x\0y")


def test_a_setup_names_every_file_that_it_came_from(tmp_path: Path, home: Path) -> None:
    """Chains change with the agent's files and with the programs, so both are named."""
    agent = tmp_path / "agent.hcl"
    agent.write_text(hook("plan-ready", provider="b"))
    setup = config.load_setup(agent)
    assert setup.files == (agent, home / "agent" / "config.hcl")
    assert [seat.name for seat in setup.chains["plan-ready"].subscriptions] == ["b"]


# -- whatever comes ----------------------------------------------------------------------------------------------

WHOLE = "\n".join(
    (
        'required_providers {\ng = { source = "s", version = "1" }\n}',
        WITH_ENVIRONMENT,
        in_settings("default_hook_timeout_ms = 250"),
        hook("session-end", provider="a", more="timeout_ms = 1.5"),
        'policy "p" {\nmatch = {}\naction = "deny"\n}',
        'agent_profile "x" {\ntools = ["fs.*"]\nmodel {\nprimary {\nprovider = "g"\nid = "m"\n}\n}\n}',
    )
)
PIECES = st.one_of(
    st.sampled_from(['"', "{", "}", "\n", "=", "null", "-1", "[]", "{}", "env(", '"veto"', "hook", "mode", "x", "1e9"]),
    st.sampled_from(WHOLE.split()),
    st.text(max_size=3),
)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 20), PIECES), min_size=1, max_size=3))
def test_a_damaged_config_gives_chains_or_bad_input(cuts: list[tuple[int, int, str]]) -> None:
    """Somewhere between text and chains a mistake is called a mistake, and nothing else happens."""
    text = WHOLE
    for start, length, piece in cuts:
        text = text[:start] + piece + text[start + length :]
    try:
        built = chains(loaded(text), environ={"TOKEN": "t"})
    except BadInput:
        return
    assert len(built) == len(POINTS)


def test_the_undamaged_config_gives_chains() -> None:
    """The text that the previous test damages is a good one."""
    built = chains(loaded(WHOLE), environ={"TOKEN": "t"})
    assert [len(chain.subscriptions) for chain in built.values()] == [0, 0, 0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("written", "value"),
    [("5 * 1000", 5000), ("1 + 1", 2), ("true ? 1 : 2", 1), ("-5 + 5", 0), ("[5, 6][0]", 5), ("1e30", (1 << 63) - 1)],
)
def test_a_deadline_may_be_calculated(written: str, value: int) -> None:
    """Constant expressions are evaluated as the host does it; beyond 64 bits the largest number counts."""
    (hook_,) = loaded(hook("plan-ready", more=f"timeout_ms = {written}")).hooks
    assert hook_.timeout_ms == value


def test_every_argument_may_be_an_expression() -> None:
    """Text, flags, lists, objects and numbers of blocks and of entries of required_providers."""
    config = loaded(
        'required_providers {\nfs = { source = "${"s"}", (true ? "version" : "x") = "1" }\n}\n'
        + in_settings("telemetry = !false").replace('"info"', '"%{ if true }info%{ endif }"')
        + "\n"
        + profile('tools = [for x in ["a"] : "fs.${x}"]\nmax_cost_usd = 1 / 2')
        + policy('{ ("tool_name") = "a${1}" }', '"${"de"}ny"')
    )
    assert (config.providers[0].source, config.providers[0].version) == ("s", "1")
    assert (config.settings.log_level, config.settings.telemetry) == ("info", True)
    assert (config.profiles[0].tools, config.profiles[0].max_cost_usd) == (("fs.a",), 0.5)
    assert (config.policies[0].tool_name, config.policies[0].action) == ("a1", "deny")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"x${env("HOME")}"', "x/home/somebody"),
        ('env("HOME") == "x" ? env("UNSET") : "no"', "no"),
        ('"${env("K")}"', "hunter4"),
        ('upper == 1 ? "x" : "y"', None),
    ],
)
def test_a_variable_of_ours_may_be_part_of_a_value(written: str, value: str | None) -> None:
    """It is a secret whole, looked up when its provider is about to be started."""
    text = f'provider "g" {{\nenvironment {{\nA-B = {written}\n}}\n}}\n' + hook("plan-ready")
    if value is None:
        with pytest.raises(BadInput, match="names a variable"):
            loaded(text)
        return
    (seat,) = chains(loaded(text), environ=ENVIRON)["plan-ready"].subscriptions
    assert isinstance(seat.reach, GoPlugin)
    assert dict(seat.reach.env)["A-B"] == Secret(value)


def test_a_value_that_turns_out_not_to_be_text_is_refused_before_anything_starts() -> None:
    """What env() stands for decides, so it cannot be said while loading."""
    text = 'provider "g" {\nenvironment {\nA = env("K") == "x" ? null : 5\n}\n}\n' + hook("plan-ready")
    with pytest.raises(BadInput, match="ErrEnvValueNotString"):
        chains(loaded(text), environ=ENVIRON)


@pytest.mark.parametrize("offered", ["plan_ready", "context-assemble"])
def test_nobody_offers_a_point_that_is_none(offered: str) -> None:
    """A slip in the option would otherwise look like a plugin that offers nothing."""
    with pytest.raises(BadInput, match="no point"):
        options_of({"advertised": {"A": [offered]}})


@pytest.mark.parametrize(
    "words", [5, {"g": 5}, {"g": {"a": 5}}, {"g": {"a": {"secret": True}}}, {"g": {"a": {"sensitive": 1}}}]
)
def test_a_config_schema_has_a_form(words: JSON) -> None:
    """What is wrong with it is said, with an example."""
    with pytest.raises(BadInput, match="api_key"):
        options_of({"config_schema": words})
