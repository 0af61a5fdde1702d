"""The trace store: one SQLite file, which is the recording. Opening one never runs code.

The map:

    codec      events <-> bytes, payloads by content hash
    schema     tables, format version, upgrade steps
    writer     a probe that writes what it sees, in batches, on a thread of its own
    opened     the file: recognised, opened, brought up to date
    recording  a stored file, read page by page
    short      what a list says of a dispatch, counted when it is stored
    notes      what readers say of dispatches
    browsing   a recording as the trace that screens look at, folded where it is looked at
    sifting    a filter asked about every dispatch of a recording
    provenance what was recorded: configuration, plugin files, our version, each with its hash
"""
