"""A debug session: fires dispatches against live subscribers, holds them at seams, breaks what answers.

    session     its life, and dispatches from their beginning to their end
    steering    where dispatches are held, how they go on, and with what
    faults      trouble that waits for subscribers
    playing     described sessions that are played
    questions   what waits for a person to decide
    board       what of all this can be seen from outside
    flight      one dispatch under way
    seen        the values that are seen

Free of Textual. Lives on the kernel's loop; who watches from another thread drains `events` and `notes`, reads `view`.
"""

from debugger.session.seen import ArmedFault, Asking, Hold, Note, SessionView
from debugger.session.session import Session

__all__ = ["ArmedFault", "Asking", "Hold", "Note", "Session", "SessionView"]
