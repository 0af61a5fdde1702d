"""The desk: the screen that people work at.

    screen      what all desks have: what stands where, and what is drawn of what is chosen
    live        the screen over subscribers that run: how it follows the kernel
    place       what the keys know of it
    stepping    keys that say how a dispatch goes on
    firing      keys that fire
    editing     keys that change what flows
    breaking    keys that hold and break subscribers
    playing     keys about played sessions and about questions
    answering   the key that answers on somebody's behalf
    breakpoints keys about breakpoints, and the project file
    finding     keys that look for dispatches
    listing     which dispatches are listed, folded or frozen
    noting      keys about marks and notes
    recorded    the screen over a recording
    recorded_listing  its list
    scrubbing   keys that go through a recording
    wondering   keys about dispatches as they might have been
    watching    keys about places of the payload
    inspecting  what the inspector shows
    book        what a reader has written down
    writing     filters and breakpoints, judged while they are typed
    ahead       keys that wait for the dialog that another key opens
    pages       keys that show something to read, or leave
    looking     keys that give a pane all the room, or take along what it shows

Which keys there are is the table in debugger/actions.py; each of its deeds is in one of these modules.
"""

from debugger.desk.screen import Desk

__all__ = ["Desk"]
