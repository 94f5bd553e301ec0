"""Rules of one session."""
