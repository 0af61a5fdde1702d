"""agent.hcl and config.hcl: the configuration cases of the specification (C.8), registry order, programs, secrets."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel import hcl
from kernel.dialects.pluggable import config, overrides
from kernel.dialects.pluggable.config import AgentConfig, Implicit, chains, config_of
from kernel.dialects.pluggable.overrides import Program
from kernel.dialects.pluggable.points import COOKIE, METHOD, POINTS, Mode
from kernel.errors import BadInput
from kernel.reach import GoPlugin
from kernel.values import Chain, Place, Producer, Subscription

S3 = 'default_frontend = "tui"\nlog_level = "info"\ntelemetry = true'
GATE = 'hook "plan-ready" {\nprovider = "g"\nmode = "veto"\n}'


def program(name: str) -> Program:
    return Program((f"/bin/{name}",), "/etc", Place("config.hcl", 1, 1))


PROGRAMS: Mapping[str, Program] = {name: program(name) for name in ("a", "b", "g")}


def loaded(*texts: str) -> AgentConfig:
    """The configuration that texts make as the files f, f1, f2 ..."""
    names = [f"f{rank or ''}" for rank in range(len(texts))]
    return config_of([(name, hcl.parse(text, name)) for name, text in zip(names, texts, strict=True)], PROGRAMS)


def hook(point: str, mode: str = "observe", provider: str = "g", more: str = "") -> str:
    return f'hook "{point}" {{\nprovider = "{provider}"\nmode = "{mode}"\n{more}\n}}\n'


def in_settings(text: str) -> str:
    """A settings block in which one of the three required lines, or a further one, is `text`."""
    name = text.split()[0]
    lines = [line for line in S3.split("\n") if not line.startswith(name)]
    return "\n".join(("settings {", *lines, text, "}"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="C1"),
        pytest.param(f"settings {{\n{S3}\n}}", id="C2"),
        pytest.param(in_settings(2 * "retry {\nbase_delay_ms = 1\nbackoff_factor = 2\nmax_retries = 3\n}\n"), id="C13"),
        pytest.param(
            in_settings(
                'observability {\nendpoint = "x"\nprotocol = "http"\nsampling_ratio = 1.5\ntraces_enabled = true\n'
                'metrics_enabled = true\nlogs_enabled = false\nexport_interval_ms = 1\nservice_name = "s"\n'
                'resource_attrs = { a = "b" }\n}'
            ),
            id="C15",
        ),
        pytest.param(in_settings("default_hook_timeout_ms = 250"), id="C16"),
        pytest.param(in_settings("default_hook_timeout_ms = 0"), id="C17"),
        pytest.param(in_settings("doom_loop {\nwindow_size = 2\n}"), id="C18"),
        pytest.param(GATE, id="C21"),
        pytest.param(GATE.replace('"plan-ready"', "plan-ready"), id="C23"),
        pytest.param(hook("plan-ready", more="timeout_ms = 500"), id="C29"),
        pytest.param(hook("plan-ready", more="timeout_ms = -5"), id="C33"),
        pytest.param(hook("plan_ready"), id="C36"),
        pytest.param(hook("context-assemble"), id="C37"),
        pytest.param(hook("session-start", "veto"), id="C38"),
        pytest.param(hook("pre-model-call", "veto"), id="C39"),
        pytest.param(hook("pre-tool-call", "veto"), id="C40"),
        pytest.param(hook("plan-ready") + hook("plan-ready", "veto"), id="C41"),
        pytest.param(hook("plan-ready", provider="ghost"), id="C43"),
        pytest.param('required_providers {\nfs = { source = "github.com/a/b", version = "~> 1.0" }\n}', id="C45"),
        pytest.param('required_providers {\nfs = { source = "x", version = "banana" }\n}', id="C49"),
        pytest.param('policy "p" {\nmatch = {}\naction = "deny"\n}', id="C60"),
        pytest.param('agent_profile "a" {\nmax_depth = 0\nmodel {\nprimary {\nprovider = "p"\n}\n}\n}', id="C78"),
        pytest.param('provider "g" {\nroot = env("HOME")\nnested {\nx = [1]\n}\n}', id="free provider body"),
        pytest.param("required_providers {\n}", id="nothing required"),
    ],
)
def test_what_the_host_loads_is_loaded(text: str) -> None:
    """Whatever the host's loader accepts is accepted, also where a later stage will refuse it."""
    assert isinstance(loaded(text), AgentConfig)


