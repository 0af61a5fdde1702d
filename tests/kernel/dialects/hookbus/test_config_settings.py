"""Config values: from where, in which order, and never to be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from hookbus_manifests import block, manifest, write_plugin

from kernel.dialects.hookbus.config import Examined, examine, reach_of
from kernel.dialects.hookbus.discovery import Options, discover
from kernel.dialects.hookbus.settings import Origin, override_name, read_file
from kernel.errors import BadInput
from kernel.reach import Secret
from kernel.values import JSON

KEY = {"key": "api-key", "secret_env": "MY_KEY", "default": "written"}


def look(base: Path, environ: dict[str, str], *entries: object, id: str = "my-guard") -> Examined:
    """A plugin in a base directory with these config keys."""
    write_plugin(base / "plugins" / id, manifest(block(config=list(entries))))
    options = Options(environ=environ, project_root=base)
    discovery = discover(base / "plugins" / id, options)
    return examine(discovery.plugins[0], discovery, options)


def origin(found: Examined) -> tuple[Origin, str]:
    [resolution] = found.resolutions
    return resolution.origin, resolution.where


def value(found: Examined) -> object:
    """What the extension is told, secrets revealed; None when it is told nothing."""
    told = [told for _, told in reach_of(found).config]
    return told[0].reveal() if told and isinstance(told[0], Secret) else told[0] if told else None


@pytest.mark.parametrize(
    ("id", "key", "name"),
    [
        ("guard", "key", "SYNAPS_EXTENSION_GUARD_KEY"),
        ("my-guard", "api-key", "SYNAPS_EXTENSION_MY_GUARD_API_KEY"),
        ("my.guard", "a_b", "SYNAPS_EXTENSION_MY.GUARD_A_B"),
        ("plug in", "k:y", "SYNAPS_EXTENSION_PLUG IN_K:Y"),
        ("größe", "straße", "SYNAPS_EXTENSION_GRößE_STRAßE"),
    ],
)
def test_the_variable_that_overrides(id: str, key: str, name: str) -> None:
    """Only hyphens become underscores, and only ASCII becomes upper-case."""
    assert override_name(id, key) == name


def test_sources_are_tried_in_their_order(tmp_path: Path) -> None:
    """Spec 4.11: take the best away, and the next one counts."""
    own, shared = tmp_path / "plugins" / "my-guard" / "config", tmp_path / "config"
    own.parent.mkdir(parents=True)
    own.write_text("api-key = from the plugin's file\n")
    shared.write_text("extension.my-guard.api-key = from the global file\n")
    environ = {"SYNAPS_EXTENSION_MY_GUARD_API_KEY": "overridden", "MY_KEY": "secret"}
    steps: list[tuple[Origin, str, str]] = []
    for take_away in (
        lambda: environ.pop("SYNAPS_EXTENSION_MY_GUARD_API_KEY"),
        lambda: environ.pop("MY_KEY"),
        own.unlink,
        shared.unlink,
        lambda: None,
    ):
        found = look(tmp_path, environ, KEY)
        steps.append((*origin(found), str(value(found))))
        take_away()
    assert steps == [
        (Origin.OVERRIDE, "SYNAPS_EXTENSION_MY_GUARD_API_KEY", "overridden"),
        (Origin.SECRET, "MY_KEY", "secret"),
        (Origin.PLUGIN_FILE, str(own), "from the plugin's file"),
        (Origin.GLOBAL_FILE, str(shared), "from the global file"),
        (Origin.DEFAULT, "", "written"),
    ]


def test_an_empty_variable_is_a_value(tmp_path: Path) -> None:
    """It is set."""
    assert value(look(tmp_path, {"MY_KEY": ""}, KEY)) == ""


def test_a_variable_that_is_not_utf_8_is_none(tmp_path: Path) -> None:
    """The host cannot read it."""
    assert origin(look(tmp_path, {"MY_KEY": "\udcff"}, KEY))[0] is Origin.DEFAULT


@pytest.mark.parametrize("default", [5, 1.5, True, False, ["a"], {"a": None}, "text", ""])
def test_a_default_keeps_its_type(default: JSON, tmp_path: Path) -> None:
    """Everything else is text."""
    found = look(tmp_path, {}, {"key": "k", "default": default})
    assert reach_of(found).config == (("k", default),)


def test_a_key_without_a_value_is_left_out(tmp_path: Path) -> None:
    """Unless it is required: then the plugin is not loaded (M40)."""
    found = look(tmp_path, {}, {"key": "k"}, {"key": "l", "default": 1})
    assert reach_of(found).config == (("l", 1),)
    refused = look(tmp_path, {}, {"key": "k", "required": True, "secret_env": "X"}).first
    assert refused is not None
    assert (refused.code, refused.fix) == ("config-missing", "set X or SYNAPS_EXTENSION_MY_GUARD_K")


@pytest.mark.parametrize("environ", [{"SYNAPS_EXTENSION_MY_GUARD_K": "v"}, {"X": "v"}])
def test_a_required_key_is_content_with_any_source(environ: dict[str, str], tmp_path: Path) -> None:
    """M40 with one."""
    found = look(tmp_path, environ, {"key": "k", "required": True, "secret_env": "X"})
    assert (found.first, value(found)) == (None, "v")


def test_what_the_host_knows_comes_from_nowhere_else(tmp_path: Path) -> None:
    """`host_context`: not even an override is looked at."""
    entry = {"key": "root", "host_context": "project_root", "default": "d", "secret_env": "X"}
    found = look(tmp_path, {"X": "x", "SYNAPS_EXTENSION_MY_GUARD_ROOT": "y"}, entry)
    assert origin(found) == (Origin.HOST, "project_root")
    assert reach_of(found).config == (("root", str(tmp_path)),)


def test_a_lone_plugin_has_its_config_beside_it(tmp_path: Path) -> None:
    """Where it will be once it is installed."""
    folder = write_plugin(tmp_path / "guard", manifest(block(config=[{"key": "k"}])), {"config": "k=v"})
    discovery = discover(folder, Options(environ={}))
    found = examine(discovery.plugins[0], discovery, Options(environ={}))
    assert (origin(found), value(found)) == ((Origin.PLUGIN_FILE, str(folder / "config")), "v")


def test_the_later_of_two_equal_keys_counts(tmp_path: Path) -> None:
    """As members of the object that the extension is told."""
    found = look(tmp_path, {}, {"key": "k", "default": 1}, {"key": "k", "default": 2})
    assert reach_of(found).config == (("k", 2),)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("a=1\nb = two words \n", {"a": "1", "b": "two words"}),
        ("# a=1\n  # b=2\nno value\n\n=x\n", {"": "x"}),
        ("a=1\r\na=2=3\r\n", {"a": "2=3"}),
        ('a = "quoted"', {"a": '"quoted"'}),
    ],
)
def test_a_config_file_has_lines(text: str, values: dict[str, str], tmp_path: Path) -> None:
    """Names and values, trimmed; the last of a name counts."""
    (tmp_path / "config").write_text(text, newline="")
    assert read_file(tmp_path / "config") == values


def test_a_config_file_that_cannot_be_read_is_said_without_its_text(tmp_path: Path) -> None:
    """It holds secrets."""
    (tmp_path / "config").write_bytes(b"key = hunter2\xff")
    with pytest.raises(BadInput) as caught:
        read_file(tmp_path / "config")
    assert str(caught.value) == f"{tmp_path / 'config'} is not UTF-8"
    assert caught.value.__cause__ is None
    (tmp_path / "plugins" / "my-guard").mkdir(parents=True)
    (tmp_path / "plugins" / "my-guard" / "config").write_bytes(b"\xff")
    refused = look(tmp_path, {}, KEY).first
    assert refused is not None
    assert refused.code == "config-file"


def test_no_value_from_outside_can_be_seen(tmp_path: Path) -> None:
    """Not in a representation, not in an error: variables, files, and defaults that stand in for secrets."""
    (tmp_path / "plugins" / "my-guard").mkdir(parents=True)
    (tmp_path / "plugins" / "my-guard" / "config").write_text("c = hunter2\n")
    entries = [
        {"key": "a"},
        {"key": "b", "secret_env": "B"},
        {"key": "c"},
        {"key": "d", "secret_env": "D", "default": "hunter2"},
        {"key": "e", "required": True},
    ]
    found = look(tmp_path, {"SYNAPS_EXTENSION_MY_GUARD_A": "hunter2", "B": "hunter2"}, *entries)
    assert len(reach_of(found).config) == 4
    seen = f"{reach_of(found)!r} {found.resolutions!r} {found.findings!r}"
    assert "hunter2" not in seen
