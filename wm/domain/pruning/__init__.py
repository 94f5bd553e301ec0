"""Prune tool output at its first appearance (SPEC section 8). Entry point: `prune.prune`."""
