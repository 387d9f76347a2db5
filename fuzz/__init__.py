"""Fuzzing: inputs that nobody wrote, in search of what opsetdocs does not survive. See README.md."""
