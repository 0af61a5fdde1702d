"""`hookscope export`: a recording, or some dispatches of it, for people and programs elsewhere. Gives the exit code."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from debugger.export.formats import Format, written
from debugger.export.material import Material, gathered
from debugger.export.pictures import Wish
from debugger.printing import print_lines, say
from debugger.redaction import Redactor, Rules
from debugger.redaction.file import read
from debugger.redaction.preview import preview
from debugger.store.recording import Recording
from debugger.views.text import visible
from kernel.errors import BadInput


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    recording: Path
    form: Format
    out: Path | None = None
    """None for standard output."""
    dispatches: tuple[str, ...] = ()
    """Numbers, ranges such as 3-7, and ids; empty for all."""
    is_redacted: bool = True
    rules: Path | None = None
    """A rules file, on top of the built-in rules."""
    is_preview: bool = False
    """Whether to say what would be replaced, and write nothing."""
    wish: Wish = field(default_factory=Wish)
    is_forced: bool = False
    """Whether a file that is there already may be replaced."""


def export(request: Request) -> int:
    """Export; 0, or BadInput is raised."""
    if not request.is_redacted and (request.is_preview or request.rules is not None):
        raise BadInput("--no-redact leaves nothing to preview, and no use for rules")
    if request.out is not None and request.out.exists() and not (request.is_forced or request.is_preview):
        raise BadInput(f"{request.out} is there already", fix="name another file, or say --force")
    rules = read(request.rules) if request.rules is not None else Rules()
    with Recording(request.recording) as recording:
        redactor = Redactor(rules) if request.is_redacted else None
        material = gathered(recording, request.dispatches, redactor, takes_received=request.form is Format.OTLP)
    if redactor is not None and request.is_preview:
        print_lines(preview(redactor.counts, redactor.secrets))
        return 0
    pieces = written(request.form, material, request.wish)
    if request.out is None:
        for piece in pieces:
            say(piece)
    else:
        _write(request.out, pieces)
    _tell(material, request)
    return 0


def _write(path: Path, pieces: Iterable[str]) -> None:
    """All of it or nothing: whatever breaks on the way leaves no half of a file."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            os.unlink(name)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _tell(material: Material, request: Request) -> None:
    """What was done, beside the result."""
    where = "" if request.out is None else f"{request.out}: "
    count = len(material.dispatches)
    said = f"{where}{count} {'dispatch' if count == 1 else 'dispatches'}. {material.redaction}"
    if material.redactor is not None and material.redactor.secrets:
        said += " --preview says where."
    print(visible(f"hookscope: {said}"), file=sys.stderr)
