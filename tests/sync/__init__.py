"""Shared memory over git: clones, remotes, faults, hostile trees (SPEC section 21)."""
