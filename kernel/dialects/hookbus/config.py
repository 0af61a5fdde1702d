"""Plugins from their folders to chains: what the host would load, in the order in which it would (spec 4.12).

A plugin that cannot be loaded does not stop the others. Nothing is started here.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from kernel.dialects.hookbus import settings
from kernel.dialects.hookbus.dialect import HOOKBUS, Hookbus
from kernel.dialects.hookbus.discovery import Discovery, Options, Plugin, discover, options_of
from kernel.dialects.hookbus.manifest import reading as manifest_reading
from kernel.dialects.hookbus.manifest.codes import Finding, finding
from kernel.dialects.hookbus.manifest.rules import refusals
from kernel.dialects.hookbus.manifest.text import Node, Span, Text, decoded, parse
from kernel.dialects.hookbus.manifest.values import FILE, SUPPORTED, Extension, Hook
from kernel.dialects.hookbus.matching import CONTAINS, EQUALS, MATCH, PERMISSIONS, TOOL
from kernel.dialects.hookbus.settings import Resolution, Sources
from kernel.dialects.hookbus.staging import HANDLE
from kernel.dialects.hookbus.walk import HANDLER_TIMEOUT_MS
from kernel.errors import BadInput
from kernel.problems import Problem
from kernel.reach import StdioExtension
from kernel.setup import Setup
from kernel.values import JSON, Chain, Producer, Subscription


@dataclass(frozen=True, slots=True)
class Examined:
    """One plugin, and everything that loading it would come to."""

    plugin: Plugin
    text: Text | None = field(repr=False)
    """None when the manifest cannot be read."""
    root: Node | None = field(repr=False)
    """None when it is no JSON."""
    extension: Extension | None
    """None when there is none, and when it cannot be read."""
    resolutions: tuple[Resolution, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def first(self) -> Problem | None:
        """What the host reports, if it refuses the plugin: it stops at the first error it meets."""
        errors = [each for each in self.findings if each.is_error]
        return min(errors, key=lambda each: each.rank).problem if errors else None

    @property
    def is_loaded(self) -> bool:
        """Whether the host gets as far as starting its program."""
        return self.extension is not None and self.first is None


def load_setup(path: Path, words: Mapping[str, JSON] = MappingProxyType({})) -> Setup:
    """The chains of those plugins that can be loaded, and what the host reports of the others.

    Raises BadInput when there is not a single one. A plugin that hooks nothing is started too, for what else it does.
    """
    options = options_of(words)
    examined = examine_all(discover(path, options), options)
    refused = tuple(each.first for each in examined if each.first is not None)
    loaded = [each for each in examined if each.is_loaded]
    if not loaded:
        if refused:
            raise refused[0].as_error()
        fix = f"a plugin that hooks anything has a member `extension` in {FILE}"
        raise BadInput(f"{path} holds no plugin with an extension that is loaded", fix=fix)
    dialect = dialect_of(options)
    files = tuple(each.plugin.manifest for each in loaded)
    others = {each.plugin.id: reach_of(each) for each in loaded if each.extension and not each.extension.hooks}
    return Setup(path, files, dialect, chains(loaded, dialect), MappingProxyType(others), refused)


def dialect_of(options: Options) -> Hookbus:
    """The dialect of a host that reads these manifests."""
    return HOOKBUS.switched("protocol_2", True) if options.protocol_2 else HOOKBUS


def examine_all(discovery: Discovery, options: Options) -> tuple[Examined, ...]:
    """Every plugin that was found, in the order of loading."""
    loaded: set[str] = set()
    every = []
    for plugin in discovery.plugins:
        examined = examine(plugin, discovery, options, loaded)
        if examined.is_loaded:
            loaded.add(plugin.id)
        every.append(examined)
    return tuple(every)


def examine(plugin: Plugin, discovery: Discovery, options: Options, loaded: Collection[str] = ()) -> Examined:
    """One plugin: all that is wrong with it, and not only what the host would stop at."""
    findings: list[Finding] = []
    text = _text(plugin.manifest, findings)
    root = None if text is None else _root(text, findings)
    block = manifest_reading.block_of(root)
    extension = None if block is None else manifest_reading.read(block, plugin.id, plugin.folder, findings.append)
    if extension is None:
        return Examined(plugin, text, root, None, (), tuple(findings))
    if plugin.id in loaded:
        message = f"Extension '{plugin.id}' is already loaded"
        span = Span(extension.node.span.place, 1)
        findings.append(finding("already-loaded", message, span, fix="give the plugin's folder another name"))
    sources = Sources(options.environ, discovery.base, discovery.project_root)
    resolutions: tuple[Resolution, ...] = ()
    try:
        resolutions, unresolved = settings.resolved(extension, sources)
        findings += unresolved
    except BadInput as error:
        findings.append(finding("config-file", error.message, extension.node.span_of("config"), fix=error.fix))
    findings += refusals(extension, protocol_2=options.protocol_2)
    return Examined(plugin, text, root, extension, resolutions, tuple(findings))


def chains(loaded: Sequence[Examined], dialect: Hookbus) -> Mapping[str, Chain]:
    """A chain for every kind: plugin by plugin, and in the order of the list within one."""
    seats = [seat for each in loaded for seat in _seats(each)]
    return {point: Chain(point, tuple(seat for seat in seats if seat.point == point)) for point in dialect.points}


def _text(path: Path, findings: list[Finding]) -> Text | None:
    try:
        return decoded(path.read_bytes(), str(path))
    except OSError as error:
        findings.append(finding("unreadable", f"{path} cannot be read: {error.strerror}", None))
    except BadInput as error:
        span = None if error.place is None else Span(error.place, 1)
        findings.append(finding("unreadable", error.message, span, fix=error.fix))
    return None


def _root(text: Text, findings: list[Finding]) -> Node | None:
    try:
        return parse(text)
    except BadInput as error:
        span = None if error.place is None else Span(error.place, 1)
        findings.append(finding("syntax", error.message, span))
        return None


def _seats(examined: Examined) -> Iterator[Subscription]:
    extension = examined.extension
    assert extension is not None, "only what is loaded has hooks"
    reach = reach_of(examined)
    kinds = [hook.kind for hook in extension.hooks or ()]
    for number, hook in enumerate(extension.hooks or ()):
        nth = kinds[: number + 1].count(hook.kind)
        yield Subscription(
            name=extension.id,
            point=hook.kind,
            mode=HANDLE,
            timeout_ms=HANDLER_TIMEOUT_MS,
            producer=Producer(extension.id, protocol_version=extension.protocol_version or 0),
            reach=reach,
            place=hook.node.span.place,
            id=f"{extension.id}-{nth}" if nth > 1 else "",
            options=MappingProxyType(dict(_options(extension, hook))),
        )


def _options(extension: Extension, hook: Hook) -> Iterator[tuple[str, JSON]]:
    if hook.tool is not None:
        yield TOOL, hook.tool
    if hook.match is not None:
        words = {CONTAINS: hook.match.input_contains, EQUALS: hook.match.input_equals}
        yield MATCH, {key: value for key, value in words.items() if value is not None}
    permissions: list[JSON] = [*sorted(extension.granted)]
    yield PERMISSIONS, permissions


def reach_of(examined: Examined) -> StdioExtension:
    """How the program of a plugin is started, and what it is told then."""
    extension = examined.extension
    assert extension is not None, "only what is loaded is started"
    assert extension.command is not None, "what is loaded has a command"
    return StdioExtension(
        id=extension.id,
        command=extension.command,
        args=extension.args or (),
        plugin_dir=os.path.abspath(extension.folder),
        permissions=extension.granted,
        config=settings.config_of(examined.resolutions),
        protocol_version=extension.protocol_version or SUPPORTED,
    )
