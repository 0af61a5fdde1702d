"""Structural diffs of JSON payloads: what a subscriber did, as values. No Textual, no Rich, no I/O.

The map, from the values to what is made of them:

    changes     one change, a diff, paths
    words       what changed inside a string, and what is easy to overlook
    match       which item of one list is which item of the other
    compare     two payloads -> a diff
    outline     where a thing was before, for drawing and for blame
    patch       a diff -> RFC 6902
"""

from debugger.diff.changes import Added, Change, Diff, Moved, Path, Removed, Replaced, Summary, dotted, pointer
from debugger.diff.compare import diff, only_key_order_differs, without
from debugger.diff.outline import Outline, outline
from debugger.diff.patch import patch
from debugger.diff.words import Piece, PieceKind, Subtle, namesakes, subtle, words

__all__ = [
    "Added",
    "Change",
    "Diff",
    "Moved",
    "Outline",
    "Path",
    "Piece",
    "PieceKind",
    "Removed",
    "Replaced",
    "Subtle",
    "Summary",
    "diff",
    "dotted",
    "namesakes",
    "only_key_order_differs",
    "outline",
    "patch",
    "pointer",
    "subtle",
    "without",
    "words",
]
