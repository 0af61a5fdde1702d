"""The cases of spec 5.3, and those that its grammar and its order of checks imply."""

from __future__ import annotations

from pathlib import Path

import pytest
from hookbus_manifests import ABSENT, BEFORE, MINIMAL, block, examined, first, manifest

AFTER = {"hook": "after_tool_call"}
START = {"hook": "on_session_start"}
NO_PURPOSE = "must subscribe to at least one hook or request a registration permission"
BARE = {"permissions": [], "hooks": []}


@pytest.mark.parametrize(
    "extension",
    [
        pytest.param(MINIMAL, id="M01"),
        pytest.param(block(protocol_version=ABSENT), id="M02"),
        pytest.param(block(permissions=["tools.register"], hooks=ABSENT), id="M12"),
        pytest.param(block(permissions=["providers.register"], hooks=[]), id="M13 providers"),
        pytest.param(block(permissions=["audio.input"], hooks=[]), id="M13 audio"),
        *(
            pytest.param(block(permissions=[name], hooks=[]), id=f"reason enough: {name}")
            for name in ("memory.read", "memory.write", "config.write", "config.subscribe", "audio.output")
        ),
        pytest.param(block(hooks=[{**AFTER, "tool": "bash"}]), id="M24"),
        pytest.param(block(hooks=[{**BEFORE, "match": {"input_contains": "rm"}}]), id="M25"),
        pytest.param(block(hooks=[{**BEFORE, "match": {}}]), id="M27"),
        pytest.param(block(hooks=[{**BEFORE, "match": {"input_equals": None}}]), id="M28"),
        pytest.param(block(hooks=[{**BEFORE, "match": {"input_equals": [1, {"a": 2.5}]}}]), id="any JSON to equal"),
        pytest.param(block(hooks=[{**BEFORE, "match": None, "tool": None}]), id="null is absent in a hook"),
        pytest.param(block(hooks=[{**BEFORE, "match": {"input_contains": None}}]), id="null is absent in a match"),
        pytest.param(
            block(permissions=["session.lifecycle"], hooks=[{**START, "match": {"input_contains": "null"}}]), id="M30"
        ),
        pytest.param(block(hooks=[AFTER]), id="M31"),
        pytest.param(block(hooks=[{**BEFORE, "tool": "bash"}, {**BEFORE, "tool": "write"}]), id="M32"),
        pytest.param(
            block(hooks=[{**BEFORE, "priority": 1}], name="x", assets=[], providers={"a": 1}, surprise=None), id="M33"
        ),
        pytest.param(block(prebuilt={"x86_64-linux": {"url": "https://e/x", "sha256": "0" * 64}}), id="prebuilt"),
        pytest.param(block(prebuilt={"any": {"url": "", "sha256": "", "more": 1}}), id="prebuilt, unusual"),
        pytest.param(block(theme_tokens={"accent": " #ffffff "}), id="M38"),
        pytest.param(block(theme_tokens={"a-b": "#fff", "c_d": "#ABCDEF", "é": "#123"}), id="theme tokens"),
        pytest.param(block(args=["../x", "--flag"]), id="M46"),
        pytest.param(block(permissions=["tools.intercept", "tools.intercept"]), id="M47"),
        pytest.param(block(permissions=["tools.intercept", "session.drive"]), id="an active one of later builds"),
        pytest.param(block(setup=None, deferred=None), id="null is absent in the block"),
        pytest.param(block(setup="scripts/setup.sh"), id="setup"),
        pytest.param(block(command=" python3 "), id="a command with spaces around"),
        pytest.param(
            block(config=[{"key": "k", "default": None, "type": None, "secret_env": None}]), id="config nulls"
        ),
        pytest.param(block(config=[{"key": "k", "type": "bool", "default": "no bool"}]), id="types are not enforced"),
        pytest.param(block(deferred={}), id="deferred, empty"),
        pytest.param(block(deferred={"lifecycle": "hook"}), id="deferred to hooks"),
        pytest.param(block(deferred={"lifecycle": "user"}), id="deferred to the user"),
        pytest.param(block(deferred={"lifecycle": "user", "tools": [], "providers": None}), id="deferred, no tools"),
        pytest.param(
            block(
                permissions=["tools.register", "tools.intercept"],
                deferred={"tools": [{"name": "t", "description": "d", "input_schema": {}}], "lifecycle": "hook"},
            ),
            id="a deferred tool",
        ),
    ],
)
def test_a_valid_block_is_loaded(extension: object, tmp_path: Path) -> None:
    """The host gets as far as starting the program."""
    assert first(tmp_path, extension) is None


