"""Everything that is wrong with plugins, at once: each kind of problem at its place, and no secret on the way."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hookbus_manifests import BEFORE, MINIMAL, block, manifest, write_plugin
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.dialects.hookbus.lint import check_setup
from kernel.dialects.hookbus.manifest.codes import CODES
from kernel.dialects.hookbus.manifest.reading import BLOCK
from kernel.errors import BadInput
from kernel.problems import Problem, Report, Severity

AFTER = {"hook": "after_tool_call"}
RUNS = {"command": sys.executable}
LLM = {"permissions": ["privacy.llm_content"]}


def sound(**members: object) -> dict[str, object]:
    """M01 with a program that can be started."""
    return dict(block(**{**RUNS, **members}))


def report_on(folder: Path, text: str, files: dict[str, str] | None = None) -> Report:
    """On a plugin called `guard`."""
    return check_setup(write_plugin(folder / "guard", text, files))


def told(report: Report) -> list[tuple[str, str, str]]:
    """Code, the text that is meant, and the fix."""
    return [(problem.code, _meant(report, problem), problem.fix) for problem in report.problems]


def _meant(report: Report, problem: Problem) -> str:
    assert problem.place is not None
    line = report.lines[problem.place.file, problem.place.line]
    return line[problem.place.column - 1 : problem.place.column - 1 + problem.length]


WARNINGS = [
    ("ignored-member", sound(entry_point="main.py"), '"entry_point"', "say which program to start in command and args"),
    (
        "ignored-member",
        sound(extension_protocol_version=1),
        '"extension_protocol_version"',
        "the manifest calls it protocol_version",
    ),
    ("ignored-member", sound(permission=["x"]), '"permission"', "did you mean 'permissions'?"),
    ("ignored-member", sound(surprise=1), '"surprise"', ""),
    (
        "ignored-member",
        sound(beforeToolCall={}),
        '"beforeToolCall"',
        'subscribe with {"hook": "before_tool_call"} in hooks',
    ),
    (
        "ignored-member",
        sound(hooks=[{**BEFORE, "priority": 1}]),
        '"priority"',
        "order is that of the list, and between plugins that of their folders' names",
    ),
    ("repeated-permission", sound(permissions=["tools.intercept"] * 2), '"tools.intercept"', "leave one out"),
    ("unused-permission", sound(permissions=["tools.intercept", "session.lifecycle"]), '"session.lifecycle"', ""),
    (
        "unused-permission",
        sound(permissions=["tools.intercept", "tools.transform_output"]),
        '"tools.transform_output"',
        "",
    ),
    ("always-matches", sound(hooks=[{**BEFORE, "match": {}}]), "{}", "leave match out"),
    ("always-matches", sound(hooks=[{**BEFORE, "match": {"input_contains": ""}}]), '""', "leave input_contains out"),
    (
        "never-matches",
        sound(hooks=[{**BEFORE, "match": {"input_contains": '"command": "ls"'}}]),
        '"\\"command\\": \\"ls\\""',
        'write "command":"ls"',
    ),
    (
        "never-matches",
        sound(hooks=[{**BEFORE, "match": {"input_contains": '"b":1,"a":2'}}]),
        '"\\"b\\":1,\\"a\\":2"',
        'write "a":2,"b":1',
    ),
    (
        "never-matches",
        sound(hooks=[{**BEFORE, "match": {"input_contains": "a\nb"}}]),
        '"a\\nb"',
        "write a\\nb as the JSON text has it",
    ),
    (
        "never-matches",
        sound(hooks=[{**BEFORE, "match": {"input_contains": "rm", "input_equals": {"command": "ls"}}}]),
        '"rm"',
        "",
    ),
    (
        "never-matches",
        sound(**LLM, hooks=[{"hook": "before_message", "match": {"input_contains": "secret"}}]),
        '"secret"',
        "",
    ),
    (
        "never-matches",
        sound(**LLM, hooks=[{"hook": "before_message", "match": {"input_equals": "x"}}]),
        '"x"',
        "leave match out",
    ),
    ("never-matches", sound(hooks=[{**BEFORE, "tool": ""}]), '""', "leave tool out to hear of every tool"),
    ("unlikely-filter", sound(hooks=[{**BEFORE, "tool": "Bash"}]), '"Bash"', "did you mean 'bash'?"),
    *(
        (
            "unlikely-filter",
            sound(hooks=[{**BEFORE, "tool": tool}]),
            json.dumps(tool),
            "one entry for each tool, or no tool to hear of all",
        )
        for tool in ("*", "bash|write", "bash, write", " bash")
    ),
    ("runtime-name-only", sound(hooks=[{**BEFORE, "tool": "srv/do"}]), '"srv/do"', "'srv_do' always fits"),
    ("runtime-name-only", sound(hooks=[{**BEFORE, "tool": "plug:tool"}]), '"plug:tool"', "'plug_tool' always fits"),
    ("no-shell", sound(args=["$HOME/x"]), '"$HOME/x"', ""),
    ("no-shell", sound(args=["~/x"]), '"~/x"', ""),
    ("no-shell", sound(args=["x", "2>&1"]), '"2>&1"', ""),
    ("no-shell", block(command="python3 main.py"), '"python3 main.py"', "say command 'python3' and the rest in args"),
    ("missing-program", block(command="no-such-program"), '"no-such-program"', ""),
    ("missing-program", block(command="bin/guard"), '"bin/guard"', ""),
    ("missing-program", block(command="./here.txt"), '"./here.txt"', ""),
    ("missing-program", block(command="~/guard"), '"~/guard"', ""),
    ("missing-file", sound(args=["main.py"]), '"main.py"', ""),
    ("missing-file", sound(setup="setup.sh"), '"setup.sh"', ""),
    (
        "outside-argument",
        sound(args=["../outside.txt"]),
        '"../outside.txt"',
        "keep what the plugin needs in its folder",
    ),
    (
        "idle-required",
        sound(config=[{"key": "k", "required": True, "default": 1}]),
        "1",
        "leave required or default out",
    ),
    ("config-type", sound(config=[{"key": "k", "type": "number", "default": True}]), "true", ""),
    ("config-type", sound(config=[{"key": "k", "type": "string", "default": 5}]), "5", ""),
    ("repeated-key", sound(config=[{"key": "k"}, {"key": "k"}]), '"k"', "keep one of them"),
    ("unusual-key", sound(config=[{"key": "k:y"}]), '"k:y"', "use letters, digits, hyphens and underscores"),
    (
        "written-secret",
        sound(config=[{"key": "k", "secret_env": "K", "default": "hunter2"}]),
        "*********",
        "leave default out and set K",
    ),
    ("odd-digest", sound(prebuilt={"x": {"url": "u", "sha256": "abc"}}), '"abc"', ""),
    (
        "refused-name",
        sound(permissions=["tools.intercept", "tools.register"], deferred={"tools": [{"name": "a:b"}]}),
        '"a:b"',
        "",
    ),
]


@pytest.mark.parametrize(("code", "extension", "meant", "fix"), WARNINGS)
def test_what_is_legal_and_hardly_meant_is_a_warning(
    code: str, extension: object, meant: str, fix: str, tmp_path: Path
) -> None:
    """Alone, at its place, with a way out; the plugin is loaded all the same."""
    (tmp_path / "outside.txt").write_text("")
    report = report_on(tmp_path, manifest(extension), {"here.txt": ""})
    assert told(report) == [(code, meant, fix)]
    assert CODES[code].severity is Severity.WARNING
    assert report.is_fine
    assert report.chains


@pytest.mark.parametrize(
    "extension",
    [
        sound(),
        sound(name="x", assets=[], providers=[]),
        sound(hooks=[AFTER]),
        sound(hooks=[AFTER], permissions=["tools.intercept", "tools.transform_output"]),
        sound(hooks=[{**BEFORE, "tool": "bash"}, {**BEFORE, "tool": "write"}]),
        sound(hooks=[{**BEFORE, "match": {"input_contains": "rm -rf"}}]),
        sound(hooks=[{**BEFORE, "match": {"input_contains": "ls", "input_equals": {"command": "ls"}}}]),
        sound(permissions=["tools.register", "config.write", "tools.intercept"]),
        sound(**LLM, hooks=[{"hook": "before_message", "match": {"input_contains": "null"}}]),
        sound(args=["--flag=a,b", "main.py", "5$", "-x.py", "there.txt"]),
        sound(config=[{"key": "k", "type": "string", "required": True, "secret_env": "PATH"}]),
        sound(theme_tokens={"accent": "#fff"}),
    ],
)
def test_what_is_well_written_gets_no_warning(extension: object, tmp_path: Path) -> None:
    """Nobody reads a check that cries wolf."""
    assert told(report_on(tmp_path, manifest(extension), {"main.py": "", "there.txt": ""})) == []


@pytest.mark.parametrize(
    ("program", "warns"),
    [
        ('send({"action": "replace", "output": x})', True),
        ("send({ action: 'replace', output })", True),
        ('printf \'{\\"action\\":\\"replace\\"}\'', True),
        ("text.replace(a, b)", False),
        ("", False),
    ],
)
def test_a_program_that_replaces_without_permission_is_noticed(program: str, warns: bool, tmp_path: Path) -> None:
    """Two keys are needed; a look into the program tells that it means to."""
    extension = sound(args=["main.py"], hooks=[AFTER])
    report = report_on(tmp_path, manifest(extension), {"main.py": program})
    expected = ("ignored-replace", '"after_tool_call"', "add tools.transform_output to permissions")
    assert told(report) == ([expected] if warns else [])


@pytest.mark.parametrize(
    ("text", "code", "meant"),
    [
        ('{"name": "guard"}', "no-extension", '{"name": "guard"}'),
        ('{"extensions": {}}', "no-extension", '"extensions"'),
        ("[]", "no-extension", "[]"),
        (manifest(sound(), name="guards"), "other-name", '"guards"'),
        (manifest(sound(), hooks=[]), "misplaced-member", '"hooks"'),
        ('{"extension": 1, ' + manifest(sound())[1:], "repeated-member", '"extension"'),
        (manifest(sound()).replace('"command"', '"command": "y", "command"', 1), "repeated-member", '"command"'),
    ],
)
def test_what_stands_around_the_block_is_looked_at(text: str, code: str, meant: str, tmp_path: Path) -> None:
    """Members in the wrong place, and names that say something else."""
    report = report_on(tmp_path, text)
    assert [(found, what) for found, what, _ in told(report)] == [(code, meant)]
    assert report.is_fine


@pytest.mark.parametrize(
    ("wrong", "fix"),
    [
        ("BeforeToolCall", "did you mean 'before_tool_call'?"),
        ("before-tool-call", "did you mean 'before_tool_call'?"),
        ("PreToolUse", "did you mean 'before_tool_call'?"),
        ("post_tool_use", "did you mean 'after_tool_call'?"),
        ("on_sesion_start", "did you mean 'on_session_start'?"),
        ("UserPromptSubmit", "did you mean 'before_message'?"),
    ],
)
def test_a_kind_that_was_probably_meant_is_named(wrong: str, fix: str, tmp_path: Path) -> None:
    """Also in the words of other hosts."""
    report = report_on(tmp_path, manifest(sound(hooks=[{"hook": wrong}])))
    assert ("unknown-kind", json.dumps(wrong), fix) in told(report)


def test_a_permission_as_documents_write_it_is_explained(tmp_path: Path) -> None:
    """`hooks.before_tool_call` is none, though a document says so."""
    report = report_on(tmp_path, manifest(sound(permissions=["hooks.before_tool_call", "tools.intercept"])))
    fix = "the permission for before_tool_call is tools.intercept"
    assert told(report) == [("unknown-permission", '"hooks.before_tool_call"', fix)]


def test_all_problems_are_told_and_the_host_s_is_pointed_out(tmp_path: Path) -> None:
    """In the order of the text; the host would stop at the version."""
    extension = {
        "command": " ",
        "permissions": ["tools.typo"],
        "runtime": "process",
        "hooks": [{"hook": "nothing"}, {"hook": "before_message", "tool": "x"}],
        "protocol_version": 2,
    }
    report = report_on(tmp_path, manifest(extension))
    assert [code for code, _, _ in told(report)] == [
        "empty-command",
        "unknown-permission",
        "unknown-kind",
        "lacking-permission",
        "tool-filter",
        "protocol-version",
    ]
    [note] = report.notes
    said = ("guard", "protocol-version", "unsupported protocol_version 2 (supported: 1)")
    assert (note.title, note.rows) == ("the host reports", (said,))
    assert (report.is_fine, report.chains) == (False, {})


def test_a_block_that_does_not_parse_is_looked_at_further(tmp_path: Path) -> None:
    """What follows from the unreadable part is not told; everything else is."""
    extension = {"runtime": "process", "command": 7, "permissions": 5, "hooks": [{"tool": "x"}, {"hook": "nothing"}]}
    assert [code for code, _, _ in told(report_on(tmp_path, manifest(extension)))] == [
        "wrong-type",
        "wrong-type",
        "missing-member",
        "unknown-kind",
    ]


def test_a_text_that_is_no_json_is_shown_where_it_breaks(tmp_path: Path) -> None:
    """Nothing else can be said about it."""
    report = report_on(tmp_path, '{\n  "extension": {\n    "runtime": "process"\n    "command": "x"\n  }\n}\n')
    assert [(problem.code, str(problem.place).rpartition("plugin.json:")[2]) for problem in report.problems] == [
        ("syntax", "4:5")
    ]


def test_a_folder_of_plugins_is_one_report(tmp_path: Path) -> None:
    """By plugin in the order of loading; chains of those that are loaded; the others with a reason."""
    write_plugin(tmp_path / "plugins" / "b", manifest(sound(command="")))
    write_plugin(tmp_path / "plugins" / "a", manifest(sound(hooks=[{**BEFORE, "tool": "Bash"}])))
    write_plugin(tmp_path / "plugins" / "c", "{}")
    write_plugin(tmp_path / "plugins" / "d", manifest(sound()))
    (tmp_path / "config").write_text("disabled_plugins = d\n")
    report = check_setup(tmp_path)
    assert [code for code, _, _ in told(report)] == ["unlikely-filter", "empty-command"]
    assert [seat.name for seat in report.chains["before_tool_call"].subscriptions] == ["a"]
    notes = {note.title: note.rows for note in report.notes}
    assert notes["the host reports"] == (("b", "empty-command", "Extension 'b' has empty command"),)
    assert notes["not loaded, without a word"] == (
        ("c", "it has no extension"),
        ("d", f"it is disabled ({tmp_path / 'plugins' / 'd'})"),
    )


def test_the_source_of_each_config_value_is_said_and_no_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is the value of a default that stands in for a secret, in whatever line a problem is."""
    monkeypatch.setenv("MY_KEY", "hunter2")
    config = [
        {"key": "key", "secret_env": "MY_KEY"},
        {"key": "spare", "secret_env": "UNSET_KEY", "default": "hunter2", "type": "number"},
        {"key": "root", "host_context": "project_root"},
        {"key": "none"},
    ]
    extension = sound(config=config, surprise=1)
    folder = write_plugin(tmp_path / "guard", json.dumps({"extension": extension}), {"config": "none = hunter2"})
    report = check_setup(folder)
    [note] = report.notes
    assert (note.title, note.rows) == (
        "config of guard",
        (
            ("key", "the environment (secret_env)", "MY_KEY"),
            ("spare", "the manifest's default", ""),
            ("root", "the host", "project_root"),
            ("none", "the plugin's config file", str(folder / "config")),
        ),
    )
    assert {code for code, _, _ in told(report)} == {"written-secret", "config-type", "ignored-member"}
    assert "hunter2" not in repr(report)


