"""Verbs for the current project and its files."""
