"""Use cases on the state of one session."""
