"""Pruning of tool output at its first appearance (SPEC section 8). `prune.prune` is the door."""
