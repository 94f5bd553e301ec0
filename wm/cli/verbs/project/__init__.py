"""Verbs for the current project and its files, which belong to the user."""
