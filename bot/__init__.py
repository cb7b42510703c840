"""Lessonkeeper, all but what hears and the command line."""

VERSION = "0.1.0"  # as in pyproject.toml
