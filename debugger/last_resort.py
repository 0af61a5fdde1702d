"""A second signal that ends us even where Python cannot run.

A callable in our own process that never lets go of the interpreter (one long call into C, such as a regular expression
that backtracks for ever) keeps every handler of ours from running. The kernel does not need us for its own way of
ending a process.
"""

from __future__ import annotations

import ctypes
import sys

_SIZE = 512
"""Bytes of a `struct sigaction`, and more; its first member is the handler."""


def ends_us_next_time(number: int) -> None:
    """Have a signal handled once more as it is now, and then end the process. Does nothing but on Linux.

    Whoever handles it calls this again; so only one that nobody could handle counts.
    """
    if sys.platform != "linux":
        return
    try:
        library = ctypes.CDLL(None)
        now = ctypes.create_string_buffer(_SIZE)
        if library.sigaction(ctypes.c_int(number), None, now) != 0:
            return
        handler = ctypes.c_void_p.from_buffer(now)
        library.sysv_signal.restype = ctypes.c_void_p
        library.sysv_signal(ctypes.c_int(number), handler)  # System V: back to the default once it was delivered
    except (OSError, AttributeError):  # another C library
        return