@pytest.mark.parametrize(
    ("extension", "code"),
    [
        pytest.param(block(protocol_version="1"), "wrong-type", id="M04"),
        pytest.param(block(protocol_version=1.0), "wrong-type", id="version 1.0"),
        pytest.param(block(protocol_version=True), "wrong-type", id="version true"),
        pytest.param(block(protocol_version=None), "wrong-type", id="version null"),
        pytest.param(block(protocol_version=-1), "wrong-type", id="version -1"),
        pytest.param(block(protocol_version=1 << 32), "wrong-type", id="version of 33 bits"),
        pytest.param(block(runtime=ABSENT), "missing-member", id="M05"),
        pytest.param(block(runtime="wasm"), "unknown-word", id="M06 wasm"),
        pytest.param(block(runtime="Process"), "unknown-word", id="M06 capital"),
        pytest.param(block(runtime="process "), "unknown-word", id="runtime with a space"),
        pytest.param(block(runtime=None), "wrong-type", id="runtime null"),
        pytest.param(block(command=ABSENT), "missing-member", id="M08"),
        pytest.param(block(command=7), "wrong-type", id="M10"),
        pytest.param(block(command=None), "wrong-type", id="command null"),
        pytest.param(block(command=["x"]), "wrong-type", id="command as a list"),
        pytest.param(block(args="x"), "wrong-type", id="args as text"),
        pytest.param(block(args=[1]), "wrong-type", id="a number as argument"),
        pytest.param(block(args=None), "wrong-type", id="args null"),
        pytest.param(block(setup=["x"]), "wrong-type", id="setup as a list"),
        pytest.param(block(permissions="tools.intercept"), "wrong-type", id="permissions as text"),
        pytest.param(block(permissions=[None]), "wrong-type", id="a permission null"),
        pytest.param(block(permissions=None), "wrong-type", id="permissions null"),
        pytest.param(block(hooks={}), "wrong-type", id="hooks as an object"),
        pytest.param(block(hooks=["before_tool_call"]), "wrong-type", id="a hook as text"),
        pytest.param(block(hooks=None), "wrong-type", id="hooks null"),
        pytest.param(block(hooks=[{}]), "missing-member", id="a hook without a kind"),
        pytest.param(block(hooks=[{"hook": None}]), "wrong-type", id="a kind null"),
        pytest.param(block(hooks=[{**BEFORE, "tool": ["bash"]}]), "wrong-type", id="a list of tools"),
        pytest.param(block(hooks=[{**BEFORE, "match": "rm"}]), "wrong-type", id="match as text"),
        pytest.param(block(hooks=[{**BEFORE, "match": {"input_regex": "rm"}}]), "unknown-condition", id="M26"),
        pytest.param(
            block(hooks=[{**BEFORE, "match": {"input_contains": "rm", "tool": None}}]),
            "unknown-condition",
            id="another member beside",
        ),
        pytest.param(block(hooks=[{**BEFORE, "match": {"input_contains": 5}}]), "wrong-type", id="M29"),
        pytest.param(block(prebuilt={"x": {"url": "u"}}), "missing-member", id="M35"),
        pytest.param(block(prebuilt={"x": {"sha256": "u"}}), "missing-member", id="prebuilt without url"),
        pytest.param(block(prebuilt={"x": "u"}), "wrong-type", id="prebuilt as text"),
        pytest.param(block(prebuilt=[]), "wrong-type", id="prebuilt as a list"),
        pytest.param(block(theme_tokens={"x": 5}), "wrong-type", id="a color as number"),
        pytest.param(block(theme_tokens=["x"]), "wrong-type", id="tokens as a list"),
        pytest.param(block(config=[{"key": "k", "type": "integer"}]), "unknown-word", id="M41"),
        pytest.param(block(config=[{"key": "k", "type": "String"}]), "unknown-word", id="a type with a capital"),
        pytest.param(block(config=[{}]), "missing-member", id="config without a key"),
        pytest.param(block(config=[{"key": 1}]), "wrong-type", id="a key as number"),
        pytest.param(block(config=[{"key": "k", "required": "true"}]), "wrong-type", id="required as text"),
        pytest.param(block(config=[{"key": "k", "required": 1}]), "wrong-type", id="required as number"),
        pytest.param(block(config=[{"key": "k", "secret_env": 1}]), "wrong-type", id="secret_env as number"),
        pytest.param(block(config=[{"key": "k", "description": 1}]), "wrong-type", id="description as number"),
        pytest.param(block(config=[{"key": "k", "host_context": "home"}]), "unknown-word", id="another context"),
        pytest.param(block(config={"k": "v"}), "wrong-type", id="config as an object"),
        pytest.param(block(deferred=[]), "wrong-type", id="deferred as a list"),
        pytest.param(block(deferred={"lifecycle": "boot"}), "unknown-word", id="another lifecycle"),
        pytest.param(block(deferred={"tools": [{}]}), "missing-member", id="a deferred tool without a name"),
        pytest.param([], "wrong-type", id="the block a list"),
    ],
)
def test_a_block_that_does_not_parse_is_reported_as_that(extension: object, code: str, tmp_path: Path) -> None:
    """Types are as strict as in the host, and nothing is converted."""
    reported = first(tmp_path, extension)
    assert reported is not None
    assert reported[0] == code


