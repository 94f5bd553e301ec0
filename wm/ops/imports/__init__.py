"""Use cases that take in what other programs remember."""
