"""`make chaos`: the server killed at random moments while everything around it misbehaves.

It knows the product by its command line, its database and its remotes alone.
"""
