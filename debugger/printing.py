"""How commands print results: to standard output, and to nowhere once nobody reads it any more."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from itertools import islice

from debugger.views.text import Line
from kernel.errors import HookscopeError

AT_ONCE = 200
"""Lines that are made before any of them is printed."""


def print_lines(lines: Iterable[Line]) -> None:
    """Lines as they are made, each behind the sign of its gutter."""
    left = iter(lines)
    while chunk := list(islice(left, AT_ONCE)):
        say("".join(f"{each.mark} {each.text}".rstrip() + "\n" for each in chunk))


class OutputLost(HookscopeError):
    """Standard output cannot be written."""


def say(text: str) -> None:
    """To standard output. Once nobody reads it any more, to nowhere: the exit code still says what came of it."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError) as error:  # a full disk; a descriptor that was closed before we began
        raise OutputLost(f"standard output cannot be written: {error}") from error
