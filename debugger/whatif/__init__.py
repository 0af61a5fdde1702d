"""What a dispatch would have come to with one thing changed.

The map:

    alternatives   one change, and the dispatch with it, as far as the recorded answers tell
    reasons        the smallest single changes that would have made another verdict
    choices        everything that can be changed, with names
    traced         an alternative as a dispatch that can be compared with any other
    order          which neighbours of a chain do not commute
    fork           the same change against live subscribers: only those are asked whose question is another one
"""
