"""Programs that we start: each under a guard, so that it never outlives us, in a group of its own, without a shell.

    lines       pure: bytes to lines
    guard       a program of its own, between us and each program that we start
    pipes       the ends of pipes that we hold, read and written without blocking the loop
    process     one program from its start until nothing of it is left
    output      who is told what it prints
    refusals    why a program could not be started, in a sentence

What all transports share that reach a subscriber in a process of its own. Knows none of them.
"""
