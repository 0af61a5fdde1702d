"""Which plugins are found, in which order, and whose word counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hookbus_manifests import MINIMAL, manifest, write_plugin

from kernel.dialects.hookbus.discovery import DISABLE_PROJECT, Discovery, Options, discover, options_of
from kernel.errors import BadInput
from kernel.values import JSON

TEXT = manifest(MINIMAL)
NO_ENVIRONMENT = Options(environ={})


def ids(discovery: Discovery) -> list[str]:
    return [plugin.id for plugin in discovery.plugins]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A base directory with two plugins that is also a project with two."""
    for folder in ("plugins/b-guard", "plugins/a-modify", ".synaps/plugins/b-guard", ".synaps/plugins/0-first"):
        write_plugin(tmp_path / "base" / folder, TEXT)
    return tmp_path / "base"


@pytest.mark.parametrize("inside", ["", ".synaps-plugin", ".synaps-plugin/plugin.json"])
def test_one_plugin_is_named_by_its_folder_or_its_manifest(inside: str, tmp_path: Path) -> None:
    """The id is the name of the folder."""
    folder = write_plugin(tmp_path / "guard", TEXT)
    found = discover(folder / inside, NO_ENVIRONMENT)
    assert ids(found) == ["guard"]
    assert found.plugins[0].folder == folder
    assert (found.is_single, found.base) == (True, None)


def test_a_manifest_elsewhere_makes_a_plugin_of_its_folder(tmp_path: Path) -> None:
    """Somebody wants to look at a file."""
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose" / "plugin.json").write_text(TEXT)
    found = discover(tmp_path / "loose" / "plugin.json", NO_ENVIRONMENT)
    assert (ids(found), found.plugins[0].folder) == (["loose"], tmp_path / "loose")


@pytest.mark.parametrize("name", [".", ".synaps-plugin", ".synaps-plugin/plugin.json", "../guard"])
def test_a_relative_path_means_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From inside of the plugin."""
    monkeypatch.chdir(write_plugin(tmp_path / "guard", TEXT))
    found = discover(Path(name), NO_ENVIRONMENT)
    assert ids(found) == ["guard"]
    assert found.plugins[0].manifest.samefile(".synaps-plugin/plugin.json")
    assert found.plugins[0].folder.samefile(tmp_path / "guard")


def test_the_manifest_counts_inside_its_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare file name, from within `.synaps-plugin`."""
    monkeypatch.chdir(write_plugin(tmp_path / "guard", TEXT) / ".synaps-plugin")
    found = discover(Path("plugin.json"), NO_ENVIRONMENT)
    assert ids(found) == ["guard"]
    assert found.plugins[0].folder.samefile(tmp_path / "guard")


def test_plugins_come_in_the_order_of_their_folders(tmp_path: Path) -> None:
    """Bytewise: capitals first, and no dictionary."""
    for name in ("b", "a", "B", "a-b", "aé", "az", "10", "9"):
        write_plugin(tmp_path / name, TEXT)
    assert ids(discover(tmp_path, NO_ENVIRONMENT)) == ["10", "9", "B", "a", "a-b", "az", "aé", "b"]


def test_a_base_directory_and_a_project_are_one_list(base: Path) -> None:
    """V111, and the project wins over the base directory."""
    found = discover(base, NO_ENVIRONMENT)
    assert ids(found) == ["0-first", "a-modify", "b-guard"]
    assert found.plugins[2].folder == base / ".synaps" / "plugins" / "b-guard"
    assert [(each.plugin.folder, each.why) for each in found.passed] == [
        (base / "plugins" / "b-guard", "the project has a plugin of this name")
    ]
    assert (found.base, found.project_root, found.is_single) == (base, base, False)


@pytest.mark.parametrize(
    ("value", "project"),
    [("1", False), (" Yes ", False), ("ON", False), ("true", False), ("0", True), ("", True), ("maybe", True)],
)
def test_the_plugins_of_the_project_can_be_turned_off(value: str, project: bool, base: Path) -> None:
    """By a variable, which is trimmed and compared in any case."""
    found = discover(base, Options(environ={DISABLE_PROJECT: value}))
    assert ids(found) == (["0-first", "a-modify", "b-guard"] if project else ["a-modify", "b-guard"])


def test_disabled_plugins_are_passed_over(base: Path) -> None:
    """The global config file says which, and an option does."""
    (base / "config").write_text("# mine\n disabled_plugins = b-guard , unknown\nextension.a-modify.key = v\n")
    found = discover(base, Options(environ={}, disabled_plugins=frozenset({"0-first"})))
    assert ids(found) == ["a-modify"]
    assert {each.plugin.id for each in found.passed if each.why == "it is disabled"} == {"0-first", "b-guard"}


