"""The trace store: one SQLite file, which is the recording. Opening one never runs code.

The map:

    codec      events <-> bytes, payloads by content hash
    schema     tables, format version, upgrade steps
    writer     a probe that writes what it sees, in batches, on a thread of its own
    recording  a stored file, read page by page
    provenance what was recorded: configuration, plugin files, our version, each with its hash
"""
