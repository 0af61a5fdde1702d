"""Everything that is wrong, at once: each kind of problem at its place, and no secret on the way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pluggable_configs import GATE, hook, in_settings, policy, profile
from plugin_runs import ROOT

from kernel.dialects.pluggable.agent_hcl.codes import CODES
from kernel.dialects.pluggable.agent_hcl.reading import read_agent
from kernel.dialects.pluggable.config import load_setup
from kernel.dialects.pluggable.lint import check_setup
from kernel.errors import BadInput
from kernel.hcl import read
from kernel.problems import Problem, Report, Severity
from kernel.values import JSON, Place

IMPLICIT: list[JSON] = [{"provider": "x", "point": "session-end", "mode": "observe"}]
OBSERVABILITY = (
    'observability {\nendpoint = "x"\nprotocol = "http"\nsampling_ratio = 1\ntraces_enabled = true\n'
    'metrics_enabled = true\nlogs_enabled = false\nexport_interval_ms = 1\nservice_name = "s"\n}'
)
G = 'provider "g" {}\n'


def retry(base_delay_ms: str, backoff_factor: str, max_retries: str) -> str:
    """A whole retry block."""
    arguments = f"base_delay_ms = {base_delay_ms}\nbackoff_factor = {backoff_factor}\nmax_retries = {max_retries}"
    return f"retry {{\n{arguments}\n}}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without a configuration and without variables."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    monkeypatch.delenv("UNSET", raising=False)
    return folder


def report_on(
    folder: Path, text: str, programs: str | None = None, options: Mapping[str, JSON] | None = None
) -> Report:
    """The report on an agent.hcl; its g has a program, unless there are other programs."""
    (folder / "agent.hcl").write_text(text)
    (folder / "config.hcl").write_text('dev_overrides {\ng = "sh"\n}\n' if programs is None else programs)
    return check_setup(folder / "agent.hcl", options or {})


def marked(report: Report, problem: Problem) -> str:
    """The stretch of the text that a problem points at."""
    assert problem.place is not None
    line = report.lines[problem.place.file, problem.place.line]
    return line[problem.place.column - 1 :][: problem.length]


@pytest.mark.parametrize(
    ("code", "text", "line", "column", "marks"),
    [
        ("syntax", "a {\nmode = 'x'\n}", 2, 8, "'"),
        ("unsupported-block", 'hok "plan-ready" {\n}', 1, 1, 'hok "plan-ready"'),
        ("unsupported-argument", "a = 1", 1, 1, "a"),
        ("missing-label", 'hook {\nprovider = "g"\nmode = "veto"\ntimeout_ms = 1\n}', 1, 1, "hook"),
        ("extra-label", "settings x {\n}", 1, 10, "x"),
        ("missing-argument", 'hook "plan-ready" {\nprovider = "g"\n}', 1, 1, 'hook "plan-ready"'),
        ("not-evaluated", hook("plan-ready", more="timeout_ms = env(5, 6)"), 4, 14, "env(5, 6)"),
        ("ErrDuplicateBlock", G + G, 2, 1, 'provider "g"'),
        ("ErrMissingField", 'required_providers {\n  g = { source = "s" }\n}', 2, 3, "g"),
        ("ErrInvalidValue", hook("plan-ready", "watch"), 3, 8, '"watch"'),
        ("ErrInvalidValue", profile("max_turns = [1, 2]"), 2, 13, "[1, 2]"),
        ("ErrInvalidValue", in_settings("telemetry = {}"), 4, 13, "{}"),
        ("ErrConflictingRules", 2 * policy('{ risk = "low" }'), 5, 1, 'policy "p"'),
        ("ErrEnvNameEmpty", 'provider "g" {\nenvironment {\nA = env("")\n}\n}', 3, 5, 'env("")'),
        ("ErrEnvValueNotString", 'provider "g" {\nenvironment {\nA = 1\n}\n}', 3, 5, "*"),
        ("ErrEnvValueUnusable", 'provider "g" {\nenvironment {\nA = null\n}\n}', 3, 5, "****"),
        ("ErrInvalidTimeout", hook("plan-ready", more="timeout_ms = -1"), 4, 14, "-1"),
        ("ErrUnknownPoint", hook("plan_ready"), 1, 6, '"plan_ready"'),
        ("ErrVetoNotPermitted", hook("session-end", "veto", more="timeout_ms = 1"), 3, 8, '"veto"'),
        ("ErrDuplicateSubscription", hook("plan-ready") + hook("plan-ready"), 6, 1, 'hook "plan-ready"'),
        ("ErrNotFound", hook("plan-ready", provider="ghost"), 2, 12, '"ghost"'),
        ("ErrEnvUnset", 'provider "g" {\nenvironment {\nA = env("UNSET")\n}\n}', 3, 5, 'env("UNSET")'),
        ("ErrEnvUnset", 'provider "g" {\nx { \ny = [env("UNSET")] \n}\n}', 3, 6, "************"),
        ("not-evaluated", 'provider "g" {\na = env(b)\n}', 2, 9, "*"),
        ("not-evaluated", 'provider "g" {\na = { b = c }\n}', 2, 11, "*"),
        ("ErrInvalidConfig", in_settings(OBSERVABILITY.replace("1\nt", "-1\nt")), 8, 18, "-1"),
        ("doom-loop-bounds", in_settings("doom_loop {\nthreshold = 6\n}"), 6, 13, "6"),
        ("doom-loop-bounds", in_settings("doom_loop {\nwindow_size = 4\nthreshold = 5\n}"), 6, 15, "4"),
        ("ErrMalformedToolScope", profile('tools = ["g.*", "gx"]'), 2, 17, '"gx"'),
        ("ErrMalformedToolScope", profile('tools = [".x"]'), 2, 10, '".x"'),
        ("ErrMalformedToolScope", profile('tools = ["g."]'), 2, 10, '"g."'),
        ("literal-star", profile('tools = ["g.*", "g.x*"]'), 2, 17, '"g.x*"'),
        ("unknown-provider", profile('tools = ["*.*"]'), 2, 10, '"*.*"'),
        (
            "unknown-category",
            'required_providers {\n  g = { source = "s", version = "1", category = "kontext" }\n}',
            2,
            49,
            '"kontext"',
        ),
        (
            "unknown-category",
            'required_providers {\n  g = { source = "s", version = "1", category = 5 }\n}',
            2,
            49,
            "5",
        ),
        (
            "unasked-context",
            'required_providers {\n  g = { source = "s", version = "1", category = "context" }\n}',
            2,
            3,
            "g",
        ),
        ("odd-number", profile("max_turns = -1"), 2, 13, "-1"),
        ("odd-number", profile("max_cost_usd = -0.5"), 2, 16, "-0.5"),
        ("odd-number", profile("max_wall_clock_s = -7"), 2, 20, "-7"),
        ("odd-number", profile("max_depth = -2"), 2, 13, "-2"),
        ("odd-number", profile("max_concurrent_subagents = -1"), 2, 28, "-1"),
        ("odd-number", in_settings("max_depth = -1"), 5, 13, "-1"),
        ("odd-number", in_settings("default_tool_timeout_ms = 0"), 5, 27, "0"),
        ("odd-number", in_settings("event_bus {\nsubscribe_queue_bound = 0\n}"), 6, 25, "0"),
        ("odd-number", in_settings(retry("-1", "1", "1")), 6, 17, "-1"),
        ("odd-number", in_settings(retry("1", "-1", "1")), 7, 18, "-1"),
        ("odd-number", in_settings(retry("1", "1", "-1")), 8, 15, "-1"),
        ("odd-number", in_settings(retry("500", "1e200", "3")), 7, 18, "1e200"),
        ("odd-number", in_settings(retry("500", "2", "20")), 7, 18, "2"),
        ("odd-number", in_settings(OBSERVABILITY.replace("_ms = 1", "_ms = 0")), 12, 22, "0"),
        ("no-program", 'provider "x" {}', 1, 1, 'provider "x"'),
        ("unserved-hook", 'provider "x" {}\n' + hook("plan-ready", provider="x"), 3, 12, '"x"'),
        ("veto-default-timeout", GATE, 3, 8, '"veto"'),
        ("expired-deadline", hook("plan-ready", more="timeout_ms = 0.5"), 4, 14, "0.5"),
        ("idle-transform", hook("post-apply", "transform"), 3, 8, '"transform"'),
        ("empty-match", policy("{}"), 1, 1, 'policy "p"'),
        ("unknown-match-key", policy('{ toolname = "x" }'), 2, 11, "toolname"),
        ("unreachable-rule", policy('{ provider = "gg" }'), 1, 1, 'policy "p"'),
        ("unreachable-rule", policy('{ tool_name = "rm*" }'), 1, 1, 'policy "p"'),
        ("unreachable-rule", policy('{ tool_name = "" }'), 1, 1, 'policy "p"'),
        ("downgraded-ask", policy('{ kind = "data_source" }', '"ask"'), 1, 1, 'policy "p"'),
        ("downgraded-ask", policy("{}", '"ask"'), 1, 1, 'policy "p"'),
        ("downgraded-ask", policy('{ provider = "g" }', '"ask"'), 1, 1, 'policy "p"'),
        ("downgraded-ask", policy('{ provider = "g", kind = "data_source" }', '"ask"'), 1, 1, 'policy "p"'),
        ("downgraded-ask", policy('{ tool_name = "x", risk = "read_only" }', '"ask"'), 1, 1, 'policy "p"'),
        ("unknown-field", 'required_providers {\ng = { source = "s", version = "1", url = "x" }\n}', 2, 36, "url"),
        ("repeated-block", in_settings("event_bus {\n}\nevent_bus {\n}"), 5, 1, "event_bus"),
        (
            "idle-observability",
            in_settings(OBSERVABILITY).replace("telemetry = true", "telemetry = false"),
            5,
            1,
            "observability",
        ),
        ("saturated-number", hook("plan-ready", more="timeout_ms = 1e30"), 4, 14, "1e30"),
        ("duplicate-key", policy('{ tool_name = "a", tool_name = "b" }'), 2, 11, "tool_name"),
        ("duplicate-key", 'provider "g" {\na = [{ b = 1, b = 2 }]\n}', 2, 8, "*"),
        ("unreachable-rule", policy('{ kind = "resource", risk = "read_only" }'), 1, 1, 'policy "p"'),
        ("unreachable-rule", policy('{ kind = "data_source", risk = "high" }'), 1, 1, 'policy "p"'),
        ("unreachable-rule", policy('{ tool_name = "fs.write" }'), 1, 1, 'policy "p"'),
        ("downgraded-ask", policy('{ risk = "read_only" }', '"ask"'), 1, 1, 'policy "p"'),
        ("unknown-provider", profile('tools = ["ghost.x"]'), 2, 10, '"ghost.x"'),
        ("unknown-provider", profile('model {\nprimary {\nprovider = "ghost"\nid = "x"\n}\n}'), 2, 1, "model"),
    ],
)
def test_each_kind_of_problem_is_told_at_its_place(
    tmp_path: Path, code: str, text: str, line: int, column: int, marks: str
) -> None:
    """With the stretch of the line that is meant, and with the severity that its kind has."""
    report = report_on(tmp_path, text)
    place = Place(str(tmp_path / "agent.hcl"), line, column)
    (problem,) = [each for each in report.problems if (each.code, each.place) == (code, place)]
    assert marked(report, problem) == marks
    assert problem.severity is CODES[code].severity
    assert {each.code for each in report.problems} - {code} <= {"no-program", "empty-match", "missing-argument"}


@pytest.mark.parametrize(
    ("code", "programs", "column"),
    [
        ("missing-program", 'dev_overrides { g = "./none" }', 17),
        ("missing-program", 'dev_overrides { g = "no-such-command" }', 17),
        ("missing-program", 'dev_overrides { g = "plain.txt" }', 17),
        ("missing-program", 'dev_overrides { g = ["python", "none.py"] }', 17),
        ("syntax", "dev_overrides {", 15),
        ("ErrInvalidValue", "dev_overrides { g = 5 }", 21),
        ("not-evaluated", 'registry_mirror { default = env("X") }', 29),
    ],
)
def test_problems_of_programs_stand_in_their_file(tmp_path: Path, code: str, programs: str, column: int) -> None:
    """What is not there, what cannot be run, and what cannot be read."""
    (tmp_path / "plain.txt").write_text("")
    report = report_on(tmp_path, "", programs)
    assert [(each.code, each.place) for each in report.problems] == [
        (code, Place(str(tmp_path / "config.hcl"), 1, column))
    ]


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("ErrMissingPosition", {"implicit": IMPLICIT}),
        ("ErrUnknownMode", {"implicit": [{"provider": "g", "point": "session-end", "mode": "look"}]}),
        ("ErrPointNotAdvertised", {"advertised": {"g": ["session-end"]}}),
    ],
)
def test_what_is_known_beside_the_text_counts(tmp_path: Path, code: str, options: Mapping[str, JSON]) -> None:
    """Implicit subscriptions and offered points are options, since no file has them."""
    report = report_on(tmp_path, G + hook("plan-ready"), options=options)
    assert [each.code for each in report.problems] == [code]


@pytest.mark.parametrize("option", ["advertised", "config_schema", "tools"])
def test_an_option_about_nobody_is_an_error(tmp_path: Path, option: str) -> None:
    """A misspelt name would be silent otherwise; whoever loads is told as well, once nothing else is wrong."""
    options: Mapping[str, JSON] = {option: {"g": {} if option == "config_schema" else [], "gg": {}}}
    if option != "config_schema":
        options = {option: {"g": [], "gg": []}}
    report = report_on(tmp_path, G, options=options)
    [problem] = report.problems
    assert (problem.code, problem.severity, problem.place) == ("unknown-option", Severity.ERROR, None)
    assert (problem.message, problem.fix) == (
        f"the option {option} is about 'gg', which is no provider here",
        "did you mean 'g'?",
    )
    with pytest.raises(BadInput, match="is about 'gg'"):
        load_setup(tmp_path / "agent.hcl", options)
    assert "unknown-option" not in codes_of(report_on(tmp_path, "}", options=options)), "nobody knows who is there"
    report_on(tmp_path, hook("plan-ready", provider="gg"))
    with pytest.raises(BadInput, match="ErrNotFound"):
        load_setup(tmp_path / "agent.hcl", options)


def codes_of(report: Report) -> list[str]:
    return [each.code for each in report.problems]


@pytest.mark.parametrize(
    "match", ['{ kind = "resource" }', '{ provider = "g", risk = "low" }', '{ tool_name = "x" }', '{ risk = "high" }']
)
def test_a_rule_that_asks_about_resources_only_is_fine(tmp_path: Path, match: str) -> None:
    """Nothing else has a risk above read_only; whoever names a tool knows what kind it has."""
    assert codes_of(report_on(tmp_path, G + policy(match, '"ask"'))) == []


def test_what_a_rule_for_everything_asks_about_is_told_as_it_is(tmp_path: Path) -> None:
    """Vector 155: ask is deny for whatever is no resource."""
    empty, downgraded = report_on(tmp_path, policy("{}", '"ask"')).problems
    assert empty.message == (
        "rule 'p' matches every call: a resource is asked about, a data source or an interactive call denied, "
        "wherever no other rule matches"
    )
    assert downgraded.message.startswith("rule 'p' asks about data sources and interactive calls as well, which")


def test_nobody_says_that_interactive_calls_are_allowed(tmp_path: Path) -> None:
    """A rule cannot name them, and one that names no kind is about them (C.5)."""
    [problem] = report_on(tmp_path, policy('{ kind = "interactive" }')).problems
    assert (problem.code, problem.message) == (
        "ErrInvalidValue",
        "no rule can name interactive calls; one that names no kind is about them as well",
    )


@pytest.mark.parametrize(
    ("point", "code"), [("session-end", "ErrVetoNotPermitted"), ("plan_ready", "ErrUnknownPoint"),
                        ("context-assemble", "ErrUnknownPoint")],
)  # fmt: skip
def test_a_veto_that_cannot_be_needs_no_deadline(tmp_path: Path, point: str, code: str) -> None:
    """What has to go is not worth an advice."""
    assert codes_of(report_on(tmp_path, hook(point, "veto"))) == [code]


def test_who_is_asked_for_context_is_told_in_order(tmp_path: Path) -> None:
    """By the provider blocks, with the deadline; without such providers there is no table."""
    entries = "".join(f'{name} = {{ source = "s", version = "1", category = "context" }}\n' for name in "abg")
    text = f'required_providers {{\n{entries}}}\nprovider "g" {{}}\nprovider "a" {{}}\n' + in_settings(
        "default_hook_timeout_ms = 70"
    )
    [note] = report_on(tmp_path, text).notes
    assert note.title.startswith("context-assemble")
    file = tmp_path / "agent.hcl"
    assert note.rows == (("1", "g", "70 ms", f"{file}:6:1"), ("2", "a", "70 ms", f"{file}:7:1"))
    assert report_on(tmp_path, G).notes == ()


@pytest.mark.parametrize(
    ("data", "line", "column", "shown"),
    [
        (b"a {\n  mode = \xff\n}", 2, 10, "  mode = \ufffd"),
        (b"\xffhook {", 1, 1, "\ufffdhook {"),
        (b'hook x {\n  mode = "\xc3\xa4\xe9"\n', 2, 12, '  mode = "ä\ufffd"'),
        (b'provider "g" {\n  x = "caf\xe9"\n}', 2, 11, "  x = ******"),
    ],
)
def test_a_text_that_is_not_utf_8_is_shown_where_it_is_not(
    tmp_path: Path, data: bytes, line: int, column: int, shown: str
) -> None:
    """As far as it can be read, and with secrets covered as ever."""
    (tmp_path / "agent.hcl").write_bytes(data)
    report = check_setup(tmp_path / "agent.hcl")
    [problem] = report.problems
    assert problem.place == Place(str(tmp_path / "agent.hcl"), line, column)
    assert report.lines[problem.place.file, line] == shown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('provider "g" {};', "found `;` where"),
        ("provider 5 {}", "found a number where"),
        ('provider "g" x-y= {}', "found `=`"),
        ('provider "g" {\n}\nprovider = 1\nprovider "hunter2" hunter2;', "found `;` where"),
    ],
)
def test_what_was_found_in_a_line_of_secrets_is_told_by_its_kind(tmp_path: Path, text: str, found: str) -> None:
    """A sign is no secret, and the sentence makes sense without the word."""
    [problem] = report_on(tmp_path, text, "").problems
    assert problem.message.startswith(found)
    assert "hunter2" not in str(report_on(tmp_path, text, ""))


def test_every_kind_of_problem_is_found_by_a_test() -> None:
    """Two of them only with what a plugin says, in the configuration cases."""
    source = Path(__file__).read_text() + (ROOT / "tests" / "pluggable_cases.py").read_text()
    assert [code for code in CODES if f'"{code}"' not in source] == []


def test_all_problems_come_at_once_in_the_order_of_the_text(tmp_path: Path) -> None:
    """Of several stages, also several in one block; and what is not wrong is in the chain."""
    wrong = hook("plan_ready", "watch", provider="ghost", more='timeout_ms = -1\npriority = "x"')
    report = report_on(tmp_path, wrong + hook("plan-ready") + policy("5", '"x"'))
    assert [(each.code, each.place.line) for each in report.problems if each.place] == [
        ("ErrUnknownPoint", 1),
        ("ErrNotFound", 2),
        ("ErrInvalidValue", 3),
        ("ErrInvalidTimeout", 4),
        ("unsupported-argument", 5),
        ("ErrInvalidValue", 13),
        ("ErrInvalidValue", 14),
    ]
    assert [seat.place for seat in report.chains["plan-ready"].subscriptions] == [
        Place(str(tmp_path / "agent.hcl"), 7, 1)
    ]
    assert not report.is_fine


def test_a_file_that_is_not_hcl_does_not_hide_the_others(tmp_path: Path) -> None:
    """Of them, only that is told which is true whatever the broken file would have said."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "a.hcl").write_text("provider {{")
    (folder / "b.hcl").write_text(hook("plan_ready", provider="ghost") + policy('{ provider = "ghost" }'))
    report = check_setup(folder)
    assert [each.code for each in report.problems] == ["syntax", "ErrUnknownPoint"]
    assert report.chains == {}


def test_a_config_of_programs_can_be_checked_alone(tmp_path: Path) -> None:
    """It is no agent, so there are no chains."""
    (tmp_path / "config.hcl").write_text("dev_overides {}")
    report = check_setup(tmp_path / "config.hcl")
    assert [(each.code, each.fix) for each in report.problems] == [
        ("unsupported-block", "did you mean 'dev_overrides'?")
    ]
    assert report.chains == {}


def test_what_is_not_there_cannot_be_checked(tmp_path: Path) -> None:
    """That is the caller's mistake, and no problem of the text."""
    for path in (tmp_path / "none.hcl", tmp_path):
        with pytest.raises(BadInput, match="name"):
            check_setup(path)


# -- secrets -----------------------------------------------------------------------------------------------------

LEAKS = [
    'provider "g" {\n  password = [hunter2]\n}',
    'provider "g" {\n  password = file("hunter2")\n}',
    'provider "g" {\n  inner {\n  password = { a = hunter2 }\n}\n}',
    'provider "g" {\n  environment {\n    PASSWORD = ["hunter2"]\n  }\n}',
    'provider "g" { password = hunter2 }',
    'provider "g" {\n  password = "hunter2\n}',
    'provider "g" {\n  password = [1 hunter2]\n}',
    'provider "g" {\n  password = <<E\n  hunter2\n',
    'provider "g" {\n  password = "hunter2" "hunter2"\n}',
    'provider "g" {\n  password = "\\q hunter2"\n}',
    'registry_mirror {\n  mirror {\n    url = hunter2("hunter2"\n',
    'provider "g" {\n  password = { a = 1 }.hunter2\n}',
    'provider "g" "hunter2" {\n}',
    'provider "g" hunter2 {\n}',
    'provider "g" {\n  environment "hunter2" {\n  }\n}',
    'provider "g" {\n  password = "hunter2" + 1\n}',
    'environment {\n  A = "hunter2"\n}',
    'environment { A = "hunter2" }',
    'environment hunter2 { A = "hunter2" }',
    'hook "plan-ready" {\n  provider = "g"\n  mode = "veto"\n  environment { A = "hunter2" }\n}',
    'hook "plan-ready" {\n  provider = "g"\n  mode = "veto"\n  environment {\n    A = "hunter2"\n  }\n}',
    'hook "plan-ready" {\n  provider = "g"\n  mode = "veto"\n  api_key = "hunter2"\n}',
    'api_key = "hunter2"',
    'provider "g" {\n  password = <<E\nhunter2=${x}\nE\n}',
    'api_key = "hunter2',
    'hook "plan-ready" {\n  environment {\n    A = "hunter2\n  }\n}',
]


@pytest.mark.parametrize("text", LEAKS)
def test_no_report_shows_what_may_be_a_secret(tmp_path: Path, text: str) -> None:
    """Neither in a message nor in the line that it points at, broken or not."""
    report = report_on(tmp_path, text)
    assert [each for each in report.problems if each.code != "no-program"]
    shown = [*report.lines.values(), *(each.message + each.fix for each in report.problems)]
    assert "hunter2" not in "\n".join(shown)


def test_values_of_variables_are_in_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether one is set is looked at; what it is stays where it is."""
    monkeypatch.setenv("UNSET", "hunter2")
    text = 'provider "g" {\na = env("UNSET")\nenvironment {\nA = env("UNSET")\nB = "hunter3"\n}\n}\n' + hook(
        "plan-ready"
    )
    report = report_on(tmp_path, text)
    assert report.problems == ()
    assert "hunter" not in repr(report)


# -- whatever comes ----------------------------------------------------------------------------------------------

WHOLE = "\n".join(
    (
        'required_providers {\ng = { source = "s", version = "1" }\n}',
        'provider "g" {\nroot = "x"\nenvironment {\nA = env("PATH")\n}\n}',
        in_settings(f"default_hook_timeout_ms = 250\n{OBSERVABILITY}"),
        hook("session-end", more="timeout_ms = 1.5"),
        policy('{ tool_name = "x", kind = "resource" }'),
        profile('tools = ["g.*"]\nmodel {\nprimary {\nprovider = "g"\nid = "m"\n}\n}'),
    )
)
PIECES = st.one_of(
    st.sampled_from(['"', "{", "}", "\n", "=", "null", "-1", "[]", "{}", "env(", '"veto"', "hook", "mode", "x", "1e9"]),
    st.sampled_from(WHOLE.split()),
    st.text(max_size=3),
)


def test_a_good_configuration_has_no_problem(tmp_path: Path) -> None:
    """The text that the next test damages is a good one."""
    assert report_on(tmp_path, WHOLE).problems == ()


@settings(deadline=None)
@given(cuts=st.lists(st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 20), PIECES), min_size=1, max_size=3))
def test_loading_a_damaged_config_fails_if_and_only_if_checking_finds_an_error(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[tuple[int, int, str]]
) -> None:
    """Errors of later stages apart, which do not concern us; and every problem points into its text."""
    text = WHOLE
    for start, length, piece in cuts:
        text = text[:start] + piece + text[start + length :]
    folder = tmp_path_factory.mktemp("agent", numbered=True)
    try:
        report = report_on(folder, text)
    except UnicodeEncodeError:  # the text cannot be written down
        return
    for each in report.problems:
        if each.place is not None:
            assert (each.place.file, each.place.line) in report.lines
    ours = [each for each in report.problems if CODES[each.code].found != "a part of it starts"]
    errors = [each for each in ours if each.severity is Severity.ERROR]
    stopped = [each for each in errors if each.code != "not-evaluated" or each.place in read_in_vain(folder)]
    error = load_error(folder / "agent.hcl")
    assert bool(stopped) == (bool(error) and "ErrEnvUnset" not in error and "has no program" not in error)


def load_error(path: Path) -> str:
    """What loading says against a configuration; empty if nothing."""
    try:
        load_setup(path)
    except BadInput as error:
        return str(error)
    return ""


def read_in_vain(folder: Path) -> set[Place | None]:
    """Where loading finds no value; the rest of a provider block is for its plugin, which nobody configures here."""
    problems: list[Problem] = []
    path = folder / "agent.hcl"
    read_agent([(str(path), read(path))], {}, problems.append)
    return {each.place for each in problems if each.code == "not-evaluated"}


SCHEMA: Mapping[str, JSON] = {"config_schema": {"g": {"api_key": {"sensitive": True}, "root": {"required": True}}}}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('api_key = "literal"', "ErrInvalidSensitiveExpr"),
        ('api_key = "${env("PATH")}"', "ErrInvalidSensitiveExpr"),
        ('api_key = (env("PATH"))', "ErrInvalidSensitiveExpr"),
        ('api_key = env("PATH", "B")', "ErrInvalidSensitiveExpr"),
        ('api_key = env("${"PATH"}")', "ErrInvalidSensitiveExpr"),
        ('api_key = env("UNSET")', "ErrEnvUnset"),
        ("key = 1", "unsupported-argument"),
        ('api_key = env("PATH")', None),
        ("", None),
    ],
)
def test_what_a_plugin_says_of_its_arguments_is_checked(tmp_path: Path, text: str, code: str | None) -> None:
    """With its schema as an option a check knows which arguments are secrets (spec C.6)."""
    report = report_on(tmp_path, f'provider "g" {{\nroot = "x"\n{text}\n}}', options=SCHEMA)
    assert [each.code for each in report.problems] == [code] * (code is not None)


TYPES: Mapping[str, JSON] = {
    "config_schema": {
        "g": {
            "s": {"type": "string"}, "n": {"type": "number"}, "b": {"type": "bool"}, "o": {"type": "object"},
            "ls": {"type": "list_string"}, "ln": {"type": "list_number"}, "ms": {"type": "map_string"},
        }
    }
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('s = "x"\nn = 5\nb = true\no = [1]\nls = ["a"]\nln = [1, 2]\nms = { a = "b" }', []),
        ('s = 5\nn = "5"\nb = "true"\nls = [1, true]\nln = ["1"]\nms = { a = 1 }', []),
        ("s = null\nn = null\nls = [null]\nms = null\nb = null", []),
        ("o = 5", []),
        ("ls = []\nln = []\nms = {}", []),
        ('n = env("FIVE")', []),
        ("s = [1]", ["wrong-type"]),
        ('n = "abc"', ["wrong-type"]),
        ("n = true", ["wrong-type"]),
        ('b = "yes"', ["wrong-type"]),
        ("b = 1", ["wrong-type"]),
        ('ls = "x"', ["wrong-type"]),
        ("ls = { a = 1 }", ["wrong-type"]),
        ('ln = [1, "a"]', ["wrong-type"]),
        ("ms = []", ["wrong-type"]),
        ("ms = { a = [] }", ["wrong-type"]),
        ('n = env("WORD")', ["wrong-type"]),
        ("nested {\n}", ["unsupported-block"]),
        ("nested {\nb = 1\n}\ns {\n}", ["unsupported-block", "unsupported-block"]),
        ('environment {\nA = env("WORD")\n}', []),
        ("n = x", ["not-evaluated"]),
    ],
)
def test_values_have_to_be_what_a_plugin_declares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, codes: list[str]
) -> None:
    """Converted as the host does it, and null is of every type; a plugin declares no blocks."""
    monkeypatch.setenv("FIVE", "5")
    monkeypatch.setenv("WORD", "hunter2")
    report = report_on(tmp_path, f'provider "g" {{\n{text}\n}}', options=TYPES)
    assert codes_of(report) == codes
    assert "hunter2" not in str(report)
    without = codes_of(report_on(tmp_path, f'provider "g" {{\n{text}\n}}'))
    assert without == [code for code in codes if code == "not-evaluated"], "nobody else knows what it takes"


def test_a_plugin_without_what_it_needs_or_with_odd_types_is_told(tmp_path: Path) -> None:
    """The schema itself may be one that the host does not take."""
    options: Mapping[str, JSON] = {"config_schema": {"g": {"a": {"required": True}, "b": {"type": "date"}}}}
    report = report_on(tmp_path, 'provider "g" {}', options=options)
    assert [each.code for each in report.problems] == ["ErrInvalidAttrType", "missing-argument"]


def test_tools_that_a_plugin_has_are_checked_if_they_are_known(tmp_path: Path) -> None:
    """With its tools as an option (spec C.7)."""
    text = 'provider "g" {}\n' + profile('tools = ["g.read", "g.nope"]')
    report = report_on(tmp_path, text, options={"tools": {"g": ["read"]}})
    assert [each.code for each in report.problems] == ["ErrUnknownTool"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (hook("plan-ready", "veto", more='timeout_ms = "5"'), ["ErrInvalidValue"]),
        (hook("plan-ready", "veto", more="timeout_ms = x"), ["not-evaluated"]),
        (in_settings('default_hook_timeout_ms = "5"') + "\n" + GATE, ["ErrInvalidValue"]),
        (in_settings("doom_loop {\nwindow_size = 2\nthreshold = x\n}"), ["not-evaluated"]),
    ],
)
def test_what_could_not_be_read_has_no_default_to_complain_about(tmp_path: Path, text: str, codes: list[str]) -> None:
    """One mistake is told once, and a hook without its deadline is not listed with another one."""
    report = report_on(tmp_path, text)
    assert [each.code for each in report.problems] == codes
    assert report.chains["plan-ready"].subscriptions == ()


def test_a_point_without_a_value_is_told_at_the_value(tmp_path: Path) -> None:
    """Where a point may be an argument, nobody misses a label."""
    text = 'hook {\npoint = plan-ready\nprovider = "g"\nmode = "observe"\n}'
    report = report_on(tmp_path, text, options={"hook_attributes": True})
    assert [(each.code, str(each.place)[-3:]) for each in report.problems] == [("not-evaluated", "2:9")]