@pytest.mark.parametrize(
    ("extension", "code", "fragment"),
    [
        pytest.param(
            block(protocol_version=2), "protocol-version", "unsupported protocol_version 2 (supported: 1)", id="M03"
        ),
        pytest.param(block(protocol_version=0), "protocol-version", "unsupported protocol_version 0", id="version 0"),
        pytest.param(
            block(protocol_version=(1 << 32) - 1), "protocol-version", "protocol_version 4294967295", id="largest"
        ),
        pytest.param(block(command=""), "empty-command", "has empty command", id="M09"),
        pytest.param(block(command="  "), "empty-command", "has empty command", id="M09 spaces"),
        pytest.param(block(command="\u2003\n"), "empty-command", "has empty command", id="wide space"),
        pytest.param(block(**BARE), "no-purpose", NO_PURPOSE, id="M11"),
        pytest.param(block(permissions=ABSENT, hooks=ABSENT), "no-purpose", NO_PURPOSE, id="M11 absent"),
        pytest.param(block(permissions=["context_providers.register"], hooks=[]), "no-purpose", NO_PURPOSE, id="M15"),
        pytest.param(block(hooks=[]), "no-purpose", NO_PURPOSE, id="M16"),
        pytest.param(block(permissions=["session.drive"], hooks=[]), "no-purpose", NO_PURPOSE, id="drive is no reason"),
        pytest.param(
            block(permissions=["tools.typo"]),
            "unknown-permission",
            "Unknown extension permission: tools.typo",
            id="M17",
        ),
        pytest.param(block(permissions=["Tools.intercept"]), "unknown-permission", "Tools.intercept", id="a capital"),
        pytest.param(block(permissions=["tools.intercept "]), "unknown-permission", "tools.intercept ", id="a space"),
        pytest.param(
            block(permissions=["tools.override", "tools.intercept"]),
            "reserved-permission",
            "Reserved extension permission is not implemented yet: tools.override",
            id="M18",
        ),
        pytest.param(
            block(permissions=[]),
            "lacking-permission",
            "Extension 'guard' lacks permission 'tools.intercept' required for hook 'before_tool_call'",
            id="M19",
        ),
        pytest.param(
            block(hooks=[{"hook": "before_message"}]),
            "lacking-permission",
            "lacks permission 'privacy.llm_content' required for hook 'before_message'",
            id="M20",
        ),
        pytest.param(
            block(hooks=[{"hook": "BeforeToolCall"}]),
            "unknown-kind",
            "Unknown hook kind: 'BeforeToolCall' in extension 'guard'",
            id="M21",
        ),
        pytest.param(block(hooks=[{"hook": ""}]), "unknown-kind", "Unknown hook kind: ''", id="an empty kind"),
        pytest.param(block(hooks=[{"hook": "on_usage"}]), "unknown-kind", "Unknown hook kind: 'on_usage'", id="M22"),
        pytest.param(
            block(hooks=[{"hook": "notification"}]), "unknown-kind", "'notification'", id="what only stands for others"
        ),
        pytest.param(
            block(permissions=["session.lifecycle"], hooks=[{**START, "tool": "bash"}]),
            "tool-filter",
            "hook 'on_session_start' does not allow a tool filter",
            id="M23",
        ),
        pytest.param(block(theme_tokens={"a.b": "#fff"}), "theme-token", "theme token 'a.b'", id="M36"),
        *(
            pytest.param(
                block(theme_tokens={name: "#fff"}), "theme-token", f"theme token '{name}'", id=f"token {name!r}"
            )
            for name in ("a/b", "a\\b", "a b", "a\u00a0b", "")
        ),
        pytest.param(
            block(theme_tokens={"accent": "red"}), "theme-token", "theme token 'accent' has an invalid color", id="M37"
        ),
        *(
            pytest.param(block(theme_tokens={"x": color}), "theme-token", "invalid color", id=f"color {color!r}")
            for color in ("", "#", "#ffff", "#fffff", "#ggg", "fff", "#FFFFFF0", "# fff", "#１２３")
        ),
        pytest.param(block(config=[{"key": "a.b"}]), "config-key", "config key 'a.b'", id="M39"),
        *(
            pytest.param(block(config=[{"key": key}]), "config-key", "config key", id=f"key {key!r}")
            for key in ("a/b", "a b", "", "  ", "\t")
        ),
        pytest.param(
            block(config=[{"key": "k", "required": True}]), "config-missing", "config key 'k' is required", id="M40"
        ),
        pytest.param(
            block(config=[{"key": "k", "required": True, "default": None}]),
            "config-missing",
            "'k'",
            id="a null default",
        ),
        pytest.param(
            block(deferred={"tools": [{"name": "t"}]}),
            "deferred",
            "deferred declarations invalid: tools_without_permission",
            id="M42",
        ),
        pytest.param(
            block(deferred={"providers": [{"id": "p"}]}),
            "deferred",
            "deferred declarations invalid: providers_without_permission",
            id="providers without permission",
        ),
        pytest.param(
            block(permissions=["tools.register"], hooks=[], deferred={"lifecycle": "hook"}),
            "deferred",
            "deferred declarations invalid: hook_lifecycle_without_hooks",
            id="M43",
        ),
        pytest.param(
            block(
                permissions=["tools.intercept", "tools.register"],
                deferred={"lifecycle": "user", "tools": [{"name": "t"}]},
            ),
            "deferred",
            "deferred declarations invalid: user_lifecycle_with_registrations",
            id="M44",
        ),
    ],
)
def test_a_block_that_the_host_refuses_is_reported_in_its_words(
    extension: object, code: str, fragment: str, tmp_path: Path
) -> None:
    """The code tells the check, and the message has the host's text."""
    reported = first(tmp_path, extension)
    assert reported is not None
    assert reported[0] == code
    assert fragment in reported[1]


