"""A forge for the demo and the tests: GitHub's answers over HTTP, real git, no account, no key.

It keeps state, is strict about what it is asked, and knows nothing of lessons or of the bot's code.
"""
