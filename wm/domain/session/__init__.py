"""Rules of one session's state and memory. Pure."""