def test_what_has_no_manifest_is_passed_over_in_silence(tmp_path: Path) -> None:
    """Files and folders of any kind may lie among plugins; a folder is told of where somebody looks."""
    write_plugin(tmp_path / "plugins" / "guard", TEXT)
    (tmp_path / "plugins" / "notes").mkdir()
    (tmp_path / "plugins" / "file").write_text("")
    found = discover(tmp_path, NO_ENVIRONMENT)
    assert ids(found) == ["guard"]
    assert {(each.plugin.id, each.why) for each in found.passed} == {("notes", "it has no manifest")}


def test_a_project_folder_without_a_manifest_still_wins(tmp_path: Path) -> None:
    """Folders are matched by name before anybody looks inside."""
    write_plugin(tmp_path / "plugins" / "guard", TEXT)
    write_plugin(tmp_path / "plugins" / "other", TEXT)
    (tmp_path / ".synaps" / "plugins" / "guard").mkdir(parents=True)
    assert ids(discover(tmp_path, NO_ENVIRONMENT)) == ["other"]


def test_a_plugin_in_a_base_directory_belongs_to_it(base: Path) -> None:
    """Its config files count; a project's plugin does not say where the base directory is."""
    assert discover(base / "plugins" / "a-modify", NO_ENVIRONMENT).base == base
    assert discover(base / "plugins", NO_ENVIRONMENT).base == base
    assert discover(base / ".synaps" / "plugins" / "0-first", NO_ENVIRONMENT).base is None
    assert discover(base / ".synaps" / "plugins", NO_ENVIRONMENT).base is None


def test_a_project_can_be_opened_with_a_base_directory(base: Path, tmp_path: Path) -> None:
    """Both roots, named one by one."""
    write_plugin(tmp_path / "project" / ".synaps" / "plugins" / "mine", TEXT)
    found = discover(tmp_path / "project", Options(environ={}, base_dir=base))
    assert ids(found) == ["a-modify", "b-guard", "mine"]
    assert (found.base, found.project_root) == (base, tmp_path / "project")


def test_further_plugins_come_last(base: Path, tmp_path: Path) -> None:
    """In the order in which they are named, the same id again included: loading it is refused later."""
    further = (write_plugin(tmp_path / "zz" / "a-modify", TEXT), write_plugin(tmp_path / "aa", TEXT))
    found = discover(base, Options(environ={}, plugins=further))
    assert ids(found) == ["0-first", "a-modify", "b-guard", "a-modify", "aa"]
    with pytest.raises(BadInput, match="holds no plugin"):
        discover(base, Options(environ={}, plugins=(tmp_path,)))


def test_a_link_to_a_folder_is_a_folder(tmp_path: Path) -> None:
    """Named as the link is."""
    write_plugin(tmp_path / "elsewhere", TEXT)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "plugins" / "broken").symlink_to(tmp_path / "nowhere")
    assert ids(discover(tmp_path, NO_ENVIRONMENT)) == ["linked"]


@pytest.mark.parametrize(("name", "says"), [("nothing", "does not exist"), ("", "holds no plugin")])
def test_where_there_is_no_plugin_it_is_said(name: str, says: str, tmp_path: Path) -> None:
    """Not an empty setup."""
    with pytest.raises(BadInput, match=says):
        discover(tmp_path / name, NO_ENVIRONMENT)


def test_options_are_read_from_words(tmp_path: Path) -> None:
    """As a command line and a scenario write them."""
    words: dict[str, JSON] = {"base_dir": str(tmp_path), "disabled_plugins": "x", "plugins": ["y"], "protocol_2": True}
    options = options_of(words)
    assert (options.base_dir, options.disabled_plugins) == (tmp_path, {"x"})
    assert (options.plugins, options.protocol_2) == ((Path("y"),), True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"lenient": True}, "without an option 'lenient'; it has base_dir"),
        ({"protocol_2": 1}, "protocol_2 is true or false"),
        ({"base_dir": "/no/such/folder"}, "base_dir is the path of a folder"),
        ({"project_root": 5}, "project_root is the path of a folder"),
        ({"plugins": [1]}, "plugins is a list of texts"),
        ({"disabled_plugins": {}}, "disabled_plugins is a list of texts"),
    ],
)
def test_wrong_options_are_named(words: dict[str, JSON], says: str) -> None:
    """With those that there are."""
    with pytest.raises(BadInput, match=says):
        options_of(words)
