"""Recordings for people and programs elsewhere. Everything here is made from events that were redacted before.

The map:

    material    what is exported: chosen dispatches, folded, with what was replaced in them
    formats     every format by its name
    jsonl       facts, one a line                  markdown   for an issue
    mermaid     a sequence diagram                 svg        lines as a picture;  pictures  which lines
    html        one page that needs nothing else   page, page_parts, page_script
    scenario    a dispatch as a scenario file;  stand_ins  those who answer in it;  yaml_text
    pytest      a test that runs that scenario
    command     `hookscope export`
"""
