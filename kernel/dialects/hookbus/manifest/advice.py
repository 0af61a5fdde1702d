"""What is legal in a manifest and almost surely wrong: warnings, which nobody gives but us."""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kernel.dialects.hookbus.events import api_safe
from kernel.dialects.hookbus.json_text import compact, decoded
from kernel.dialects.hookbus.kinds import KINDS, Filled, Kind
from kernel.dialects.hookbus.manifest.codes import Finding, finding
from kernel.dialects.hookbus.manifest.needle import why_never
from kernel.dialects.hookbus.manifest.reading import block_of
from kernel.dialects.hookbus.manifest.text import Node, Span
from kernel.dialects.hookbus.manifest.values import ConfigKey, ConfigType, Declared, Extension, Hook, Match, is_blank
from kernel.dialects.hookbus.matching import CONTAINS, EQUALS
from kernel.dialects.hookbus.permissions import TOOLS_TRANSFORM_OUTPUT
from kernel.errors import BadInput
from kernel.values import JSON

MISPLACED: Final = ("runtime", "command", "protocol_version", "permissions", "hooks", "theme_tokens", "deferred")
"""Members of the block that mean nothing beside it."""
TOOLS: Final = ("bash", "read", "write", "edit", "subagent", "subagent_start", "search_tools", "search_skills")
"""Tools of the host by the names that it gives them; there are others."""
SCRIPTS: Final = (".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".bash", ".rb", ".pl", ".lua")
MOST_READ: Final = 1 << 20
"""Bytes of a program that are looked at."""
MOST_SEGMENT: Final = 64
"""Bytes of a name in the reply to `initialize`."""

_REPLACES: Final = re.compile(rb"""["']replace["']|\\"replace\\\\?\"""")
"""The action as a program in any language writes it."""
_FOR_A_SHELL: Final = re.compile(r"^~(?:/|$)|\$(?:\w|\{|\()|^(?:&&|\|\|?|;|>>?|<|2>&1)$")
_PATTERN: Final = re.compile(r"[*?|,\s]")
_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


def of_root(root: Node, id: str, *, wants_extension: bool) -> Iterator[Finding]:
    """What stands around the extension block, and whether there is one."""
    if not isinstance(root.value, dict):
        yield finding("no-extension", "the manifest is not an object, so it has no extension", root.span)
        return
    for member in root.overwritten:
        message = f"{member.name} is there again further down, and that one counts"
        yield finding("repeated-member", message, member.span, fix="keep one of them")
    misplaced = [member for name, member in root.members.items() if name in MISPLACED]
    for member in misplaced:
        yield finding("misplaced-member", f"{member.name} stands outside extension", member.span, fix="move it inside")
    near = difflib.get_close_matches("extension", [each for each in root.members if each != "extension"], n=1)
    if block_of(root) is None and (wants_extension or misplaced or near):
        fix = f"did you mean 'extension' by {near[0]!r}?" if near else ""
        span = root.members[near[0]].span if near else root.span
        said = "extension is null" if "extension" in root.members else "the manifest has no extension"
        yield finding("no-extension", f"{said}, so the host skips the plugin", span, fix=fix)
    name = root.get("name")
    if name is not None and isinstance(name.value, str) and name.value != id and block_of(root) is not None:
        message = f"the plugin is called {id!r} after its folder, and not {name.value!r}"
        yield finding("other-name", message, name.span, fix="give both the same name")


def of_extension(extension: Extension, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Everything about the block, in no order."""
    yield from _of_permissions(extension)
    yield from _of_hooks(extension)
    yield from _of_config(extension)
    yield from _of_program(extension, environ)
    yield from _of_declarations(extension)


# -- permissions and hooks ---------------------------------------------------------------------------------------


def _of_permissions(extension: Extension) -> Iterator[Finding]:
    node = extension.node.get("permissions")
    if node is None or extension.hooks is None:
        return
    hooked = {hook.kind for hook in extension.hooks}
    of_kinds = {kind.permission for kind in KINDS.values()}
    needed = {KINDS[kind].permission for kind in hooked if kind in KINDS}
    seen: set[JSON] = set()
    for item in node.items:
        name = item.value
        if not isinstance(name, str):
            continue
        if name in seen:
            yield finding("repeated-permission", f"{name} stands there twice", item.span, fix="leave one out")
        elif name in of_kinds and name not in needed:
            kinds = ", ".join(kind.name for kind in KINDS.values() if kind.permission == name and kind.protocol == 1)
            yield finding("unused-permission", f"no hook needs {name}, which is for {kinds}", item.span)
        elif name == TOOLS_TRANSFORM_OUTPUT and "after_tool_call" not in hooked:
            message = f"{name} replaces outputs in after_tool_call, and no hook is of that kind"
            yield finding("unused-permission", message, item.span)
        seen.add(name)


def _of_hooks(extension: Extension) -> Iterator[Finding]:
    hooks = extension.hooks or ()
    for number, hook in enumerate(hooks):
        kind = KINDS.get(hook.kind)
        if hook in hooks[:number]:
            message = f"the same hook at {hook.kind} again: every event that passes is delivered twice"
            yield finding("repeated-hook", message, hook.node.span)
        if hook.tool is not None and kind is not None and kind.allows_tool_filter:
            yield from _of_filter(hook.tool, hook.node.span_of("tool"))
        if hook.match is not None and kind is not None:
            yield from _of_match(hook.match, kind)
        if hook.kind == "after_tool_call" and TOOLS_TRANSFORM_OUTPUT not in extension.granted:
            yield from _of_replacing(extension, hook)


def _of_filter(tool: str, span: Span) -> Iterator[Finding]:
    lower = tool.strip().lower()
    if not tool:
        yield finding("never-matches", "no tool has an empty name", span, fix="leave tool out to hear of every tool")
    elif _PATTERN.search(tool):
        message = f"{tool!r} is one name, compared letter by letter"
        yield finding("unlikely-filter", message, span, fix="one entry for each tool, or no tool to hear of all")
    elif lower != tool and lower in TOOLS:
        message = f"{tool!r} is compared letter by letter"
        yield finding("unlikely-filter", message, span, fix=f"did you mean {lower!r}?")
    elif api_safe(tool) != tool:
        message = (
            f"the model knows this tool as {api_safe(tool)!r}; {tool!r} fits only where the host has that name too"
        )
        yield finding("runtime-name-only", message, span, fix=f"{api_safe(tool)!r} always fits")


def _of_match(match: Match, kind: Kind) -> Iterator[Finding]:
    needle, equal = match.input_contains, match.input_equals
    is_open = all(
        name in (CONTAINS, EQUALS) and member.value.value is None for name, member in match.node.members.items()
    )
    if needle is None and equal is None and is_open:
        yield finding("always-matches", "a match without a condition", match.node.span, fix="leave match out")
    if needle == "":
        span = match.node.span_of(CONTAINS)
        yield finding("always-matches", "every text contains the empty one", span, fix="leave input_contains out")
    if equal is not None and Filled.TOOL_INPUT not in kind.fields:
        message = f"events of {kind.name} have no input, which counts as null"
        yield finding("never-matches", message, match.node.span_of(EQUALS), fix="leave match out")
    if needle:
        why = _why_not_contained(needle, equal, kind)
        if why:
            span = match.node.span_of(CONTAINS)
            yield finding("never-matches", why, span, fix=_sorted_out(needle))


def _why_not_contained(needle: str, equal: JSON, kind: Kind) -> str:
    if Filled.TOOL_INPUT not in kind.fields and needle not in "null":
        return f"events of {kind.name} have no input, of which the text is null"
    if why := why_never(needle):
        return f"no input contains this: {why}"
    if equal is not None and needle not in compact(equal).decode():
        return "what input_equals wants does not contain this"
    return ""


def _sorted_out(needle: str) -> str:
    """The needle as it would have to be written, if that can be told."""
    for before, behind in (("", ""), ("{", "}"), ("[", "]")):
        try:
            text = compact(decoded(f"{before}{needle}{behind}".encode())).decode()
        except BadInput:
            continue
        return f"write {text[len(before) : len(text) - len(behind)]}"
    escaped = compact(needle).decode()[1:-1]
    return f"write {escaped} as the JSON text has it" if any(mark < " " for mark in needle) else ""


def _of_replacing(extension: Extension, hook: Hook) -> Iterator[Finding]:
    for path in _scripts(extension):
        try:
            with path.open("rb") as file:
                replaces = _REPLACES.search(file.read(MOST_READ)) is not None
        except OSError:
            continue
        if replaces:
            message = f"{path.name} answers with replace, which is ignored without {TOOLS_TRANSFORM_OUTPUT}"
            fix = f"add {TOOLS_TRANSFORM_OUTPUT} to permissions"
            yield finding("ignored-replace", message, hook.node.span_of("hook"), fix=fix)
            return


# -- config ------------------------------------------------------------------------------------------------------


def _of_config(extension: Extension) -> Iterator[Finding]:
    keys = [entry.key for entry in extension.config or ()]
    for number, entry in enumerate(extension.config or ()):
        if entry.key in keys[number + 1 :]:
            message = f"{entry.key!r} is declared again further down, and that one counts"
            yield finding("repeated-key", message, entry.node.span_of("key"), fix="keep one of them")
        yield from _of_default(entry)
        if not _PLAIN_KEY.fullmatch(entry.key) and not is_blank(entry.key) and not re.search(r"[./ ]", entry.key):
            message = f"no shell can set the variable that would override {entry.key!r}"
            fix = "use letters, digits, hyphens and underscores"
            yield finding("unusual-key", message, entry.node.span_of("key"), fix=fix)


def _of_default(entry: ConfigKey) -> Iterator[Finding]:
    span = entry.node.span_of("default")
    if entry.default is None:
        return
    if entry.required:
        fix = "leave required or default out"
        yield finding("idle-required", f"{entry.key!r} has a default and is never missing", span, fix=fix)
    if entry.secret_env is not None and isinstance(entry.default, str) and entry.default:
        message = f"what stands in for the secret {entry.key!r} can be read by everybody"
        yield finding("written-secret", message, span, fix=f"leave default out and set {entry.secret_env}")
    if entry.type is not None and not _is_a(entry.default, entry.type):
        yield finding("config-type", f"the default of {entry.key!r} is not of the type {entry.type}", span)


def _is_a(value: JSON, kind: ConfigType) -> bool:
    match kind:
        case ConfigType.STRING:
            return isinstance(value, str)
        case ConfigType.BOOL:
            return isinstance(value, bool)
        case ConfigType.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool)


# -- the program -------------------------------------------------------------------------------------------------


def _of_program(extension: Extension, environ: Mapping[str, str]) -> Iterator[Finding]:
    command, folder = extension.command, extension.folder
    if command is not None and not is_blank(command):
        span = extension.node.span_of("command")
        why = _why_not_started(command, folder, environ)
        words = command.split()
        if why and len(words) > 1:
            fix = f"say command {words[0]!r} and the rest in args"
            yield finding("no-shell", f"{command!r} is taken for the name of one program", span, fix=fix)
        elif why:
            yield finding("missing-program", f"{extension.id} cannot be started: {why}", span)
    yield from _of_arguments(extension)
    if extension.setup is not None and not os.path.isfile(folder / extension.setup):
        message = f"there is no file {folder / extension.setup}"
        yield finding("missing-file", message, extension.node.span_of("setup"))


def _why_not_started(command: str, folder: Path, environ: Mapping[str, str]) -> str:
    """What a look at the files says against a command; starting it may still go wrong."""
    if "/" not in command:
        found = shutil.which(command, path=environ.get("PATH", os.defpath))
        return "" if found else f"there is no {command!r} on the PATH"
    path = folder / command  # an absolute one stays what it is
    if command.startswith("~"):
        return "nobody expands ~"
    if not os.path.isfile(path):
        return f"there is no file {path}"
    return "" if os.access(path, os.X_OK) else f"{path} is not executable"


def _of_arguments(extension: Extension) -> Iterator[Finding]:
    node, folder = extension.node.get("args"), extension.folder
    for item in node.items if node is not None else ():
        argument = item.value
        if not isinstance(argument, str):
            continue
        if _FOR_A_SHELL.search(argument):
            yield finding("no-shell", f"nobody expands or interprets {argument!r}", item.span)
        elif _is_outside(argument, folder):
            message = f"{argument!r} is outside of the plugin's folder, and passed as it stands here"
            yield finding("outside-argument", message, item.span, fix="keep what the plugin needs in its folder")
        elif argument.endswith(SCRIPTS) and not argument.startswith("-") and not os.path.exists(folder / argument):
            yield finding("missing-file", f"there is no file {folder / argument}", item.span)


def _is_outside(argument: str, folder: Path) -> bool:
    """Whether an argument names something that is there and not in the folder."""
    if ".." not in Path(argument).parts:
        return False
    try:
        path = (folder / argument).resolve()
        return path.exists() and not path.is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def _scripts(extension: Extension) -> Iterator[Path]:
    """Files of the plugin that its command line names."""
    for word in (extension.command or "", *(extension.args or ())):
        if word and not os.path.isabs(word) and os.path.isfile(extension.folder / word):
            yield extension.folder / word


# -- promises ----------------------------------------------------------------------------------------------------


def _of_declarations(extension: Extension) -> Iterator[Finding]:
    """Names that are fine in the manifest, and are refused when the extension repeats them in its reply."""
    if extension.deferred is None:
        return
    for what, declared in (("tool", extension.deferred.tools), ("provider", extension.deferred.providers)):
        for each in declared or ():
            yield from _of_name(what, each)
            for model in each.models or ():
                yield from _of_name("model", model)


def _of_name(what: str, declared: Declared) -> Iterator[Finding]:
    name = declared.name
    span = declared.node.span_of("name" if what == "tool" else "id")
    if len(name.encode()) > MOST_SEGMENT:
        yield finding("refused-name", f"a {what} has {MOST_SEGMENT} bytes for its name at most", span)
    elif ":" in name or any(mark.isspace() or not mark.isprintable() for mark in name):
        yield finding("refused-name", f"{name!r} has a colon, a space or a control character in it", span)
