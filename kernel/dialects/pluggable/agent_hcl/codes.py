"""Every kind of problem that a pluggable configuration can have, as data. docs/configuration.md is made from it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kernel.problems import Code, Problem, Severity
from kernel.values import Place

LOAD, CHAINS, PLUGINS, LATER = "files are loaded", "chains are built", "plugins are started", "a part of it starts"

ERROR, WARNING = Severity.ERROR, Severity.WARNING

_CODES: Final = (
    Code("syntax", ERROR, "The text is not HCL. The rest of this file is not looked at.", LOAD),
    Code("unsupported-block", ERROR, "There is no block of this type here.", LOAD),
    Code("unsupported-argument", ERROR, "There is no argument of this name here.", LOAD),
    Code("missing-label", ERROR, "A block lacks the label that names it.", LOAD),
    Code("extra-label", ERROR, "A block has more labels than blocks of its type have.", LOAD),
    Code("missing-argument", ERROR, "A block lacks arguments that it needs.", LOAD),
    Code(
        "not-evaluated",
        ERROR,
        "An expression has no value: there are no variables, and functions only for providers.",
        LOAD,
    ),
    Code("ErrDuplicateBlock", ERROR, "A block comes twice that may come once.", LOAD),
    Code("ErrMissingField", ERROR, "A part is missing that the rest makes no sense without.", LOAD),
    Code("ErrInvalidValue", ERROR, "A value is of the wrong kind, or is none of those that are possible.", LOAD),
    Code("ErrConflictingRules", ERROR, "Two policy rules match exactly the same calls.", LOAD),
    Code("ErrEnvNameEmpty", ERROR, "A variable without a name is asked for.", LOAD),
    Code("ErrEnvValueNotString", ERROR, "The value of an environment variable is not text.", LOAD),
    Code("ErrEnvValueUnusable", ERROR, "The value of an environment variable is null, or cannot be handed over.", LOAD),
    Code("ErrInvalidTimeout", ERROR, "A deadline is negative, or the default one is not positive.", CHAINS),
    Code("ErrMissingPosition", ERROR, "A subscription has no place in the order of declaration.", CHAINS),
    Code("ErrUnknownPoint", ERROR, "No hook can sit at a point of this name.", CHAINS),
    Code("ErrUnknownMode", ERROR, "There is no mode of this name.", CHAINS),
    Code("ErrVetoNotPermitted", ERROR, "A veto sits at a point where nothing can be refused.", CHAINS),
    Code("ErrDuplicateSubscription", ERROR, "A provider has two subscriptions at one point.", CHAINS),
    Code("ErrNotFound", ERROR, "A hook names a provider that nothing else mentions.", CHAINS),
    Code("ErrPointNotAdvertised", ERROR, "The plugin does not offer to be asked at this point.", CHAINS),
    Code("ErrInvalidSensitiveExpr", ERROR, 'A secret is not written as `env("NAME")`.', PLUGINS),
    Code(
        "ErrInvalidAttrType", ERROR, "A plugin describes an argument with a type that the host does not know.", PLUGINS
    ),
    Code("wrong-type", ERROR, "A value does not convert to the type that the plugin declares.", PLUGINS),
    Code("ErrEnvUnset", WARNING, "A variable that a provider needs is not set on this machine.", PLUGINS),
    Code("ErrInvalidConfig", ERROR, "Telemetry cannot work with this value.", LATER),
    Code("doom-loop-bounds", ERROR, "The doom-loop detector cannot work with this value.", LATER),
    Code("ErrMalformedToolScope", ERROR, "A tool is neither `<provider>.<tool>` nor `<provider>.*`.", LATER),
    Code("ErrUnknownTool", ERROR, "The provider has no tool of this name.", LATER),
    Code("no-program", WARNING, "A provider has no program on this machine."),
    Code("missing-program", WARNING, "A program cannot be started, because its file is not there or not executable."),
    Code("unserved-hook", WARNING, "The provider of a hook has no program on this machine."),
    Code("veto-default-timeout", WARNING, "A veto without a deadline of its own: silence denies, after the default."),
    Code("expired-deadline", WARNING, "A deadline of 0 ms has passed before the subscriber is asked."),
    Code("idle-transform", WARNING, "A transform sits at a point where a transform may change nothing."),
    Code("empty-match", WARNING, "A policy rule matches every call."),
    Code("unknown-match-key", WARNING, "A key of a match is ignored, so that the rule matches more than it says."),
    Code("unreachable-rule", WARNING, "A policy rule can never match."),
    Code("downgraded-ask", WARNING, "A rule would ask about calls that nobody is asked about; the host denies them."),
    Code("unknown-field", WARNING, "A key of an object is ignored."),
    Code("duplicate-key", WARNING, "A key comes twice in an object, where only the last one counts."),
    Code("saturated-number", WARNING, "A whole number is beyond 64 bits, and counts as the last one within."),
    Code("repeated-block", WARNING, "A block comes twice where only the last one counts."),
    Code("idle-observability", WARNING, "Telemetry is off, and the observability block has no effect."),
    Code("unknown-provider", WARNING, "A profile names a provider that the configuration does not have."),
    Code("literal-star", WARNING, "A tool of a profile has a `*` in its name, which is a letter there."),
    Code("odd-number", WARNING, "A number is legal, and hardly what was meant."),
    Code("unasked-context", WARNING, "A context provider has no provider block, so it has no place and is not asked."),
    Code("unknown-category", WARNING, "The category of a provider is none that there is, and is ignored."),
    Code("unknown-option", ERROR, "An option is about a provider that the configuration does not have."),
)

CODES: Final[Mapping[str, Code]] = MappingProxyType({code.id: code for code in _CODES})


def problem(code: str, message: str, place: Place | None, *, fix: str = "") -> Problem:
    """A problem of a kind that is in the table."""
    return Problem(code, CODES[code].severity, place, 1, message, fix)