@pytest.mark.parametrize(
    ("text", "line", "column", "part"),
    [
        pytest.param("settings { telemetry = true }", 1, 1, "needs default_frontend and log_level", id="C3"),
        pytest.param('settings { telemetry = true log_level = "info" }', 1, 29, "one argument at most", id="C4"),
        pytest.param(f"settings {{\n{S3}\n}}\nsettings {{\n{S3}\n}}", 6, 1, "ErrDuplicateBlock", id="C5"),
        pytest.param(in_settings('log_level = "warning"'), 4, 13, "ErrInvalidValue", id="C6"),
        pytest.param(in_settings('log_level = "fatal"'), 4, 13, "ErrInvalidValue", id="C7"),
        pytest.param(in_settings('log_level = "INFO"'), 4, 13, 'or error, not "INFO"', id="C8"),
        pytest.param(in_settings('telemetry = "yes"'), 4, 13, "must be true or false", id="C9"),
        pytest.param(in_settings("default_frontend = 5"), 4, 20, "must be text in quotes, not 5", id="C10"),
        pytest.param(in_settings('default_frontend = env("FE")'), 4, 20, "functions cannot be called", id="C11"),
        pytest.param(
            in_settings("retry {\nbase_delay_ms = 1\n}"), 5, 1, "needs backoff_factor and max_retries", id="C12"
        ),
        pytest.param(in_settings('observability {\nprotocol = "udp"\n}'), 6, 12, "must be grpc or http", id="C14"),
        pytest.param('plugin "x" {}', 1, 1, "unsupported block 'plugin'", id="C19"),
        pytest.param("a = 1", 1, 1, "unsupported argument 'a'", id="C20"),
        pytest.param('hook {\npoint = "plan-ready"\nmode = "veto"\n}', 1, 1, "needs a label: point", id="C22"),
        pytest.param('hook "a" "b" {\n}', 1, 10, "'b' is one too many", id="C24"),
        pytest.param('hook "plan-ready" { mode = "veto" }', 1, 1, "needs provider", id="C25"),
        pytest.param(hook("plan-ready", "VETO"), 3, 8, "ErrInvalidValue: mode must be observe, transform or", id="C26"),
        pytest.param(GATE.replace('"veto"', "veto"), 3, 8, "put veto in quotes", id="C27"),
        pytest.param(GATE.replace('"veto"', "null"), 3, 8, "ErrInvalidValue: mode must be", id="C28"),
        pytest.param(hook("plan-ready", more='timeout_ms = "500"'), 4, 14, "must be a number", id="C30"),
        pytest.param(hook("plan-ready", more="timeout_ms = true"), 4, 14, "a number, not true", id="no number"),
        pytest.param(hook("plan-ready", more="timeout_ms = 2 * 250"), 4, 14, "is not evaluated", id="arithmetic"),
        pytest.param(hook("plan-ready", more="priority = 1"), 4, 1, "provider, mode and timeout_ms", id="C34"),
        pytest.param(hook("plan-ready", more='subscription_id = "x"'), 4, 1, "unsupported argument", id="C35"),
        pytest.param(hook("plan-ready", more="timeout = 1"), 4, 1, "did you mean 'timeout_ms'?", id="near argument"),
        pytest.param('required_providers {\nfs = { source = "x" }\n}', 2, 1, "ErrMissingField: fs has no v", id="C46"),
        pytest.param('required_providers {\nfs = "x"\n}', 2, 6, "ErrInvalidValue: fs must be an object", id="C47"),
        pytest.param("required_providers {\n}\nrequired_providers {\n}", 3, 1, "ErrDuplicateBlock", id="C48"),
        pytest.param('required_providers {\nfs = { source = 7, version = "" }\n}', 2, 17, "ErrInvalidValue", id="C50"),
        pytest.param('provider "fs" {}\nprovider "fs" {}', 2, 1, 'already a provider "fs" block at f:1:1', id="C51"),
        pytest.param('provider "g" {\nenvironment {\n}\nenvironment {\n}\n}', 4, 1, "ErrDuplicateBlock", id="C58"),
        pytest.param('provider "g" {\nenvironment {\nA = 1\n}\n}', 3, 5, "ErrEnvValueNotString", id="C59"),
        pytest.param('policy "p" {\naction = "deny"\n}', 1, 1, "needs match", id="C66"),
        pytest.param('agent_profile "a" {}\nagent_profile "a" {}', 2, 1, "ErrDuplicateBlock", id="C77"),
        pytest.param(hook("plan-ready", more='mode = "veto"'), 4, 1, "already set in line 3", id="C79"),
        pytest.param('hok "plan-ready" {\n}', 1, 1, "did you mean 'hook'?", id="near block"),
        pytest.param("settings = {}", 1, 1, "is a block", id="block as argument"),
        pytest.param("settings {\nlog_level {}\n}", 2, 1, "is an argument", id="argument as block"),
        pytest.param('settings "x" {\n}', 1, 10, "no label", id="label too many"),
    ],
)
def test_what_the_host_refuses_to_load_is_refused_at_its_place(text: str, line: int, column: int, part: str) -> None:
    """Each mistake is named, with the sentinel where the host has one, where the mistake stands."""
    with pytest.raises(BadInput) as caught:
        loaded(text)
    assert part in caught.value.message
    assert caught.value.place == Place("f", line, column)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        pytest.param(
            in_settings("default_hook_timeout_ms = 0") + "\n" + hook("nowhere"), None, "ErrInvalidTimeout", id="C17"
        ),
        pytest.param(hook("plan-ready", more="timeout_ms = -5"), 1, "ErrInvalidTimeout: timeout_ms is -5", id="C33"),
        pytest.param(
            hook("plan_ready"), 1, "ErrUnknownPoint: no hook point 'plan_ready'; did you mean 'plan", id="C36"
        ),
        pytest.param(hook("context-assemble"), 1, "ContextService.Contribute", id="C37"),
        pytest.param(
            hook("session-start", "veto"),
            1,
            "ErrVetoNotPermitted: veto is not permitted at session-start; veto-bearing points are plan-ready and "
            "pre-tool-call",
            id="C38",
        ),
        pytest.param(hook("pre-model-call", "veto"), 1, "ErrVetoNotPermitted", id="C39"),
        pytest.param(
            hook("plan-ready") + hook("plan-ready", "veto"),
            6,
            "ErrDuplicateSubscription: 'g' already subscribes to plan-ready at f:1:1",
            id="C41",
        ),
        pytest.param(hook("plan-ready", provider="ghost"), 1, "ErrNotFound: provider 'ghost' is unknown", id="C43"),
        pytest.param('provider "x" {}\n' + hook("plan-ready", provider="x"), 2, "has no program", id="no program"),
        pytest.param(
            hook("plan-ready", provider="ghost") + hook("plan-ready") * 2, 11, "ErrDuplicateSub", id="late checks last"
        ),
        pytest.param(hook("nowhere") + hook("session-start", "veto"), 1, "ErrUnknownPoint", id="first entry first"),
        pytest.param(hook("session-start", "veto", more="timeout_ms = -1"), 1, "ErrVetoNot", id="mode before timeout"),
    ],
)
def test_chains_that_the_host_refuses_are_refused_in_its_order(text: str, line: int | None, part: str) -> None:
    """Checks run over every entry in turn; whether providers can be found is asked last."""
    config = loaded(text)
    with pytest.raises(BadInput) as caught:
        chains(config)
    assert part in caught.value.message
    assert caught.value.place == (None if line is None else Place("f", line, 1))


