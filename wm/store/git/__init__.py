"""Shared memory in git: short commands, bounded reads of foreign trees, a private mirror (SY-1)."""
