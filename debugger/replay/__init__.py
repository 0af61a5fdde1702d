"""Recorded dispatches run again: exactly, with some subscribers live, or with all of them.

The map:

    exact      the walk against what was recorded, fact by fact; nobody is asked, no process is started
    live       recorded inputs against live subscribers, all or some of them
    compare    two dispatches step by step: where they part first, and why
    command    `hookscope replay` and `hookscope diff`
"""
