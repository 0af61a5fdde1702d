"""Where the values of an extension's config come from (spec 4.11): before anything of it is started.

A value from an environment variable or a file is a secret from the moment on at which it is read, and so is a default
that stands in for one. What is told of it is its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from kernel.dialects.hookbus.manifest.codes import Finding, finding
from kernel.dialects.hookbus.manifest.values import PROJECT_ROOT, WHITE_SPACE, ConfigKey, Extension, is_blank
from kernel.errors import BadInput
from kernel.reach import Secret
from kernel.values import JSON

FILE = "config"
"""Of a plugin in its folder under the base directory, and of everybody in the base directory."""


class Origin(StrEnum):
    """What a value is taken from; the first that has one counts, in this order."""

    HOST = "the host"
    OVERRIDE = "the environment"
    SECRET = "the environment (secret_env)"
    PLUGIN_FILE = "the plugin's config file"
    GLOBAL_FILE = "the global config file"
    DEFAULT = "the manifest's default"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of one config key."""

    key: str
    origin: Origin
    where: str
    """The variable or the file; empty where there is nothing to name."""
    value: JSON | Secret = field(repr=False)
    """None where there is none: then the key is left out."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where to look for values."""

    environ: Mapping[str, str] = field(repr=False)
    base: Path | None
    """The base directory of the product; None if nobody said which it is."""
    project_root: Path | None


def resolved(extension: Extension, sources: Sources) -> tuple[tuple[Resolution, ...], tuple[Finding, ...]]:
    """What every key comes to, and what keeps the extension from being loaded.

    Raises BadInput for a config file that is there and cannot be read.
    """
    files = _files(extension, sources)
    resolutions: list[Resolution] = []
    findings: list[Finding] = []
    for number, entry in enumerate(extension.config or ()):
        order = ((0, number),)
        if _is_refused(entry.key):
            message = f"config key {entry.key!r} is blank, or has a dot, a slash or a space in it"
            findings.append(finding("config-key", message, entry.node.span_of("key"), order=order))
            continue
        resolution = _resolve(entry, extension.id, sources, files)
        if resolution.origin is not Origin.NOWHERE:
            resolutions = [each for each in resolutions if each.key != entry.key]
            resolutions.append(resolution)
        elif entry.required:
            message = f"config key {entry.key!r} is required and has no value"
            fix = _remedy(entry, extension.id)
            findings.append(finding("config-missing", message, entry.node.span_of("key"), fix=fix, order=order))
        else:
            resolutions.append(resolution)
    return tuple(resolutions), tuple(findings)


def config_of(resolutions: tuple[Resolution, ...]) -> tuple[tuple[str, JSON | Secret], ...]:
    """What the extension is told: the keys that have a value."""
    return tuple((each.key, each.value) for each in resolutions if each.origin is not Origin.NOWHERE)


def override_name(extension: str, key: str) -> str:
    """The variable that overrides a key. Only hyphens are replaced, and only ASCII is made upper-case."""
    name = f"SYNAPS_EXTENSION_{extension}_{key}".replace("-", "_")
    return "".join(character.upper() if character.isascii() else character for character in name)


def read_file(path: Path) -> Mapping[str, str]:
    """The values in a config file: `key = value` in lines, `#` begins a comment line, the last of a key counts.

    Nothing if there is no such file; raises BadInput if it cannot be read. Never says what stands in it.
    """
    if not path.is_file():
        return MappingProxyType({})
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8") from None
    return MappingProxyType(dict(_lines(text)))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        key, equals, value = line.partition("=")
        if equals and not key.strip(WHITE_SPACE).startswith("#"):
            yield key.strip(WHITE_SPACE), value.strip(WHITE_SPACE)


def _is_refused(key: str) -> bool:
    return is_blank(key) or any(mark in key for mark in "./ ")


@dataclass(frozen=True, slots=True)
class _Files:
    """Config files with what they say."""

    plugin: tuple[Path, Mapping[str, str]] | None = field(repr=False)
    shared: tuple[Path, Mapping[str, str]] | None = field(repr=False)


def _files(extension: Extension, sources: Sources) -> _Files:
    if not extension.config:
        return _Files(None, None)
    if sources.base is None:
        own = extension.folder / FILE
        return _Files((own, read_file(own)), None)
    own, shared = sources.base / "plugins" / extension.id / FILE, sources.base / FILE
    return _Files((own, read_file(own)), (shared, read_file(shared)))


def _resolve(entry: ConfigKey, id: str, sources: Sources, files: _Files) -> Resolution:
    if entry.host_context == PROJECT_ROOT:
        root = sources.project_root
        if root is None:
            return Resolution(entry.key, Origin.NOWHERE, "", None)
        return Resolution(entry.key, Origin.HOST, PROJECT_ROOT, str(root))
    for origin, where, value in _candidates(entry, id, sources, files):
        if value is not None and _is_text(value):
            return Resolution(entry.key, origin, where, Secret(value))
    if entry.default is not None:
        is_hidden = entry.secret_env is not None and isinstance(entry.default, str)
        return Resolution(entry.key, Origin.DEFAULT, "", Secret(str(entry.default)) if is_hidden else entry.default)
    return Resolution(entry.key, Origin.NOWHERE, "", None)


def _candidates(entry: ConfigKey, id: str, sources: Sources, files: _Files) -> Iterator[tuple[Origin, str, str | None]]:
    name = override_name(id, entry.key)
    yield Origin.OVERRIDE, name, sources.environ.get(name)
    if entry.secret_env is not None:
        yield Origin.SECRET, entry.secret_env, sources.environ.get(entry.secret_env)
    if files.plugin is not None:
        path, values = files.plugin
        yield Origin.PLUGIN_FILE, str(path), values.get(entry.key)
    if files.shared is not None:
        path, values = files.shared
        yield Origin.GLOBAL_FILE, str(path), values.get(f"extension.{id}.{entry.key}")


def _is_text(value: str) -> bool:
    """Whether the host can read a variable: it has to be UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _remedy(entry: ConfigKey, id: str) -> str:
    if entry.host_context == PROJECT_ROOT:
        return "say which folder is the project's: option project_root"
    variable = override_name(id, entry.key)
    return f"set {entry.secret_env} or {variable}" if entry.secret_env else f"set {variable}"
