"""Played sessions of the rig dialect: what comes to a loop is described, every operation is a real dispatch.

described    a session as somebody wrote it                       choices      words that it chooses among
checks       what it cannot mean                                  texts        fixed texts and bounds
loading      from a document to a session                         schema       its format, for editors
errors       what goes wrong in a host                            waiting      waiting as long as a context lasts
owner        who plays the seat of an operation                   ground       ids, times, operations, telling
conversation messages, requests, transcripts                      played       all of it in order
journal      appends                                              opening      opening anew or again
turns        turns                                                steps        steps and their requests
batch        the calls of a step                                  tools        one call
running      a tool that runs                                     gates        asking somebody
loops        loops and those that tools start                     compaction   summarising
"""
