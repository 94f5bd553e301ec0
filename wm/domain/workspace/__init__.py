"""Rules of what a workspace remembers."""