def test_every_point_has_a_chain() -> None:
    """Points without hooks have empty chains, in the order of the host's loop."""
    built = chains(loaded(""))
    assert list(built) == [point.label for point in POINTS]
    assert set(built.values()) == {Chain(point.label) for point in POINTS}


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
            reach=GoPlugin(("/bin/g",), METHOD, COOKIE, cwd="/etc"),
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
    return [seat.name for seat in chains(config, implicit)[point].subscriptions]


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
        chains(loaded(hook("nowhere") + 'provider "b" {}'), (wish,))


def test_a_hook_cannot_repeat_an_implicit_subscription() -> None:
    """One provider and one point make one subscription, whatever its origin."""
    config = loaded('provider "g" {}\n' + hook("plan-ready"))
    with pytest.raises(BadInput, match="ErrDuplicateSubscription"):
        chains(config, (Implicit("g", "plan-ready", "veto"),))


def test_settings_may_stand_in_one_file_only() -> None:
    """Files are merged before blocks are counted."""
    text = f"settings {{\n{S3}\n}}"
    with pytest.raises(BadInput, match="ErrDuplicateBlock: there is already a settings block at f:1:1") as caught:
        loaded(text, text)
    assert caught.value.place == Place("f1", 1, 1)


def test_policies_and_profiles_wait_for_their_reader() -> None:
    """They are kept as they were written, in their order."""
    config = loaded(
        'policy "p" {\nmatch = {}\naction = "deny"\n}\nagent_profile "a" {}\npolicy "q" {\nmatch = 1\naction = 2\n}'
    )
    assert [block.labels[0].text for block in config.policies] == ["p", "q"]
    assert [block.labels[0].text for block in config.profiles] == ["a"]


