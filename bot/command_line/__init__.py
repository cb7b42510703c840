"""What each command takes and prints: one module a command, with `arguments` and `run`.

A module imports its rooms in `run`, so that a quick command and `--help` wait for no slow one.
"""
