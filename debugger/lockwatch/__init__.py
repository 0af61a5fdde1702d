"""Who holds Python's lock: told by a process beside the application, which cannot draw as long as somebody does.

    ledger    who runs in which thread, and the last sign of life of the screen; a table that both processes see
    heart     in the application: the signs of life, and where everybody is
    stacks    where the threads are, as faulthandler writes it while nobody else can
    picture   what the other process draws
    watch     the other process

A callback that waits lets go of the lock, and `debugger/stuck.py` tells of it on the screen itself.
"""
