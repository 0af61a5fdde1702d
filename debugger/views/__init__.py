"""From values to what a screen or a command prints: pure functions, no Textual."""
