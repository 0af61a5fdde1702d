"""Why a configuration is refused: the codes that a check has for it, beside the one sentence at which loading stops."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Final

from kernel import dialects
from kernel.errors import BadInput
from kernel.problems import Problem, Severity
from kernel.values import JSON, Place

# Before it may stand keys and files, which people wrote; what else they wrote is quoted where it is repeated.
_CODE: Final = re.compile(r"\A(?:[^:'\"]*: ){0,4}?(Err[A-Z][A-Za-z]*)(?=: |\Z)")


@dataclass(frozen=True, slots=True)
class Refused:
    """One reason."""

    code: str
    """Empty for what has none, such as a description of a session."""
    sentence: str
    """For people, with the place."""
    place: Place | None

    def inside(self, folder: FilePath) -> Refused:
        """The same, with files named as seen from a folder."""
        place = self.place
        if place is not None:
            place = replace(place, file=place.file.removeprefix(f"{folder}/"))
        return Refused(self.code, self.sentence.replace(f"{folder}/", ""), place)


def refusals(error: BadInput | None, config: FilePath | None, options: Mapping[str, JSON]) -> tuple[Refused, ...]:
    """The reason for which the setup is refused; where it is not, every error that a part of it would meet later."""
    problems = _errors(config, options)
    if error is None:
        return tuple(_of(problem.as_error(), problem.code) for problem in problems)
    if (named := _CODE.match(error.message)) is not None:
        return (_of(error, named[1]),)
    for problem in problems:
        if problem.place == error.place and problem.message == error.message:
            return (_of(error, problem.code),)
    return (_of(error, ""),)


def _of(error: BadInput, code: str) -> Refused:
    return Refused(code, str(error), error.place)


def _errors(config: FilePath | None, options: Mapping[str, JSON]) -> list[Problem]:
    if config is None:
        return []
    try:
        report = dialects.check_setup(config, options)
    except BadInput:
        return []  # there is nothing to look at, which loading says as well
    return [problem for problem in report.problems if problem.severity is Severity.ERROR]
