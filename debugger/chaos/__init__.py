"""Every fault at every seat of every point, and whether the rule that must apply did.

The map:

    sweep     the dispatches, one fault in each, against live subscribers
    grid      what they came to, as a table. Pure
    command   `hookscope chaos`
"""
