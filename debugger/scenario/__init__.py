"""Scenario files: a described run, and what is expected of it. Free of Textual; opening a file runs nothing.

model     the format, as values                   document    YAML with a place for everything in it
load      files -> scenarios                      stage       a scenario -> chains and live subscribers
stubs     subscribers that do as they are told    script      who is steered, and what trouble befalls whom
run       scenarios -> what happened              measure     what happened, as spans and metrics
judge     what happened beside what is expected   matching    one JSON value beside what is expected of it
report    verdicts as text, JSON Lines, JUnit XML schema      the format as JSON Schema
"""
