"""Which plugins there are, and in which order they are loaded (spec 4.12). Reads folders, and no manifest."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from kernel.dialects.hookbus import settings
from kernel.dialects.hookbus.manifest.values import FILE, WHITE_SPACE
from kernel.errors import BadInput
from kernel.values import JSON

PLUGINS: Final = "plugins"
PROJECT: Final = Path(".synaps", PLUGINS)
DISABLE_PROJECT: Final = "SYNAPS_DISABLE_PROJECT_PLUGINS"
_TRUE: Final = frozenset({"1", "true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class Options:
    """How plugins are found and read where hosts differ, and what no folder says."""

    base_dir: Path | None = None
    """The product's base directory, whose config files count; None: the one that is opened, or around what is."""
    project_root: Path | None = None
    """Folder of the project, for its plugins and for `host_context`; None: the one that is opened if it holds any of a
    project, and for `host_context` the working directory otherwise."""
    disabled_plugins: frozenset[str] = frozenset()
    """Beside those that the global config file disables."""
    plugins: tuple[Path, ...] = ()
    """Folders of further plugins, loaded after those that were found."""
    protocol_2: bool = False
    """Manifests of protocol 2 are read too, as in one fork (Q11)."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin's folder."""

    id: str
    """Its name."""
    folder: Path
    """As it was named, so perhaps relative."""
    manifest: Path


@dataclass(frozen=True, slots=True)
class Passed:
    """A plugin that is not loaded, and why the host says nothing about it."""

    plugin: Plugin
    why: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """The plugins in the order in which they are loaded, which is that of their hooks."""

    plugins: tuple[Plugin, ...]
    passed: tuple[Passed, ...]
    base: Path | None
    """The base directory, where it can be told."""
    project_root: Path
    """What `host_context` gives."""
    is_single: bool
    """Whether one plugin was named, and no folder of plugins."""


def options_of(words: Mapping[str, JSON] = MappingProxyType({})) -> Options:
    """The options that a person wrote as JSON; raises BadInput that names the wrong one."""
    known = ("base_dir", "project_root", "disabled_plugins", "plugins", "protocol_2")
    for name in words:
        if name not in known:
            raise BadInput(f"hookbus reads plugins without an option {name!r}", fix=f"it has {', '.join(known)}")
    protocol_2 = words.get("protocol_2", False)
    if not isinstance(protocol_2, bool):
        raise BadInput(f"the option protocol_2 is true or false, not {protocol_2!r}")
    return Options(
        base_dir=_folder(words, "base_dir"),
        project_root=_folder(words, "project_root"),
        disabled_plugins=frozenset(_texts(words, "disabled_plugins")),
        plugins=tuple(Path(each) for each in _texts(words, "plugins")),
        protocol_2=protocol_2,
    )


def discover(path: Path, options: Options) -> Discovery:
    """The plugins that a path means: a manifest, a plugin's folder, a folder of plugins, or a base directory.

    A base directory has its plugins in `plugins/`, a project in `.synaps/plugins/`; one folder can be both. Raises
    BadInput if there is nothing of the kind.
    """
    try:
        if not path.exists():
            raise BadInput(f"{path} does not exist", fix="name a plugin's folder, or a folder of plugins")
        manifest = _manifest(path)
        return _several(path, options) if manifest is None else _single(manifest, options)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error


def _manifest(path: Path) -> Path | None:
    """The manifest of the one plugin that a path means, if it means one."""
    if not path.is_dir():
        return path
    if _absolute(path).name == FILE.parent.name and (path / FILE.name).exists():
        return path / FILE.name
    return path / FILE if (path / FILE).exists() else None


def _single(manifest: Path, options: Options) -> Discovery:
    folder = _absolute(manifest).parent
    if folder.name == FILE.parent.name:
        folder = manifest.parent.parent if len(manifest.parts) > 2 else folder.parent
    around = _absolute(folder).parent
    is_installed = around.name == PLUGINS and around.parent.name != PROJECT.parent.name
    base = options.base_dir or (around.parent if is_installed else None)
    plugin = Plugin(_absolute(folder).name, folder, manifest)
    root = options.project_root or Path.cwd()
    return Discovery((plugin, *_further(options)), (), base, root, is_single=not options.plugins)


def _several(path: Path, options: Options) -> Discovery:
    project_root = options.project_root or (path if (path / PROJECT).is_dir() else None)
    base = options.base_dir or _base(path)
    folders = [] if options.base_dir is None else [options.base_dir / PLUGINS]
    folders.append(path / PLUGINS if _is_base(path) else path)
    found = {plugin.id: plugin for folder in dict.fromkeys(folders) for plugin in _plugins(folder)}
    passed: list[Passed] = []
    for plugin in () if project_root is None else _plugins(project_root / PROJECT):
        if options.environ.get(DISABLE_PROJECT, "").strip(WHITE_SPACE).lower() in _TRUE:
            passed.append(Passed(plugin, f"{DISABLE_PROJECT} is on"))
            continue
        if plugin.id in found:
            passed.append(Passed(found[plugin.id], "the project has a plugin of this name"))
        found[plugin.id] = plugin
    if not any(plugin.manifest.exists() for plugin in found.values()) and not passed and not options.plugins:
        raise BadInput(f"{path} holds no plugin", fix=f"a plugin is a folder with {FILE} in it")
    disabled = options.disabled_plugins | (frozenset() if base is None else _disabled(base))
    loaded: list[Plugin] = []
    for plugin in sorted(found.values(), key=lambda each: os.fsencode(each.id)):
        if not plugin.manifest.exists():
            passed.append(Passed(plugin, "it has no manifest"))
        elif plugin.id in disabled:
            passed.append(Passed(plugin, "it is disabled"))
        else:
            loaded.append(plugin)
    plugins = (*loaded, *_further(options))
    return Discovery(plugins, tuple(passed), base, project_root or Path.cwd(), is_single=False)


def _is_base(path: Path) -> bool:
    return (path / PLUGINS).is_dir() or (path / PROJECT).is_dir()


def _base(path: Path) -> Path | None:
    """The base directory that a folder is, or that it is the plugins of."""
    if _is_base(path):
        return path
    around = _absolute(path).parent
    return around if _absolute(path).name == PLUGINS and around.name != PROJECT.parent.name else None


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _plugins(root: Path) -> Iterator[Plugin]:
    if root.is_dir():
        folders = (root / entry.name for entry in os.scandir(root) if entry.is_dir())
        yield from (Plugin(folder.name, folder, folder / FILE) for folder in folders)


def _further(options: Options) -> Iterator[Plugin]:
    for folder in options.plugins:
        if not (folder / FILE).exists():
            raise BadInput(f"{folder} holds no plugin", fix=f"a plugin is a folder with {FILE} in it")
        yield Plugin(_absolute(folder).name, folder, folder / FILE)


def _disabled(base: Path) -> frozenset[str]:
    """What the global config file says under `disabled_plugins`: names with commas between them."""
    names = settings.read_file(base / settings.FILE).get("disabled_plugins", "")
    return frozenset(name.strip(WHITE_SPACE) for name in names.split(","))


def _folder(words: Mapping[str, JSON], name: str) -> Path | None:
    value = words.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not Path(value).is_dir():
        raise BadInput(f"the option {name} is the path of a folder, not {value!r}")
    return Path(value).absolute()


def _texts(words: Mapping[str, JSON], name: str) -> Sequence[str]:
    value = words.get(name, [])
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadInput(f"the option {name} is a list of texts, not {value!r}")
    return [str(each) for each in value]
