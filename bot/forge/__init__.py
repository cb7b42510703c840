"""Facts from GitHub behind a small Protocol in domain words, and the few things said back to it.

PyGithub is known here alone. This room decides nothing, and knows no lessons, git or settings.
"""
