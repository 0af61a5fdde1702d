"""Secrets out of what leaves us: found by shape, key, place and value, replaced by placeholders that stay equal.

The map:

    shapes    secrets in running text          keys      names under which secrets are kept
    places    places in JSON                   rules     everything that one redaction goes by
    file      rules files                      ledger    what was found, and what stands in its place
    redactor  text, JSON and bytes             events    everything that is told of a dispatch
    probe     in front of a recording          preview   what was found, for people
"""

from debugger.redaction.events import EventRedactor, Redacted
from debugger.redaction.probe import RedactingProbe
from debugger.redaction.redactor import Redactor
from debugger.redaction.rules import Rules, secrets_of

__all__ = ["EventRedactor", "Redacted", "RedactingProbe", "Redactor", "Rules", "secrets_of"]
