"""Scenario files: a described run, and what is expected of it. Free of Textual; opening a file runs nothing.

model     what is run, as values                  expected    what is expected, as values
parts     what both are made of                   document    YAML with a place for everything in it
load      files -> scenarios                      stage       a scenario -> chains and live subscribers
stubs     subscribers that do as they are told    script      who is steered, and what trouble befalls whom
answers   a person who answers as told            selection   which dispatches of a session are meant
cast      everybody who can be asked              fired       what happened, as values
run       scenarios -> what happened              session     the same for one that is played
measure   what happened, as spans and metrics     matching    one JSON value beside what is expected of it
judge     what happened beside what is expected   schema    the format as JSON Schema
report    verdicts as text, JSON Lines, JUnit XML command   `hookscope run`
"""
