"""Prune tool output at its first appearance (SPEC section 8). Entry point: `prune.prune`.

Decides which lines stay; the caller keeps the original. Errors and summaries always stay.
"""
