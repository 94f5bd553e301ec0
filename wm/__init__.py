"""A per-user memory daemon for coding agents, on plain JSON files."""

__version__ = "0.2.0"
