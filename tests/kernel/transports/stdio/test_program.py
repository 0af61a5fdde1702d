"""How an extension's program is started (hookbus spec 4.1)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernel.reach import StdioExtension
from kernel.transports.stdio.program import argument, argv, command, environment, placed


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        ("/usr/bin/python3", "/usr/bin/python3"),
        ("python3", "python3"),
        ("bin/run", "/plugins/p/bin/run"),
        ("./run", "/plugins/p/./run"),
        (".venv/bin/python", "/plugins/p/.venv/bin/python"),
        ("../other/run", "/plugins/p/../other/run"),
    ],
)
def test_the_command_is_absolute_searched_or_inside(given: str, becomes: str) -> None:
    """A slash makes the difference."""
    assert command(StdioExtension("x", given, plugin_dir="/plugins/p")) == becomes


def test_arguments_that_name_something_inside_become_its_real_path(tmp_path: Path) -> None:
    """After links; what is elsewhere, or nowhere, stays as it was written."""
    plugin = tmp_path / "plugin"
    (plugin / "sub").mkdir(parents=True)
    (plugin / "main.py").touch()
    (plugin / "sub" / "deep.py").touch()
    (plugin / "-u").touch()
    (tmp_path / "x").touch()
    (plugin / "out").symlink_to(tmp_path / "x")
    (plugin / "in").symlink_to(plugin / "main.py")
    (plugin / "loop").symlink_to(plugin / "loop")
    (tmp_path / "plugin2").mkdir()
    (tmp_path / "link").symlink_to(plugin)
    real = plugin.resolve()
    expected = {
        "main.py": f"{real}/main.py",
        "./main.py": f"{real}/main.py",
        "sub/deep.py": f"{real}/sub/deep.py",
        "sub/../main.py": f"{real}/main.py",
        "sub": f"{real}/sub",
        "in": f"{real}/main.py",
        "-u": f"{real}/-u",
        str(plugin / "main.py"): f"{real}/main.py",
        str(tmp_path / "link" / "main.py"): f"{real}/main.py",
        "../plugin/main.py": f"{real}/main.py",
    }
    untouched = [
        "",
        "-v",
        "missing.py",
        "../x",
        "../plugin2",
        "out",
        "loop",
        str(tmp_path / "x"),
        "x" * 5000,
        "a\0b",
        "main.py/x",
    ]
    for folder in (plugin, tmp_path / "link"):
        assert {given: argument(given, str(folder)) for given in expected} == expected
        assert [argument(given, str(folder)) for given in untouched] == untouched


def test_the_environment_is_five_variables_at_most() -> None:
    """Those that are set, and nothing else whatever it is called."""
    ours = {
        "PATH": "/bin", "HOME": "/h", "LANG": "C", "TERM": "xterm", "XDG_RUNTIME_DIR": "/run",
        "SYNAPS_BASE_DIR": "/b", "API_KEY": "k", "LC_ALL": "C", "PYTHONPATH": "/x", "TMPDIR": "/t",
    }  # fmt: skip
    assert environment(ours) == {name: ours[name] for name in ("PATH", "HOME", "LANG", "TERM", "XDG_RUNTIME_DIR")}
    assert environment({"PATH": "", "A": "b"}) == {"PATH": ""}


def test_a_folder_becomes_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where we happen to be is not where the program will be."""
    monkeypatch.chdir(tmp_path)
    reach = placed(StdioExtension("x", "./run", ("a",), "p"))
    assert reach.plugin_dir == os.path.join(tmp_path, "p")
    assert argv(reach) == (f"{tmp_path}/p/./run", "a")
