"""The real agents, `claude` and `opencode`, against a scripted upstream of our own.

`python -m tests.clients` installs the pinned clients when they are missing and runs all.
"""
