"""Manifests, plugins and whole base directories in a folder of the test's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from kernel.dialects.hookbus.config import Examined, examine
from kernel.dialects.hookbus.discovery import Options, discover
from kernel.values import JSON

BEFORE: JSON = {"hook": "before_tool_call"}
MINIMAL: dict[str, JSON] = {
    "protocol_version": 1,
    "runtime": "process",
    "command": "x",
    "permissions": ["tools.intercept"],
    "hooks": [BEFORE],
}
"""The block of case M01."""
ABSENT = object()
"""Takes a member away."""


def block(**members: object) -> dict[str, JSON]:
    """M01 with other members."""
    mixed = {**MINIMAL, **members}
    return {name: value for name, value in mixed.items() if value is not ABSENT}  # type: ignore[misc]


def manifest(extension: object, **members: object) -> str:
    """The text of a manifest, a member a line."""
    return json.dumps({**members, "extension": extension}, indent=2, ensure_ascii=False)


def write_plugin(folder: Path, text: str, files: Mapping[str, str] | None = None) -> Path:
    """A plugin's folder with this manifest and these files."""
    (folder / ".synaps-plugin").mkdir(parents=True, exist_ok=True)
    (folder / ".synaps-plugin" / "plugin.json").write_text(text)
    for name, content in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def examined(
    folder: Path, text: str, *, protocol_2: bool = False, environ: Mapping[str, str] | None = None
) -> Examined:
    """A plugin called `guard` with this manifest, looked at."""
    options = Options(environ=environ or {}, protocol_2=protocol_2)
    discovery = discover(write_plugin(folder / "guard", text), options)
    return examine(discovery.plugins[0], discovery, options)


def first(folder: Path, extension: object, *, protocol_2: bool = False) -> tuple[str, str] | None:
    """Code and message of what the host would report of this block; None if it loads the plugin."""
    problem = examined(folder, manifest(extension), protocol_2=protocol_2).first
    return None if problem is None else (problem.code, problem.message)
