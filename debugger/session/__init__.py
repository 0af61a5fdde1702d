"""A debug session: fires dispatches against live subscribers, holds them at seams, breaks what answers.

    session     its life, and dispatches from their beginning to their end
    steering    where dispatches are held, how they go on, and with what
    breaks      breakpoints at the seams: hits, log points, goals
    faults      trouble that waits for subscribers
    memory      what the filters of both look at
    forking     what-ifs against live subscribers
    letting_go  holds that end by themselves
    legality    what an edit would meet
    stuck_watch callables that do not come back
    playing     described sessions that are played
    questions   what waits for a person to decide
    board       what of all this can be seen from outside
    flight      one dispatch under way
    seen        the values that are seen

Free of Textual. Lives on the kernel's loop; who watches from another thread drains `events` and `notes`, reads `view`.
"""

from debugger.session.seen import (
    ONCE,
    ArmedFault,
    Asking,
    Hold,
    Note,
    Only,
    SessionView,
    SetBreakpoint,
    When,
    key_of,
)
from debugger.session.session import Session

__all__ = [
    "ONCE",
    "ArmedFault",
    "Asking",
    "Hold",
    "Note",
    "Only",
    "Session",
    "SessionView",
    "SetBreakpoint",
    "When",
    "key_of",
]
