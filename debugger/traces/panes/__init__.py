"""The panes of the trace screens, one widget a file: each draws views and does what its keys say."""
