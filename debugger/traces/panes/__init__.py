"""The panes of the trace screens, one widget a file: each draws views and does what its keys say.

Panes keep their parts instead of looking for them: what arrives before they are mounted, or after, draws nothing and
breaks nothing.
"""
