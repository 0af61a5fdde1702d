"""Widgets, one a file. Each draws a view and says what the reader asked for; none knows the kernel."""
