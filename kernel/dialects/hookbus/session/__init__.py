"""Played sessions of the hookbus dialect: what the host does between its events is described, every event is real.

described    a session as somebody wrote it, and its checks       schema       its format, for editors
history      the conversation, as values                          loaded       which extensions are loaded by now
ground       where it is told, how it emits, when it gives up     tools        one call of a tool
deliveries   notifications that nobody waits for                  played       all of it in order
"""
