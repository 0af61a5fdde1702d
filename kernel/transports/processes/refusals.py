"""Why a program could not be started or kept, as the end of a sentence about it. Pure."""

from __future__ import annotations

import errno
from collections.abc import Sequence


def why_not_launched(argv: Sequence[str], cwd: str | None, error: OSError | ValueError) -> str:
    """What `launch` met: before there was a process at all."""
    if not isinstance(error, OSError):  # a NUL in an argument or in a variable
        return f"{argv[0]!r} cannot be run: {error}"
    what = f"its working directory {cwd!r}" if cwd is not None and error.filename == cwd else repr(argv[0])
    return f"{what} cannot be used: {error.strerror}"


def why_not_run(program: str, error: OSError) -> str:
    """What the system said to the guard."""
    match error.errno:
        case errno.ENOENT:
            return f"there is no program {program!r}, or the interpreter that it names is missing"
        case errno.EACCES:
            return f"{program!r} is not an executable file"
        case errno.ENOEXEC:
            return f"{program!r} is neither a binary for this machine nor a script with a '#!' line"
        case _:
            return f"{program!r} cannot be run: {error.strerror or error}"


def ended(how: str | None) -> str:
    """The end of a process, as it tells it, fit to follow `it`."""
    how = how or ""
    return how if how.startswith("exited") else f"was {how}"
