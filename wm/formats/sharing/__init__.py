"""Formats of shared memory: the entry in the tree, and what this machine knows of the tree."""
