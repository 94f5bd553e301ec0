"""Use cases of shared memory: share, send, take in, and the exchange with a remote (section 21)."""