def test_an_unknown_category_is_refused() -> None:
    """Plugins come in seven categories."""
    with pytest.raises(BadInput, match="did you mean 'model'"):
        loaded('required_providers {\nfs = { source = "x", version = "1", category = "modell" }\n}')


# -- secrets -----------------------------------------------------------------------------------------------------

WITH_ENVIRONMENT = 'provider "g" {\nkeep = 1\nenvironment {\nB = "hunter2"\nA = env("TOKEN")\n}\n}\n' + GATE


def test_environment_values_reach_the_process_and_no_repr() -> None:
    """Values are looked up when chains are built, sorted by name, and never shown."""
    config = loaded(WITH_ENVIRONMENT)
    built = chains(config, environ={"TOKEN": "hunter3"})
    (seat,) = built["plan-ready"].subscriptions
    assert isinstance(seat.reach, GoPlugin)
    assert seat.reach.env == (("A", "hunter3"), ("B", "hunter2"))
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
        ('env("5150", "b")', "nothing else is evaluated"),
        ('env("5150"...)', "nothing else is evaluated"),
        ('env("${x5150}")', "nothing else is evaluated"),
        ('file("5150")', "nothing else is evaluated"),
        ("x5150", "nothing else is evaluated"),
    ],
)
def test_an_unusable_environment_value_is_refused_and_not_shown(written: str, part: str) -> None:
    """Whatever stands there may be a secret."""
    with pytest.raises(BadInput) as caught:
        loaded(f'provider "g" {{\nenvironment {{\nA = {written}\n}}\n}}')
    assert part in caught.value.message
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
    found = overrides.programs(hcl.parse(f"dev_overrides {{ g = {written} }}", "c"), Path("/etc/x"))
    assert found == {"g": Program(argv, "/etc/x", Place("c", 1, 17))}


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("dev_overrides { g = 5 }", 21, "ErrInvalidValue"),
        ('dev_overrides { g = "" }', 21, "ErrInvalidValue"),
        ("dev_overrides { g = [] }", 21, "ErrInvalidValue"),
        ('dev_overrides { g = ["a", 5] }', 27, "ErrInvalidValue"),
        ('dev_overrides { g = env("G") }', 21, "ErrInvalidValue"),
        ('dev_overides { g = "a" }', 1, "did you mean 'dev_overrides'?"),
        ("g = 1", 1, "unsupported argument"),
    ],
)
def test_an_unusable_override_is_refused_at_its_place(text: str, column: int, part: str) -> None:
    """An override is a path or a list of words."""
    with pytest.raises(BadInput) as caught:
        overrides.programs(hcl.parse(text, "c"), Path("/etc"))
    assert part in caught.value.message
    assert caught.value.place == Place("c", 1, column)


def test_a_word_that_is_a_file_beside_the_config_means_that_file(tmp_path: Path) -> None:
    """A path needs no slash when the file is there; programs elsewhere of the same name do not matter."""
    (tmp_path / "sh").write_text("")
    found = overrides.programs(hcl.parse('dev_overrides { g = "sh" }', "c"), tmp_path)
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
    """C80: b.hcl comes after a.hcl; config.hcl and hidden files are not part of the agent."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "b.hcl").write_text(hook("plan-ready", provider="b"))
    (folder / "a.hcl").write_text("#" * 900 + "\n" + hook("plan-ready", "veto"))
    (folder / ".c.hcl").write_text("not { hcl")
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
        'agent_profile "x" {\ntools = ["fs.*"]\nmodel {\nprimary {\nid = "m"\n}\n}\n}',
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
