"""Verbs for agents' sessions."""