def test_a_manifest_without_an_extension_is_no_failure(tmp_path: Path) -> None:
    """M45: the plugin is passed over."""
    for text in ('{"name": "guard"}', '{"name": "guard", "extension": null}'):
        found = examined(tmp_path, text)
        assert (found.first, found.is_loaded) == (None, False)


@pytest.mark.parametrize("text", ["[]", "null", '"extension"', "1", "{}"])
def test_whatever_is_json_and_holds_no_extension_is_no_failure(text: str, tmp_path: Path) -> None:
    """The host looks for one member, and in nothing but an object there is one."""
    found = examined(tmp_path, text)
    assert (found.first, found.is_loaded) == (None, False)


def test_repeated_permissions_are_one_grant(tmp_path: Path) -> None:
    """M47."""
    found = examined(tmp_path, manifest(block(permissions=["tools.intercept", "tools.intercept"])))
    assert found.extension is not None
    assert found.extension.granted == {"tools.intercept"}


def test_of_two_members_with_one_name_the_later_counts(tmp_path: Path) -> None:
    """The host reads the text into a map before it looks at the block."""
    text = '{"extension": 5, "extension": {"runtime": "process", "command": 7, "command": "x", "permissions": [], '
    text += '"permissions": ["tools.intercept"], "hooks": [{"hook": "nothing", "hook": "before_tool_call"}]}}'
    assert examined(tmp_path, text).first is None


