"""Traces on the screen, at any size: lists, trees, waterfalls, statistics. Docs: docs/traces.md.

The map:

    seam        what is shown comes through it;  source  opens files and recordings
    skeleton    one trace in columns;  hooks  what a span says about a hook chain
    stored      spans in the tables of a recording;  loaded  a file that is being read, or a receiver that listens
    derived     facts of a recording as spans;  scopes  which of them belong together;  recorded  a recording as a
                source
    outline     which rows of a tree are to be seen: folded, unfolded, hidden
    window, bars, lanes, minimap   the waterfall, as text
    critical, durations            what the wait was made of
    statistics, merged, plots, survey   everything of a source at once
    seeking     the next error, the next match
    listing, heads, rows, detail, tables, standing   views: values to lines
    actions     the table of keys
    panes, screen                  the widgets, and the screen that joins them
    listening, app                 `listen --screen`, and its application
"""