def test_every_code_has_been_seen(tmp_path: Path) -> None:
    """A kind of problem that nothing can bring about is none: those of the warnings' table, and the rest here."""
    seen = {code for code, *_ in WARNINGS}
    seen |= {"ignored-replace", "no-extension", "other-name", "misplaced-member", "repeated-member"}
    broken = (
        "{",
        manifest(sound(args=5, runtime="x", hooks=[{}, {**BEFORE, "match": {"x": 1}}, BEFORE, BEFORE])),
        manifest(sound(config=[{"key": "a.b"}, {"key": "k", "required": True}], deferred={"tools": [{"name": ""}]})),
        manifest(sound(protocol_version=5, command="", theme_tokens={"a.b": "red"})),
        manifest(sound(permissions=["x", "tools.override"], hooks=[{"hook": "x"}, {**AFTER, "tool": "x"}])),
        manifest(sound(permissions=["session.lifecycle"], hooks=[{"hook": "on_session_start", "tool": "x"}])),
        manifest(sound(permissions=[], hooks=[])),
    )
    for number, text in enumerate(broken):
        seen |= {problem.code for problem in report_on(tmp_path / str(number), text).problems}
    (tmp_path / "u" / ".synaps-plugin" / "plugin.json").mkdir(parents=True)
    seen |= {problem.code for problem in check_setup(tmp_path / "u").problems}
    folder = write_plugin(tmp_path / "f", manifest(sound(config=[{"key": "k"}])))
    (folder / "config").write_bytes(b"\xff")
    seen |= {problem.code for problem in check_setup(folder).problems}
    twin = write_plugin(tmp_path / "twin" / "f", manifest(sound()))
    (folder / "config").unlink()
    seen |= {problem.code for problem in check_setup(folder, {"plugins": [str(twin)]}).problems}
    assert set(CODES) - seen == set()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_problem_points_into_its_text(data: st.DataObject) -> None:
    """Whatever stands in the block, places are within lines that are shown."""
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
        max_leaves=4,
    )
    members = data.draw(st.dictionaries(st.sampled_from((*BLOCK, "x")), values, max_size=4))
    with TemporaryDirectory() as folder:
        report = report_on(Path(folder), manifest({**MINIMAL, **members}))
    for problem in report.problems:
        assert problem.place is not None
        assert problem.place.column - 1 + problem.length <= len(_line(report, problem))


