"""The manifest of an extension, plugin.json: read, judged, advised on.

text        JSON with the place of everything                       needle      where in it something stands
values      a manifest as a value                                   reading     the text to values
fields      what a member may hold                                  codes       every kind of problem, as a table
rules       what the host refuses                                   advice      what is legal and hardly meant
"""
