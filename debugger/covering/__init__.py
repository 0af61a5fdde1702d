"""Secrets of a configuration, covered in whatever is shown or kept; `redaction` finds what only looks like one.

The map:

    secrets    what a configuration hands to its subscribers     keys     names under which secrets are kept
    covering   text, JSON and bytes                              events   everything that is told of a dispatch
"""

from debugger.covering.covering import Covering, covering_of
from debugger.covering.events import CoveredEvents, CoveringProbe, CoveringResolver, Redacted, covered_events_of
from debugger.covering.secrets import secrets_of

__all__ = [
    "CoveredEvents",
    "Covering",
    "CoveringProbe",
    "CoveringResolver",
    "Redacted",
    "covered_events_of",
    "covering_of",
    "secrets_of",
]
