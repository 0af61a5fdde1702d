"""The terminal for ourselves alone: programs that callbacks start inherit descriptors that lead nowhere.

A callback runs in our process, so what it starts would paint over the screen and eat keys. Whoever opens `/dev/tty` by
name still can.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:  # the application imports this before its first frame
    from kernel.values import Chain

_NAMES: Final = ("__stdin__", "__stdout__", "__stderr__")
"""By number of the descriptor. Textual reads and draws through these."""
_kept: Final[list[int]] = []
"""Descriptors of the terminal under other numbers, which nobody inherits; empty while the usual ones lead there."""


_modes: Final[list[list[Any]]] = []
"""What the terminal was like before."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """The terminal that is ours."""

    reads: int
    """Descriptor that keys come from."""
    draws: int
    """Descriptor that is drawn on."""
    modes: list[Any]
    """As `termios.tcgetattr` gave them before it was ours; control characters as text, each a byte."""


def terminal() -> Terminal | None:
    """The one that is kept now, if one is."""
    return Terminal(_kept[0], _kept[1], _modes[0]) if _kept else None


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """While it lasts, descriptors 0 to 2 lead nowhere, and Python's original streams to where these led before.

    Does nothing where there is no terminal.
    """
    if _kept or not all(os.isatty(number) for number in range(3)):
        yield
        return
    before: list[TextIO] = [getattr(sys, name) for name in _NAMES]
    _modes[:] = [_mode_words(0)]
    _kept.extend(os.dup(number) for number in range(3))
    ours = [
        os.fdopen(kept_as, "r" if number == 0 else "w", encoding=old.encoding, errors=old.errors, closefd=False)
        for number, (kept_as, old) in enumerate(zip(_kept, before, strict=True))
    ]
    try:
        for name, stream in zip(_NAMES, ours, strict=True):
            setattr(sys, name, stream)
        _lead_nowhere()
        yield
    finally:
        for stream in ours:
            with contextlib.suppress(OSError, ValueError):  # the terminal may be gone
                stream.close()
        for number, kept_as in enumerate(_kept):
            os.dup2(kept_as, number)
            os.close(kept_as)
        _kept.clear()
        for name, old in zip(_NAMES, before, strict=True):
            setattr(sys, name, old)


@contextlib.contextmanager
def given_back() -> Iterator[None]:
    """While it lasts, programs have the terminal again: a person's editor."""
    for number, kept_as in enumerate(_kept):
        os.dup2(kept_as, number)
    try:
        yield
    finally:
        if _kept:
            _lead_nowhere()


@contextlib.contextmanager
def clean_output(chains: Iterable[Chain]) -> Iterator[None]:
    """While it lasts, what callables of these chains start writes to standard error: standard output is for results.

    Does nothing where nobody's code runs in our process, and where standard output was replaced.
    """
    from kernel.reach import Callback, InProcess
    from kernel.transports.callback_streams import stand_in

    ours = sys.stdout
    if not any(isinstance(seat.reach, Callback | InProcess) for chain in chains for seat in chain.subscriptions):
        yield
        return
    if not _is_descriptor(ours, 1) or not _is_descriptor(sys.stderr, 2):
        yield
        return
    ours.flush()
    kept_as = os.dup(1)
    os.dup2(2, 1)
    apart = os.fdopen(kept_as, "w", encoding=ours.encoding, errors=ours.errors, closefd=False)
    sys.stdout = apart
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more; who writes next is told
            apart.close()
        sys.stdout = ours
        stand_in()  # a callable that is stuck may yet print
        os.dup2(kept_as, 1)
        os.close(kept_as)


def _mode_words(descriptor: int) -> list[Any]:
    import termios

    modes = termios.tcgetattr(descriptor)
    return [*modes[:6], [each if isinstance(each, int) else each.decode("latin-1") for each in modes[6]]]


def _is_descriptor(stream: TextIO | None, number: int) -> bool:
    try:
        return stream is not None and stream.fileno() == number
    except (OSError, ValueError):
        return False


def _lead_nowhere() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    os.close(nowhere)
