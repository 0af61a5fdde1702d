"""`hookscope run`: scenario files found, run one after the other, reported. Gives the exit code."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from debugger.scenario import report
from debugger.scenario.load import Loaded, find, load
from debugger.scenario.run import Verdict, run
from debugger.views.text import visible
from kernel.errors import BadInput


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    paths: tuple[Path, ...]
    is_json: bool
    junit: Path | None
    only: str
    """Part of the names of the scenarios that are wanted, in any case; empty for all."""


def run_files(request: Request) -> int:
    """Run the request. Nothing runs unless every file can be read; raises BadInput where one alone is at fault."""
    chosen = _chosen(request)
    if chosen is None:
        return 2
    if request.junit is None:
        return _run(chosen, request, None)
    with _opened(request.junit) as junit:
        return _run(chosen, request, junit)


def _opened(path: Path) -> BinaryIO:
    """A file to write to, there before anything runs, so that nothing runs in vain; it keeps what it holds for now."""
    try:
        return path.open("ab")
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error


def _run(chosen: Sequence[Loaded], request: Request, junit: BinaryIO | None) -> int:
    verdicts: list[Verdict] = []
    took_s: list[float] = []
    for loaded in chosen:
        started = time.perf_counter()
        verdict = run(loaded, _tell)
        took_s.append(time.perf_counter() - started)
        verdicts.append(verdict)
        _say(report.as_json(verdict).decode() if request.is_json else "\n".join(report.lines(verdict)))
    if junit is not None:
        try:
            if junit.seekable():
                junit.truncate(0)
            junit.write(report.as_junit(verdicts, took_s))
            junit.flush()
        except OSError as error:
            raise BadInput(f"{request.junit} cannot be written: {error.strerror}") from error
    (_tell if request.is_json else _say)(report.summary(verdicts))
    if any(verdict.problem is not None for verdict in verdicts):
        return 2
    return 0 if all(verdict.is_held for verdict in verdicts) else 1


def _chosen(request: Request) -> Sequence[Loaded] | None:
    """The scenarios that are wanted; None when files cannot be read, each told of."""
    every: list[Loaded] = []
    are_all_read = True
    for path in find(request.paths):
        try:
            every += load(path)
        except BadInput as error:
            _tell(str(error))
            are_all_read = False
    if not are_all_read:
        return None
    chosen = [loaded for loaded in every if request.only.casefold() in loaded.name.casefold()]
    if not chosen:
        raise BadInput(f"none of {len(every)} scenarios has {request.only!r} in its name")
    return chosen


def _tell(line: str) -> None:
    print(visible(f"hookscope: {line}"), file=sys.stderr)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
