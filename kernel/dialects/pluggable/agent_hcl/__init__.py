"""agent.hcl and config.hcl, from their blocks to chains.

schema      which blocks there are                                  arguments   the values of their arguments
reading     blocks as values                                        settings    these values
registry    chains out of them                                      options     where hosts differ
overrides   config.hcl                                              provider_body  what a plugin is configured with
environment  variables for its process                              codes       every kind of problem, as a table
later       what parts of the host refuse                           advice      what is legal and hardly meant
"""
