"""Secrets out of what leaves us: found by shape, key, place and value, replaced by placeholders that stay equal.

The map:

    shapes    secrets in running text          places    places in JSON
    rules     everything that one redaction goes by (names of keys: `covering`)
    file      rules files                      ledger    what was found, and what stands in its place
    redactor  text, JSON and bytes             events    everything that is told of a dispatch
    probe     in front of a recording          preview   what was found, for people
"""

from debugger.covering import Redacted, secrets_of
from debugger.redaction.events import EventRedactor
from debugger.redaction.probe import RedactingProbe
from debugger.redaction.redactor import Redactor
from debugger.redaction.rules import Rules

__all__ = ["EventRedactor", "Redacted", "RedactingProbe", "Redactor", "Rules", "secrets_of"]