ORDER = [
    ("wrong-type", {"args": 5}),
    ("config-key", {"config": [{"key": "a.b"}, {"key": "k", "required": True}]}),
    ("config-missing", {"config": [{"key": "k", "required": True}]}),
    ("deferred", {"deferred": {"tools": [{"name": "t"}]}}),
    ("protocol-version", {"protocol_version": 3}),
    ("empty-command", {"command": " "}),
    ("theme-token", {"theme_tokens": {"x": "red"}}),
    ("unknown-permission", {"permissions": ["tools.typo", "tools.intercept"]}),
    ("unknown-kind", {"hooks": [{"hook": "nothing"}]}),
]
"""Mistakes in the order in which the host meets them (spec 4.12, 5.2)."""


@pytest.mark.parametrize("number", range(len(ORDER)))
def test_the_host_reports_what_it_meets_first(number: int, tmp_path: Path) -> None:
    """With this mistake and all that come after it, it is this one."""
    members: dict[str, object] = {}
    for _, mistake in reversed(ORDER[number:]):
        members |= mistake
    reported = first(tmp_path, block(**members))
    assert reported is not None
    assert reported[0] == ORDER[number][0]


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"permissions": ["tools.typo"], "hooks": []}, "no-purpose"),
        ({"permissions": ["tools.typo", "tools.override"]}, "unknown-permission"),
        ({"permissions": ["tools.override", "tools.typo"]}, "reserved-permission"),
        ({"hooks": [{"hook": "before_message", "tool": "x"}]}, "lacking-permission"),
        ({"hooks": [{"hook": "before_message", "tool": "x"}, {"hook": "nothing"}]}, "lacking-permission"),
        ({"hooks": [{"hook": "nothing"}, {"hook": "before_message"}]}, "unknown-kind"),
        ({"permissions": [], "hooks": [{"hook": "nothing"}]}, "unknown-kind"),
        ({"theme_tokens": {"b": "red", "a.b": "#fff"}}, "theme-token"),
        ({"hooks": 5, "args": 5}, "wrong-type"),
        ({"runtime": ABSENT, "theme_tokens": 5}, "wrong-type"),
        ({"runtime": ABSENT, "command": ABSENT}, "missing-member"),
    ],
)
def test_checks_come_one_after_the_other(members: dict[str, object], code: str, tmp_path: Path) -> None:
    """Neighbouring mistakes: an earlier check wins over an earlier place, and within one check the earlier place."""
    reported = first(tmp_path, block(**members))
    assert reported is not None
    assert reported[0] == code


