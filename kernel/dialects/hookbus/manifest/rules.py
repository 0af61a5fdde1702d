"""What the host refuses in a manifest that it could read (spec 5.2): its checks in its order, with its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kernel.dialects.hookbus import permissions
from kernel.dialects.hookbus.json_text import compact
from kernel.dialects.hookbus.kinds import in_manifests
from kernel.dialects.hookbus.manifest.codes import Finding, finding
from kernel.dialects.hookbus.manifest.values import (
    SUPPORTED,
    WHITE_SPACE,
    Declared,
    Deferred,
    Extension,
    Lifecycle,
    is_blank,
)
from kernel.dialects.hookbus.permissions import PERMISSIONS
from kernel.dialects.hookbus.wording import listed, nearest, nearest_kind

MOST_TOOLS, MOST_PROVIDERS, MOST_MODELS = 256, 16, 64
MOST_NAME, MOST_DESCRIPTION, MOST_DISPLAY, MOST_SCHEMA = 128, 1024, 256, 65536
"""Bounds of deferred declarations (spec 1.6); lengths are bytes of UTF-8."""

_COLOR: Final = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_DOCUMENTED: Final = re.compile(r"hooks\.(\w+)")
"""A permission as some documents write it: nothing recognises it."""


def refusals(extension: Extension, *, protocol_2: bool = False) -> Iterator[Finding]:
    """Everything that validation finds, the host's first finding first. What could not be read is not judged."""
    checks = (
        *(_of_deferred(extension), _of_version(extension, protocol_2=protocol_2), _of_command(extension)),
        *(_of_purpose(extension), _of_theme(extension), _of_permissions(extension)),
        _of_hooks(extension, protocol_2=protocol_2),
    )
    for number, check in enumerate(checks, 1):
        for place, found in enumerate(check):
            yield Finding(found.problem, ((0, number), (0, place)))


def _of_deferred(extension: Extension) -> Iterator[Finding]:
    deferred = extension.deferred
    if deferred is None:
        return
    yield from _bounds(deferred)
    for what, declared in (("tools", deferred.tools), ("providers", deferred.providers)):
        needed = f"{what}.register"
        if declared and extension.permissions is not None and needed not in extension.granted:
            fix = f"add {needed} to permissions"
            yield _deferred(f"{what}_without_permission", deferred, f"{what} needs {needed}", what, fix)
    if deferred.lifecycle is Lifecycle.HOOK and extension.hooks == () and not _unread(extension, "hooks"):
        why = "lifecycle hook needs hooks"
        yield _deferred("hook_lifecycle_without_hooks", deferred, why, "lifecycle", "subscribe to a hook")
    if deferred.lifecycle is Lifecycle.USER and (deferred.tools or deferred.providers):
        why = "lifecycle user goes with neither tools nor providers"
        yield _deferred("user_lifecycle_with_registrations", deferred, why, "lifecycle", "")


def _bounds(deferred: Deferred) -> Iterator[Finding]:
    tools, providers = deferred.tools or (), deferred.providers or ()
    if len(tools) > MOST_TOOLS:
        yield _deferred("too_many_tools", deferred, f"{len(tools)} tools, {MOST_TOOLS} at most", "tools")
    yield from _declarations("tool", tools)
    if len(providers) > MOST_PROVIDERS:
        why = f"{len(providers)} providers, {MOST_PROVIDERS} at most"
        yield _deferred("too_many_providers", deferred, why, "providers")
    yield from _declarations("provider", providers)
    for provider in providers:
        models = provider.models or ()
        if len(models) > MOST_MODELS:
            why = f"{len(models)} models, {MOST_MODELS} at most"
            yield _deferred("too_many_models", provider, why, "models")
        yield from _declarations("model", models)


def _declarations(what: str, declared: Sequence[Declared]) -> Iterator[Finding]:
    key = "name" if what == "tool" else "id"
    for number, each in enumerate(declared):
        if is_blank(each.name):
            yield _deferred(f"{what}_name_empty", each, f"a {what} without a {key}", key)
        elif each.name in [other.name for other in declared[:number]]:
            yield _deferred(f"{what}_name_repeated", each, f"{what} {each.name!r} is there twice", key)
        schema = None if each.schema is None else compact(each.schema)
        bounded = (
            (key, each.name.encode(), MOST_NAME),
            ("description", (each.description or "").encode(), MOST_DESCRIPTION),
            ("display_name", (each.display_name or "").encode(), MOST_DISPLAY),
            ("input_schema" if what == "tool" else "config_schema", schema or b"", MOST_SCHEMA),
        )
        for member, text, most in bounded:
            if len(text) > most:
                yield _deferred(f"{what}_{member}_too_long", each, f"{len(text)} bytes, {most} at most", member)
        if schema is not None and not isinstance(each.schema, dict):
            yield _deferred(f"{what}_schema_not_an_object", each, "a schema is an object", bounded[-1][0])


