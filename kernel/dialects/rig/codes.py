"""Every kind of problem with a set file, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kernel.dialects.rig.errors import ConfigKind
from kernel.problems import Code, Problem, Severity
from kernel.values import Place

_COMPILE: Final = "it compiles the set"
_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

CODES: Mapping[str, Code] = MappingProxyType(
    {
        code.id: code
        for code in (
            Code("syntax", _ERROR, "The file is not YAML."),
            Code("shape", _ERROR, "A key that there is not, or a value of another kind than is needed."),
            Code("target", _ERROR, "A callback is named module:attribute or file.py:attribute."),
            Code("missing_file", _ERROR, "The file of a callback is not there."),
            Code(ConfigKind.UNEXPECTED_POLICY_REVISION, _ERROR, "A policy revision without guards.", _COMPILE),
            Code(ConfigKind.MISSING_POLICY_REVISION, _ERROR, "Guards without a policy revision.", _COMPILE),
            Code(
                ConfigKind.INVALID_POLICY_REVISION,
                _ERROR,
                "A policy revision has at most 128 bytes and no control character.",
                _COMPILE,
            ),
            Code(ConfigKind.UNKNOWN_OPERATION, _ERROR, "There are eight operations, numbered from 1.", _COMPILE),
            Code(
                ConfigKind.OPERATION_NOT_GUARDABLE,
                _ERROR,
                "Only Turn, Inference, Compaction and ToolCall can be guarded.",
                _COMPILE,
            ),
            Code(ConfigKind.NIL_GUARD, _ERROR, "A guard without its check.", _COMPILE),
            Code(ConfigKind.NIL_AROUND, _ERROR, "An around without its begin.", _COMPILE),
            Code("twice", _WARNING, "The same callback takes part twice in one operation."),
            Code("journal", _WARNING, "Observing JournalAppend hides that a journal can append idempotently."),
            Code("empty", _WARNING, "A set without a guard and an around does nothing."),
        )
    }
)


def problem(code: str, message: str, place: Place | None, *, fix: str = "", length: int = 1) -> Problem:
    """A problem of one of these kinds."""
    return Problem(str(code), CODES[code].severity, place, length, message, fix)
