"""Every kind of problem that a manifest can have, as data, and a finding: a problem and when the host meets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from kernel.dialects.hookbus.manifest.text import Span
from kernel.problems import Code, Problem, Severity

ERROR, WARNING = Severity.ERROR, Severity.WARNING


class Stage(IntEnum):
    """When the host looks (spec 4.12): at a plugin's first failure it goes on to the next plugin."""

    READ = 0
    BLOCK = 1
    LOADED = 2
    CONFIG = 3
    VALID = 4
    STARTED = 5

    @property
    def words(self) -> str:
        """For the table of codes."""
        return _WORDS[self]


_WORDS: Final = {
    Stage.READ: "the manifest is read",
    Stage.BLOCK: "the extension block is read",
    Stage.LOADED: "the plugin is loaded",
    Stage.CONFIG: "config is resolved",
    Stage.VALID: "the manifest is validated",
    Stage.STARTED: "the program is started",
}
_STAGES: Final[Mapping[Stage, tuple[Code, ...]]] = {
    stage: tuple(Code(id, severity, text, stage.words) for id, severity, text in rows)
    for stage, rows in {
        Stage.READ: (
            ("unreadable", ERROR, "The manifest cannot be read."),
            ("syntax", ERROR, "The manifest is not JSON. Nothing else in it is looked at."),
        ),
        Stage.BLOCK: (
            ("wrong-type", ERROR, "A value is not of the kind that the host reads here."),
            ("unknown-word", ERROR, "A word is none of those that are possible here."),
            ("missing-member", ERROR, "A member is missing that has no default."),
            ("unknown-condition", ERROR, "A match has a member that the host does not know."),
        ),
        Stage.LOADED: (("already-loaded", ERROR, "A plugin of this id is already loaded; the first one stays."),),
        Stage.CONFIG: (
            ("config-file", ERROR, "A config file is there and cannot be read."),
            ("config-key", ERROR, "A config key is blank, or has a dot, a slash or a space in it."),
            ("config-missing", ERROR, "A config key is required and no source has a value for it."),
        ),
        Stage.VALID: (
            ("deferred", ERROR, "The deferred declarations are too many or too large, or contradict the rest."),
            ("protocol-version", ERROR, "The host does not speak this version of the protocol."),
            ("empty-command", ERROR, "The command is blank."),
            ("no-purpose", ERROR, "The extension has no hook and no permission that would be reason enough for it."),
            ("theme-token", ERROR, "A theme token has a name or a color that the host refuses."),
            ("unknown-permission", ERROR, "There is no permission of this name."),
            ("reserved-permission", ERROR, "The permission is reserved and granted to nobody."),
            ("unknown-kind", ERROR, "There is no hook of this kind."),
            ("lacking-permission", ERROR, "The extension has no permission for a kind that it hooks."),
            ("tool-filter", ERROR, "A hook has a tool filter at a kind that is not about tools."),
        ),
        Stage.STARTED: (("missing-program", WARNING, "The program cannot be started on this machine."),),
    }.items()
}

_NEVER: Final = (
    Code("no-extension", WARNING, "The manifest has no member `extension`: the host skips it without a word."),
    Code("misplaced-member", WARNING, "A member stands outside `extension`, where the host does not look for it."),
    Code("ignored-member", WARNING, "The host does not know this member and ignores it."),
    Code("repeated-member", WARNING, "A later member of the same name makes this one void."),
    Code("repeated-permission", WARNING, "A permission stands there twice and is granted once."),
    Code("unused-permission", WARNING, "No hook needs this permission."),
    Code("ignored-replace", WARNING, "The program replaces outputs, and has no permission for it."),
    Code("never-matches", WARNING, "No event can ever pass the filter and the condition of this hook."),
    Code("always-matches", WARNING, "A condition that every event fulfils."),
    Code("unlikely-filter", WARNING, "A tool filter that is compared letter by letter, and hardly meant so."),
    Code("runtime-name-only", WARNING, "A tool filter that fits only where the host knows a tool's original name."),
    Code("repeated-hook", WARNING, "The same hook twice: every event that passes is delivered twice."),
    Code("no-shell", WARNING, "The command or an argument is written for a shell; there is none."),
    Code("outside-argument", WARNING, "An argument names a file outside the plugin's folder; it is passed as it is."),
    Code("missing-file", WARNING, "A file that the manifest names is not there."),
    Code("other-name", WARNING, "The manifest's name is not that of the folder, which is the plugin's id."),
    Code("idle-required", WARNING, "A key is required and has a default, so that it is never missing."),
    Code("config-type", WARNING, "A default is not of the declared type, which the host does not enforce."),
    Code("repeated-key", WARNING, "A config key is declared twice; the later one counts."),
    Code("written-secret", WARNING, "The value of a secret stands in the manifest."),
    Code(
        "unusual-key",
        WARNING,
        "The host takes this config key, and no shell can set the variable that would override it.",
    ),
    Code("odd-digest", WARNING, "A digest is not 64 hexadecimal digits."),
    Code("refused-name", WARNING, "The host takes this name here, and refuses it in the reply to `initialize`."),
)

CODES: Final[Mapping[str, Code]] = MappingProxyType(
    {code.id: code for code in (*(code for codes in _STAGES.values() for code in codes), *_NEVER)}
)
_STAGE_OF: Final = {code.id: stage for stage, codes in _STAGES.items() for code in codes}

Order: TypeAlias = tuple[tuple[int, int | bytes], ...]
"""Rank within a stage; the host meets smaller ones first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of one plugin, and when the host would meet it."""

    problem: Problem
    order: Order = ()

    @property
    def is_error(self) -> bool:
        return self.problem.severity is Severity.ERROR

    @property
    def rank(self) -> tuple[int, Order]:
        """The smallest among the errors is what the host reports."""
        return _STAGE_OF.get(self.problem.code, len(Stage)), self.order


Tell: TypeAlias = Callable[[Finding], None]
"""Takes a finding from whoever made it, who then goes on."""


def finding(code: str, message: str, span: Span | None, *, fix: str = "", order: Order = ()) -> Finding:
    """A finding of a kind that is in the table."""
    place, length = (None, 1) if span is None else (span.place, span.length)
    return Finding(Problem(code, CODES[code].severity, place, length, message, fix), order)
