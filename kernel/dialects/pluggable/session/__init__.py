"""What the host does around its dispatches, for sessions that are played.

described   a session as somebody wrote it                          schema      its format, for editors
loading     a description read and checked                          scripted    what in it acts
played      it, through the order of the points                     ground      what all of these stand on
turn        what the hooks are shown                                conversation  its messages
assembly    the context of each turn                                contributing  plugins that contribute to it
model_calls  calls of the model                                     scope       the tools and the model of a profile
tool_phase  calls of tools                                          concurrency  which calls wait for which
planning    plans and the gate                                      gate        what becomes of a plan
policy      which rule decides about a call                         stops       when a session ends
ledger      what sessions have spent
"""
