"""One language for what is meant: in filters, searches, breakpoints, faults and the choice of what to replay. No I/O
but in `keeping`, no Textual, never `eval`. docs/filters.md is its page.

The map, from the text to the answer:

    lexer       text -> tokens
    parser      tokens -> a filter, or what is wrong and where
    syntax      filters as values
    printer     a filter -> its text
    problems    what is wrong, with a caret under it
    fields      the table of fields: what each reads, of what kind it is, from when on it is known
    reading     what the fields read from a trace
    kinds measures    what a kind of field may be compared with, and what comparing means
    paths globs patterns    JSON paths, stars, regular expressions
    gist        all that is said of a dispatch, for looking for text
    sight       payloads as text, answers as JSON, diffs: computed once
    compiled    a filter -> true, false or not known, of dispatches and steps
    combined shape stretches    its parts: the rules of not knowing, what a filter is about, the same of stretches
    seams       what is known at a seam of a dispatch under way
    saved       filters with names
    seen        what there was so far, for
    completion  what may be written here
    counting    how many of the last would have been hit
    keeping     saved filters and the history as files
"""

from debugger.filters.compiled import Predicate, compiled, known_from
from debugger.filters.completion import Candidate, Completion, completion
from debugger.filters.counting import Hits, hits
from debugger.filters.fields import FIELDS, Field, Known
from debugger.filters.kinds import Truth
from debugger.filters.parser import Bad, Complete, Typed, Unfinished, parse, typed
from debugger.filters.printer import printed
from debugger.filters.problems import BadFilter
from debugger.filters.saved import check_name, resolved
from debugger.filters.seams import at_seam
from debugger.filters.seen import Seen
from debugger.filters.sight import Sight
from debugger.filters.syntax import Everything, Filter

__all__ = [
    "FIELDS",
    "Bad",
    "BadFilter",
    "Candidate",
    "Complete",
    "Completion",
    "Everything",
    "Field",
    "Filter",
    "Hits",
    "Known",
    "Predicate",
    "Seen",
    "Sight",
    "Truth",
    "Typed",
    "Unfinished",
    "at_seam",
    "check_name",
    "compiled",
    "completion",
    "hits",
    "known_from",
    "parse",
    "printed",
    "resolved",
    "typed",
]
