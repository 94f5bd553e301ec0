"""Verbs for the memory of a workspace."""