def _deferred(code: str, about: Deferred | Declared, why: str, member: str, fix: str = "") -> Finding:
    message = f"deferred declarations invalid: {code} ({why})"
    return finding("deferred", message, about.node.span_of(member), fix=fix)


def _of_version(extension: Extension, *, protocol_2: bool) -> Iterator[Finding]:
    version = extension.protocol_version
    if version not in (None, SUPPORTED) and not (protocol_2 and version == 2):
        supported = f"{SUPPORTED}, 2" if protocol_2 else str(SUPPORTED)
        message = f"unsupported protocol_version {version} (supported: {supported})"
        yield finding("protocol-version", message, extension.node.span_of("protocol_version"), fix="say 1, or nothing")


def _of_command(extension: Extension) -> Iterator[Finding]:
    if extension.command is not None and is_blank(extension.command):
        message = f"Extension '{extension.id}' has empty command"
        yield finding("empty-command", message, extension.node.span_of("command"), fix="name the program to start")


def _of_purpose(extension: Extension) -> Iterator[Finding]:
    if extension.hooks != () or extension.permissions is None or _unread(extension, "hooks"):
        return
    reasons = [permission.name for permission in PERMISSIONS.values() if permission.registers]
    if not extension.granted.intersection(reasons):
        message = f"Extension '{extension.id}' must subscribe to at least one hook or request a registration permission"
        fix = f"add an entry to hooks, or one of the permissions {listed(reasons, 'and')}"
        yield finding("no-purpose", message, extension.node.span_of("hooks"), fix=fix)


def _unread(extension: Extension, member: str) -> bool:
    """Whether there are entries that could not be read, so that nobody can say that there is none."""
    node = extension.node.get(member)
    return node is not None and bool(node.items)


def _of_theme(extension: Extension) -> Iterator[Finding]:
    node = extension.node.get("theme_tokens")
    for name, color in sorted((extension.theme_tokens or {}).items(), key=lambda token: token[0].encode()):
        assert node is not None, "a token stands somewhere"
        if not name or any(character in f"./\\{WHITE_SPACE}" for character in name):
            message = f"theme token '{name}' has a name that is empty, or has a dot, a slash, a backslash or a space"
            yield finding("theme-token", message, node.members[name].span)
        if not _COLOR.fullmatch(color.strip(WHITE_SPACE)):
            message = f"theme token '{name}' has an invalid color"
            yield finding("theme-token", message, node.span_of(name), fix="say #rgb or #rrggbb")


def _of_permissions(extension: Extension) -> Iterator[Finding]:
    node = extension.node.get("permissions")
    for item in node.items if node is not None else ():
        name = item.value
        if not isinstance(name, str):
            continue  # told while reading
        if name not in PERMISSIONS:
            yield finding("unknown-permission", permissions.unknown(name), item.span, fix=_meant(name))
        elif PERMISSIONS[name].is_reserved:
            yield finding("reserved-permission", permissions.reserved(name), item.span, fix="leave it out")


def _meant(name: str) -> str:
    """The permission that a wrong name was probably meant to be."""
    kinds = in_manifests(2)
    documented = _DOCUMENTED.fullmatch(name)
    kind = kinds.get(documented[1] if documented else name)
    if kind is not None:
        return f"the permission for {kind.name} is {kind.permission}"
    return nearest(name, (each.name for each in PERMISSIONS.values() if not each.is_reserved))


def _of_hooks(extension: Extension, *, protocol_2: bool) -> Iterator[Finding]:
    kinds = in_manifests(2 if protocol_2 and extension.protocol_version == 2 else 1)
    for hook in extension.hooks or ():
        kind = kinds.get(hook.kind)
        if kind is None:
            message = f"Unknown hook kind: '{hook.kind}' in extension '{extension.id}'"
            fix = nearest_kind(hook.kind, kinds)
            yield finding("unknown-kind", message, hook.node.span_of("hook"), fix=fix)
            continue
        if extension.permissions is not None and kind.permission not in extension.granted:
            message = permissions.lacking(extension.id, kind.permission, kind.name)
            fix = f"add {kind.permission} to permissions"
            yield finding("lacking-permission", message, hook.node.span_of("hook"), fix=fix)
        if hook.tool is not None and not kind.allows_tool_filter:
            message = f"hook '{kind.name}' does not allow a tool filter"
            yield finding("tool-filter", message, hook.node.span_of("tool"), fix="leave tool out")