def _line(report: Report, problem: Problem) -> str:
    assert problem.place is not None
    return report.lines[problem.place.file, problem.place.line]


def test_nothing_to_look_at_is_an_error(tmp_path: Path) -> None:
    """And so are options that there are not."""
    with pytest.raises(BadInput, match="holds no plugin"):
        check_setup(tmp_path)
    with pytest.raises(BadInput, match="without an option"):
        check_setup(write_plugin(tmp_path / "x", manifest(MINIMAL)), {"hook_attributes": True})


def test_a_folder_without_a_manifest_is_named(tmp_path: Path) -> None:
    """Nobody else says why such a plugin is not there; one whose extension is null is silent too."""
    write_plugin(tmp_path / "plugins" / "guard", manifest(MINIMAL))
    write_plugin(tmp_path / "plugins" / "nothing", '{"extension": null}')
    (tmp_path / "plugins" / "half-done").mkdir()
    report = check_setup(tmp_path)
    [silent] = [note for note in report.notes if note.title == "not loaded, without a word"]
    assert silent.rows == (
        ("nothing", "it has no extension"),
        ("half-done", f"it has no manifest ({tmp_path / 'plugins' / 'half-done'})"),
    )


def test_an_extension_that_is_null_is_told_of_where_one_plugin_is_looked_at(tmp_path: Path) -> None:
    """As one that is missing."""
    report = check_setup(write_plugin(tmp_path / "guard", '{"name": "other", "extension": null}'))
    assert [(each.code, each.message) for each in report.problems] == [
        ("no-extension", "extension is null, so the host skips the plugin")
    ]
