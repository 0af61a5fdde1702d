"""The extension block of a manifest from its tree: types as strict as the host's, everything wrong told at once."""

from __future__ import annotations

import re
from pathlib import Path

from kernel.dialects.hookbus.manifest.codes import Tell, finding
from kernel.dialects.hookbus.manifest.fields import Part, fields_of
from kernel.dialects.hookbus.manifest.text import Node
from kernel.dialects.hookbus.manifest.values import (
    PROJECT_ROOT,
    SUPPORTED,
    ConfigKey,
    ConfigType,
    Declared,
    Deferred,
    Extension,
    Hook,
    Lifecycle,
    Match,
)

BLOCK = (
    *("protocol_version", "runtime", "command", "args", "setup", "prebuilt", "permissions", "hooks", "config"),
    *("theme_tokens", "deferred"),
)
_HOOK = ("hook", "tool", "match")
_MATCH = ("input_contains", "input_equals")
_CONFIG = ("key", "type", "description", "required", "default", "secret_env", "host_context")
_PREBUILT = ("url", "sha256")
_DEFERRED = ("tools", "providers", "lifecycle")
_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


def block_of(root: Node | None) -> Node | None:
    """The member that makes a plugin an extension; null is none."""
    block = None if root is None else root.get("extension")
    return None if block is None or block.value is None else block


def read(node: Node, id: str, folder: Path, tell: Tell) -> Extension | None:
    """The extension in the tree of its block, as far as it can be read; None if it is no object at all."""
    block = fields_of(node, "extension", (), BLOCK, tell)
    if block is None:
        return None
    block.misses("runtime", 1)
    block.misses("command", 2)
    block.word("runtime", ("process",), or_null=False)
    block.each_member("prebuilt", _read_prebuilt)
    tokens = block.each_member("theme_tokens", lambda part: part.text())
    version = block.whole("protocol_version", SUPPORTED)
    return Extension(
        id=id,
        folder=folder,
        protocol_version=version,
        command=block.text("command"),
        args=block.texts("args"),
        setup=block.optional_text("setup"),
        permissions=block.texts("permissions"),
        hooks=block.each("hooks", _read_hook),
        config=block.each("config", _read_config_key),
        theme_tokens=tokens,
        deferred=block.optional("deferred", _read_deferred),
        node=node,
    )


def _read_hook(part: Part) -> Hook | None:
    entry = part.fields(_HOOK)
    if entry is None:
        return None
    alias = next((name for name in ("kind", "event", "point", "name", "type") if name in entry.node.members), "")
    entry.misses("hook", 0, hint=f"the kind is called hook here, not {alias}" if alias else "")
    kind, tool = entry.text("hook"), entry.optional_text("tool")
    match = entry.optional("match", _read_match)
    return None if kind is None else Hook(kind, tool, match, entry.node)


def _read_match(part: Part) -> Match | None:
    condition = part.fields(_MATCH, ignores_others=False)
    if condition is None:
        return None
    return Match(condition.optional_text("input_contains"), condition.node_value("input_equals"), condition.node)


def _read_config_key(part: Part) -> ConfigKey | None:
    entry = part.fields(_CONFIG)
    if entry is None:
        return None
    entry.misses("key", 0)
    entry.optional_text("description")
    declared = entry.word("type", tuple(ConfigType))
    context = entry.word("host_context", (PROJECT_ROOT,))
    key, required, secret_env = entry.text("key"), entry.flag("required"), entry.optional_text("secret_env")
    if key is None:
        return None
    kind = None if declared is None else ConfigType(declared)
    return ConfigKey(key, kind, required, entry.node_value("default"), secret_env, context, entry.node)


def _read_prebuilt(part: Part) -> str | None:
    entry = part.fields(_PREBUILT)
    if entry is None:
        return None
    entry.misses("url", 0)
    entry.misses("sha256", 1)
    url, digest = entry.text("url"), entry.text("sha256")
    if digest is not None and not _DIGEST.fullmatch(digest):
        part.tell(finding("odd-digest", "a sha256 has 64 hexadecimal digits", entry.node.span_of("sha256")))
    return url


def _read_deferred(part: Part) -> Deferred | None:
    entry = part.fields(_DEFERRED)
    if entry is None:
        return None
    lifecycle = entry.word("lifecycle", tuple(Lifecycle))
    tools, providers = (
        entry.each(name, read_one, or_null=True)
        for name, read_one in (("tools", _read_tool), ("providers", _read_provider))
    )
    return Deferred(tools, providers, Lifecycle(lifecycle) if lifecycle else None, entry.node)


def _read_tool(part: Part) -> Declared | None:
    return _declared(part, "name", ("name", "description", "input_schema"), "input_schema")


def _read_provider(part: Part) -> Declared | None:
    return _declared(part, "id", ("id", "display_name", "description", "models", "config_schema"), "config_schema")


def _read_model(part: Part) -> Declared | None:
    return _declared(part, "id", ("id", "display_name", "description"), "")


def _declared(part: Part, key: str, known: tuple[str, ...], schema: str) -> Declared | None:
    entry = part.fields(known, says_ignored=False)
    if entry is None:
        return None
    entry.misses(key, 0)
    name = entry.text(key)
    display, description = entry.optional_text("display_name"), entry.optional_text("description")
    models = entry.each("models", _read_model, or_null=True) if "models" in known else None
    if name is None:
        return None
    return Declared(name, display, description, entry.node_value(schema), models, entry.node)