def test_members_are_met_by_name_and_missing_ones_at_last(tmp_path: Path) -> None:
    """The host's own map is sorted."""
    assert first(tmp_path, block(hooks=5, args=5, runtime=ABSENT)) == (
        "wrong-type",
        "extension.args is a number, and a list is expected",
    )
    tokens = {"b": "red", "a": "blue"}
    assert first(tmp_path, block(theme_tokens=tokens)) == ("theme-token", "theme token 'a' has an invalid color")
    assert first(tmp_path, block(runtime=ABSENT, command=ABSENT)) == ("missing-member", "extension has no runtime")


@pytest.mark.parametrize(
    ("extension", "code"),
    [
        (block(protocol_version=2), None),
        (block(protocol_version=2, permissions=["privacy.llm_content"], hooks=[{"hook": "on_usage"}]), None),
        (block(protocol_version=1, permissions=["privacy.llm_content"], hooks=[{"hook": "on_usage"}]), "unknown-kind"),
        (block(protocol_version=2, hooks=[{"hook": "on_usage"}]), "lacking-permission"),
        (block(protocol_version=3), "protocol-version"),
    ],
)
def test_a_fork_reads_protocol_2_as_well(extension: object, code: str | None, tmp_path: Path) -> None:
    """Q11: only if somebody asks for it."""
    reported = first(tmp_path, extension, protocol_2=True)
    assert (reported and reported[0]) == code


@pytest.mark.parametrize(
    ("deferred", "code"),
    [
        ({"tools": [{"name": f"t{number}"} for number in range(257)]}, "too_many_tools"),
        ({"providers": [{"id": f"p{number}"} for number in range(17)]}, "too_many_providers"),
        ({"providers": [{"id": "p", "models": [{"id": f"m{n}"} for n in range(65)]}]}, "too_many_models"),
        ({"tools": [{"name": "é" * 65}]}, "tool_name_too_long"),
        ({"tools": [{"name": "t", "description": "d" * 1025}]}, "tool_description_too_long"),
        ({"providers": [{"id": "p", "display_name": "d" * 257}]}, "provider_display_name_too_long"),
        ({"tools": [{"name": "t", "input_schema": {"d": "x" * 65530}}]}, "tool_input_schema_too_long"),
        ({"tools": [{"name": " "}]}, "tool_name_empty"),
        ({"tools": [{"name": "t"}, {"name": "t"}]}, "tool_name_repeated"),
        ({"tools": [{"name": "t", "input_schema": []}]}, "tool_schema_not_an_object"),
    ],
)
def test_deferred_declarations_have_bounds(deferred: object, code: str, tmp_path: Path) -> None:
    """Spec 1.6: numbers of declarations, and bytes of their parts."""
    permissions = ["tools.intercept", "tools.register", "providers.register"]
    reported = first(tmp_path, block(permissions=permissions, deferred=deferred))
    assert reported is not None
    assert reported[1].startswith(f"deferred declarations invalid: {code} ")


@pytest.mark.parametrize(
    "deferred",
    [
        {"tools": [{"name": f"t{number}"} for number in range(256)]},
        {"providers": [{"id": f"p{number}"} for number in range(16)]},
        {"providers": [{"id": "p", "models": [{"id": f"m{number}"} for number in range(64)]}]},
        {"tools": [{"name": "é" * 64, "description": "d" * 1024, "input_schema": {"d": "x" * 65528}}]},
    ],
)
def test_what_just_fits_is_fine(deferred: object, tmp_path: Path) -> None:
    """The bounds themselves are allowed."""
    permissions = ["tools.intercept", "tools.register", "providers.register"]
    assert first(tmp_path, block(permissions=permissions, deferred=deferred)) is None
